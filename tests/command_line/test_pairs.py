"""``sparring jury --input``: a table in, a line for each row out, nothing paid twice."""

import json
import signal
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from sparring.testing import ModelEndpoint, Request, Say
from support.jurors import REPLIES, SAID, add_apis
from support.ledgers import answers_in
from support.workbench import PATIENCE_S, Result, Workbench

COMMAND = ("jury", "--input", "pairs.csv", "--with", "ann", "--set", "rebuttals=0")
CALLS = 4
"""Of a row with these seats."""
LATER = {"match": {"role": "judge"}, "response": "Later.", "delay_s": 3600}
LOST = {"match": {"role": "skeptic"}, "failure": {"code": "rate_limit", "detail": "Too often."}}
PROSE = {"match": {"role": "judge"}, "response": "Hard to say."}


def table(bench: Workbench, *rows: str) -> None:
    lines = [f'{row},"more than 645,000 cases"\n' for row in rows]
    (bench.project / "pairs.csv").write_text("id,claim,truth\n" + "".join(lines), encoding="utf-8")


def judge(bench: Workbench, *more: str) -> Result:
    return bench.run(*COMMAND, *more)


def told(done: Result, name: str) -> list[Any]:
    """That of each row."""
    return [json.loads(line)[name] for line in done.out.splitlines()]


def were_known(done: Result) -> list[bool]:
    return told(done, "was_judged_before")


def test_every_row_gets_a_verdict_in_its_place_and_only_what_is_new_is_asked(jury: Workbench) -> None:
    table(jury, "a,Under 650 cases", "b,Over 650 cases", "c,Under 650 cases")
    first, second = judge(jury), judge(jury)
    assert (first.code, answers_in(jury.ledger)) == (0, 2 * CALLS), first.err
    assert told(first, "row_id") == ["a", "b", "c"]
    assert [verdict["verdict"] for verdict in told(first, "verdict")] == ["MUTATED"] * 3
    assert "3 rows: 3 MUTATED" in first.err
    assert (were_known(first).count(True), were_known(second)) == (1, [True] * 3)
    assert told(first, "verdict") == told(second, "verdict")
    assert "(3 judged before). Used: 0 calls" in second.err

    table(jury, "a,Under 650 cases", "b,About 650 cases")
    assert were_known(judge(jury)) == [True, False]
    assert were_known(judge(jury, "--set", "fresh=true")) == [False, False]
    assert answers_in(jury.ledger) == 5 * CALLS
    assert told(judge(jury, "--set", "fresh=true", "--set", "max_time=0.000001"), "status") == ["not_asked"] * 2


def test_rows_that_share_an_id_are_refused_with_their_lines_before_anybody_is_asked(jury: Workbench) -> None:
    table(jury, "a,Under 650 cases", "b,Over 650 cases", "a,About 650 cases")
    done = judge(jury)
    assert (done.code, answers_in(jury.ledger)) == (2, 0)
    assert "Rows of pairs.csv share an id: 'a' in lines 2, 4." in done.err


@pytest.mark.process
def test_after_an_interruption_nothing_is_paid_twice(jury: Workbench) -> None:
    table(jury, "a,Under 650 cases", "b,Over 650 cases")
    jury.add_tool("bob", [LATER, *REPLIES])
    process = jury.start(*COMMAND, "--seat", "judge=bob", "--set", "at_once=1")
    while answers_in(jury.ledger) < 3:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    jury.add_tool("bob", REPLIES)

    done = judge(jury, "--seat", "judge=bob")

    assert (process.returncode, b"the same command goes on" in err) == (130, True)
    assert (done.code, answers_in(jury.ledger)) == (0, 2 * CALLS), done.err


@pytest.mark.process
def test_what_is_asked_again_after_orderly_stops_is_told_of_its_row_and_of_the_table(bench: Workbench) -> None:
    table(bench, "a,Under 650 cases", "b,Over 650 cases")
    asked, stops = Counter[tuple[str, str]](), 2
    held = [threading.Event() for _ in range(stops)]
    over = threading.Event()

    def answer(request: Request) -> Say:
        asked[request.model, request.prompt] += 1
        if (number := asked[request.model, request.prompt]) <= stops and request.model == "judge":
            held[number - 1].set()
            over.wait(PATIENCE_S)
        return Say(SAID[request.model])

    typed = (*COMMAND, "--seat", "fact-checker=bob", "--seat", "judge=cy", "--set", "at_once=1")
    with ModelEndpoint(answer) as endpoint:
        add_apis(bench, endpoint.url)
        for number in range(stops):
            process = bench.start(*typed)
            assert held[number].wait(PATIENCE_S)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_S)
        over.set()
        done = bench.run(*typed)
    assert done.code == 0, done.err
    repeated = sum(asked.values()) - len(asked)
    assert repeated == stops
    assert [spent["maybe_paid_twice"] for spent in told(done, "spent")] == [stops, 0]
    assert "1 call was asked again, and may be paid for twice" in done.err


@pytest.mark.parametrize(
    ("reply", "more", "code", "first"),
    [
        (LOST, ("--seat", "skeptic=bob"), 4, ["incomplete"] * 2),
        (PROSE, ("--seat", "judge=bob"), 1, ["unjudged"] * 2),
        (LATER, ("--seat", "judge=bob", "--set", "max_time=0.3"), 1, ["not_asked"] * 2),
        ({}, ("--set", "at_once=1", "--max-cost", "0.04"), 4, ["judged", "not_asked"]),
    ],
)
def test_what_is_not_judged_ends_with_its_code_and_is_left_to_the_next_call(
    jury: Workbench, reply: Mapping[str, object], more: tuple[str, ...], code: int, first: list[str]
) -> None:
    table(jury, "a,Under 650 cases", "b,Over 650 cases")
    jury.add_tool("bob", [reply, *REPLIES] if reply else REPLIES)
    failed = judge(jury, *more)
    jury.add_tool("bob", REPLIES)
    healed = judge(jury, *more[:2])
    assert (failed.code, told(failed, "status")) == (code, first), failed.err
    assert (healed.code, told(healed, "status")) == (0, ["judged"] * 2), healed.err
    assert were_known(judge(jury, *more[:2])) == [True] * 2
    if reply is LOST:
        assert "Used: 4 calls" in healed.err  # the skeptic, and the judge who now hears it, of each row
