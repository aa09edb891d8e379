"""What is missing for a while breaks a run off at worst: it goes on later, and asks nobody who had answered."""

from pathlib import Path

import pytest

from crash.scenes import SCENES, Scene, Scenes
from support.workbench import limited

pytestmark = pytest.mark.process

LIMITS = {
    "a full disk at once": "-f 0",
    "a full disk soon": "-f 8",
    "a full disk later": "-f 24",
    "hardly a descriptor": "-n 12",
    "few descriptors": "-n 20",
    "little memory": "-v 150000",
}


@pytest.mark.parametrize("scene", [SCENES[0], SCENES[-1]], ids=str)
@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_a_run_for_which_the_machine_has_not_enough_goes_on_when_it_has(
    limit: str, scene: Scene, scenes: Scenes, tmp_path: Path
) -> None:
    whole = scenes.whole(scene, tmp_path / "whole")
    stage = scenes.stage(scene, tmp_path / "short")
    short = stage.bench.run_program(*stage.typed, line=limited(limit))
    assert "Traceback" not in short.err, short.err
    turns = [turn for run in stage.runs().values() for turn in (*run.transcript.turns, *run.pending)]
    answered = {f"{turn.tool} {turn.prompt_sha256}" for turn in turns if turn.answer}
    if short.code:
        assert stage.result(stage.go_on()) == whole.result
    assert not answered & (stage.asked - whole.asked).keys()
