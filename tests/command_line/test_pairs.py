"""``sparring jury --pairs``: a table in, a line for each row out, nothing paid twice."""

import json
import signal
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from support.jurors import REPLIES
from support.workbench import PATIENCE_S, Result, Workbench

HEADER = "id,claim,truth\n"
TRUTH = '"more than 645,000 cases"'
NEVER_S = 3600


def table(bench: Workbench, rows: str, name: str = "pairs.csv") -> Path:
    path = bench.project / name
    path.write_text(HEADER + rows, encoding="utf-8")
    return path


def rows_of(done: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.split("\n") if line]


def asked(bench: Workbench) -> int:
    """How many answers the ledger of the project has counted, in whichever call."""
    file = bench.state / "batch" / "ledger.sqlite"
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as ledger:
        return ledger.execute("SELECT coalesce(sum(answered), 0) FROM sparring_workers").fetchone()[0]
    return 0  # there is none yet


@pytest.fixture
def jury(bench: Workbench) -> Workbench:
    bench.add_tool("ann", REPLIES)
    return bench


def test_every_row_gets_a_verdict_in_the_order_of_the_table(jury: Workbench) -> None:
    rows = "".join(f'n{number},"Under 650,000 cases {number}",{TRUTH}\n' for number in range(7))
    done = jury.run("jury", "--pairs", str(table(jury, rows)), "--provider", "ann", "--rebuttals", "0")
    assert done.code == 0, done.err
    assert [row["row_id"] for row in rows_of(done)] == [f"n{number}" for number in range(7)]
    assert {row["verdict"]["verdict"] for row in rows_of(done)} == {"MUTATED"}
    assert "7 rows: 7 MUTATED" in done.err


def test_the_same_command_again_asks_nobody(jury: Workbench) -> None:
    path = table(jury, f"a,Under 650 cases,{TRUTH}\nb,Over 650 cases,{TRUTH}\n")
    command = ("jury", "--pairs", str(path), "--provider", "ann", "--rebuttals", "0")
    first = jury.run(*command)
    turns = asked(jury)
    second = jury.run(*command)
    assert asked(jury) == turns
    assert [row["verdict"] for row in rows_of(first)] == [row["verdict"] for row in rows_of(second)]
    assert all(row["was_judged_before"] for row in rows_of(second))
    assert "(2 judged before). Used: 0 calls" in second.err


def test_rows_that_say_the_same_are_asked_about_once(jury: Workbench) -> None:
    path = jury.project / "pairs.csv"
    path.write_text(f"claim,truth\nUnder 650 cases,{TRUTH}\nUnder 650 cases,{TRUTH}\n", encoding="utf-8")
    done = jury.run("jury", "--pairs", str(path), "--provider", "ann", "--rebuttals", "0")
    assert [row["status"] for row in rows_of(done)] == ["judged", "judged"]
    assert sorted(row["was_judged_before"] for row in rows_of(done)) == [False, True]
    assert asked(jury) == 4


def test_only_a_row_that_was_changed_is_judged_again(jury: Workbench) -> None:
    command = ("jury", "--pairs", "pairs.csv", "--provider", "ann", "--rebuttals", "0")
    table(jury, f"a,Under 650 cases,{TRUTH}\nb,Over 650 cases,{TRUTH}\n")
    jury.run(*command)
    table(jury, f"a,Under 650 cases,{TRUTH}\nb,About 650 cases,{TRUTH}\n")
    done = jury.run(*command)
    assert [row["was_judged_before"] for row in rows_of(done)] == [True, False]


def test_fresh_asks_again(jury: Workbench) -> None:
    command = ("jury", "--pairs", str(table(jury, f"a,Under 650 cases,{TRUTH}\n")), "--provider", "ann")
    jury.run(*command)
    turns = asked(jury)
    (row,) = rows_of(jury.run(*command, "--fresh"))
    assert asked(jury) == 2 * turns
    assert not row["was_judged_before"]


@pytest.mark.process
def test_after_an_interruption_nothing_is_paid_twice(jury: Workbench) -> None:
    path = table(jury, f"a,Under 650 cases,{TRUTH}\nb,Over 650 cases,{TRUTH}\n")
    slow = [{"match": {"role": "judge"}, "response": "Later.", "delay_s": NEVER_S}, *REPLIES]
    jury.add_tool("bob", slow)
    command = ("jury", "--pairs", str(path), "--provider", "ann", "--judge", "bob", "--rebuttals", "0")
    process = jury.start(*command, "--at-once", "1")
    while asked(jury) < 3:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE_S)
    jury.add_tool("bob", REPLIES)

    done = jury.run(*command)

    assert process.returncode == 130
    assert b"the same command goes on" in told
    assert done.code == 0, done.err
    assert asked(jury) == 8


