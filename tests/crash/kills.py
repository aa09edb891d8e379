"""One kill: a scene that is killed at one of its moments, taken up again, and held against one that was not."""

import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from crash.scenes import SCENES, Scene, Scenes, Stage
from support.processes import processes_with_home
from support.workbench import Result

SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)

_PLACES = [(scene, door) for scene in SCENES for door in scene.doors]
_GONE_S = 30
"""How long a test waits for a process that is on its way out; its deadline is far beyond that."""


@dataclass(frozen=True)
class Kill:
    """What is done to whom.

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


@dataclass(frozen=True)
class Found:
    """What a kill has done.

    Attributes:
        moment: Where it was.
        differences: In what the run ended otherwise than one that nobody killed.
        left: Processes and files that nobody will ever need.
        answered_again: Asks that were put again though their answer was written down.
        in_flight: Asks that were under way when it was killed.
        in_flight_again: Those of them that were put again.
        lost: Those of these that nobody could finish: they had been ended, or their supervisors killed.
        counted: How many the user is told of that may be paid for twice.
    """

    moment: int
    differences: tuple[str, ...]
    left: tuple[str, ...]
    answered_again: int
    in_flight: int
    in_flight_again: int
    lost: int
    counted: int

    @property
    def figures(self) -> dict[str, int]:
        """What is added up."""
        return {
            "kills": 1,
            "ended the same": not self.differences,
            "left behind": len(self.left),
            "answered again": self.answered_again,
            "in flight": self.in_flight,
            "in flight again": self.in_flight_again,
            "of these lost": self.lost,
            "counted": self.counted,
        }

    @property
    def is_right(self) -> bool:
        """Whether nothing is left, nothing lost, and nobody asked twice who could be spared."""
        is_paid_twice = self.answered_again or self.in_flight_again > min(self.lost, self.counted)
        return not (self.differences or self.left or is_paid_twice)


def carried_out(kill: Kill, scenes: Scenes, root: Path) -> Found:
    """Kill, take up, and look."""
    whole = scenes.whole(kill.scene, root / "whole", kill.scene.doors)
    stage = scenes.stage(kill.scene, root / "killed")
    moment = 1 + int(kill.at * whole.moments[kill.door])
    stage.play(kill.door, moment, kill.signum)
    if kill.takes_supervisors:
        _kill_supervisors(stage)
    runs = stage.runs().values()
    turns = [turn for run in runs for turn in (*run.transcript.turns, *run.pending)]
    answered = {f"{turn.tool} {turn.prompt_sha256}" for turn in turns if turn.answer}
    done = stage.go_on()
    again = stage.asked - whole.asked
    in_flight_again = sum(count for key, count in again.items() if key not in answered)
    is_lost = kill.signum is not signal.SIGKILL or kill.takes_supervisors
    return Found(
        moment=moment,
        differences=tuple(_differences(stage, done, whole.result, whole.files, whole.asked)),
        left=tuple(_left(stage)),
        answered_again=again.total() - in_flight_again,
        in_flight=sum(len(run.unanswered) for run in runs),
        in_flight_again=in_flight_again,
        lost=in_flight_again if is_lost else 0,
        counted=sum(run.maybe_paid_twice for run in stage.runs().values()),
    )


def _kill_supervisors(stage: Stage) -> None:
    for call in stage.calls:
        with suppress(OSError, ValueError):
            os.kill(int((call / "pid").read_text()), signal.SIGKILL)


def _differences(
    stage: Stage, done: Result, result: object, files: frozenset[str], asked: "Counter[str]"
) -> "list[str]":
    found = list[str]()
    if stage.result(done) != result:
        found.append(f"the result: {stage.result(done)} ({done.code}: {done.err[-500:]})")
    if unasked := asked - stage.asked:
        found.append(f"{unasked.total()} were never asked")
    if missing := files - stage.files():
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
