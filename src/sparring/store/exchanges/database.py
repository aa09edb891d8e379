"""Interface of an exchange ledger to a database: transactions that are decided before they begin.

A transaction is a list of statements. No statement depends on what the client makes of the result of an earlier one, so
the whole list is sent at once, and no lock is held while a client thinks or waits for the network. Conditions stand in
the statements themselves.

A few words differ between databases. They stand in braces: ``{now}`` is the clock of leases and rates in seconds,
``{wall}`` seconds since 1970, ``{fence}`` the number that this transaction has drawn with ``NEXT_FENCE``, and
``{share}`` and ``{update}`` lock what was selected until the transaction ends.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class SqlStatement:
    """One statement.

    Attributes:
        text: SQL with a ``?`` for each value and a ``{keys}`` where a list of keys stands.
        values: For the question marks.
        keys: For ``{keys}``; they come after ``values``. None where the text has no list.
        more: For the question marks behind ``{keys}``.
        each: Values of several executions of the same text, instead of the others.
    """

    text: str
    values: Sequence[Any] = ()
    keys: Sequence[bytes] | None = None
    more: Sequence[Any] = ()
    each: Sequence[Sequence[Any]] | None = None


NEXT_FENCE = SqlStatement("{next_fence}")
"""Draws a number that no transaction had before; ``{fence}`` repeats it."""


class Connection(Protocol):
    """A connection to a database. One thread at a time uses it; what goes wrong is raised as a ``StoreError``."""

    merges: bool
    """True if several transactions should be merged: each alone waits for the disk."""

    def transact(self, statements: Sequence[SqlStatement]) -> list[Rows]:
        """Execute all statements or none, and return the rows of each. When this returns, they are safe on disk.

        Raises:
            TryAgainError: Nothing was done, or it is not known whether it was; the same may succeed in a moment.
            StoreError: Nothing was done.
        """
        ...

    def close(self) -> None:
        """Give the connection back."""
        ...


class SignsOfLife:
    """Sign that the process of a worker lives. Nothing is known of processes on other machines."""

    def begin(self, worker: str) -> None:
        """Show that ``worker`` lives; called before other workers know of it."""

    def end(self) -> None:
        """Stop showing it."""

    def has_ended(self, worker: str) -> bool:  # noqa: ARG002 -- nothing is known of any
        """Return whether the process of ``worker`` is known to have ended."""
        return False

    def forget(self, living: Collection[str]) -> None:
        """Remove what is left of all workers but the ``living``."""


class Database(Protocol):
    """Database in which a ledger is kept.

    Attributes:
        name: How it is called in messages, without a password.
        number: How a column is declared that counts by itself.
        octets: The type of bytes.
        compact: What stands behind a table that is kept in the order of its key.
        is_there: Counts the tables by which a ledger is known.
        alone: Lets one process at a time make the tables, until the transaction ends.
        extra: Makes what only this database needs, where it is not there.
    """

    name: str
    number: str
    octets: str
    compact: str
    is_there: str

    @property
    def alone(self) -> tuple[str, ...]:
        """See above."""
        ...

    @property
    def extra(self) -> tuple[str, ...]:
        """See above."""
        ...

    def connect(self) -> Connection:
        """A new connection.

        Raises:
            TryAgainError: The database cannot be reached at the moment.
            StoreError: It cannot be used.
        """
        ...

    def signs(self) -> SignsOfLife:
        """Return the signs that the processes of other workers live."""
        ...

    def instance(self) -> str:
        """The name of the clock that leases count by, such as a boot id: after a change of it all leases are over."""
        ...


def padded(keys: Collection[bytes]) -> list[bytes]:
    """``keys`` in order, the last repeated up to a power of two, so that few different statements are prepared."""
    ordered = sorted(set(keys))
    size = 1 << max(0, len(ordered) - 1).bit_length() if ordered else 0
    return ordered + ordered[-1:] * (size - len(ordered))


def spelled(text: str, keys: Sequence[bytes] | None) -> str:
    """``text`` with a question mark for each of ``keys``."""
    return text if keys is None else text.replace("{keys}", ",".join("?" * len(keys)))


def read_keys(text: str, keys: Iterable[bytes], *values: Any) -> list[SqlStatement]:
    """Statements that read ``text`` for any number of ``keys``; ``values`` come first."""
    ordered = sorted(set(keys))
    parts = (ordered[start : start + _AT_ONCE] for start in range(0, len(ordered), _AT_ONCE))
    return [SqlStatement(text, values, padded(part)) for part in parts]


_AT_ONCE = 512
"""Keys in one statement; a power of two (see ``padded``)."""
