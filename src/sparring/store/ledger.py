"""The answer ledger: what was asked and answered of a million rows, so that nothing is asked twice without need.

Any number of processes work on one ledger. Each is a worker: it takes rows that nobody living holds, says of each
exchange that it is being asked before and what was answered after, and files the row when it has ended. A worker lives
as long as its one record is renewed; the rows of one that has died are free for the others, with what was answered.
When an async method returns, what it was given survives a crash. Billing cannot be made exactly once: an exchange that
was asked and not answered may have been paid, and asking it again is counted.

Whether a worker lives is decided by the clock of the machine where the ledger is a file, since all its workers are on
that machine, and by the clock of the database server where it is Postgres, since the clocks of many machines differ.
"""

import secrets
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from sparring.errors import LeaseLostError, UsageError
from sparring.store.group_commit import GroupCommit
from sparring.store.ledger_tables import (
    TABLES,
    Connection,
    Database,
    Entry,
    Key,
    KeptExchange,
    KeptRow,
    add_entries,
    count,
    entries_of,
    exchanges_of,
    having,
    holders,
    kept_rows,
    merged,
    opened,
    prepare,
    put_rows,
    remove_entries,
    unpacked,
)
from sparring.store.sqlite import SqliteDatabase

__all__ = ["Filed", "KeptExchange", "KeptRow", "Key", "Ledger", "LedgerCounts", "Taken"]

T = TypeVar("T")

LEASE_S = 60.0
BUSY_S = 60.0
_BLOCK = 200
_LISTED = 5


@dataclass(frozen=True, slots=True)
class Filed:
    """A row that has ended.

    Attributes:
        result: JSON of what a shard row says of it.
        is_complete: False where somebody failed who had a seat, or there is no verdict; a later start asks them again.
    """

    result: bytes
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Taken:
    """A row that is ours until it is released, filed or has expired.

    Attributes:
        asked: What was asked and not answered, by place: asking it again may be paying it twice.
        answered: What was answered, by place, in the order of answering.
    """

    key: Key
    asked: Mapping[str, bytes]
    answered: Mapping[str, bytes]
    was_filed: bool


@dataclass(frozen=True, slots=True)
class LedgerCounts:
    """What is in a ledger, of all workers that there have ever been.

    Attributes:
        filed: Rows that have ended; ``complete`` of them need not be asked again.
        asked: Exchanges asked, each time counted; ``answered``: answers that came.
        asked_again: Asked when they had been asked and not answered before, at a cost: these may be paid twice.
        size: Bytes on disk.
    """

    filed: int
    complete: int
    asked: int
    answered: int
    asked_again: int
    size: int


@dataclass(frozen=True, slots=True)
class _Asked:
    key: Key
    exchanges: Mapping[str, bytes]
    costs: Collection[str]


@dataclass(frozen=True, slots=True)
class _Answered:
    key: Key
    place: str
    body: bytes


@dataclass(frozen=True, slots=True)
class _File:
    key: Key
    result: bytes
    told: bytes
    run: bytes
    is_complete: bool


@dataclass(frozen=True, slots=True)
class _Take:
    keys: Sequence[Key]
    fresh: bool


@dataclass(frozen=True, slots=True)
class _Release:
    keys: Sequence[Key]


@dataclass(frozen=True, slots=True)
class _Shared(Generic[T]):
    name: str
    change: Callable[[bytes | None], tuple[bytes | None, T]]


_Operation = _Asked | _Answered | _File | _Take | _Release | _Shared[Any]


