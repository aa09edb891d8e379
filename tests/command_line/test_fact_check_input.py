"""What a fact-check refuses: one clear sentence, the right exit code, nothing sent, nothing stored."""

import os
from collections.abc import Callable

import pytest

from sparring.schema.fact_check import CLAIM_LIMIT
from support.fact_checkers import add_checkers
from support.fact_checking import CLAIM
from support.workbench import Workbench

pytestmark = pytest.mark.process


AGENTS = ("--agents", "ann,bob,cy")
TEXT = ("--evidence", "The tower is 330 metres tall.")
FILE = ("--evidence-file", "source.md")
NOT_UTF_8 = os.fsdecode(b"caf\xe9")
MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("", *TEXT, *AGENTS), 2, "claim: string should have at least 1 character."),
        (("  \n", *TEXT, *AGENTS), 2, "claim: string should have at least 1 character."),
        (("x" * (CLAIM_LIMIT + 1), *TEXT, *AGENTS), 2, f"claim: string should have at most {CLAIM_LIMIT} characters."),
        (("a\x07b", *TEXT, *AGENTS), 2, "claim: must not hold control characters."),
        ((NOT_UTF_8, *TEXT, *AGENTS), 2, "claim: it is not UTF-8 text."),
        ((CLAIM, *AGENTS), 2, "There is no evidence to hold the claim against. Give at least one text or file."),
        ((CLAIM, *TEXT, "--evidence", " \n ", *AGENTS), 2, "evidence 2 is empty; evidence must say something."),
        ((CLAIM, "--evidence", "a\x1bb", *AGENTS), 2, "evidence 1 holds the control character U+001B in line 1."),
        ((CLAIM, "--evidence", NOT_UTF_8, *AGENTS), 2, "evidence 1 is not UTF-8 text."),
        ((CLAIM, "--evidence-file", "gone.md", *AGENTS), 2, "'gone.md' cannot be read: No such file or directory."),
        ((CLAIM, "--evidence-file", ".", *AGENTS), 2, "'.' is a folder; name the files."),
        ((CLAIM, "--evidence-file", "", *AGENTS), 2, "'' names no file."),
        ((CLAIM, "--evidence-file", "a\nb", *AGENTS), 2, r"'a\nb' holds control characters."),
        ((CLAIM, "--evidence-file", ".env", *AGENTS), 2, "'.env' may hold secrets and is not handed over. If it holds"),
        ((CLAIM, *TEXT, "--agents", "ann"), 2, "A fact-check has 2 to 7 agents; 1 is named. The same tool may be"),
        ((CLAIM, *TEXT, "--agents", ",".join(["ann"] * 8)), 2, "A fact-check has 2 to 7 agents; 8 are named."),
        ((CLAIM, *TEXT, "--provider", "ann", "--count", "1"), 2, "A fact-check has 2 to 7 agents; 1 is asked for."),
        ((CLAIM, *TEXT, "--count", "8"), 2, "A fact-check has 2 to 7 agents; 8 are asked for."),
        ((CLAIM, *TEXT, *AGENTS, "--count", "2"), 2, "3 agents are named and 2 asked for. Leave the count out."),
        (
            (CLAIM, *TEXT, *AGENTS, "--provider", "ann"),
            2,
            "The agents are named twice: give a list of them, or one tool",
        ),
        ((CLAIM, *TEXT, "--agents", "ann,,bob"), 2, "The list of tools 'ann,,bob' has an empty place."),
        ((CLAIM, *TEXT, "--agents", "ann,nobody"), 2, "There is no tool named 'nobody'. Known tools: "),
        ((CLAIM, *TEXT, "--provider", "nobody"), 2, "There is no tool named 'nobody'. Known tools: "),
        ((CLAIM, *TEXT, "--agents", "ann,bob:-m"), 2, "model: '-m' begins with a hyphen or holds characters"),
        ((CLAIM, *TEXT, "--agents", "ann,scripted"), 3, "scripted has no script."),
        ((CLAIM, *TEXT, *AGENTS, "--max-rounds", "0"), 2, "max_rounds: input should be greater than or equal to 1"),
        (
            (CLAIM, *TEXT, *AGENTS, "--max-rounds", "6"),
            2,
            "max_rounds: input should be less than or equal to 5, it is 6.",
        ),
        (
            (CLAIM, *TEXT, *AGENTS, "--escalation", "often"),
            2,
            "The escalation must be one of auto, always, never; it is 'often'.",
        ),
        (
            (CLAIM, *TEXT, *AGENTS, "--language", "Vietnamese"),
            2,
            "The language must be a tag such as en, vi or pt-BR; it is 'Vietnamese'.",
        ),
        (
            (CLAIM, *TEXT, *AGENTS, "--effort", "most"),
            2,
            "The effort must be one of low, medium, high, max; it is 'most'.",
        ),
        (
            (CLAIM, *TEXT, *AGENTS, "--evidence-limit", "2049"),
            2,
            "--evidence-limit must be 1 to 2,048 KiB; it is 2,049.",
        ),
        (("-", "--evidence", "-", *AGENTS), 2, "Standard input cannot be both the claim and its evidence."),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    bench: Workbench, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    (bench.project / ".env").write_text("A=1\n", encoding="utf-8")
    done = bench.run("fact-check", *arguments)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"Error: {sentence}"), done.err
    assert len(done.err.splitlines()) == 1
    assert not (bench.state / "fact-check").exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "source.md is empty; evidence must say something."),
        (b"\xef\xbb\xbf \r\n", "source.md is empty; evidence must say something."),
        (b"caf\xe9 is Latin-1", "'source.md' is not UTF-8 text."),
        ("UTF-16".encode("utf-16"), "'source.md' is not UTF-8 text."),
        (b"one\x00two", "'source.md' is a binary file."),
        (b"first line\nsecond \x1b[31mline", "source.md holds the control character U+001B in line 2."),
        (b"x" * (5 * MIB), "The evidence has 5,120 KiB; the limit is 1,024 KiB. Biggest: source.md 5,120 KiB."),
    ],
    ids=["empty", "blank", "latin-1", "utf-16", "nul", "escape", "5 MiB"],
)
def test_a_file_that_cannot_be_evidence_is_named(bench: Workbench, content: bytes, sentence: str) -> None:
    (bench.project / "source.md").write_bytes(content)
    done = bench.run("fact-check", CLAIM, *FILE, *AGENTS)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {sentence}"), done.err
    assert len(done.err.splitlines()) == 1
    assert not (bench.state / "fact-check").exists()


