"""``sparring jury --pairs``: a table in, a line for each row out, nothing paid twice."""

import json
import signal
from typing import Any

import pytest

from support.jurors import REPLIES
from support.ledgers import answers_in
from support.workbench import PATIENCE_S, Result, Workbench

COMMAND = ("jury", "--pairs", "pairs.csv", "--provider", "ann", "--rebuttals", "0")
CALLS = 4
"""Of a row with these seats."""
LATER = {"match": {"role": "judge"}, "response": "Later.", "delay_s": 3600}
LOST = {"match": {"role": "skeptic"}, "failure": {"code": "rate_limit", "detail": "Too often."}}


def table(bench: Workbench, *rows: str) -> None:
    lines = [f'{row},"more than 645,000 cases"\n' for row in rows]
    (bench.project / "pairs.csv").write_text("id,claim,truth\n" + "".join(lines), encoding="utf-8")


def judge(bench: Workbench, *more: str) -> Result:
    return bench.run(*COMMAND, *more)


def rows_of(done: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.split("\n") if line]


def statuses(done: Result) -> list[str]:
    return [row["status"] for row in rows_of(done)]


def were_known(done: Result) -> list[bool]:
    return [row["was_judged_before"] for row in rows_of(done)]


@pytest.fixture
def jury(bench: Workbench) -> Workbench:
    bench.add_tool("ann", REPLIES)
    return bench


def test_every_row_gets_a_verdict_in_its_place_and_only_what_is_new_is_asked(jury: Workbench) -> None:
    table(jury, "a,Under 650 cases", "b,Over 650 cases", "c,Under 650 cases")
    first, second = judge(jury), judge(jury)
    assert (first.code, answers_in(jury.ledger)) == (0, 2 * CALLS), first.err
    assert [row["row_id"] for row in rows_of(first)] == ["a", "b", "c"]
    assert [row["verdict"]["verdict"] for row in rows_of(first)] == ["MUTATED"] * 3
    assert "3 rows: 3 MUTATED" in first.err
    assert were_known(first).count(True) == 1
    assert [row["verdict"] for row in rows_of(first)] == [row["verdict"] for row in rows_of(second)]
    assert were_known(second) == [True] * 3
    assert "(3 judged before). Used: 0 calls" in second.err

    table(jury, "a,Under 650 cases", "b,About 650 cases")
    assert were_known(judge(jury)) == [True, False]
    assert were_known(judge(jury, "--fresh")) == [False, False]
    assert answers_in(jury.ledger) == 5 * CALLS


def test_of_many_rows_that_say_the_same_one_is_asked_anew(jury: Workbench) -> None:
    table(jury, *(f"n{number},Under 650 cases" for number in range(60)))  # some side by side, others when it has ended
    done = judge(jury, "--fresh")
    assert (done.code, were_known(done).count(False), answers_in(jury.ledger)) == (0, 1, CALLS)


@pytest.mark.process
def test_after_an_interruption_nothing_is_paid_twice(jury: Workbench) -> None:
    table(jury, "a,Under 650 cases", "b,Over 650 cases")
    jury.add_tool("bob", [LATER, *REPLIES])
    process = jury.start(*COMMAND, "--judge", "bob", "--at-once", "1")
    while answers_in(jury.ledger) < 3:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE_S)
    jury.add_tool("bob", REPLIES)

    done = judge(jury, "--judge", "bob")

    assert process.returncode == 130
    assert b"the same command goes on" in told
    assert done.code == 0, done.err
    assert answers_in(jury.ledger) == 2 * CALLS


def test_a_bad_row_is_told_in_its_place_and_the_others_are_judged(jury: Workbench) -> None:
    good = b"b,Over 650 cases,645 cases\n"
    (jury.project / "pairs.csv").write_bytes(b"id,claim,truth\na,caf\xe9,x\n" + good + b"c,,x\nd,nul\0l,x\n")
    done = judge(jury)
    assert statuses(done) == ["refused", "judged", "refused", "refused"]
    assert "Line 2 cannot be judged: it is not UTF-8 text." in done.out
    assert done.code == 4
    assert "3 of 4 rows have no verdict" in done.err


def test_a_judge_that_cannot_be_read_leaves_a_row_without_a_label(jury: Workbench) -> None:
    jury.add_tool("bob", [{"match": {"role": "judge"}, "response": "Hard to say."}, *REPLIES])
    table(jury, "a,Under 650 cases")
    done = judge(jury, "--judge", "bob")
    (row,) = rows_of(done)
    assert (done.code, row["status"], row["verdict"], bool(row["problem"])) == (1, "unjudged", None, True)


def test_a_limit_leaves_the_other_rows_unasked(jury: Workbench) -> None:
    table(jury, "a,Under 1 case", "b,Under 2 cases", "c,Under 3 cases")
    done = judge(jury, "--at-once", "1", "--max-cost", "0.05")
    assert (done.code, statuses(done)) == (4, ["judged", "judged", "not_asked"])


def test_the_time_limit_leaves_what_was_begun_to_the_next_call(jury: Workbench) -> None:
    jury.add_tool("bob", [LATER, *REPLIES])
    table(jury, "a,Under 650 cases")
    late = judge(jury, "--judge", "bob", "--max-time", "0.3")
    jury.add_tool("bob", REPLIES)
    done = judge(jury, "--judge", "bob")
    assert (statuses(late), statuses(done), answers_in(jury.ledger)) == (["not_asked"], ["judged"], CALLS)


def test_the_run_of_a_row_is_taken_out_of_a_private_ledger_once_and_is_then_a_run_like_any_other(
    jury: Workbench,
) -> None:
    table(jury, "a,Under 650 cases")
    (row,) = rows_of(judge(jury))
    files = [file for file in (jury.state / "batch").rglob("*") if file.is_file()]
    assert "ledger.sqlite" in {file.name for file in files}
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert not (jury.state / "jury" / "last-verdict.json").exists()
    assert row["run_id"] not in jury.run("runs", "list").out

    shown, again = (jury.run("batch", "show", "project", row["key"][:8]) for _ in range(2))
    assert (shown.code, shown.out) == (0, again.out), shown.err
    assert shown.out.startswith("# Jury: MUTATED")
    assert jury.run("runs", "show", row["run_id"]).out == shown.out
    assert jury.run("view", row["run_id"], "--print").code == 0
    assert jury.run("runs", "list").out.count(row["run_id"]) == 1


def test_a_row_of_which_a_seat_is_lost_is_incomplete_and_asked_again_in_what_failed(jury: Workbench) -> None:
    table(jury, "a,Under 650 cases")
    jury.add_tool("bob", [LOST, *REPLIES])
    first = judge(jury, "--skeptic", "bob")
    jury.add_tool("bob", REPLIES)

    second, third = (judge(jury, "--skeptic", "bob") for _ in range(2))

    (lost,), (heard,), (known,) = map(rows_of, (first, second, third))
    assert (first.code, lost["status"], lost["verdict"]["verdict"]) == (4, "incomplete", "MUTATED")
    assert lost["problem"] == "bob did not answer (rate_limit: Too often)."
    assert "1 rows: 1 MUTATED (1 incomplete)." in first.err
    assert "are incomplete; the same command asks those again who failed:" in first.err
    assert (second.code, heard["status"], heard["problem"]) == (0, "judged", "")
    assert "Used: 2 calls" in second.err  # the skeptic, and the judge who now hears it
    assert (known["was_judged_before"], known["run_id"]) == (True, heard["run_id"])
