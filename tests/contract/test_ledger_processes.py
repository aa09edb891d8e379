"""Several processes on one answer ledger that are killed at random: nothing is lost, and no more asked than must be."""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sparring.store.ledger import Ledger
from support import ledger_worker
from support.ledger_worker import PLACES
from support.ledgers import key, wait_for

pytestmark = pytest.mark.process

ROWS, KILLS = 40, 5
PATIENT_S = 600.0


@dataclass
class Crowd:
    """Three workers, and what all of them together have asked."""

    address: str
    endpoint: Path
    running: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict[str, "subprocess.Popen[bytes]"])
    stopping: ExitStack = field(default_factory=ExitStack)

    def start(self, name: str) -> None:
        program = Path(ledger_worker.__file__)
        argv = [sys.executable, program, self.address, name, str(PATIENT_S), str(ROWS), self.endpoint]
        self.running[name] = worker = subprocess.Popen(argv, env={"PYTHONPATH": str(program.parents[1])})
        self.stopping.callback(worker.wait)
        self.stopping.callback(worker.kill)

    def kill(self, name: str) -> None:
        worker = self.running.pop(name)
        worker.kill()
        worker.wait()

    def has_ended(self) -> bool:
        return all(worker.poll() is not None for worker in self.running.values())

    def lines(self) -> list[str]:
        return self.endpoint.read_text(encoding="ascii").splitlines() if self.endpoint.exists() else []

    def told(self, what: str) -> Counter[tuple[str, ...]]:
        return Counter(tuple(line.split()[1:]) for line in self.lines() if line.startswith(what))


@pytest.fixture
def crowd(address: str, tmp_path: Path) -> Generator[Crowd]:
    crowd = Crowd(address, tmp_path / "endpoint")
    with crowd.stopping:
        yield crowd


def test_rows_of_workers_that_are_killed_are_filed_once_and_asked_no_more_than_once_a_kill(crowd: Crowd) -> None:
    chance = random.Random(1)  # noqa: S311 -- the same kills every time, as far as the machine lets us
    for number in range(3):
        crowd.start(f"worker-{number}")
    all_lines = ROWS * (2 * len(PLACES) + 1)
    for at in sorted(chance.sample(range(10, all_lines - 20), KILLS)):
        wait_for(lambda at=at: len(crowd.lines()) >= at or crowd.has_ended())
        if crowd.has_ended():
            break
        name = chance.choice(sorted(crowd.running))
        crowd.kill(name)
        crowd.start(name)  # whoever comes again under a name need not wait until its lease has expired
    for worker in crowd.running.values():
        assert worker.wait(200) == 0

    _everything_is_there(crowd)
    assert max(crowd.told("asked").values()) <= 1 + KILLS
    assert not crowd.told("lost")


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_on_one_machine_nobody_waits_for_the_rows_of_a_worker_that_was_killed(crowd: Crowd) -> None:
    crowd.start("first")
    wait_for(lambda: len(crowd.lines()) >= 10)
    crowd.start("beside")  # one that looks again and again, and one that comes later
    wait_for(lambda: crowd.told("asked").total() >= 20)
    crowd.kill("first")
    crowd.start("later")
    for name in ("beside", "later"):
        assert crowd.running[name].wait(PATIENT_S / 3) == 0  # long before the lease expires

    _everything_is_there(crowd)
    assert max(crowd.told("asked").values()) <= 2
    assert not list(Path(crowd.address).parent.glob("*-alive-*"))


def _everything_is_there(crowd: Crowd) -> None:
    """Each row is filed once, with one answer at each place; none that was said to be safe was asked for again.

    What may have been paid twice was counted.
    """
    with Ledger.open(crowd.address) as ledger:
        kept = list(ledger.rows())
        counts = ledger.counts()
        assert ledger.take([row.key for row in kept]) == {}
    assert {row.key for row in kept} == {key(number) for number in range(ROWS)}
    assert len(kept) == ROWS
    for row in kept:
        assert {one.place: one.answered for one in row.exchanges} == {place: f"{place}!".encode() for place in PLACES}
    assert max(crowd.told("filed").values()) == 1
    safe = set[str]()
    for what, _, where in (line.partition(" ") for line in crowd.lines()):
        assert what != "asked" or where not in safe  # whoever was killed after it was said
        safe.update([where] if what == "kept" else [])
    twice = sum(times - 1 for times in crowd.told("asked").values())
    assert counts.asked_again >= twice
    assert counts.asked - counts.asked_again == ROWS * len(PLACES)
