"""Workers of one answer ledger that a test drives by hand, a clock that stands still, and what a ledger counts."""

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count
from pathlib import Path

from sparring.store.ledger import Key, Ledger

LEASE_S = 60.0
_PATIENCE_S = 200.0


@dataclass
class StandingClock:
    """Goes on when it is told to."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Workers:
    """Opens the same ledger again and again, each time for another worker."""

    address: str
    clock: StandingClock = field(default_factory=StandingClock)
    open_: ExitStack = field(default_factory=ExitStack)
    _numbers: "count[int]" = field(default_factory=count)

    def __call__(self, name: str = "", *, busy_s: float = 30.0) -> Ledger:
        name = name or f"worker-{next(self._numbers)}"
        ledger = Ledger.open(self.address, worker=name, lease_s=LEASE_S, busy_s=busy_s, clock=self.clock)
        return self.open_.enter_context(ledger)

    def expire(self) -> None:
        """Let so much time go by that whoever does nothing now has died."""
        self.clock.now += LEASE_S + 1


def key(number: int) -> Key:
    """The key of a row, as good as random."""
    return blake2b(b"%d" % number, digest_size=16).digest()


async def play(ledger: Ledger, row: Key, places: Sequence[str]) -> None:
    """Ask and answer at each of ``places``, and file."""
    await ledger.asked(row, {place: f"{place}?".encode() for place in places}, costs=places)
    for place in places:
        await ledger.answered(row, place, f"{place}!".encode())
    await file(ledger, row)


async def file(ledger: Ledger, row: Key, *, is_complete: bool = True) -> None:
    """End a row."""
    await ledger.file(row, result=b'{"r": 1}', told=b'{"t": 1}', run=b'{"h": 1}', is_complete=is_complete)


def answers_in(file: Path) -> int:
    """How many answers a ledger has counted, in whichever call; it may not be there yet."""
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as ledger:
        return ledger.execute("SELECT coalesce(sum(answered), 0) FROM sparring_workers").fetchone()[0]
    return 0


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something that another thread or process does has happened; give up after long."""
    until = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < until, "it has not happened"
        time.sleep(0.01)  # a database tells nobody
