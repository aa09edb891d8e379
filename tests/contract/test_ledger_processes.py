"""Several processes on one answer ledger that are killed at random: nothing is lost, and no more asked than must be."""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest

from sparring.store.ledger import Ledger
from support import ledger_worker
from support.ledger_worker import PLACES
from support.ledgers import key, wait_for
from support.postgres import of_its_own

pytestmark = pytest.mark.process

ROWS, KILLS = 60, 8
PATIENT_S, HASTY_S = 600.0, 2.0


@dataclass
class Crowd:
    """Three workers, and what all of them together have asked."""

    address: str
    endpoint: Path
    lease_s: float
    running: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict[str, "subprocess.Popen[bytes]"])
    stopping: ExitStack = field(default_factory=ExitStack)

    def start(self, name: str) -> None:
        program = [sys.executable, ledger_worker.__file__]
        arguments = [self.address, name, str(self.lease_s), str(ROWS), str(self.endpoint)]
        tests = Path(ledger_worker.__file__).parents[1]
        self.running[name] = worker = subprocess.Popen([*program, *arguments], env={"PYTHONPATH": str(tests)})
        self.stopping.callback(worker.wait)
        self.stopping.callback(worker.kill)

    def kill(self, name: str) -> None:
        worker = self.running.pop(name)
        worker.kill()
        worker.wait()

    def lines(self) -> list[tuple[str, str, str]]:
        told = self.endpoint.read_text(encoding="ascii") if self.endpoint.exists() else ""
        return [(what, row, place) for what, row, place in map(str.split, told.splitlines())]

    def told(self, *what: str) -> Counter[tuple[str, str]]:
        return Counter((row, place) for one, row, place in self.lines() if one in what)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "answers.sqlite")
    return of_its_own(request.getfixturevalue("postgres"), f"ledger_{uuid4().hex}")


@pytest.fixture
def crowd(address: str, tmp_path: Path) -> Generator[Crowd]:
    crowd = Crowd(address, tmp_path / "endpoint", PATIENT_S)
    with crowd.stopping:
        yield crowd


@pytest.mark.parametrize("seed", [1, 2])
def test_rows_of_workers_that_are_killed_are_filed_once_and_asked_no_more_than_once_a_kill(
    crowd: Crowd, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 -- the same kills every time, as far as the machine lets us
    for number in range(3):
        crowd.start(f"worker-{number}")
    all_lines = ROWS * (2 * len(PLACES) + 1)
    kills = 0
    for at in sorted(chance.sample(range(10, all_lines - 20), KILLS)):
        wait_for(lambda at=at: len(crowd.lines()) >= at or _have_ended(crowd))
        if _have_ended(crowd):
            break
        name = chance.choice(sorted(crowd.running))
        crowd.kill(name)
        kills += 1
        crowd.start(name)  # whoever comes again under a name need not wait until its lease has expired
    for worker in crowd.running.values():
        assert worker.wait(200) == 0

    _everything_is_there(crowd)
    assert max(crowd.told("asked").values()) <= 1 + kills
    assert not crowd.told("lost")


def test_rows_of_a_worker_that_does_not_come_again_are_taken_when_its_lease_has_expired(crowd: Crowd) -> None:
    crowd.lease_s = HASTY_S
    crowd.start("first")
    wait_for(lambda: len(crowd.lines()) >= 10)
    crowd.kill("first")
    crowd.start("second")
    assert crowd.running["second"].wait(200) == 0

    _everything_is_there(crowd)
    # One that was held up for longer than its lease loses rows, and says so.
    assert max(crowd.told("asked").values()) <= 2 + crowd.told("lost").total()


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


def test_what_was_said_to_be_safe_is_there_after_a_kill(crowd: Crowd) -> None:
    for name in ("a", "b"):
        crowd.start(name)
    wait_for(lambda: crowd.told("kept").total() >= 40)
    for name in ("a", "b"):
        crowd.kill(name)
    kept = crowd.told("kept")
    with Ledger.open(crowd.address) as ledger:
        found = {
            (row, exchange.place)
            for row in {row for row, _ in kept}
            for exchange in ledger.find(row).exchanges
            if exchange.answered == f"{exchange.place}!".encode()
        }
    assert set(kept) <= found


def _have_ended(crowd: Crowd) -> bool:
    return all(worker.poll() is not None for worker in crowd.running.values())


def _everything_is_there(crowd: Crowd) -> None:
    """Each row is filed once, with one answer at each place, and what may have been paid twice was counted."""
    with Ledger.open(crowd.address) as ledger:
        kept = [row for block in ledger.rows() for row in block]
        counts = ledger.counts()
        assert ledger.take([row.key for row in kept]) == {}
    assert {row.key for row in kept} == {key(number) for number in range(ROWS)}
    assert len(kept) == ROWS
    for row in kept:
        assert {one.place: one.answered for one in row.exchanges} == {place: f"{place}!".encode() for place in PLACES}
    assert max(crowd.told("filed").values()) == 1
    twice = sum(times - 1 for times in crowd.told("asked").values())
    assert counts.asked_again >= twice
    assert counts.asked - counts.asked_again == ROWS * len(PLACES)
