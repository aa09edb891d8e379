"""The writing side of a ledger: what one worker does to it, many operations in one transaction.

Whose a row is stands in the ledger and nowhere else, and is looked at in the transaction that writes: a worker that
was asleep finds out before it asks anything that somebody else has taken its row.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sparring.errors import LeaseLostError, StoreError, TryAgainError
from sparring.store import ledger_tables

T = TypeVar("T")

_ATTEMPTS = 5
"""Of a transaction that a database gives up because of another one."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A row that is ours until it is released, filed or has expired.

    Attributes:
        asked: What was asked and not answered, by place: asking it again may be paying it twice.
        answered: What was answered, by place, in the order of answering.
        repeated: What was asked once more although the time before was not answered, each time that it was.
    """

    key: ledger_tables.Key
    asked: Mapping[str, bytes]
    answered: Mapping[str, bytes]
    was_filed: bool
    repeated: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteAsked:
    """Write down what is about to be asked."""

    key: ledger_tables.Key
    exchanges: Mapping[str, bytes]
    costs: Collection[str]


@dataclass(frozen=True, slots=True)
class NoteAnswered:
    """Write down what was answered."""

    key: ledger_tables.Key
    place: str
    body: bytes
    is_new: bool


@dataclass(frozen=True, slots=True)
class FileRow:
    """End a row."""

    key: ledger_tables.Key
    result: bytes
    told: bytes
    run: bytes
    is_complete: bool


@dataclass(frozen=True, slots=True)
class TakeRows:
    """Take those that are free; gives ``dict[Key, Taken]``."""

    keys: Sequence[ledger_tables.Key]
    fresh: bool


@dataclass(frozen=True, slots=True)
class ReleaseRows:
    """Give back those that are ours."""

    keys: Sequence[ledger_tables.Key]


@dataclass(frozen=True, slots=True)
class ChangeShared(Generic[T]):
    """Put in the place of a small named record what ``change`` makes of it."""

    name: str
    change: Callable[[bytes | None], tuple[bytes | None, T]]


Operation = NoteAsked | NoteAnswered | FileRow | TakeRows | ReleaseRows | ChangeShared[Any]
Numbered = Sequence[tuple[int, Any]]
"""Operations with their places among the outcomes."""


@dataclass
class LedgerWorker:
    """Takes rows, writes and gives rows back, under one name; one thread calls it.

    Attributes:
        name: Nobody else's who is living.
        clock: Seconds, the same for all workers.
        signs: By which it is known who has died; whoever has is not waited for.
        ended: Those of whom that was found out.
        renewed: When its record was last renewed.
    """

    connection: ledger_tables.Connection
    name: str
    lease_s: float
    clock: Callable[[], float]
    signs: ledger_tables.SignsOfLife
    ended: frozenset[str] = frozenset()
    renewed: float = field(default=float("-inf"))

    def begin(self) -> None:
        """Be known. Whoever had this name before has died, so what they held is free."""
        self.signs.begin(self.name)
        with self.connection.transaction():
            self._drop_all()
            known = self.connection.execute("SELECT worker FROM sparring_workers WHERE expires > 0")
            self._bury(name for (name,) in known)
            self.connection.execute(
                "INSERT INTO sparring_workers VALUES (?, ?, 0, 0, 0) "
                "ON CONFLICT (worker) DO UPDATE SET expires = excluded.expires",
                (self.name, self.clock() + self.lease_s),
            )

    def renew(self) -> None:
        """Live for another while."""
        with self.connection.transaction():
            self._renew(self.clock())

    def end(self) -> None:
        """Give back all that is held."""
        try:
            with self.connection.transaction():
                self._drop_all()
                self.connection.execute("UPDATE sparring_workers SET expires = 0 WHERE worker = ?", (self.name,))
        finally:
            self.connection.close()
            self.signs.end()

    def write(self, operations: Sequence[Operation]) -> Sequence[Any]:
        """Do all of ``operations`` in one transaction, and say what became of each; an error is one of them.

        Raises:
            StoreError: Nothing was written.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with self.connection.transaction():
                    return self._written(operations)
            except StoreError as error:
                self.renewed = float("-inf")  # as far as we know: nothing was written
                if attempt == _ATTEMPTS or not isinstance(error, TryAgainError):
                    raise
        raise AssertionError("the last attempt raises")

    def _written(self, operations: Sequence[Operation]) -> Sequence[Any]:
        # Nobody depends on the order of two that were not waited for, and one statement for many is what is fast. What
        # lets others wait comes last.
        outcomes = list[Any]([None] * len(operations))
        numbered = list(enumerate(operations))
        now = self.clock()
        if now - self.renewed >= self.lease_s / 3:
            self._renew(now)
        self._exchange([one for one in numbered if isinstance(one[1], NoteAsked | NoteAnswered)], outcomes)
        self._file([one for one in numbered if isinstance(one[1], FileRow)], outcomes, now)
        self._drop([key for one in operations if isinstance(one, ReleaseRows) for key in one.keys])
        for at, one in numbered:
            if isinstance(one, TakeRows):
                outcomes[at] = self._take(one, now)
        for at, one in numbered:
            if isinstance(one, ChangeShared):
                outcomes[at] = self._change(one)
        return outcomes

    def _renew(self, now: float) -> None:
        self.connection.execute(
            "UPDATE sparring_workers SET expires = ? WHERE worker = ?", (now + self.lease_s, self.name)
        )
        self.renewed = now

    def _exchange(self, operations: Numbered, outcomes: list[Any]) -> None:
        """Write down what is asked and answered, in the order in which it came."""
        if not operations:
            return
        noting = _Noting(self.connection, self.name, {one.key for _, one in operations})
        for at, one in operations:
            if isinstance(one, NoteAnswered):
                noting.answered(one)
            elif one.key in noting.held:
                noting.asked(one)
            else:
                outcomes[at] = _lost(one.key)
        ledger_tables.add_entries(self.connection, noting.entries)
        asked, answered, again = noting.counted
        ledger_tables.count(self.connection, self.name, asked=asked, answered=answered, asked_again=again)

    def _file(self, operations: Numbered, outcomes: list[Any], now: float) -> None:
        if not operations:
            return
        held = ledger_tables.holders(self.connection, [one.key for _, one in operations])
        ours = dict[ledger_tables.Key, FileRow]()
        for at, one in operations:
            if held.get(one.key) == self.name:
                ours[one.key] = one
            else:
                outcomes[at] = _lost(one.key)
        entries = ledger_tables.entries_of(self.connection, ours)
        rows = [
            ledger_tables.KeptRow(
                key=key,
                was_filed=True,
                is_complete=one.is_complete,
                at=now,
                result=one.result,
                told=one.told,
                run=one.run,
                exchanges=ledger_tables.in_order(entries.get(key, ())),
            )
            for key, one in ours.items()
        ]
        ledger_tables.put_rows(self.connection, rows)
        ledger_tables.remove_entries(self.connection, ours)
        self._drop(ours)

    def _drop(self, keys: Iterable[ledger_tables.Key]) -> None:
        for _ in ledger_tables.having(
            self.connection, "DELETE FROM sparring_leases WHERE key IN ({keys}) AND worker = ?", keys, self.name
        ):
            pass

    def _drop_all(self) -> None:
        self.connection.execute("DELETE FROM sparring_leases WHERE worker = ?", (self.name,))

    def _bury(self, workers: Iterable[str]) -> None:
        """See that nobody waits for those of ``workers`` who have died."""
        found = [name for name in workers if name != self.name and self.signs.has_ended(name)]
        if not found:
            return
        self.connection.execute_each(
            "UPDATE sparring_workers SET expires = 0 WHERE worker = ?", [(name,) for name in found]
        )
        self.ended |= frozenset(found)

    def _take(self, operation: TakeRows, now: float) -> dict[ledger_tables.Key, Taken]:
        before = ledger_tables.holders(self.connection, operation.keys)
        self._bury(set(before.values()))
        wanted = [key for key in dict.fromkeys(operation.keys) if before.get(key) != self.name]
        self.connection.execute_each(
            "INSERT INTO sparring_leases (key, worker) VALUES (?, ?) ON CONFLICT (key) DO UPDATE "
            "SET worker = excluded.worker "
            "WHERE sparring_leases.worker NOT IN (SELECT worker FROM sparring_workers WHERE expires > ?)",
            [(key, self.name, now) for key in sorted(wanted)],
        )
        # Looked at after the lease is ours: what another worker filed until then is seen.
        held = ledger_tables.holders(self.connection, wanted)
        ours = [key for key in wanted if held.get(key) == self.name]
        filed: dict[ledger_tables.Key, Any] = dict(
            ledger_tables.having(
                self.connection, "SELECT key, is_complete FROM sparring_rows WHERE key IN ({keys})", ours
            )
        )
        if not operation.fresh:
            self._drop([key for key in ours if filed.get(key)])
            ours = [key for key in ours if not filed.get(key)]
        return self._opened(ours, filed, fresh=operation.fresh)

    def _opened(
        self, keys: Sequence[ledger_tables.Key], filed: Collection[ledger_tables.Key], *, fresh: bool
    ) -> dict[ledger_tables.Key, Taken]:
        if fresh:
            ledger_tables.remove_entries(self.connection, keys)
            return {key: Taken(key, {}, {}, key in filed) for key in keys}
        entries = ledger_tables.entries_of(self.connection, keys)
        # What was filed of a row becomes entries again, so that it is filed with what comes now.
        again = ledger_tables.kept_rows(self.connection, [key for key in keys if key in filed])
        ledger_tables.remove_entries(self.connection, again)
        for key, row in again.items():
            entries[key] = ledger_tables.together(row, entries.get(key, ()))
            ledger_tables.add_entries(self.connection, entries[key])
        return {key: _taken(key, entries.get(key, ()), was_filed=key in filed) for key in keys}

    def _change(self, operation: ChangeShared[Any]) -> Any:
        self.connection.exclude(f"shared {operation.name}")
        found = self.connection.execute("SELECT value FROM sparring_shared WHERE name = ?", (operation.name,))
        before: bytes | None = found[0][0] if found else None
        try:
            value, outcome = operation.change(before)
        except Exception as error:  # noqa: BLE001 -- the caller's own, raised where it waits; nothing was changed
            return error
        if value is None:
            self.connection.execute("DELETE FROM sparring_shared WHERE name = ?", (operation.name,))
        elif value != before:
            self.connection.execute(
                "INSERT INTO sparring_shared VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (operation.name, value),
            )
        return outcome


