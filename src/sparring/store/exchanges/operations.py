"""Operations of a ledger's worker, and their results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sparring.store.exchanges.amounts import Amounts
from sparring.store.exchanges.database import Rows, SqlStatement
from sparring.store.exchanges.sql import Key
from sparring.store.exchanges.steps import ToClaim, ToSettle


@dataclass(frozen=True, slots=True)
class Admit:
    """Let ``owner`` begin: set ``need`` aside for it, or at least ``least`` if nothing else is under way."""

    batch: str
    owner: str
    need: Amounts
    least: Amounts


@dataclass(frozen=True, slots=True)
class Dismiss:
    """Nothing is set aside for ``owner`` any more."""

    batch: str
    owner: str


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim an exchange for ``owner``, out of what is set aside for it.

    Attributes:
        least: If not all that the item wants to hold is left, what is left is enough where it is as much as this.
        state: ``sent`` or ``claimed``.
    """

    batch: str
    owner: str
    item: ToClaim
    least: Amounts
    state: str = "sent"


@dataclass(frozen=True, slots=True)
class Settle:
    """Keep what has come of an exchange."""

    item: ToSettle


@dataclass(frozen=True, slots=True)
class Abandon:
    """Let a request of ours be lost."""

    key: Key
    fence: int


@dataclass(frozen=True, slots=True)
class Unclaim:
    """Undo a claim of ours, if it was made: it was not asked."""

    key: Key


@dataclass(frozen=True, slots=True)
class Do:
    """Any other transaction, and what is made of its rows; ``is_ours`` lets it see the name of the worker first."""

    statements: Callable[[str], Sequence[SqlStatement]]
    outcome: Callable[[list[Rows]], Any]


Operation = Admit | Dismiss | Claim | Settle | Abandon | Unclaim | Do


@dataclass(frozen=True, slots=True)
class Claimed:
    """The exchange is ours to ask.

    Attributes:
        lost: The fence under which it was sent before, where nothing is known of what came of it; else None.
    """

    fence: int
    lost: int | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """State of an exchange, as ``steps.LOOK`` returns it."""

    state: str
    fence: int
    stamp: int
    worker: str
    intent: str
    asked: int
    answer: bytes | None


@dataclass(frozen=True, slots=True)
class LimitReached:
    """A limit is reached; ``of`` says of which, e.g. ``calls``."""

    of: str


@dataclass(frozen=True, slots=True)
class Wait:
    """A limit has no room for another at the moment: what is under way may give something back."""


ClaimOutcome = Claimed | Known | LimitReached
