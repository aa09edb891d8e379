"""Interface of an exchange ledger to a database: transactions that are decided before they begin.

A transaction is a list of statements. No statement depends on how the client evaluates the result of an earlier one,
so the whole list is sent at once, and no lock is kept while a client computes or waits for the network. Conditions are
part of the statements themselves.

A few words differ between databases. They are written in braces: ``{now}`` is the clock of leases and rates in
seconds, ``{wall}`` seconds since 1970, ``{fence}`` the number that ``NEXT_FENCE`` drew for this transaction, and
``{share}`` and ``{update}`` lock the selected rows until the transaction ends.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Protocol

from msgspec import Struct

Rows = list[tuple[Any, ...]]


class SqlStatement(Struct, frozen=True):
    """One statement.

    Attributes:
        text: SQL with a ``?`` for each value and ``{keys}`` in the place of a list of keys.
        values: Values of the question marks.
        keys: Values of ``{keys}``, which come after ``values``. None if the text has no list.
        more: Values of the question marks after ``{keys}``.
        each: Values of several executions of the same text, instead of the others.
    """

    text: str
    values: Sequence[Any] = ()
    keys: Sequence[bytes] | None = None
    more: Sequence[Any] = ()
    each: Sequence[Sequence[Any]] | None = None


NEXT_FENCE = SqlStatement("{next_fence}")
"""Draws a number that no earlier transaction had; ``{fence}`` repeats it."""


class Connection(Protocol):
    """A connection to a database. One thread at a time uses it; errors are raised as a ``StoreError``."""

    merges: bool
    """True if several transactions should be merged, because each one waits for the disk."""

    def transact(self, statements: Sequence[SqlStatement]) -> list[Rows]:
        """Execute all statements or none, and return the rows of each. When this returns, they are safe on disk.

        Raises:
            TryAgainError: Nothing was done, or it is unknown whether it was; a retry may succeed in a moment.
            StoreError: Nothing was done.
        """
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class WorkerLiveness:
    """Sign that the process of a worker lives. Nothing is known about processes on other machines."""

    def begin(self, worker: str) -> None:
        """Show that ``worker`` lives; called before other workers know of it."""

    def end(self) -> None:
        """Stop showing it."""

    def has_ended(self, worker: str) -> bool:  # noqa: ARG002 -- this class knows of no ended process
        """Return whether the process of ``worker`` is known to have ended."""
        return False

    def forget(self, living: Collection[str]) -> None:
        """Remove the signs of all workers that are not ``living``."""


class Database(Protocol):
    """Database in which a ledger is kept.

    Attributes:
        name: Its name in messages, without a password.
        number: Declaration of a column that counts automatically.
        octets: The type of bytes.
        compact: Clause after a table that is stored in the order of its key.
        is_there: Query that counts the tables that identify a ledger.
        alone: Statements that let one process at a time make the tables, until the transaction ends.
        extra: Statements that make objects that only this database needs, if they are missing.
    """

    name: str
    number: str
    octets: str
    compact: str
    is_there: str

    @property
    def alone(self) -> tuple[str, ...]:
        """See the class."""
        ...

    @property
    def extra(self) -> tuple[str, ...]:
        """See the class."""
        ...

    def connect(self) -> Connection:
        """Return a new connection.

        Raises:
            TryAgainError: The database cannot be reached at the moment.
            StoreError: It cannot be used.
        """
        ...

    def liveness(self) -> WorkerLiveness:
        """Return the signs that the processes of other workers live."""
        ...

    def instance(self) -> str:
        """Return the name of the clock of the leases, such as a boot id: when it changes, all leases are over."""
        ...


def padded(keys: Collection[bytes]) -> list[bytes]:
    """Return ``keys`` in order, the last one repeated up to a power of two, to prepare few different statements."""
    ordered = sorted(set(keys))
    size = 1 << max(0, len(ordered) - 1).bit_length() if ordered else 0
    return ordered + ordered[-1:] * (size - len(ordered))


def spelled(text: str, keys: Sequence[bytes] | None) -> str:
    """Return ``text`` with a question mark for each of ``keys``."""
    return text if keys is None else text.replace("{keys}", ",".join("?" * len(keys)))


def read_keys(text: str, keys: Iterable[bytes], *values: Any) -> list[SqlStatement]:
    """Return statements that run ``text`` for any number of ``keys``; ``values`` come first."""
    ordered = sorted(set(keys))
    parts = (ordered[start : start + _AT_ONCE] for start in range(0, len(ordered), _AT_ONCE))
    return [SqlStatement(text, values, padded(part)) for part in parts]


_AT_ONCE = 512
"""Keys in one statement; a power of two (see ``padded``)."""
