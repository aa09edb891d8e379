"""The answer ledger: what was asked and answered of a million rows, so that nothing is asked twice without need.

Any number of processes work on one ledger. Each is a worker: it takes rows that nobody living holds, says of each
exchange that it is being asked before and what was answered after, and files the row when it has ended. A worker lives
as long as its one record is renewed; the rows of one that has died are free for the others, with what was answered.
When an async method returns, what it was given survives a crash. Billing cannot be made exactly once: an exchange that
was asked and not answered may have been paid, and asking it again is counted.

Whether a worker lives is decided by the clock of the machine where the ledger is a file, since all its workers are on
that machine, and by the clock of the database server where it is Postgres, since the clocks of many machines differ.
Where it is a file, the end of a worker's process is seen at once.
"""

import secrets
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from sparring.errors import UsageError
from sparring.schema.batch import LedgerUse
from sparring.store import ledger_tables, ledger_worker
from sparring.store.group_commit import GroupCommit
from sparring.store.ledger_origin import check_ledger, sign_ledger
from sparring.store.ledger_tables import KeptExchange, KeptRow, Key
from sparring.store.ledger_worker import Taken
from sparring.store.provenance import Provenance
from sparring.store.sqlite import SqliteDatabase

__all__ = ["Filed", "KeptExchange", "KeptRow", "Key", "Ledger", "Taken"]

T = TypeVar("T")

LEASE_S = 60.0
BUSY_S = 30.0
_LISTED = 5
_KEY_BYTES = 16
_ALIKE = "SELECT key, result FROM sparring_rows WHERE key BETWEEN ? AND ? AND is_complete = 1 ORDER BY at DESC LIMIT 1"
_FINDING = tuple(
    f"SELECT DISTINCT key FROM {table} WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?"  # noqa: S608 -- names of ours
    for table in ("sparring_rows", "sparring_exchanges", "sparring_leases")
)


@dataclass(frozen=True, slots=True)
class Filed:
    """A row that has ended.

    Attributes:
        result: JSON of what a shard row says of it.
        is_complete: False where somebody failed who had a seat, or there is no verdict; a later start asks them again.
    """

    result: bytes
    is_complete: bool


