"""A fact-check that is broken off goes on where its journal ends, and nobody is asked twice."""

import signal
import subprocess

import pytest

from support.fact_checkers import AGAINST, EVIDENCE, add_checkers
from support.fact_checking import CLAIM
from support.workbench import PATIENCE_S, Workbench

pytestmark = pytest.mark.process


AGENTS = ("--agents", "ann,bob,cy")
NEVER_S = 3600


def wait_for(process: "subprocess.Popen[bytes]", text: bytes) -> None:
    assert process.stderr is not None
    assert any(text in line for line in process.stderr), f"it ended without saying {text!r}"


def test_a_signal_in_the_debate_leaves_the_blind_round_asked_for_good(bench: Workbench) -> None:
    held = {"match": {"round": 2}, "response": "Never said.", "delay_s": NEVER_S}
    add_checkers(bench, bob=(AGAINST[0], held))
    process = bench.start("fact-check", CLAIM, *EVIDENCE, *AGENTS, "--max-rounds", "2")
    wait_for(process, b"round 2  Agent 2  bob  asked")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    run_id = next((bench.state / "fact-check" / "runs").glob("fact-check-*")).name
    assert (process.returncode, out) == (130, b"")
    assert err.decode().endswith(f"Interrupted. Nothing is lost; go on with: sparring runs resume {run_id}\n")
    assert "interrupted" in bench.run("runs", "list").out
    assert "interrupted" in bench.run("runs", "show", run_id).out

    (bench.providers / "bob.toml").unlink()
    gone = bench.run("runs", "resume", run_id)
    assert (gone.code, "There is no tool named 'bob'." in gone.err) == (2, True)

    add_checkers(bench, bob=AGAINST)
    resumed = bench.run("runs", "resume", run_id, "--json")
    assert resumed.code == 0, resumed.err
    asked = [line for line in resumed.err.splitlines() if line.endswith("asked")]
    assert asked
    assert all(line.startswith("round 2") for line in asked)
    whole = bench.run("fact-check", CLAIM, *EVIDENCE, *AGENTS, "--max-rounds", "2", "--json").json
    assert resumed.json | {"id": "", "timestamp": ""} == whole | {"id": "", "timestamp": ""}


def test_a_finished_fact_check_is_not_begun_again(bench: Workbench) -> None:
    add_checkers(bench)
    bench.run("fact-check", CLAIM, *EVIDENCE, *AGENTS)
    done = bench.run("runs", "resume", "last")
    assert (done.code, "is finished; there is nothing to resume." in done.err) == (2, True)
