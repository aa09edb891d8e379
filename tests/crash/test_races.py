"""Several processes at the same run, the same table, the same project: one does the work, and none harms another."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crash.scenes import COMMAND_LINE, SCENES, Scenes
from support.workbench import Result

pytestmark = pytest.mark.process

RACERS = 3


def raced(*plays: Callable[[], Result]) -> list[Result]:
    """Everything at once."""
    with ThreadPoolExecutor(len(plays)) as pool:
        return [future.result() for future in [pool.submit(play) for play in plays]]


def test_of_several_who_take_up_a_run_one_does_and_the_others_say_so(scenes: Scenes, tmp_path: Path) -> None:
    whole = scenes.whole(SCENES["consult"], tmp_path / "whole")
    stage = scenes.stage(SCENES["consult"], tmp_path / "raced")
    stage.play(COMMAND_LINE, whole.moments[COMMAND_LINE] // 2)
    ended = raced(*[stage.go_on] * RACERS)
    assert Counter(each.code for each in ended)[0] == 1, ended
    assert all("nother process" in each.err or "finished" in each.err for each in ended if each.code), ended
    assert (stage.result(ended[0]), stage.asked) == (whole.result, whole.asked)


@pytest.mark.crash
def test_several_who_judge_one_table_pay_for_each_row_once(scenes: Scenes, tmp_path: Path) -> None:
    whole = scenes.whole(SCENES["table"], tmp_path / "whole")
    stage = scenes.stage(SCENES["table"], tmp_path / "raced")
    ended = raced(*[lambda: stage.play(COMMAND_LINE)] * RACERS)
    assert {each.code for each in ended} <= {0, 1, 4}, ended
    assert not any("Traceback" in each.err for each in ended)
    assert (stage.result(stage.go_on()), stage.asked) == (whole.result, whole.asked)
