"""Signals and kills: nothing is lost, and the run goes on where its journal ends."""

import json
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import JsonValue

from sparring.testing import fake_cli
from sparring.testing.workspace import Attendance
from support.chaired_debaters import CHAIRED, CHAIRED_SPEECHES
from support.full_disk import largest_file
from support.held_debates import Held
from support.mcp_project import add_waiting_tool
from support.workbench import DEBATE, PATIENCE_S, SPEECHES, Workbench

CHANGING = frozenset({"id", "timestamp", "duration_ms", "at", "fetched_at"})
ROUND_TWO = {"match": {"role": "challenger", "round": 2}, "response": "Flaw: Still against it.", "delay_s": 3600}


def without_what_changes(found: JsonValue) -> JsonValue:
    """``found`` without ids and times, at every depth."""
    if isinstance(found, dict):
        return {name: without_what_changes(part) for name, part in found.items() if name not in CHANGING}
    return [without_what_changes(part) for part in found] if isinstance(found, list) else found


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_a_run_that_can_be_resumed(bench: Workbench, held_once: Held, number: signal.Signals) -> None:
    bench.add_tool("bob", (ROUND_TWO, *SPEECHES))
    process = bench.start(*DEBATE, *(("--json",) if number == signal.SIGTERM else ()))
    assert process.stderr is not None
    assert any(b"round 2/2  challenger  bob  asked" in line for line in process.stderr)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    run_id = next((bench.state / "debate" / "runs").glob("debate-*")).name
    way_on = f"Nothing is lost; resume with: sparring runs resume {run_id}"
    told = {"error": {"code": "interrupted", "message": "Interrupted.", "hint": way_on}}
    assert (process.returncode, err.decode()) == (130, f"Interrupted. {way_on}\n")
    assert (json.loads(out) if out else None) == (told if number == signal.SIGTERM else None)
    assert not (bench.state / "debate" / "last-debate.json").exists()
    assert "interrupted" in bench.run("runs", "list").out

    bench.add_tool("bob", SPEECHES)
    resumed = bench.run("runs", "resume", run_id, "--json")
    assert resumed.code == 0, resumed.err
    asked = [line.split("  ")[-2] for line in resumed.err.splitlines() if "asked" in line]
    assert asked == ["bob", "cy", "cy"]
    assert without_what_changes(resumed.json) == without_what_changes(held_once.bench.last_debate())


@pytest.mark.process
def test_interrupting_a_command_without_a_run_prints_one_word(bench: Workbench) -> None:
    with Attendance() as attendance:
        stays = f"exec {sys.executable} {fake_cli.__file__} stay {attendance.address} stays"
        bench.extra["PATH"] = f"{bench.add_program('gemini', stays).parent}:/usr/bin:/bin"
        process = bench.start("doctor")
        assert attendance.arrivals(1) == {"stays"}
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE_S) == (b"", b"Interrupted.\n")
    assert process.returncode == 130


@pytest.mark.process
@pytest.mark.parametrize("is_answered_before", [True, False])
def test_an_answer_that_arrives_after_a_kill_is_recovered_and_paid_once(
    bench: Workbench,
    is_answered_before: bool,  # noqa: FBT001 -- a table column
) -> None:
    calls = bench.root / ".cache" / "sparring" / "calls"
    with Attendance() as attendance:
        add_waiting_tool(bench, "waits", attendance, "Yes.")
        process = bench.start("consult", "Is it so?", "--tool", "waits")
        assert attendance.arrivals(1) == {"waits"}
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        run_id = next((bench.state / "consult" / "runs").glob("consult-*")).name
        assert bench.run("consult", "And this?", "--tool", "ann").code == 0  # which ends nothing that is looked after
        if is_answered_before:
            attendance.release("waits")
            attendance.last_words("waits")
        assert is_answered_before or attendance.is_present("waits")
        with ThreadPoolExecutor() as aside:
            resuming = aside.submit(bench.run, "runs", "resume", run_id, "--json")
            if not is_answered_before:
                attendance.release("waits")
            resumed = resuming.result(PATIENCE_S)
    assert (resumed.code, resumed.json["response"], "retried" in resumed.err) == (0, "Yes.", False), resumed.err
    assert list(calls.iterdir()) == []


