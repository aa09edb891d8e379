"""The tables of an answer ledger and what is done to them, the same in each database.

``sparring_rows`` says of each row that has ended what became of it, as it was given, and ``sparring_records`` all the
rest, deflated: looking up a finished table reads a tenth of the file and inflates nothing, which would take twice the
time. ``sparring_exchanges`` has an entry for each time that something was asked or answered of a row that has not
ended, in order; ``sparring_leases`` says who works on which row, and ``sparring_workers`` until when that counts, and
what each has asked in all. What is large is put in the order in which it comes: only small trees are in the order of
the keys, which are as good as random. A function here is called inside a transaction of its caller.
"""

import struct
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from sparring.errors import StateCorruptError, StateNewerError
from sparring.store.files import RECORD_LIMIT

Key = bytes
"""What a row is known by: 16 bytes."""

SCHEMA = 1
MARK = "sparring_meta"
"""The table by which a ledger is known."""

_TABLES = """
CREATE TABLE sparring_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL){compact};
CREATE TABLE sparring_rows (
    number {number}, key {octets} NOT NULL UNIQUE, is_complete INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL,
    result {octets} NOT NULL);
CREATE TABLE sparring_records (number BIGINT PRIMARY KEY, told {octets} NOT NULL, record {octets} NOT NULL);
CREATE TABLE sparring_exchanges (
    number {number}, key {octets} NOT NULL, place TEXT NOT NULL, times INTEGER NOT NULL, body {octets} NOT NULL);
CREATE INDEX sparring_exchanges_of ON sparring_exchanges (key);
CREATE TABLE sparring_leases (key {octets} PRIMARY KEY, worker TEXT NOT NULL){compact};
CREATE TABLE sparring_workers (
    worker TEXT PRIMARY KEY, expires DOUBLE PRECISION NOT NULL,
    asked BIGINT NOT NULL, answered BIGINT NOT NULL, asked_again BIGINT NOT NULL){compact};
CREATE TABLE sparring_shared (name TEXT PRIMARY KEY, value {octets} NOT NULL){compact}
"""
ANSWERED, ANSWERED_LATE = 0, -1
_AT_ONCE = 500
"""Values in one statement: every SQLite takes 999."""
_LEVEL = 4
"""Takes a fifth less time than the usual 6, and half a percent more room."""
_DICTIONARY = 32768
"""The most that deflate looks back."""


class Connection(Protocol):
    """A connection to a database. What goes wrong in it is raised as a ``StoreError``."""

    number: str
    """How a key is declared that counts by itself."""
    octets: str
    """The type of bytes."""
    compact: str
    """What is said at the end of a table that is kept in the order of its key."""
    held: str
    """What is said at the end of a selection of which nothing may change until the transaction ends."""

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows that ``statement`` gives, which has a ``?`` for each of ``values``."""
        ...

    def execute_each(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute ``statement`` for each of ``rows``."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing of what is written inside; safe when this ends."""
        ...

    def exclude(self, name: str) -> None:
        """Let no other transaction that excludes by this ``name`` go on beside this one."""
        ...

    def has_tables(self, name: str) -> bool:
        """Whether the table of that ``name`` is there."""
        ...

    def now(self) -> float:
        """Seconds since 1970 by a clock that all workers of the ledger share."""
        ...

    def close(self) -> None:
        """Give it back."""
        ...


class SignsOfLife:
    """What workers tell of themselves without a word; nothing is known of workers on other machines."""

    def begin(self, worker: str) -> None:
        """Be seen to live, from now on; to be called before others know of this worker."""

    def end(self) -> None:
        """Be seen no longer."""

    def has_ended(self, worker: str) -> bool:  # noqa: ARG002 -- nothing is known of any
        """Whether a worker that has begun is known to be gone."""
        return False


class Database(Protocol):
    """Where a ledger is kept; ``name`` is how it is called to people, without a password."""

    name: str

    def connect(self) -> Connection:
        """A connection of its own."""
        ...

    def signs(self) -> SignsOfLife:
        """By which a worker tells that it lives, and is told which others do not."""
        ...


@dataclass(frozen=True)
class KeptExchange:
    """What was asked at one place of a row; ``answered`` is None while it was not answered."""

    place: str
    asked: bytes
    answered: bytes | None
    times_asked: int