@dataclass
class _Worker:
    """The writing side of a ledger; only the thread that commits calls it.

    Attributes:
        name: Nobody else's who is living.
        renewed: When its record was last renewed, by the clock of the ledger.
    """

    connection: Connection
    name: str
    lease_s: float
    clock: Callable[[], float]
    renewed: float = field(default=float("-inf"))

    def begin(self) -> None:
        """Be known. Whoever had this name before has died, so what they held is free."""
        with self.connection.transaction():
            self.connection.execute("DELETE FROM sparring_leases WHERE worker = ?", (self.name,))
            self.connection.execute(
                "INSERT INTO sparring_workers VALUES (?, ?, 0, 0, 0) "
                "ON CONFLICT (worker) DO UPDATE SET expires = excluded.expires",
                (self.name, self.clock() + self.lease_s),
            )

    def renew(self) -> None:
        """Be alive for another while."""
        with self.connection.transaction():
            self._renew(self.clock())

    def end(self) -> None:
        """Give back all that is held."""
        try:
            with self.connection.transaction():
                self.connection.execute("DELETE FROM sparring_leases WHERE worker = ?", (self.name,))
                self.connection.execute("UPDATE sparring_workers SET expires = 0 WHERE worker = ?", (self.name,))
        finally:
            self.connection.close()

    def write(self, operations: Sequence[_Operation]) -> Sequence[Any]:
        """Do all of ``operations`` in one transaction. What waits for what others hold comes last."""
        outcomes = list[Any]([None] * len(operations))
        by_kind = {kind: [at for at, one in enumerate(operations) if isinstance(one, kind)] for kind in _ORDER}
        with self.connection.transaction():
            now = self.clock()
            if now - self.renewed >= self.lease_s / 3:
                self._renew(now)
            self._exchange([(at, operations[at]) for at in sorted(by_kind[_Asked] + by_kind[_Answered])], outcomes)
            self._file([(at, operations[at]) for at in by_kind[_File]], outcomes, now)
            for kind in (_Release, _Take, _Shared):
                for at in by_kind[kind]:
                    outcomes[at] = self._one(operations[at], now)
        return outcomes

    def _renew(self, now: float) -> None:
        self.connection.execute(
            "UPDATE sparring_workers SET expires = ? WHERE worker = ?", (now + self.lease_s, self.name)
        )
        self.renewed = now

    def _exchange(self, operations: Sequence[tuple[int, Any]], outcomes: list[Any]) -> None:
        """Write down what is asked and answered, in the order in which it came."""
        if not operations:
            return
        keys = {operation.key for _, operation in operations}
        held = {key for key, worker in holders(self.connection, keys).items() if worker == self.name}
        pending = _pending(self.connection, keys)
        entries, asked, answered, again = list[Entry](), 0, 0, 0
        for at, operation in operations:
            places = pending.setdefault(operation.key, {})
            if isinstance(operation, _Answered):
                answered += 1
                if operation.key in held or not self._is_answered(operation, places):
                    entries.append(Entry(operation.key, operation.place, 0, operation.body))
                    places[operation.place] = False
            elif operation.key not in held:
                outcomes[at] = _lost(operation.key)
            else:
                asked += len(operation.exchanges)
                again += sum(places.get(place, False) for place in operation.exchanges if place in operation.costs)
                entries += [Entry(operation.key, place, 1, body) for place, body in operation.exchanges.items()]
                places.update(dict.fromkeys(operation.exchanges, True))
        add_entries(self.connection, entries)
        count(self.connection, self.name, asked=asked, answered=answered, asked_again=again)

    def _is_answered(self, late: _Answered, places: Mapping[str, bool]) -> bool:
        """Whether there is an answer already where one comes from a worker that has lost the row."""
        if late.place in places:
            return not places[late.place]
        filed = kept_rows(self.connection, [late.key]).get(late.key)
        return bool(filed) and any(
            exchange.place == late.place and exchange.answered is not None for exchange in filed.exchanges
        )

    def _file(self, operations: Sequence[tuple[int, Any]], outcomes: list[Any], now: float) -> None:
        if not operations:
            return
        held = holders(self.connection, [operation.key for _, operation in operations])
        ours = dict[Key, _File]()
        for at, operation in operations:
            if held.get(operation.key) == self.name:
                ours[operation.key] = operation
            else:
                outcomes[at] = _lost(operation.key)
        entries = entries_of(self.connection, ours)
        put_rows(
            self.connection,
            [
                KeptRow(key, True, one.is_complete, now, one.result, one.told, one.run, _ordered(entries.get(key, ())))
                for key, one in ours.items()
            ],
        )
        remove_entries(self.connection, ours)
        self._drop(ours)

    def _one(self, operation: _Operation, now: float) -> Any:
        if isinstance(operation, _Take):
            return self._take(operation, now)
        if isinstance(operation, _Release):
            return self._drop(operation.keys)
        assert isinstance(operation, _Shared)
        return self._change(operation)

    def _drop(self, keys: Iterable[Key]) -> None:
        statement = "DELETE FROM sparring_leases WHERE key IN ({keys}) AND worker = ?"
        for _ in having(self.connection, statement, keys, self.name):
            pass

    def _take(self, operation: _Take, now: float) -> dict[Key, Taken]:
        before = holders(self.connection, operation.keys)
        wanted = [key for key in dict.fromkeys(operation.keys) if before.get(key) != self.name]
        self.connection.execute_each(
            "INSERT INTO sparring_leases (key, worker) VALUES (?, ?) ON CONFLICT (key) DO UPDATE "
            "SET worker = excluded.worker "
            "WHERE sparring_leases.worker NOT IN (SELECT worker FROM sparring_workers WHERE expires > ?)",
            [(key, self.name, now) for key in sorted(wanted)],
        )
        # Looked at after the lease is ours: what another worker filed until then is seen.
        held = holders(self.connection, wanted)
        ours = [key for key in wanted if held.get(key) == self.name]
        filed = dict(having(self.connection, "SELECT key, is_complete FROM sparring_rows WHERE key IN ({keys})", ours))
        if not operation.fresh:
            self._drop([key for key in ours if filed.get(key)])
            ours = [key for key in ours if not filed.get(key)]
        return self._opened(ours, filed, fresh=operation.fresh)

    def _opened(self, keys: Sequence[Key], filed: Collection[Key], *, fresh: bool) -> dict[Key, Taken]:
        if fresh:
            remove_entries(self.connection, keys)
            return {key: Taken(key, {}, {}, key in filed) for key in keys}
        entries = entries_of(self.connection, keys)
        for key, row in kept_rows(self.connection, [key for key in keys if key in filed]).items():
            entries[key] = self._reopened(row, entries.get(key, []))
        return {key: _taken(key, entries.get(key, ()), was_filed=key in filed) for key in keys}

    def _reopened(self, row: KeptRow, later: list[Entry]) -> list[Entry]:
        """What was filed of a row becomes entries again, so that it is filed with what comes now."""
        known = {entry.place for entry in later}
        again = [entry for one in row.exchanges if one.place not in known for entry in _as_entries(row.key, one)]
        add_entries(self.connection, again)
        return again + later

    def _change(self, operation: _Shared[Any]) -> Any:
        self.connection.exclude(f"shared {operation.name}")
        found = self.connection.execute("SELECT value FROM sparring_shared WHERE name = ?", (operation.name,))
        try:
            value, told = operation.change(found[0][0] if found else None)
        except Exception as error:  # noqa: BLE001 -- the caller's own, raised where it waits; nothing was changed
            return error
        if value is None:
            self.connection.execute("DELETE FROM sparring_shared WHERE name = ?", (operation.name,))
        else:
            self.connection.execute(
                "INSERT INTO sparring_shared VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (operation.name, value),
            )
        return told


