"""``sparring runs ask``: a question to one participant of a run that has ended."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.held_debates import Held

QUESTION = "Would a test have changed your mind?"
ANSWER = {"match": {"role": "consultant"}, "response": "Yes, if it covers `README.md:1`."}


@pytest.fixture
def held(held_once: Held, tmp_path: Path) -> Held:
    """A debate that was held; its tools now answer a consultation as well."""
    held = held_once.copied(tmp_path)
    for name in ("ann", "bob"):
        held.bench.add_tool(name, (ANSWER,))
    return held


@pytest.mark.parametrize(
    ("named", "seat", "tool"),
    [("proposer", "proposer", "ann"), ("Challenger", "challenger", "bob"), ("bob", "challenger", "bob")],
)
def test_the_tool_of_a_seat_is_asked_with_the_report_of_the_run(held: Held, named: str, seat: str, tool: str) -> None:
    run_id = held.folder.name
    done = held.bench.run("runs", "ask", "last", named, f" {QUESTION}\n")
    assert (done.code, done.out) == (0, f"{ANSWER['response']}\n")
    (journal,) = held.bench.state.glob("consult/runs/consult-*/journal.jsonl")
    request: dict[str, Any] = json.loads(journal.read_text(encoding="utf-8").splitlines()[0])["body"]["request"]
    assert [each["tool"] for each in request["asked"]] == [tool]
    assert QUESTION in request["question"]
    assert f"you took part as the {seat}" in request["question"]
    (part,) = request["context"]
    assert part["name"] == f"report of {run_id}"


def test_a_follow_up_is_a_consultation_and_leaves_the_run_unchanged(held: Held) -> None:
    before = {path.name: path.read_bytes() for path in held.folder.iterdir() if path.is_file()}
    assert held.bench.run("runs", "ask", held.folder.name, "proposer", QUESTION).code == 0
    assert {path.name: path.read_bytes() for path in held.folder.iterdir() if path.is_file()} == before
    assert len(list(held.bench.state.glob("consult/runs/consult-*"))) == 1


@pytest.mark.parametrize(
    ("seat", "text", "told"),
    [
        ("jury", QUESTION, "There is no seat 'jury' in run "),
        ("proposer", "  ", "The question is empty."),
    ],
)
def test_a_follow_up_that_cannot_work_is_refused_without_a_call(held: Held, seat: str, text: str, told: str) -> None:
    refused = held.bench.run("runs", "ask", held.folder.name, seat, text)
    assert (refused.code, told in refused.err) == (2, True)
    assert not list(held.bench.state.glob("consult/runs/consult-*"))


def test_a_follow_up_to_a_run_that_has_not_finished_is_refused(held: Held) -> None:
    held.broken_off(3)
    refused = held.bench.run("runs", "ask", held.folder.name, "proposer", QUESTION)
    assert (refused.code, "has not finished. Send both sides a note with" in refused.err) == (2, True)


def test_a_tool_that_had_several_seats_is_asked_by_one_of_them(held_once: Held, tmp_path: Path) -> None:
    bench = held_once.copied(tmp_path).bench
    assert (
        bench.run("debate", "Should it retry?", "--proposer", "ann", "--challenger", "bob", "--seat", "judge=ann").code
        == 0
    )
    refused = bench.run("runs", "ask", "last", "ann", QUESTION)
    assert (refused.code, "ann had several seats: judge, proposer. Name one of them." in refused.err) == (2, True)