@dataclass(frozen=True)
class KeptRow:
    """All that is kept of a row; of one that was not filed there is nothing but exchanges.

    Attributes:
        at: When it was filed, in seconds since 1970.
        exchanges: Those answered come first, in the order of answering.
    """

    key: Key
    was_filed: bool = False
    is_complete: bool = False
    at: float = 0.0
    result: bytes = b""
    told: bytes = b""
    run: bytes = b""
    exchanges: tuple[KeptExchange, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One time that something was asked or answered.

    Attributes:
        times: How often it was asked; more than 1 where it was filed before. ``ANSWERED`` and ``ANSWERED_LATE`` are
            less: the latter came from a worker that had lost the row.
    """

    key: Key
    place: str
    times: int
    body: bytes


def prepare(connection: Connection, name: str, sign: Callable[[Connection], None] = lambda _: None) -> None:
    """Make the tables where there are none; ``sign`` is then called in the same transaction.

    Raises:
        StateNewerError: A newer version made them.
        StateCorruptError: This is another program's database.
    """
    if not connection.has_tables(MARK):
        with connection.transaction():
            connection.exclude("schema")
            if not connection.has_tables(MARK):  # else somebody else has made them meanwhile
                _make(connection)
                sign(connection)
    found = connection.execute("SELECT value FROM sparring_meta WHERE name = 'schema'")
    if not found:
        raise StateCorruptError(f"The ledger {name} is damaged: it does not say of which version it is.")
    if int(found[0][0]) > SCHEMA:
        raise StateNewerError(f"A newer version of sparring has written the ledger {name}.", hint="Update sparring.")


def _make(connection: Connection) -> None:
    for statement in _TABLES.split(";"):
        connection.execute(
            statement.format(number=connection.number, octets=connection.octets, compact=connection.compact)
        )
    connection.execute("INSERT INTO sparring_meta VALUES ('schema', ?)", (str(SCHEMA),))


def having(connection: Connection, statement: str, keys: Iterable[Key], *more: Any) -> Iterator[tuple[Any, ...]]:
    """What ``statement`` gives for all ``keys``, which take the place of ``{keys}``; ``more`` comes after them."""
    ordered = sorted(set(keys))  # the same order for everybody, so that no two wait for each other
    for start in range(0, len(ordered), _AT_ONCE):
        part = ordered[start : start + _AT_ONCE]
        yield from connection.execute(statement.replace("{keys}", ",".join("?" * len(part))), (*part, *more))


def exchanges_of(entries: Iterable[Entry]) -> dict[str, KeptExchange]:
    """What stands at each place after ``entries``; what was asked or answered last stands last."""
    found = dict[str, KeptExchange]()
    for entry in entries:
        before = found.pop(entry.place, None) or KeptExchange(entry.place, b"", None, 0)
        if entry.times > ANSWERED:
            times_asked, asked, answered = before.times_asked + entry.times, entry.body, None
        else:
            times_asked, asked, answered = before.times_asked, before.asked, entry.body
        found[entry.place] = KeptExchange(entry.place, asked, answered, times_asked)
    return found


def entries_of(connection: Connection, keys: Iterable[Key]) -> dict[Key, list[Entry]]:
    """What was asked and answered of rows, in order, as far as it was not filed."""
    found = dict[Key, list[Entry]]()
    statement = "SELECT key, place, times, body FROM sparring_exchanges WHERE key IN ({keys}) ORDER BY number"
    for key, place, times, body in having(connection, statement, keys):
        found.setdefault(key, []).append(Entry(key, place, times, body))
    return found


def add_entries(connection: Connection, entries: Iterable[Entry]) -> None:
    """Add ``entries``, in order."""
    connection.execute_each(
        "INSERT INTO sparring_exchanges (key, place, times, body) VALUES (?, ?, ?, ?)",
        [(entry.key, entry.place, entry.times, entry.body) for entry in entries],
    )


def remove_entries(connection: Connection, keys: Iterable[Key]) -> None:
    """Remove what was asked and answered of rows and not filed."""
    for _ in having(connection, "DELETE FROM sparring_exchanges WHERE key IN ({keys})", keys):
        pass


def kept_rows(connection: Connection, keys: Iterable[Key]) -> dict[Key, KeptRow]:
    """The whole record of those of ``keys`` that were filed."""
    statement = (
        "SELECT rows.key, rows.is_complete, rows.at, rows.result, records.told, records.record "
        "FROM sparring_rows AS rows JOIN sparring_records AS records ON records.number = rows.number "
        "WHERE rows.key IN ({keys})"
    )
    return {row[0]: _opened(*row) for row in having(connection, statement, keys)}


def _opened(key: Key, is_complete: int, at: float, result: bytes, packed_told: bytes, packed_record: bytes) -> KeptRow:
    told = unpacked(packed_told, result)
    run, exchanges = _parted(unpacked(packed_record, told))
    return KeptRow(
        key=key,
        was_filed=True,
        is_complete=bool(is_complete),
        at=at,
        result=result,
        told=told,
        run=run,
        exchanges=exchanges,
    )


def put_rows(connection: Connection, rows: Collection[KeptRow]) -> None:
    """Put each of ``rows`` in the place of what was filed under its key."""
    connection.execute_each(
        "INSERT INTO sparring_rows (key, is_complete, at, result) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (key) DO UPDATE SET is_complete = excluded.is_complete, at = excluded.at, "
        "result = excluded.result",
        [(row.key, int(row.is_complete), row.at, row.result) for row in rows],
    )
    connection.execute_each(
        "INSERT INTO sparring_records (number, told, record) "
        "SELECT number, ?, ? FROM sparring_rows WHERE key = ? "
        "ON CONFLICT (number) DO UPDATE SET told = excluded.told, record = excluded.record",
        [(packed(row.told, row.result), packed(_joined(row.run, row.exchanges), row.told), row.key) for row in rows],
    )


def holders(connection: Connection, keys: Iterable[Key]) -> dict[Key, str]:
    """Who holds each of ``keys``, living or not; until this transaction ends nobody else takes them."""
    statement = "SELECT key, worker FROM sparring_leases WHERE key IN ({keys}) ORDER BY key"
    return dict(having(connection, statement + connection.held, keys))


def count(connection: Connection, worker: str, *, asked: int, answered: int, asked_again: int) -> None:
    """Add to what ``worker`` has done."""
    connection.execute(
        "UPDATE sparring_workers SET asked = asked + ?, answered = answered + ?, asked_again = asked_again + ? "
        "WHERE worker = ?",
        (asked, answered, asked_again, worker),
    )


def packed(content: bytes, known: bytes) -> bytes:
    """``content`` deflated, by what it has in common with ``known``, which unpacking then needs."""
    deflating = zlib.compressobj(_LEVEL, zdict=known[-_DICTIONARY:])
    return deflating.compress(content) + deflating.flush()


def unpacked(content: bytes, known: bytes) -> bytes:
    """What ``packed`` was given.

    Raises:
        StateCorruptError: It is damaged.
    """
    try:
        inflating = zlib.decompressobj(zdict=known[-_DICTIONARY:])
        found = inflating.decompress(content, RECORD_LIMIT)
    except zlib.error as error:
        raise StateCorruptError("A row of the ledger is damaged; the ledger was left as it is.") from error
    if not inflating.eof:
        raise StateCorruptError("A row of the ledger is cut off or too large; the ledger was left as it is.")
    return found


def _joined(run: bytes, exchanges: Collection[KeptExchange]) -> bytes:
    """One record: each part has its length before it. An answer begins with a sign, since it may be none."""
    parts = [run]
    for exchange in exchanges:
        answered = b"" if exchange.answered is None else b"+" + exchange.answered
        parts += [exchange.place.encode(), b"%d" % exchange.times_asked, exchange.asked, answered]
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def _parted(record: bytes) -> tuple[bytes, tuple[KeptExchange, ...]]:
    parts, at = list[bytes](), 0
    while at < len(record):
        (length,) = struct.unpack_from(">I", record, at)
        parts.append(record[at + 4 : at + 4 + length])
        at += 4 + length
    run, *rest = parts
    fours = [rest[start : start + 4] for start in range(0, len(rest), 4)]
    return run, tuple(
        KeptExchange(place.decode(), asked, answered[1:] if answered else None, int(times))
        for place, times, asked, answered in fours
    )


def together(row: KeptRow, later: Iterable[Entry]) -> list[Entry]:
    """What was filed of a row, as entries, and what came after; what has become entries before stays as it is."""
    later = list(later)
    again = {entry.place for entry in later if entry.times > ANSWERED}
    return [entry for one in row.exchanges if one.place not in again for entry in _as_entries(row.key, one)] + later


def in_order(entries: Iterable[Entry]) -> tuple[KeptExchange, ...]:
    """What stands at each place after ``entries``; those answered come first, in the order of answering."""
    return tuple(sorted(exchanges_of(entries).values(), key=lambda exchange: exchange.answered is None))


def _as_entries(key: Key, exchange: KeptExchange) -> list[Entry]:
    asked = [Entry(key, exchange.place, exchange.times_asked, exchange.asked)] if exchange.times_asked else []
    return asked if exchange.answered is None else [*asked, Entry(key, exchange.place, 0, exchange.answered)]