@pytest.mark.process
def test_a_call_lost_with_its_supervisor_is_repeated_counted_and_reported(bench: Workbench) -> None:
    calls = bench.root / ".cache" / "sparring" / "calls"
    with Attendance() as attendance:
        add_waiting_tool(bench, "waits", attendance, "Yes.")
        process = bench.start("consult", "Is it so?", "--tool", "waits")
        attendance.arrivals(1)
        (call,) = calls.iterdir()
        process.kill()
        os.kill(int((call / "pid").read_text().split()[0]), signal.SIGKILL)
        process.communicate(timeout=PATIENCE_S)
        assert attendance.last_words("waits") == {"waits": ""}  # nobody watched over it any more
        add_waiting_tool(bench, "again", attendance, "Yes.")
        (bench.providers / "again.toml").rename(bench.providers / "waits.toml")
        with ThreadPoolExecutor() as aside:
            resuming = aside.submit(bench.run, "runs", "resume", "consult")
            attendance.arrivals(1)
            attendance.release("again")
            resumed = resuming.result(PATIENCE_S)
    assert (resumed.code, resumed.out) == (0, "Yes.\n")
    assert "1 call was retried and may be paid for twice" in resumed.err
    assert list(calls.iterdir()) == []


@pytest.mark.parametrize("kind", ["debate", "chaired-debate"])
def test_a_run_with_a_torn_journal_continues_without_repeating_calls(bench: Workbench, kind: str) -> None:
    """That each format gives the same from any prefix on is held by its properties; the last keeps a log as well."""
    command, replies = (DEBATE, SPEECHES) if kind == "debate" else (CHAIRED, CHAIRED_SPEECHES)
    for tool in ("ann", "bob", "cy"):
        bench.add_tool(tool, replies)
    whole = bench.run(*command, "--json")
    (journal,) = bench.state.glob(f"{kind}/runs/*/journal.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    half = len(lines) // 2
    journal.write_bytes(b"".join(lines[:half]) + lines[half][:100])
    for log in journal.parent.glob("debate-log.jsonl"):
        log.write_bytes(log.read_bytes()[:1000])

    resumed = bench.run("runs", "resume", "last", "--json")

    assert resumed.code == 0, resumed.err
    assert (journal.parent / "journal.torn").read_bytes().startswith(lines[half][:100])
    result = resumed.json
    (torn,) = (notice for notice in result["notices"] if notice.startswith("A torn line of 100 bytes was set aside"))
    assert torn in resumed.err.splitlines()
    result["notices"].remove(torn)
    assert without_what_changes(result) == without_what_changes(whole.json)
    asked, again = ([line for line in each.err.splitlines() if line.endswith("asked")] for each in (whole, resumed))
    assert again == asked[-len(again) :] != asked
    finished = bench.run("runs", "resume", "last")
    assert (finished.code, "is finished; there is nothing to resume." in finished.err) == (2, True)


@pytest.mark.process
def test_a_run_that_cannot_be_stored_stops_and_can_be_resumed(bench: Workbench) -> None:
    bench.add_tool("bob", [{"response": "This claim is unsupported. " + "word " * 6_000}, *SPEECHES])
    with largest_file(25_000):
        done = bench.run(*DEBATE)
    run_id = next((bench.state / "debate" / "runs").glob("debate-*")).name
    way_on, error = done.err.splitlines()[-2:]
    assert (done.code, done.out) == (1, "")
    assert way_on == f"Stopped by an error. When it is fixed, resume with: sparring runs resume {run_id}"
    assert error.startswith("Error: The file ")
    assert bench.run("runs", "resume", run_id).code == 0
