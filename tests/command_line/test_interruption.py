"""Signals: nothing is lost, and the run goes on where its journal ends."""

import os
import pty
import signal
import subprocess

import pytest

from support.workbench import PATIENCE_S, PROGRAM, SPEECHES, Workbench

SEATS = ("--proposer", "ann", "--challenger", "bob", "--judge", "cy")
NEVER_S = 3600


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_a_resumable_run_and_says_how_to_resume(bench: Workbench, number: signal.Signals) -> None:
    slow_in_round_two(bench)
    process = bench.start("debate", "Should it retry?", *SEATS)
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
    assert [line.split("  ")[2] for line in resumed.err.splitlines() if "asked" in line] == ["bob", "cy"]
    whole = bench.run("debate", "Should it retry?", *SEATS, "--json")
    for changing in ("id", "timestamp"):
        assert resumed.json.pop(changing) != ""
    assert [exchange["response"] for exchange in resumed.json["exchanges"]] == [
        exchange["response"] for exchange in whole.json["exchanges"]
    ]
    assert resumed.json["verdict"] == whole.json["verdict"]


def test_a_run_whose_process_was_killed_is_resumed(bench: Workbench) -> None:
    slow_in_round_two(bench)
    process = bench.start("debate", "Should it retry?", *SEATS)
    wait_for(process, b"round 2/2  challenger  bob  asked")
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    bench.add_tool("bob", SPEECHES)
    assert bench.run("runs", "resume", "last").code == 0


def test_a_run_that_is_worked_on_cannot_be_resumed_beside_it(bench: Workbench) -> None:
    slow_in_round_two(bench)
    process = bench.start("debate", "Should it retry?", *SEATS)
    wait_for(process, b"round 2/2  challenger  bob  asked")
    done = bench.run("runs", "resume", "last")
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert "running" in bench.run("runs", "list").out
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)


def test_a_terminal_shows_who_speaks_and_the_report_laid_out(bench: Workbench) -> None:
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "debate", "Should it retry?", *SEATS],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=bench.project,
        env=bench.environment | {"TERM": "xterm-256color", "COLUMNS": "100"},
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
    assert "\x1b[?25l" in text
    assert text.count("\x1b[?25h") >= 1
    assert "Debate Summary" in text
    assert "# Debate Summary" not in text
