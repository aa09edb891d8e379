"""Whenever a run is killed, by whatever, it goes on as if it had not been, and nobody is paid twice.

Of several processes that take it up one does the work, and none harms another.
"""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crash.kills import Kill, carried_out
from crash.scenes import COMMAND_LINE, SCENES, Scenes

pytestmark = pytest.mark.process

RACERS = 3


@pytest.mark.crash
def test_a_run_that_is_killed_at_any_moment_ends_as_if_it_never_had_been(
    kill_number: int, scenes: Scenes, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    kill = Kill.numbered(kill_number)
    wrong, figures = carried_out(kill, scenes, tmp_path)
    record_property("place", str(kill))
    record_property("crash", figures)
    assert wrong == [], f"{kill} at {kill.at:.3f} of its way: {figures}"


def test_of_several_processes_one_resumes_a_run_and_the_others_report_it(scenes: Scenes, tmp_path: Path) -> None:
    whole = scenes.whole(SCENES["consult"], tmp_path / "whole")
    stage = scenes.stage(SCENES["consult"], tmp_path / "raced")
    stage.play(COMMAND_LINE, whole.moments[COMMAND_LINE] // 2)
    with ThreadPoolExecutor(RACERS) as pool:
        ended = [future.result() for future in [pool.submit(stage.go_on) for _ in range(RACERS)]]
    assert Counter(each.code for each in ended)[0] == 1, ended
    assert all("nother process" in each.err or "finished" in each.err for each in ended if each.code), ended
    assert (stage.result(ended[0]), stage.asked) == (whole.result, whole.asked)