def test_a_bad_row_is_told_in_its_place_and_the_others_are_judged(jury: Workbench) -> None:
    path = jury.project / "pairs.csv"
    good = f"b,Over 650 cases,{TRUTH}\n".encode()
    path.write_bytes(HEADER.encode() + b"a,caf\xe9,x\n" + good + b"c,,x\n" + b"d,nul\0l,x\n")
    done = jury.run("jury", "--pairs", str(path), "--provider", "ann")
    assert [row["status"] for row in rows_of(done)] == ["refused", "judged", "refused", "refused"]
    assert "Line 2 cannot be judged: it is not UTF-8 text." in done.out
    assert done.code == 4
    assert "3 of 4 rows have no verdict" in done.err


def test_a_judge_that_cannot_be_read_leaves_a_row_without_a_label(jury: Workbench) -> None:
    jury.add_tool("bob", [{"match": {"role": "judge"}, "response": "Hard to say."}, *REPLIES])
    path = table(jury, f"a,Under 650 cases,{TRUTH}\n")
    done = jury.run("jury", "--pairs", str(path), "--provider", "bob")
    (row,) = rows_of(done)
    assert (row["status"], row["verdict"]) == ("unjudged", None)
    assert row["problem"]
    assert done.code == 1


def test_a_limit_leaves_the_other_rows_unasked(jury: Workbench) -> None:
    rows = "".join(f"n{number},Under {number} cases,{TRUTH}\n" for number in range(4))
    command = ("jury", "--pairs", str(table(jury, rows)), "--provider", "ann", "--rebuttals", "0", "--at-once", "1")
    done = jury.run(*command, "--max-cost", "0.05")
    assert [row["status"] for row in rows_of(done)] == ["judged", "judged", "not_asked", "not_asked"]
    assert done.code == 4


def test_the_time_limit_leaves_what_was_begun_to_the_next_call(jury: Workbench) -> None:
    jury.add_tool("bob", [{"match": {"role": "judge"}, "response": "Later.", "delay_s": NEVER_S}, *REPLIES])
    path = table(jury, f"a,Under 650 cases,{TRUTH}\n")
    command = ("jury", "--pairs", str(path), "--provider", "bob", "--rebuttals", "0")
    late = jury.run(*command, "--max-time", "1")
    jury.add_tool("bob", REPLIES)
    done = jury.run(*command)
    assert [row["status"] for row in rows_of(late)] == ["not_asked"]
    assert [row["status"] for row in rows_of(done)] == ["judged"]
    assert asked(jury) == 4


def test_the_ledger_is_private_and_no_row_is_the_last_run(jury: Workbench) -> None:
    jury.run("jury", "--pairs", str(table(jury, f"a,Under 650 cases,{TRUTH}\n")), "--provider", "ann")
    files = [file for file in (jury.state / "batch").rglob("*") if file.is_file()]
    assert "ledger.sqlite" in {file.name for file in files}
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert not (jury.state / "jury" / "last-verdict.json").exists()


def test_the_run_of_a_row_is_taken_out_once_and_is_then_a_run_like_any_other(jury: Workbench) -> None:
    done = jury.run("jury", "--pairs", str(table(jury, f"a,Under 650 cases,{TRUTH}\n")), "--provider", "ann")
    (row,) = rows_of(done)
    assert row["run_id"] not in jury.run("runs", "list").out
    shown, again = (jury.run("batch", "show", "project", row["key"][:8]) for _ in range(2))
    assert (shown.code, shown.out) == (0, again.out), shown.err
    assert shown.out.startswith("# Jury: MUTATED")
    assert jury.run("runs", "show", row["run_id"]).out == shown.out
    assert jury.run("view", row["run_id"], "--print").code == 0
    assert jury.run("runs", "list").out.count(row["run_id"]) == 1


LOST = {"match": {"role": "skeptic"}, "failure": {"code": "rate_limit", "detail": "Too often."}}


def test_a_row_of_which_a_seat_is_lost_is_incomplete_and_asked_again_in_what_failed(jury: Workbench) -> None:
    jury.add_tool("bob", [LOST, *REPLIES])
    path = table(jury, f"a,Under 650 cases,{TRUTH}\n")
    command = ("jury", "--pairs", str(path), "--provider", "ann", "--skeptic", "bob", "--rebuttals", "0")
    first = jury.run(*command)
    jury.add_tool("bob", REPLIES)

    second, third = jury.run(*command), jury.run(*command)

    (lost,), (heard,), (known,) = map(rows_of, (first, second, third))
    assert (first.code, lost["status"], lost["verdict"]["verdict"]) == (4, "incomplete", "MUTATED")
    assert lost["problem"] == "bob did not answer (rate_limit: Too often)."
    assert "1 rows: 1 MUTATED (1 incomplete)." in first.err
    assert "are incomplete; the same command asks those again who failed:" in first.err
    assert (second.code, heard["status"], heard["problem"]) == (0, "judged", "")
    assert "Used: 2 calls" in second.err  # the skeptic, and the judge who now hears it
    assert (known["was_judged_before"], known["run_id"]) == (True, heard["run_id"])
