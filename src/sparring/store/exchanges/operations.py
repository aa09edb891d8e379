"""Operations of a ledger's worker, and their results."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from sparring.store.exchanges.amounts import Amounts
from sparring.store.exchanges.database import Rows, SqlStatement
from sparring.store.exchanges.row_steps import RowToKeep
from sparring.store.exchanges.sql import Key
from sparring.store.exchanges.steps import NewClaim, Settlement


class Admit(Struct, frozen=True):
    """Let ``owner`` begin: set ``need`` aside for it, or at least ``least`` if no other request is in progress."""

    batch: str
    owner: str
    need: Amounts
    least: Amounts


class Dismiss(Struct, frozen=True):
    """Free what is set aside for ``owner``."""

    batch: str
    owner: str


class Claim(Struct, frozen=True):
    """Claim an exchange for ``owner``, out of the amount that is set aside for it.

    Attributes:
        least: If less is left than the item wants to reserve, at least this much is enough.
        state: ``sent`` or ``claimed``.
    """

    batch: str
    owner: str
    item: NewClaim
    least: Amounts
    state: str = "sent"


class Settle(Struct, frozen=True):
    """Store the result of an exchange."""

    item: Settlement


class Abandon(Struct, frozen=True):
    """Count a request of this worker as lost."""

    key: Key
    fence: int


class Unclaim(Struct, frozen=True):
    """Undo a claim of this worker, if it was made: it was not asked."""

    key: Key


class ReadStates(Struct, frozen=True):
    """Read the state of some exchanges."""

    keys: Sequence[Key]


class KeepRow(Struct, frozen=True):
    """Store the result of a row."""

    row: RowToKeep


class RunStatements(Struct, frozen=True):
    """Any other transaction, and the function of its rows; ``is_ours`` receives the name of the worker first."""

    statements: Callable[[str], Sequence[SqlStatement]]
    outcome: Callable[[list[Rows]], Any]


Operation = Admit | Dismiss | Claim | Settle | Abandon | Unclaim | ReadStates | KeepRow | RunStatements


class Claimed(Struct, frozen=True):
    """The exchange is this worker's to ask.

    Attributes:
        lost: The fence under which it was sent before without a known result; else None.
    """

    fence: int
    lost: int | None = None


class Known(Struct, frozen=True):
    """State of an exchange, as ``steps.LOOK`` returns it."""

    state: str
    fence: int
    stamp: int
    worker: str
    intent: str
    asked: int
    answer: bytes | None


def known_by_key(groups: list[Rows]) -> dict[Key, Known]:
    """Return the states in the rows of ``steps.LOOK``."""
    return {row[0]: Known(*row[1:]) for rows in groups for row in rows}


class LimitReached(Struct, frozen=True):
    """A limit is reached; ``of`` is its name, e.g. ``calls``."""

    of: str


class Wait(Struct, frozen=True):
    """A limit has no room for another request at the moment; those in progress may return a part."""


ClaimOutcome = Claimed | Known | LimitReached
