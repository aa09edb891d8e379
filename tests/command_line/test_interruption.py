"""Signals: nothing is lost, and the run goes on where its journal ends."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sparring.testing import fake_cli
from sparring.testing.attendance import Attendance
from support.full_disk import largest_file
from support.workbench import PATIENCE_S, PROGRAM, SPEECHES, Workbench

pytestmark = pytest.mark.process


SEATS = ("--proposer", "ann", "--challenger", "bob", "--judge", "cy")
NEVER_S = 3600
FAKE_CLI = Path(fake_cli.__file__)


def slow_in_round_two(bench: Workbench) -> None:
    held = {"match": {"role": "challenger", "round": 2}, "response": "Still against it.", "delay_s": NEVER_S}
    bench.add_tool("bob", (held, *SPEECHES))


def wait_for(process: "subprocess.Popen[bytes]", text: bytes) -> bytes:
    """Everything on stderr up to the line that holds ``text``."""
    assert process.stderr is not None
    seen = b""
    for line in process.stderr:
        seen += line
        if text in line:
            return seen
    raise AssertionError(f"it ended without saying {text!r}: {seen!r}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_a_resumable_run_and_says_how_to_resume(bench: Workbench, number: signal.Signals) -> None:
    slow_in_round_two(bench)
    ignored = signal.signal(number, signal.SIG_DFL)  # else it is inherited where the tests are run under nohup
    try:
        process = bench.start("debate", "Should it retry?", *SEATS)
    finally:
        signal.signal(number, ignored)
    wait_for(process, b"round 2/2  challenger  bob  asked")
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    run_id = next((bench.state / "debate" / "runs").glob("debate-*")).name
    assert (process.returncode, out) == (130, b"")
    assert err.decode() == f"Interrupted. Nothing is lost; go on with: sparring runs resume {run_id}\n"
    assert not (bench.state / "debate" / "last-debate.json").exists()
    assert "interrupted" in bench.run("runs", "list").out

    bench.add_tool("bob", SPEECHES)
    resumed = bench.run("runs", "resume", run_id, "--json")
    assert resumed.code == 0, resumed.err
    asked = [line.split("  ")[-2] for line in resumed.err.splitlines() if "asked" in line]
    assert asked == ["bob", "round 2/2, citations", "cy", "cy"]
    whole = bench.run("debate", "Should it retry?", *SEATS, "--json")
    for changing in ("id", "timestamp"):
        assert resumed.json.pop(changing) != ""
    assert [exchange["response"] for exchange in resumed.json["exchanges"]] == [
        exchange["response"] for exchange in whole.json["exchanges"]
    ]
    assert resumed.json["verdict"] == whole.json["verdict"]


def test_an_interruption_is_an_object_too_with_json(bench: Workbench) -> None:
    slow_in_round_two(bench)
    process = bench.start("debate", "Should it retry?", *SEATS, "--json")
    wait_for(process, b"round 2/2  challenger  bob  asked")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE_S)
    run_id = next((bench.state / "debate" / "runs").glob("debate-*")).name
    hint = f"Nothing is lost; go on with: sparring runs resume {run_id}"
    assert json.loads(out) == {"error": {"code": "interrupted", "message": "Interrupted.", "hint": hint}}


def test_what_is_no_run_is_interrupted_in_a_word(bench: Workbench) -> None:
    with Attendance() as attendance:
        argv = json.dumps(["stay", attendance.address, "stays"])
        program = bench.root / "stays"
        program.write_text(f"#!/bin/sh\nexec {sys.executable} {FAKE_CLI} stay {attendance.address} stays\n", "utf-8")
        program.chmod(0o700)
        (bench.providers / "stays.toml").write_text(
            f'kind = "cli"\nfamily = "none"\ntitle = "Stays"\noutput = "claude"\n'
            f'[command]\nprogram = "{program}"\nargv = {argv}\n',
            encoding="utf-8",
        )
        process = bench.start("doctor")
        assert attendance.arrivals(1) == {"stays"}
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE_S) == (b"", b"Interrupted.\n")
    assert process.returncode == 130


def test_a_run_that_cannot_be_written_on_is_broken_off_and_goes_on_later(bench: Workbench) -> None:
    bench.add_tool("bob", [{"response": "This claim is unsupported. " + "word " * 1_000_000}])
    with largest_file(2_000_000):
        done = bench.run("debate", "Should it retry?", *SEATS)
    run_id = next((bench.state / "debate" / "runs").glob("debate-*")).name
    way_on, error = done.err.splitlines()[-2:]
    assert (done.code, done.out) == (1, "")
    assert way_on == f"Broken off. When the cause is gone, go on with: sparring runs resume {run_id}"
    assert error.startswith("Error: The state file ")
    assert bench.run("runs", "resume", run_id).code == 0


def test_a_run_whose_state_was_removed_asks_nobody_else(bench: Workbench) -> None:
    remover = bench.root / "remover"
    remover.write_text(f"#!/bin/sh\nrm -rf {bench.state / 'debate'}\n", encoding="utf-8")
    remover.chmod(0o700)
    (bench.providers / "bob.toml").write_text(
        f'kind = "cli"\nfamily = "none"\ntitle = "Bob"\noutput = "claude"\n'
        f'[command]\nprogram = "{remover}"\nargv = ["{{effort}}"]\neffort = ["{{effort}}"]\n[efforts]\nmedium = "m"\n',
        encoding="utf-8",
    )
    done = bench.run("debate", "Should it retry?", *SEATS)
    assert (done.code, done.out) == (1, "")
    asked, error = done.err.splitlines()[-2:]
    assert asked == "round 1/2  challenger  bob  asked"
    assert error.endswith("was removed while the run was at work. What was said is lost; begin anew.")


def test_a_run_whose_process_was_killed_is_resumed(bench: Workbench) -> None:
    slow_in_round_two(bench)
    process = bench.start("debate", "Should it retry?", *SEATS)
    wait_for(process, b"round 2/2  challenger  bob  asked")
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    bench.add_tool("bob", SPEECHES)
    assert bench.run("runs", "resume", "last").code == 0


def left_for_a_tool(bench: Workbench) -> set[str]:
    """Kinds of files and folders that are there only while a tool is asked."""
    return {kind for kind in ("prompt", "settings", "folder") if any(bench.root.rglob(f"{kind}-[0-9]*"))}


def test_what_a_killed_process_left_for_a_tool_is_swept_at_the_next_start(bench: Workbench) -> None:
    with Attendance() as attendance:
        argv = json.dumps([str(FAKE_CLI), "stay", attendance.address, "stays"])
        (bench.providers / "stays.toml").write_text(
            f'kind = "cli"\nfamily = "none"\ntitle = "Stays"\noutput = "gemini"\nconfinement = "gemini"\n'
            f'[command]\nprogram = "{sys.executable}"\nargv = {argv}\n[efforts]\nmedium = "medium"\n',
            encoding="utf-8",
        )
        process = bench.start("consult", "Is it so?", "--tool", "stays")
        assert attendance.arrivals(1) == {"stays"}
        process.kill()
        process.communicate(timeout=PATIENCE_S)
    assert left_for_a_tool(bench) == {"prompt", "folder"}

    assert bench.run("consult", "Is it so?", "--tool", "ann").code == 0
    assert left_for_a_tool(bench) == set()


def test_a_run_that_is_worked_on_cannot_be_resumed_beside_it(bench: Workbench) -> None:
    slow_in_round_two(bench)
    process = bench.start("debate", "Should it retry?", *SEATS)
    wait_for(process, b"round 2/2  challenger  bob  asked")
    done = bench.run("runs", "resume", "last")
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert "running" in bench.run("runs", "list").out
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_a_terminal_shows_who_speaks_and_the_report_laid_out(bench: Workbench, term: str) -> None:
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "debate", "Should it retry?", *SEATS],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=bench.project,
        env=bench.environment | {"TERM": term, "COLUMNS": "100"},
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            chunk = os.read(controller, 65536)
        except OSError:  # Linux reports the end of a terminal as an error
            break
        if not chunk:
            break
        shown += chunk
    os.close(controller)
    assert process.wait(timeout=PATIENCE_S) == 0
    text = shown.decode()
    assert "round 1/2" in text
    if term == "dumb":
        assert "round 1/2  proposer  ann  asked" in text
        assert "\x1b" not in text
    else:
        assert "\x1b[?25l" in text
        assert text.count("\x1b[?25h") >= 1
    assert "Debate Summary" in text
    assert "# Debate Summary" not in text
