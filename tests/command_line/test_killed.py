"""A process that is killed at any turn of a debate loses nothing: the run goes on, and ends as it would have."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from sparring.schema.base import Role
from sparring.schema.transcript import Turn
from sparring.store.replay import read_journal
from support.chaired_debaters import CHAIRED, CHAIRED_SPEECHES
from support.workbench import PATIENCE_S, SPEECHES, Workbench

pytestmark = pytest.mark.process


NEVER_S = 3600
TOOLS = ("ann", "bob", "cy")
CHANGING = frozenset({"id", "timestamp", "duration_ms", "at", "fetched_at"})
DEBATE = ("debate", "Should it retry?", "--proposer", "ann", "--challenger", "bob", "--judge", "cy")


def without_what_changes(found: JsonValue) -> JsonValue:
    """``found`` without ids and times, at every depth."""
    if isinstance(found, dict):
        return {name: without_what_changes(part) for name, part in found.items() if name not in CHANGING}
    return [without_what_changes(part) for part in found] if isinstance(found, list) else found


def held(turn: Turn) -> dict[str, object]:
    """Keeps whoever is to take that turn from ever answering."""
    return {"match": {"role": turn.role, "round": turn.round}, "response": "Never said.", "delay_s": NEVER_S}


@pytest.mark.parametrize(
    ("command", "replies"), [(DEBATE, SPEECHES), (CHAIRED, CHAIRED_SPEECHES)], ids=["debate", "chaired-debate"]
)
def test_a_debate_that_is_killed_at_every_turn_ends_as_if_it_never_had_been(
    bench: Workbench, command: tuple[str, ...], replies: tuple[Mapping[str, object], ...]
) -> None:
    def script(*first: Mapping[str, object]) -> None:
        for tool in TOOLS:
            bench.add_tool(tool, (*first, *replies))

    script()
    whole = bench.run(*command, "--json")
    assert whole.code == 0, whole.err
    folder = _only_run(bench, command[0])
    spoken = [turn for turn in read_journal(folder).transcript.turns if turn.role is not Role.VERIFIER]

    arguments: tuple[str, ...] = command
    for turn in spoken:
        script(held(turn))
        process = bench.start(*arguments)
        _kill_when_held(process, turn)
        run_id = next(each.name for each in folder.parent.iterdir() if each.name != folder.name and each.is_dir())
        arguments = ("runs", "resume", run_id)

    script()
    resumed = bench.run(*arguments, "--json")
    assert resumed.code == 0, resumed.err
    assert without_what_changes(resumed.json) == without_what_changes(whole.json)


def _only_run(bench: Workbench, kind: str) -> Path:
    (folder,) = (each for each in (bench.state / kind / "runs").iterdir() if each.is_dir())
    return folder


def _kill_when_held(process: "subprocess.Popen[bytes]", turn: Turn) -> None:
    """End ``process`` the hard way as soon as it waits for ``turn``."""
    assert process.stderr is not None
    wanted = f"  {turn.role.spoken}".encode()
    for line in process.stderr:
        if wanted in line and line.rstrip().endswith(b"asked") and turn.tool.encode() in line:
            break
    else:
        raise AssertionError(f"it ended without asking the {turn.role}")
    process.kill()
    process.communicate(timeout=PATIENCE_S)