class _Noting:
    """What is to be written of exchanges, found out one by one.

    Attributes:
        held: Those of the rows that are the worker's.
        entries: To be added, in order.
        counted: Exchanges asked, answered, and asked again at a cost.
    """

    def __init__(self, connection: ledger_tables.Connection, worker: str, keys: Collection[ledger_tables.Key]) -> None:
        self.held = {key for key, holder in ledger_tables.holders(connection, keys).items() if holder == worker}
        self.entries = list[ledger_tables.Entry]()
        self.counted = (0, 0, 0)
        self._connection = connection
        self._last = dict[ledger_tables.Key, dict[str, int]]()
        statement = "SELECT key, place, times FROM sparring_exchanges WHERE key IN ({keys}) ORDER BY number"
        for key, place, times in ledger_tables.having(connection, statement, keys):
            self._places(key)[place] = times

    def asked(self, one: NoteAsked) -> None:
        places = self._places(one.key)
        # A late answer was not known to whoever asks now: it is paid twice, too.
        again = sum(
            places.get(place, ledger_tables.ANSWERED) != ledger_tables.ANSWERED
            for place in one.exchanges
            if place in one.costs
        )
        self.entries += [ledger_tables.Entry(one.key, place, 1, body) for place, body in one.exchanges.items()]
        places.update(dict.fromkeys(one.exchanges, 1))
        self._count(len(one.exchanges), 0, again)

    def answered(self, one: NoteAnswered) -> None:
        if one.key in self.held:
            self._add(one, ledger_tables.ANSWERED)
        elif not self._has_answer(one):
            self._add(one, ledger_tables.ANSWERED_LATE)
        self._count(0, one.is_new, 0)

    def _add(self, one: NoteAnswered, times: int) -> None:
        self.entries.append(ledger_tables.Entry(one.key, one.place, times, one.body))
        self._places(one.key)[one.place] = times

    def _places(self, key: ledger_tables.Key) -> dict[str, int]:
        """What came last at each place, as ``Entry.times`` says it."""
        return self._last.setdefault(key, {})

    def _count(self, *more: int) -> None:
        asked, answered, again = (had + one for had, one in zip(self.counted, more, strict=True))
        self.counted = (asked, answered, again)

    def _has_answer(self, late: NoteAnswered) -> bool:
        """Whether there is an answer already where one comes from a worker that has lost the row."""
        places = self._places(late.key)
        if late.place in places:
            return places[late.place] <= ledger_tables.ANSWERED
        filed = ledger_tables.kept_rows(self._connection, [late.key]).get(late.key)
        return bool(filed) and any(one.place == late.place and one.answered is not None for one in filed.exchanges)


def _repeated(entries: Iterable[ledger_tables.Entry]) -> Iterator[bytes]:
    last = dict[str, int]()
    for entry in entries:
        # A late answer was not known to whoever asked then: it may have been paid twice, too.
        if entry.times > ledger_tables.ANSWERED and last.get(entry.place, 0) != ledger_tables.ANSWERED:
            yield entry.body
        last[entry.place] = entry.times


def _taken(key: ledger_tables.Key, entries: Collection[ledger_tables.Entry], *, was_filed: bool) -> Taken:
    exchanges = ledger_tables.exchanges_of(entries).values()
    return Taken(
        key,
        {one.place: one.asked for one in exchanges if one.answered is None},
        {one.place: one.answered for one in exchanges if one.answered is not None},
        was_filed,
        tuple(_repeated(entries)),
    )


def _lost(key: ledger_tables.Key) -> LeaseLostError:
    return LeaseLostError(f"The row {key.hex()} is worked on by another process, or has ended.")
