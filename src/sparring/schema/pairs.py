"""Many runs, one for each row of a table: what is told of each row."""

from dataclasses import dataclass
from enum import StrEnum

from sparring.schema import base, lookups, runs


class PairStatus(StrEnum):
    """Status of a row.

    JUDGED: there is a verdict of everybody. INCOMPLETE: there is one, but somebody failed who had a seat; the next call
    asks them again. UNJUDGED: everybody was asked, and there is none. REFUSED: the row cannot be judged as it is.
    NOT_ASKED: a limit was reached before it.
    """

    JUDGED = "judged"
    INCOMPLETE = "incomplete"
    UNJUDGED = "unjudged"
    REFUSED = "refused"
    NOT_ASKED = "not_asked"


class SeatLabel(base.Record):
    """Label of a seat for a row, or of code (``tool`` is None): before others were heard, and at the end."""

    seat: str
    tool: base.ToolName | None
    blind: str | None
    label: str | None


class RowQuote(base.Record):
    """Words that somebody who has a seat gives as a quote, and where code has found them.

    Attributes:
        source: The text that they are quoted from, by the name of its column or by its place; empty: nobody said which.
        start, end: Characters of that text; None where they do not stand there word for word.
    """

    seat: str
    text: str
    source: str = ""
    start: int | None = None
    end: int | None = None
    verdict: lookups.QuoteVerdict


@dataclass(frozen=True)
class RowVerdict:
    """Verdict on a row, in words.

    Attributes:
        word: It, as it is counted; empty without one.
        parts: The verdict for people, piece by piece.
        firmness: How firm it is, from 0 to 1; None where nothing says so.
        doubted: Why one that counts as contested is; empty where it does not.
        reasons: What else is told of it where there is room.
    """

    word: str = ""
    parts: tuple[str, ...] = ()
    firmness: float | None = None
    doubted: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


class RowResult(base.Record):
    """A line of the output, in the order of the rows; each format that judges tables adds its verdict.

    Attributes:
        claim: The beginning of it, without secrets; so ``truth``.
        gold: The label that the row really has, where the table says so; in the format's spelling if it is one of its.
        seats: What each who has a seat says of the row.
        problem: Why there is no verdict, or not of everybody, in a sentence; empty when nothing is missing.
        notices: What else should be known, e.g. that what an earlier call has left could not be read.
        was_judged_before: Whether an earlier call has asked, and paid, for it.
        spent: What the row has used, in whichever call.
        key: Under which the ledger keeps it, in hexadecimal digits: `sparring batch show` takes its run out.
    """

    row: int
    row_id: str | None
    dataset: str | None
    claim: str = ""
    truth: str = ""
    gold: str | None = None
    seats: tuple[SeatLabel, ...] = ()
    status: PairStatus
    problem: str = ""
    notices: tuple[str, ...] = ()
    run_id: base.RunId | None = None
    was_judged_before: bool = False
    spent: runs.Spent = runs.Spent()
    key: str = ""

    @property
    def decided(self) -> RowVerdict:
        """The verdict as it is told."""
        return RowVerdict()

    @property
    def word(self) -> str:
        """The verdict, as it is counted; empty without one."""
        return self.decided.word

    @property
    def is_disputed(self) -> bool:
        """True if those who have seats have not all said the same before they heard each other."""
        return len({seat.blind for seat in self.seats if seat.blind and seat.tool}) > 1


class TextResult(RowResult):
    """Result of a row in words: the stronger argument of a debate, or an answer.

    Attributes:
        finding: In a word or two; empty where nothing is decided.
        said: The answers, or what the judge recommends.
        doubts: Why the finding should be doubted, e.g. that it changed with the order in which the sides were shown.
        sure: How firm it is, from 0 to 1, where anything says so.
    """

    finding: str = ""
    said: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    sure: float | None = None

    @property
    def decided(self) -> RowVerdict:
        """See ``RowResult``."""
        return RowVerdict(self.finding, (self.finding, *self.said), self.sure, self.doubts, self.said)


@dataclass(frozen=True)
class JudgedTable:
    """The results of a table, and what they are results of.

    Attributes:
        name: What people call the table.
        labels: What a verdict can be.
        seats: What those who have seats were asked.
        ledger: Where the runs of the rows are, as `sparring batch show` takes it.
    """

    name: str
    kind: str
    rows: tuple[RowResult, ...]
    labels: tuple[str, ...]
    seats: str = ""
    ledger: str = "project"
