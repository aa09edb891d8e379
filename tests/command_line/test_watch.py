"""``sparring runs watch``: a run that goes on elsewhere, followed."""

import signal
import subprocess
from collections.abc import Iterator

import pytest

from sparring.testing.workspace import Attendance
from support.chaired_debaters import CHAIRED, CHAIRED_SPEECHES
from support.held_debates import Held
from support.mcp_project import NEVER, add_waiting_tool
from support.workbench import PATIENCE_S, Workbench

WATCH = ("runs", "watch", "last")


def lines_of(process: "subprocess.Popen[bytes]") -> Iterator[str]:
    """Each line as it comes."""
    assert process.stdout is not None
    return (line.decode().rstrip("\n") for line in process.stdout)


def test_watching_a_finished_run_shows_all_turns_and_the_outcome(held_once: Held) -> None:
    watched = held_once.bench.run(*WATCH)
    assert watched.code == 0, watched.err
    assert watched.out.endswith(held_once.done.out)
    told = [line for line in watched.out.splitlines() if line.startswith(("round", "For it", "Citations", "verdict"))]
    assert [line.partition(" in ")[0] for line in told[:4]] == [
        "round 1/2  proposer  ann  answered",
        "For it: `README.md:1` says so.",
        "Citations: 1 existing.",
        "round 1/2  challenger  bob  answered",
    ]
    assert not [line for line in watched.out.splitlines() if line.startswith("{")]


def test_watching_a_chaired_debate_shows_the_entries_of_its_log(bench: Workbench) -> None:
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, CHAIRED_SPEECHES)
    assert bench.run(*CHAIRED).code == 0
    told = bench.run(*WATCH).out
    assert "**Seq 1, promoter: opening statement**\n\n> " in told
    assert '"content"' not in told


@pytest.mark.process
def test_watchers_see_each_turn_may_leave_and_learn_how_to_resume(bench: Workbench) -> None:
    bench.add_tool("cy", NEVER)
    with Attendance() as attendance:
        add_waiting_tool(bench, "bob", attendance, "Late.")
        run = bench.start("consult", "Is it safe?", "--tool", "ann,bob,cy")
        attendance.arrivals(1)
        stays, leaves = bench.start(*WATCH), bench.start(*WATCH)
        first = [next(lines_of(each)).partition(" in ")[0] for each in (stays, leaves)]
        assert first == ["answer 1  consultant  ann  answered"] * 2
        leaves.send_signal(signal.SIGINT)
        assert b"the run continues" in leaves.communicate(timeout=PATIENCE_S)[1]
        attendance.release("bob")
        assert any(line.startswith("answer 2  consultant  bob  answered") for line in lines_of(stays))
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=PATIENCE_S)
    told = stays.communicate(timeout=PATIENCE_S)[1].decode().splitlines()[-1]
    run_id = next((bench.state / "consult" / "runs").glob("consult-*")).name
    assert told.endswith(f"Resume it with: sparring runs resume {run_id}")
    assert (stays.returncode, leaves.returncode, run.returncode) == (0, 130, 130)
