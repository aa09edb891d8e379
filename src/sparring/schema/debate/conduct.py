"""How the sides behaved, as far as code can tell: what they marked as conceded and as taken back."""

from enum import StrEnum

from pydantic import Field

from sparring.schema.base import Record
from sparring.schema.debate.verdict import Side
from sparring.schema.ledger import Ledger
from sparring.schema.spans import TextSpan


class SpeechLedger(Record):
    """The ledger of one speech. ``problem`` says why there is none."""

    round: int = Field(ge=1)
    role: Side
    ledger: Ledger | None = None
    problem: str = ""


class Withdrawal(TextSpan):
    """Where a side took a concession back, in the words of the speech of that round."""

    round: int = Field(ge=1)


class Concession(TextSpan):
    """What a side gave up, in the words of its speech of that round. ``withdrawn`` is None while it stands."""

    role: Side
    round: int = Field(ge=1)
    withdrawn: Withdrawal | None = None


class FlagKind(StrEnum):
    """What is told of a speech.

    PRAISE: it applauds the other side; only in runs of before 0.2, where code still guessed at it.
    UNSUPPORTED_AGREEMENT: it concedes, and cites nothing for it.
    """

    PRAISE = "praise"
    UNSUPPORTED_AGREEMENT = "unsupported_agreement"


class Flag(TextSpan):
    """One such place, in the words of the speech of that round."""

    kind: FlagKind
    role: Side
    round: int = Field(ge=1)


class Convergence(StrEnum):
    """Whether the challenger conceded anything by a mark: nothing, by what it cites, or without citing anything for it.

    UNCHECKED: it did, in a speech whose citations were not looked up.
    """

    NONE = "none"
    UNCHECKED = "unchecked"
    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"


class Conduct(Record):
    """What code has found in the marks of both sides."""

    concessions: tuple[Concession, ...] = ()
    flags: tuple[Flag, ...] = ()
    convergence: Convergence = Convergence.NONE