class Ledger:
    """Safe to use from several threads; its async methods from any asyncio loop. Not to be carried over a fork."""

    def __init__(
        self,
        database: ledger_tables.Database,
        *,
        worker: str,
        lease_s: float,
        clock: Callable[[], float] | None = None,
        provenance: Provenance | None = None,
    ) -> None:
        self.name = database.name
        self.worker = worker
        self._reading = threading.Lock()
        self._reader = database.connect()
        try:
            if provenance and isinstance(database, SqliteDatabase):
                ledger_tables.prepare(self._reader, database.name, partial(sign_ledger, provenance=provenance))
                check_ledger(self._reader, database.path, provenance)
            else:
                ledger_tables.prepare(self._reader, database.name)
            writer = database.connect()
        except BaseException:
            self._reader.close()
            raise
        self._mine = mine = ledger_worker.LedgerWorker(writer, worker, lease_s, clock or writer.now, database.signs())
        try:
            mine.begin()
        except BaseException:
            writer.close()
            mine.signs.end()
            self._reader.close()
            raise
        self._commits = GroupCommit[ledger_worker.Operation](
            mine.write, idle=mine.renew, end=mine.end, idle_s=lease_s / 3
        )

    @classmethod
    def open(
        cls,
        address: str,
        *,
        worker: str = "",
        lease_s: float = LEASE_S,
        busy_s: float = BUSY_S,
        clock: Callable[[], float] | None = None,
        provenance: Provenance | None = None,
    ) -> Self:
        """The ledger at ``address``, which is made if there is none.

        Args:
            address: A file, a folder, or ``postgresql://…``.
            worker: Who takes rows; a random name if empty. Two that live must not have the same.
            lease_s: So long after its last sign of life a worker's rows are free.
            busy_s: So long a write waits for those of other processes.
            clock: Seconds, for all workers alike; without one the ledger's own (see above).
            provenance: Signs a new file, and refuses one that another user made; None: whoever made it.

        Raises:
            ForeignStateError: It came with the project.
            StateKeyError: It would be new, and there is no key to sign it with.
            StateCorruptError: What is there is damaged, or no ledger.
            StateNewerError: A newer version made it.
            StateUnwritableError: It cannot be read or written.
        """
        return cls(
            database(address, busy_s=busy_s),
            worker=worker or secrets.token_hex(8),
            lease_s=lease_s,
            clock=clock,
            provenance=provenance,
        )

    @property
    def ended(self) -> frozenset[str]:
        """The workers of whom this one has found out that they have died."""
        return self._mine.ended

    def filed(self, keys: Sequence[Key]) -> dict[Key, Filed]:
        """Those of ``keys`` that have ended."""
        statement = "SELECT key, is_complete, result FROM sparring_rows WHERE key IN ({keys})"
        with self._connection() as connection:
            return {
                key: Filed(result, bool(is_complete))
                for key, is_complete, result in ledger_tables.having(connection, statement, keys)
            }

    def alike(self, beginnings: Collection[bytes]) -> dict[bytes, tuple[Key, Filed]]:
        """Of keys that begin with one of ``beginnings``, the row that was last filed complete, by that beginning.

        A key begins with what the row says, so these were asked under whatever settings.
        """
        found = dict[bytes, tuple[Key, Filed]]()
        with self._connection() as connection:
            for beginning in beginnings:
                low, high = (beginning + each * (_KEY_BYTES - len(beginning)) for each in (b"\x00", b"\xff"))
                for key, result in connection.execute(_ALIKE, (low, high)):
                    found[beginning] = key, Filed(result, is_complete=True)
        return found

    def told(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """The larger record of those of ``keys`` that have ended, as ``file`` was given it."""
        statement = (
            "SELECT rows.key, rows.result, records.told FROM sparring_rows AS rows "
            "JOIN sparring_records AS records ON records.number = rows.number WHERE rows.key IN ({keys})"
        )
        with self._connection() as connection:
            return {
                key: ledger_tables.unpacked(told, result)
                for key, result, told in ledger_tables.having(connection, statement, keys)
            }

    def take(self, keys: Sequence[Key], *, fresh: bool = False) -> dict[Key, Taken]:
        """Those of ``keys`` that nobody living holds and that are not filed complete; they are then this worker's.

        Args:
            keys: In any number; one that is there twice is taken once.
            fresh: Those filed complete too, and as if nothing had been asked of any. What was filed stays until the
                row is filed anew; what was answered and not filed is dropped.
        """
        return self._commits.commit_now(ledger_worker.TakeRows(tuple(keys), fresh))

    async def asked(self, key: Key, exchanges: Mapping[str, bytes], *, costs: Collection[str]) -> None:
        """Say what is about to be asked, by place; ``costs`` are the places where asking costs money.

        Raises:
            LeaseLostError: The row is not ours any more; nothing must be asked.
            StoreError: It could not be written; nothing must be asked.
        """
        await self._commits.commit(ledger_worker.NoteAsked(key, dict(exchanges), frozenset(costs)))

    async def answered(self, key: Key, place: str, body: bytes, *, is_new: bool = True) -> None:
        """Keep an answer. If the row is not ours any more, it is kept where there is none yet.

        ``is_new`` is False for one that was counted when it came, and is taken over.
        """
        await self._commits.commit(ledger_worker.NoteAnswered(key, place, body, is_new))

    async def file(self, key: Key, *, result: bytes, told: bytes, run: bytes, is_complete: bool) -> None:
        """End a row: its exchanges become part of its one record, and it is given back.

        Raises:
            LeaseLostError: The row is not ours any more; whoever took it files it.
        """
        await self._commits.commit(ledger_worker.FileRow(key, result, told, run, is_complete))

    def release(self, keys: Iterable[Key]) -> None:
        """Give rows back that have not ended; those that are not ours stay as they are."""
        self._commits.commit_now(ledger_worker.ReleaseRows(tuple(keys)))

    def shared(self, name: str, change: Callable[[bytes | None], tuple[bytes | None, T]]) -> T:
        """Put in the place of a small named record what ``change`` makes of it, with nobody else in between.

        Args:
            name: Of the record.
            change: Given what is there, or None, it says what shall be there, or None for nothing, and what is
                returned. It is called in another thread, must be quick, and must not use the ledger; what it raises
                is raised here, and changes nothing.
        """
        return self._commits.commit_now(ledger_worker.ChangeShared(name, change))

    def find(self, prefix_hex: str) -> KeptRow:
        """All that is kept of the one row whose key begins so, in hexadecimal digits; it may not have ended.

        Raises:
            UsageError: There is none, or there are several.
        """
        low, high = _range(prefix_hex)
        with self._connection() as connection:
            found = sorted({key for one in _FINDING for (key,) in connection.execute(one, (low, high, _LISTED + 1))})
            if len(found) != 1:
                raise _not_one(prefix_hex, found)
            return _whole(connection, found[0])

    def rows(self) -> Iterator[KeptRow]:
        """All rows that have ended."""
        with self._connection() as connection:
            keys = connection.execute("SELECT key FROM sparring_rows")
        return (self.find(key.hex()) for (key,) in keys)

    def counts(self) -> LedgerUse:
        """What has been asked and answered, by all workers that there have ever been."""
        with self._connection() as connection:
            ((asked, answered, again),) = connection.execute(
                "SELECT coalesce(sum(asked), 0), coalesce(sum(answered), 0), coalesce(sum(asked_again), 0) "
                "FROM sparring_workers"
            )
        return LedgerUse(asked=int(asked), answered=int(answered), asked_again=int(again))

    def close(self) -> None:
        """Write what was given, and give back what is held. Closing again does nothing."""
        try:
            self._commits.close()
        finally:
            with self._reading:
                self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _connection(self) -> Generator[ledger_tables.Connection]:
        with self._reading:
            yield self._reader


def database(address: str, *, busy_s: float = BUSY_S) -> ledger_tables.Database:
    """What is at ``address``, which is looked at only when it is connected to.

    Raises:
        UsageError: This is no address.
    """
    if address.startswith(("postgresql://", "postgres://")):
        from sparring.store.postgres import PostgresDatabase  # noqa: PLC0415 -- an optional dependency

        return PostgresDatabase(address, busy_s=busy_s)
    scheme, separator, _ = address.partition("://")
    if separator:
        raise UsageError(f"A ledger is a file or postgresql://…, not {scheme}://….")
    return SqliteDatabase(Path(address), busy_s=busy_s)


def _range(prefix_hex: str) -> tuple[bytes, bytes]:
    digits = prefix_hex.strip().lower()
    if not digits or len(digits) > 32 or set(digits) - set("0123456789abcdef"):
        raise UsageError(f"{prefix_hex!r} is not the beginning of a row's key: up to 32 digits from 0 to f.")
    return bytes.fromhex(digits.ljust(32, "0")), bytes.fromhex(digits.ljust(32, "f"))


def _not_one(prefix_hex: str, found: Sequence[Key]) -> UsageError:
    if not found:
        return UsageError(f"No row of this ledger has a key that begins with {prefix_hex}.")
    listed = ", ".join(key.hex() for key in found[:_LISTED])
    more = ", …" if len(found) > _LISTED else ""
    return UsageError(f"Several rows have a key that begins with {prefix_hex}: {listed}{more}.", hint="Say more of it.")


def _whole(connection: ledger_tables.Connection, key: Key) -> KeptRow:
    row = ledger_tables.kept_rows(connection, [key]).get(key) or KeptRow(key=key)
    later = ledger_tables.entries_of(connection, [key]).get(key, ())
    return replace(row, exchanges=ledger_tables.in_order(ledger_tables.together(row, later)))