@pytest.mark.parametrize(
    ("stdin", "sentence"),
    [
        (b"caf\xe9", "Standard input is not UTF-8 text."),
        (b"a\x00b", "standard input holds the control character U+0000 in line 1."),
        (b"y" * (5 * MIB), "The evidence has 5,120 KiB; the limit is 1,024 KiB. Biggest: standard input 5,120 KiB."),
        (b" \n", "There is no evidence to hold the claim against."),
    ],
    ids=["latin-1", "nul", "5 MiB", "blank"],
)
def test_what_is_piped_in_is_held_to_the_same_rules(bench: Workbench, stdin: bytes, sentence: str) -> None:
    done = bench.run("fact-check", CLAIM, *AGENTS, stdin=stdin)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {sentence}"), done.err


def make_pipe(bench: Workbench) -> str:
    os.mkfifo(bench.project / "pipe")
    return "pipe"


def make_circle(bench: Workbench) -> str:
    (bench.project / "circle").symlink_to("circle")
    return "circle"


@pytest.mark.parametrize("make", [make_pipe, make_circle])
def test_a_name_behind_which_there_is_no_file_hangs_nobody(bench: Workbench, make: Callable[[Workbench], str]) -> None:
    name = make(bench)
    done = bench.run("fact-check", CLAIM, "--evidence-file", name, *AGENTS)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert done.err.startswith(f"Error: '{name}' ")


def test_a_refusal_is_an_object_too_with_json(bench: Workbench) -> None:
    done = bench.run("fact-check", CLAIM, *AGENTS, "--json")
    assert done.code == 2
    assert done.json == {
        "error": {
            "code": "usage",
            "message": "There is no evidence to hold the claim against.",
            "hint": "Give at least one text or file.",
        }
    }


def test_a_limit_that_is_raised_lets_more_evidence_through(bench: Workbench) -> None:
    add_checkers(bench)
    (bench.project / "source.md").write_bytes(b"Nothing of it.\n" * 80_000)
    assert bench.run("fact-check", CLAIM, *FILE, *AGENTS).code == 2
    done = bench.run("fact-check", CLAIM, *FILE, *AGENTS, "--evidence-limit", "1200", "--escalation", "never")
    assert done.code == 0, done.err
