"""Workers of one exchange ledger that a test drives by hand, in one thread, by a clock of the test."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sparring.store.exchanges.amounts import Amounts, Maximum
from sparring.store.exchanges.database import Connection, Database, SqlStatement
from sparring.store.exchanges.operations import Operation
from sparring.store.exchanges.sql import DIMENSIONS, Key
from sparring.store.exchanges.sqlite import SqliteDatabase
from sparring.store.exchanges.tables import prepare
from sparring.store.exchanges.worker import LedgerWorker
from support.clocks import StandingClock

LEASE_S = 60.0


def key(number: int) -> Key:
    """The key of an exchange, as good as random."""
    return blake2b(b"%d" % number, digest_size=16).digest()


class QuietDatabase(SqliteDatabase):
    """A file in which nobody is known to live or to have died but by the lease, and that nothing makes safe."""

    def liveness(self) -> Any:
        from sparring.store.exchanges.database import WorkerLiveness  # noqa: PLC0415 -- the plain one

        return WorkerLiveness()

    def connect(self) -> Any:
        connection = super().connect()
        connection.transact([])
        return connection


@dataclass
class LedgerBench:
    """A ledger, and what stands in it."""

    database: Database
    clock: StandingClock = field(default_factory=StandingClock)
    reader: Connection = field(init=False)

    def __post_init__(self) -> None:
        self.reader = self.database.connect()
        prepare(self.database, self.reader)

    @classmethod
    def at(cls, path: Path) -> "LedgerBench":
        """A ledger in a file."""
        clock = StandingClock()
        return cls(QuietDatabase(path, clock=clock), clock)

    def worker(self, **batches: Maximum) -> LedgerWorker:
        """A new worker that takes part in those batches."""
        connection = self.database.connect()
        worker = LedgerWorker(
            self.database, connection, lease_s=LEASE_S, max_wait_s=2.0, grace_s=0.0, notify=lambda _: None
        )
        worker.begin()
        for batch, maximum in batches.items():
            worker.join(batch, maximum)
        return worker

    @classmethod
    def of(cls, database: Database) -> "LedgerBench":
        """A ledger in any database, by its own clock."""
        return cls(database)

    def pass_time(self, seconds: float) -> None:
        """Let so much time go by for all leases."""
        if isinstance(self.database, QuietDatabase):
            self.clock.now += seconds
        else:
            self.reader.transact([SqlStatement("UPDATE sparring_worker SET expires = expires - ?", (seconds,))])

    def read(self, text: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a statement."""
        return self.reader.transact([SqlStatement(text, values)])[0]

    def balance(self, batch: str) -> tuple[Amounts, Amounts]:
        """Return the amounts given to a batch, and the sum of its allotments and of ``lost``."""
        given = self.read(f"SELECT {_each('given_@')} FROM sparring_batch WHERE id = ?", batch)
        parts = self.read(
            f"SELECT {_each('coalesce(sum(left_@ + held_@ + used_@), 0)')} FROM sparring_allotment WHERE batch = ?",
            batch,
        )
        lost = self.read(f"SELECT {_each('coalesce(sum(@), 0)')} FROM sparring_lost WHERE batch = ?", batch)
        return Amounts(*given[0]), Amounts(*parts[0]) + Amounts(*lost[0])

    def held(self, batch: str) -> tuple[Amounts, Amounts]:
        """Return the amounts that the allotments hold, and those that the exchanges claim."""
        booked = self.read(f"SELECT {_each('coalesce(sum(held_@), 0)')} FROM sparring_allotment WHERE batch = ?", batch)
        meant = self.read(
            f"SELECT {_each('coalesce(sum(held_@), 0)')} FROM sparring_exchange "
            "WHERE batch = ? AND state IN ('claimed', 'sent')",
            batch,
        )
        return Amounts(*booked[0]), Amounts(*meant[0])

    def close(self) -> None:
        self.reader.close()


def _each(text: str) -> str:
    return ", ".join(text.replace("@", name) for name in DIMENSIONS)


def only(worker: LedgerWorker, operation: Operation) -> Any:
    """Execute one operation and return its result, or raise its error."""
    (outcome,) = worker.write([operation])
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def drop(workers: Sequence[LedgerWorker]) -> None:
    """Close what workers have open, as the end of their processes does; nothing is given back."""
    for worker in workers:
        with suppress(Exception):
            worker._connection.close()  # pyright: ignore[reportPrivateUsage]
