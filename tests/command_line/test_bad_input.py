"""What is refused: one clear sentence, the right exit code, nothing started, nothing lost."""

import json
import os
import shlex
from pathlib import Path

import pytest

from sparring.schema.fact_check import CLAIM_LIMIT
from support.texts import texts
from support.workbench import DEBATE, Workbench

NOT_UTF_8 = os.fsdecode(b"caf\xe9")
MIB = 1024 * 1024
CHECK = "fact-check c --with ann,bob,cy"

REFUSED = [
    *((f"{begin} {more}", sentence) for begin, rows in texts("refusals").items() for more, sentence in rows),
    (f"debate {'why' * 40_000} --proposer ann --challenger bob", "topic must have at most 100,000 characters"),
    (f"debate {NOT_UTF_8} --proposer ann --challenger bob", "topic is not UTF-8 text."),
    (f"debate t --proposer {'x' * 999}", f"There is no tool named '{'x' * 58}…. Ready: "),
    (f"fact-check {'x' * (CLAIM_LIMIT + 1)} --evidence e --with ann", f"claim must have at most {CLAIM_LIMIT:,}"),
    (f"{CHECK} --evidence e --evidence {NOT_UTF_8}", "evidence 2 is not UTF-8 text."),
    ("debate t --with ''", "--with names no tool. Leave it out to have one chosen."),
    ("consult q --tool ' '", "--tool names no tool. Leave it out to have one chosen."),
    ("debate t --challenger ''", "--challenger names no tool. Leave it out to have one chosen."),
    (f"jury c --truth t --set row_id={'x' * 201} --with ann", "row_id must have at most 200 characters"),
    (f"log append opening chair warning README.md [] '' {'9' * 5000}", "TARGET_SEQ must be null or the number"),
]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A project with much in it that cannot be used, in which nothing is ever begun."""
    bench = Workbench.below(tmp_path_factory.mktemp("untouched"))
    (bench.project / "huge.txt").touch()
    os.truncate(bench.project / "huge.txt", 5 * MIB)
    (bench.project / "pairs.csv").write_text("claim,truth\na,b\n", encoding="utf-8")
    (bench.project / ".env").write_text("A=1\n", encoding="utf-8")
    (bench.project / "circle").symlink_to("circle")
    os.mkfifo(bench.project / "pipe")
    return bench


@pytest.mark.parametrize(("typed", "sentence"), REFUSED, ids=[f"{typed[:60]}" for typed, _ in REFUSED])
def test_a_request_that_cannot_work_starts_nothing(untouched: Workbench, typed: str, sentence: str) -> None:
    done = untouched.run(*shlex.split(typed))
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert done.err.startswith(f"Error: {sentence}"), done.err
    assert not [*untouched.state.glob("*/runs"), *untouched.root.rglob("*.jsonl"), *untouched.root.rglob("config.toml")]


@pytest.mark.parametrize(
    ("stdin", "sentence"),
    [
        (b"caf\xe9", "Standard input is not UTF-8 text. Convert it first, e.g. with `iconv -f latin1 -t utf-8`."),
        (b"a\x00b", "standard input contains the control character U+0000 in line 1."),
        (b"y" * (5 * MIB), "The evidence has 5,120 KiB; the limit is 1,024 KiB. Biggest: standard input 5,120 KiB."),
        (b"x" * (8 * MIB + 1), "Standard input is larger than 8 MiB; shorten it."),
        (b" \n", "There is no evidence to check the claim against."),
    ],
    ids=["latin-1", "nul", "5 MiB", "9 MiB", "blank"],
)
def test_piped_input_follows_the_same_rules(untouched: Workbench, stdin: bytes, sentence: str) -> None:
    done = untouched.run(*shlex.split(CHECK), stdin=stdin)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {sentence}"), done.err


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        ("runs show --json", "RUN_ID is missing.", "`sparring runs show --help` shows what can be typed."),
        (f"{CHECK} --json", "There is no evidence to check the claim against.", "Give at least one text or file."),
    ],
)
def test_with_json_the_error_is_an_object_too(untouched: Workbench, typed: str, message: str, hint: str) -> None:
    done = untouched.run(*shlex.split(typed))
    assert (done.code, done.json) == (2, {"error": {"code": "usage", "message": message, "hint": hint}})
    assert done.err == f"Error: {message} {hint}\n"


def test_a_review_without_git_fails_as_for_any_missing_tool(untouched: Workbench, tmp_path: Path) -> None:
    untouched.extra["PATH"] = str(tmp_path)
    done = untouched.run("review", "--with", "ann,bob")
    assert (done.code, done.err.splitlines()[-1]) == (
        3,
        "Error: git is not installed. Reading changes and commits needs git, and a repository that it can read.",
    )


def test_a_tool_that_is_not_installed_is_named_with_what_to_do(untouched: Workbench) -> None:
    done = untouched.run("consult", "q", "--tool", "claude")
    what_to_do = "Install it with `npm install -g @anthropic-ai/claude-code`, then run `claude` once to sign in.\n"
    assert (done.code, done.err) == (3, f"Error: Claude Code is not installed: no `claude` on PATH. {what_to_do}")


@pytest.mark.parametrize("state", ["a-file", "x" * 300])
def test_a_state_directory_that_cannot_be_one_is_refused_in_a_sentence(bench: Workbench, state: str) -> None:
    (bench.project / "a-file").write_text("not a folder", encoding="utf-8")
    bench.extra["AI_STATE_DIR"] = state
    for command in (DEBATE, ("runs", "list")):
        done = bench.run(*command)
        assert (done.code, done.out, len(done.err.splitlines()), state in done.err) == (1, "", 1, True)
    assert (bench.project / "a-file").read_text(encoding="utf-8") == "not a folder"


def test_a_project_whose_path_is_no_text_is_still_spoken_of_in_json(bench: Workbench) -> None:
    odd = bench.project / NOT_UTF_8
    (odd / ".git").mkdir(parents=True)
    for arguments in (("doctor", "--json"), ("runs", "show", "debate-1", "--json")):
        assert "project/caf" in json.dumps(bench.run(*arguments, cwd=odd).json)


def test_a_current_folder_that_was_deleted_is_reported(bench: Workbench) -> None:
    done = bench.run("runs", "list", cwd=None)
    assert (done.code, done.err) == (2, "Error: The current folder does not exist any more. Change to another one.\n")
    assert bench.run("redact", stdin=b"a", cwd=None).out == "a"


@pytest.mark.parametrize(
    ("content", "said"),
    [("{ torn", "Move the file away"), (json.dumps({"schema_version": 99}), "99"), ("[]", "Move the file away")],
)
def test_a_last_debate_that_cannot_be_read_is_never_overwritten(bench: Workbench, content: str, said: str) -> None:
    last = bench.state / "debate" / "last-debate.json"
    last.parent.mkdir(parents=True)
    last.write_text(content, encoding="utf-8")
    done = bench.run(*DEBATE)
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert (str(last) in done.err, said in done.err, last.read_text(encoding="utf-8")) == (True, True, content)
