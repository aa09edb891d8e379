"""Whenever a run is killed, by whatever, it goes on as if it had not been, and nobody is paid twice."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crash.kills import Kill, carried_out
from crash.scenes import COMMAND_LINE, SCENES, Scenes

pytestmark = pytest.mark.process


@pytest.mark.crash
def test_a_run_that_is_killed_at_any_moment_ends_as_if_it_never_had_been(
    kill_number: int, scenes: Scenes, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    kill = Kill.numbered(kill_number)
    wrong, figures = carried_out(kill, scenes, tmp_path)
    record_property("place", str(kill))
    record_property("crash", figures)
    assert wrong == [], f"{kill} at {kill.at:.3f} of its way: {figures}"


@pytest.mark.parametrize("file", ["report.md", "result.json"])
def test_a_run_that_ended_and_was_not_filed_is_filed_by_whoever_sees_it_next(
    file: str, scenes: Scenes, tmp_path: Path
) -> None:
    whole = scenes.whole(SCENES["consult"], tmp_path / "whole")
    stage = scenes.stage(SCENES["consult"], tmp_path / "killed")
    stage.play(COMMAND_LINE, file)
    assert file not in {path.rpartition("/")[2] for path in stage.files()}
    done = stage.bench.run("runs", "list")
    assert (done.code, stage.result(done)) == (0, whole.result), done.err
    assert whole.files <= stage.files()