_ORDER = (_Asked, _Answered, _File, _Take, _Release, _Shared)


class Ledger:
    """Safe to use from several threads; its async methods from any asyncio loop. Not to be carried over a fork."""

    def __init__(
        self, database: Database, *, worker: str, lease_s: float, clock: Callable[[], float] | None = None
    ) -> None:
        self.name = database.name
        self.worker = worker
        self._reading = threading.Lock()
        self._reader = database.connect()
        try:
            prepare(self._reader, database.name)
            writer = database.connect()
        except BaseException:
            self._reader.close()
            raise
        mine = _Worker(writer, worker, lease_s, clock or writer.now)
        try:
            mine.begin()
        except BaseException:
            writer.close()
            self._reader.close()
            raise
        self._commits = GroupCommit[_Operation](mine.write, idle=mine.renew, end=mine.end, idle_s=lease_s / 3)

    @classmethod
    def open(
        cls,
        address: str,
        *,
        worker: str = "",
        lease_s: float = LEASE_S,
        busy_s: float = BUSY_S,
        clock: Callable[[], float] | None = None,
    ) -> Self:
        """The ledger at ``address``, which is made if there is none.

        Args:
            address: A file, a folder, or ``postgresql://…``.
            worker: Who takes rows; a random name if empty. Two that live must not have the same.
            lease_s: So long after its last sign of life a worker's rows are free.
            busy_s: So long a write waits for those of other processes.
            clock: Seconds, for all workers alike; without one the ledger's own (see above).

        Raises:
            StateCorruptError: What is there is damaged, or no ledger.
            StateNewerError: A newer version made it.
            StateUnwritableError: It cannot be read or written.
        """
        return cls(_database(address, busy_s), worker=worker or secrets.token_hex(8), lease_s=lease_s, clock=clock)

    def filed(self, keys: Sequence[Key]) -> dict[Key, Filed]:
        """Those of ``keys`` that have ended."""
        statement = "SELECT key, is_complete, result FROM sparring_rows WHERE key IN ({keys})"
        with self._connection() as connection:
            return {
                key: Filed(unpacked(result), bool(is_complete))
                for key, is_complete, result in having(connection, statement, keys)
            }

    def told(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """The larger record of those of ``keys`` that have ended, as ``file`` was given it."""
        statement = "SELECT key, result, told FROM sparring_rows WHERE key IN ({keys})"
        with self._connection() as connection:
            return {key: unpacked(told, unpacked(result)) for key, result, told in having(connection, statement, keys)}

    def take(self, keys: Sequence[Key], *, fresh: bool = False) -> dict[Key, Taken]:
        """Those of ``keys`` that nobody living holds and that are not filed complete; they are then this worker's.

        Args:
            keys: In any number; one that is there twice is taken once.
            fresh: Those filed complete too, and as if nothing had been asked of any. What was filed stays until the
                row is filed anew; what was answered and not filed is dropped.
        """
        return self._commits.commit_now(_Take(tuple(keys), fresh))

    async def asked(self, key: Key, exchanges: Mapping[str, bytes], *, costs: Collection[str]) -> None:
        """Say what is about to be asked, by place; ``costs`` are the places where asking costs money.

        Raises:
            LeaseLostError: The row is not ours any more; nothing must be asked.
            StoreError: It could not be written; nothing must be asked.
        """
        await self._commits.commit(_Asked(key, dict(exchanges), frozenset(costs)))

    async def answered(self, key: Key, place: str, body: bytes) -> None:
        """Keep an answer. If the row is not ours any more, it is kept where there is none yet."""
        await self._commits.commit(_Answered(key, place, body))

    async def file(self, key: Key, *, result: bytes, told: bytes, run: bytes, is_complete: bool) -> None:
        """End a row: its exchanges become part of its one record, and it is given back.

        Raises:
            LeaseLostError: The row is not ours any more; whoever took it files it.
        """
        await self._commits.commit(_File(key, result, told, run, is_complete))

    def release(self, keys: Iterable[Key]) -> None:
        """Give rows back that have not ended; those that are not ours stay as they are."""
        self._commits.commit_now(_Release(tuple(keys)))

    def shared(self, name: str, change: Callable[[bytes | None], tuple[bytes | None, T]]) -> T:
        """Put in the place of a small named record what ``change`` makes of it, with nobody else in between.

        Args:
            name: Of the record.
            change: Given what is there, or None, it says what shall be there, or None for nothing, and what is
                returned. It is called in another thread, must be quick, and must not use the ledger; what it raises
                is raised here, and changes nothing.
        """
        return self._commits.commit_now(_Shared(name, change))

    def find(self, prefix_hex: str) -> KeptRow:
        """All that is kept of the one row whose key begins so, in hexadecimal digits; it may not have ended.

        Raises:
            UsageError: There is none, or there are several.
        """
        low, high = _range(prefix_hex)
        with self._connection() as connection:
            found = sorted(
                {
                    key
                    for table in ("sparring_rows", "sparring_exchanges", "sparring_leases")
                    for (key,) in connection.execute(
                        f"SELECT DISTINCT key FROM {table} WHERE key BETWEEN ? AND ? ORDER BY key LIMIT {_LISTED + 1}",
                        (low, high),
                    )
                }
            )
            if len(found) != 1:
                raise _not_one(prefix_hex, found)
            return _whole(connection, found[0])

    def rows(self) -> Iterator[tuple[KeptRow, ...]]:
        """All rows that have ended, in blocks, in the order in which they first did."""
        after = 0
        columns = "number, key, is_complete, at, result, told, record"
        while True:
            with self._connection() as connection:
                block = connection.execute(
                    f"SELECT {columns} FROM sparring_rows WHERE number > ? ORDER BY number LIMIT {_BLOCK}", (after,)
                )
            if not block:
                return
            after = block[-1][0]
            yield tuple(opened(row[1:]) for row in block)

    def counts(self) -> LedgerCounts:
        """What is in it, of all workers."""
        with self._connection() as connection:
            ((filed, complete),) = connection.execute(
                "SELECT count(*), coalesce(sum(is_complete), 0) FROM sparring_rows"
            )
            ((asked, answered, again),) = connection.execute(
                "SELECT coalesce(sum(asked), 0), coalesce(sum(answered), 0), coalesce(sum(asked_again), 0) "
                "FROM sparring_workers"
            )
            return LedgerCounts(filed, int(complete), int(asked), int(answered), int(again), connection.size(TABLES))

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
    def _connection(self) -> Iterator[Connection]:
        with self._reading:
            yield self._reader


def _database(address: str, busy_s: float) -> Database:
    if address.startswith(("postgresql://", "postgres://")):
        from sparring.store.postgres import PostgresDatabase

        return PostgresDatabase(address, busy_s=busy_s)
    if "://" in address:
        raise UsageError(f"A ledger is a file or postgresql://…, not {address.split('://')[0]}://….")
    return SqliteDatabase(Path(address), busy_s=busy_s)


def _pending(connection: Connection, keys: Iterable[Key]) -> dict[Key, dict[str, bool]]:
    """Of each place that was asked or answered, whether it was asked last."""
    found = dict[Key, dict[str, bool]]()
    statement = "SELECT key, place, times FROM sparring_exchanges WHERE key IN ({keys}) ORDER BY number"
    for key, place, times in having(connection, statement, keys):
        found.setdefault(key, {})[place] = bool(times)
    return found


def _ordered(entries: Iterable[Entry]) -> tuple[KeptExchange, ...]:
    """Those answered come first, in the order of answering."""
    return tuple(sorted(exchanges_of(entries).values(), key=lambda exchange: exchange.answered is None))


def _as_entries(key: Key, exchange: KeptExchange) -> list[Entry]:
    asked = [Entry(key, exchange.place, exchange.times_asked, exchange.asked)] if exchange.times_asked else []
    return asked if exchange.answered is None else [*asked, Entry(key, exchange.place, 0, exchange.answered)]


def _taken(key: Key, entries: Iterable[Entry], *, was_filed: bool) -> Taken:
    exchanges = exchanges_of(entries).values()
    return Taken(
        key,
        {one.place: one.asked for one in exchanges if one.answered is None},
        {one.place: one.answered for one in exchanges if one.answered is not None},
        was_filed,
    )


def _lost(key: Key) -> LeaseLostError:
    return LeaseLostError(f"The row {key.hex()} is worked on by another process, or has ended.")


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


def _whole(connection: Connection, key: Key) -> KeptRow:
    later = entries_of(connection, [key]).get(key, [])
    row = kept_rows(connection, [key]).get(key) or KeptRow(key, False, False, 0.0, b"", b"", b"", ())
    exchanges = merged({one.place: one for one in row.exchanges}, later)
    ordered = sorted(exchanges.values(), key=lambda exchange: exchange.answered is None)
    return KeptRow(key, row.was_filed, row.is_complete, row.at, row.result, row.told, row.run, tuple(ordered))
