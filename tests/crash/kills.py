"""One kill: a scene that is killed at one of its moments, taken up again, and held against one that was not."""

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from crash.scenes import SCENES, Scene, Scenes, Stage, Whole
from support.processes import processes_with_home
from support.workbench import Result

SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)

_PLACES = [(scene, door) for scene in SCENES.values() for door in scene.doors]
_GONE_S = 30
"""Seconds that a test waits for a process that is ending; its deadline is far beyond that."""


class Kill(Struct, frozen=True):
    """Kill of a scene: moment, signal and target.

    Attributes:
        at: When, as a part of the way from the first moment to the last.
        takes_supervisors: Whether those who watch over what is in flight are killed after that as well.
    """

    scene: Scene
    door: str
    signum: signal.Signals
    at: float
    takes_supervisors: bool

    def __str__(self) -> str:
        return f"{self.scene}, {self.door}, {self.signum.name}"

    @classmethod
    def numbered(cls, number: int) -> "Kill":
        """One of many: each scene is met by each door and each signal in turn, and the rest is chance."""
        times, place = divmod(number, len(_PLACES))
        (scene, door), signum = _PLACES[place], SIGNALS[(place - times) % len(SIGNALS)]
        chance = random.Random(number)  # noqa: S311 -- the same number has to be the same kill
        at = chance.random()
        return cls(scene, door, signum, at, signum is signal.SIGKILL and chance.random() < 0.25)


def carried_out(kill: Kill, scenes: Scenes, root: Path) -> tuple[list[str], dict[str, int]]:
    """Kill, take up, and look: what is wrong then, and figures to be added up.

    Nothing may be left, nothing lost, and nobody asked twice who could be spared: only whom we had ended ourselves, or
    whose supervisor was killed, and only as often as the user is told that it may be paid for twice.
    """
    whole = scenes.whole(kill.scene, root / "whole", kill.scene.doors)
    stage = scenes.stage(kill.scene, root / "killed")
    stage.play(kill.door, 1 + int(kill.at * whole.moments[kill.door]), kill.signum)
    if kill.takes_supervisors:
        _kill_supervisors(stage)
    runs, answered = stage.runs().values(), stage.answered()
    in_flight = sum(len(run.unanswered) for run in runs)
    wrong = [*_differences(stage, stage.go_on(), whole), *_left(stage)]
    again = stage.asked - whole.asked
    in_flight_again = sum(count for key, count in again.items() if key not in answered)
    counted = sum(run.maybe_paid_twice for run in stage.runs().values())
    is_lost = kill.signum is not signal.SIGKILL or kill.takes_supervisors
    figures = {
        "kills": 1,
        "wrong": len(wrong),
        "answered again": again.total() - in_flight_again,
        "in flight": in_flight,
        "in flight again": in_flight_again,
        "counted": counted,
    }
    if figures["answered again"] or in_flight_again > (counted if is_lost else 0):
        wrong.append("somebody is paid twice")
    return wrong, figures


def _kill_supervisors(stage: Stage) -> None:
    for call in stage.calls:
        with suppress(OSError, ValueError):
            os.kill(int((call / "pid").read_text().split()[0]), signal.SIGKILL)


def _differences(stage: Stage, done: Result, whole: Whole) -> "list[str]":
    found = list[str]()
    if stage.result(done) != whole.result:
        found.append(f"the result: {stage.result(done)} ({done.code}: {done.err[-500:]})")
    if unasked := whole.asked - stage.asked:
        found.append(f"{unasked.total()} were never asked")
    if missing := whole.files - stage.files():
        found.append(f"missing: {', '.join(sorted(missing))}")
    return found


def _left(stage: Stage) -> "list[str]":
    until = time.monotonic() + _GONE_S
    while (processes := processes_with_home(stage.bench.root)) and time.monotonic() < until:
        time.sleep(0.05)
    # Another process may be making such a folder at that moment, so it is swept a little later.
    calls = [call for call in stage.calls if not call.name.startswith(".begun-")]
    litter = [*calls, *(stage.bench.root / "tmp").iterdir(), *stage.bench.root.rglob("*.new")]
    return [f"process {path.name}" for path in processes] + [str(path.relative_to(stage.bench.root)) for path in litter]
