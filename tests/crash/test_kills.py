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
    found = carried_out(kill, scenes, tmp_path)
    record_property("place", str(kill))
    record_property("crash", found.figures)
    assert found.is_right, f"{kill} at moment {found.moment}: {found}"


@pytest.mark.parametrize("file", ["report.md", "result.json"])
def test_a_run_that_ended_and_was_not_filed_is_filed_by_whoever_sees_it_next(
    file: str, scenes: Scenes, tmp_path: Path
) -> None:
    debate = SCENES[0]
    whole = scenes.whole(debate, tmp_path / "whole")
    stage = scenes.stage(debate, tmp_path / "killed")
    stage.play(COMMAND_LINE, file)
    assert file not in {path.rpartition("/")[2] for path in stage.files()}
    done = stage.run("runs", "list")
    assert done.code == 0, done.err
    assert "not filed" not in str(stage.result(done))
    assert whole.files <= stage.files()
