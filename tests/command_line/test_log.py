"""``sparring log append``: the log writer for agents that debate outside of sparring."""

import json
import shlex
from typing import Any

import pytest

from support.workbench import Result, Workbench

SOURCES = json.dumps([{"url": "https://example.org/paper", "title": "A study", "accessed": "2026-02-21"}])
CLAIM = "Output rose by 13 per cent [1]."
TOKEN = "ghp_" + "a1B2" * 9


def append(bench: Workbench, *arguments: str, content: str = CLAIM) -> Result:
    phase, speaker, type_, *rest = arguments
    return bench.run("log", "append", phase, speaker, type_, "-", *rest, stdin=content.encode())


def opened(bench: Workbench) -> None:
    """Both sides have made their opening statements."""
    for speaker in ("promoter", "detractor"):
        assert append(bench, "opening", speaker, "opening_statement", SOURCES).code == 0


def lines(bench: Workbench, path: str = "shared/debate-log.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (bench.project / path).read_text(encoding="utf-8").splitlines()]


def test_a_refused_entry_is_not_written_and_each_reason_is_a_line(bench: Workbench) -> None:
    arguments = ("opening", "promoter", "opening_statement", "null", "1")
    done = append(bench, *arguments)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 2)
    assert not (bench.project / "shared" / "debate-log.jsonl").exists()
    told = append(bench, *arguments, "--json")
    assert (told.code, told.json["error"]["code"]) == (2, "refused")
    assert told.json["error"]["message"] == " ".join(done.err.splitlines())


def test_the_log_is_that_of_the_config_or_the_one_that_is_named_and_holds_no_secret(bench: Workbench) -> None:
    (bench.project / "config").mkdir()
    config = {"topic": "Did output rise by 13 per cent?", "output_dir": "debates/first"}
    (bench.project / "config" / "debate-config.json").write_text(json.dumps(config), encoding="utf-8")
    sources = SOURCES.replace("A study", f"A study {TOKEN}")
    for file, more in (("debates/first/debate-log.jsonl", ()), ("mine.jsonl", ("--set", "log=mine.jsonl"))):
        said = f"By 13 per cent, as is asked {TOKEN} [1]."
        done = append(bench, "opening", "promoter", "opening_statement", sources, *more, content=said)
        assert (done.code, done.out) == (0, "1\n"), done.err
        assert (len(lines(bench, file)), TOKEN in str(lines(bench, file))) == (1, False)
    assert (
        "log names no file" in append(bench, "opening", "promoter", "opening_statement", SOURCES, "--set", "log=/").err
    )


def test_text_redacted_by_the_chair_is_removed_from_the_earlier_entry(bench: Workbench) -> None:
    opened(bench)
    why = "There is no such page."
    done = append(bench, "rebuttal", "chair", "redaction", "null", "null", "1", content=why)
    assert (done.code, done.out) == (0, "3\n"), done.err
    first, second, third = lines(bench)
    assert (first["content"], first["sources"], third["target_seq"]) == (f"[REDACTED] {why}", [], 1)
    assert (second["content"], third["content"]) == (CLAIM, why)
    assert append(bench, "rebuttal", "detractor", "rebuttal", SOURCES, "1").code == 2


PAPER = '[{"url":"https://example.com/paper","title":"Study Title","accessed":"2026-02-21"}]'
"""The source of the specification's own examples."""


@pytest.mark.parametrize(
    "call",
    [
        'SEQ=$(./shared/write-log.sh "rebuttal" "detractor" "new_point" "$CONTENT_FILE")',
        'SEQ=$(./shared/write-log.sh "rebuttal" "detractor" "rebuttal" "$CONTENT_FILE" "null" "5")',
        'SEQ=$(./shared/write-log.sh "rebuttal" "detractor" "new_point" "$CONTENT_FILE" "$SOURCES")',
        'SEQ=$(./shared/write-log.sh "rebuttal" "detractor" "rebuttal" "$CONTENT_FILE" "$SOURCES" "5")',
    ],
)
def test_the_example_calls_of_the_specification_are_taken_as_they_stand(bench: Workbench, call: str) -> None:
    opened(bench)
    for speaker in ("promoter", "detractor", "promoter"):
        assert append(bench, "rebuttal", speaker, "new_point", SOURCES).code == 0
    (bench.project / "content").write_text("Your argument text goes here...", encoding="utf-8")
    values = {"$CONTENT_FILE": "content", "$SOURCES": PAPER}
    arguments = shlex.split(call.removeprefix("SEQ=$(./shared/write-log.sh ").removesuffix(")"))
    done = bench.run("log", "append", *(values.get(word, word) for word in arguments))
    assert (done.code, done.out) == (0, "6\n"), done.err


def test_entries_of_a_log_that_its_own_chair_keeps_are_taken(bench: Workbench) -> None:
    entries = (
        ("system", "chair", "setup"),
        ("system", "chair", "announcement"),
        ("opening", "promoter", "opening_statement", SOURCES),
        ("opening", "detractor", "opening_statement", SOURCES),
        ("system", "chair", "announcement"),
        ("rebuttal", "chair", "announcement"),
        ("rebuttal", "promoter", "rebuttal", SOURCES, "4"),
    )
    done = [append(bench, *entry) for entry in entries]
    assert [(each.code, each.out) for each in done] == [(0, f"{seq}\n") for seq in range(1, 8)], done[-1].err


def test_a_source_challenge_in_the_words_of_the_specification_names_its_target(bench: Workbench) -> None:
    opened(bench)
    said = "SOURCE CHALLENGE: seq 2 — there is no such page.\n\nIt is not so."
    assert append(bench, "rebuttal", "promoter", "new_point", SOURCES, content=said).code == 0
    assert lines(bench)[-1]["target_seq"] == 2
    own = append(bench, "rebuttal", "detractor", "new_point", SOURCES, content=said)
    assert (own.code, "your own" in own.err) == (2, True)
