"""Many runs, one for each row of a table: the output for each row."""

from enum import StrEnum

from msgspec import Struct

from sparring.schema import base, lookups, runs


class PairStatus(StrEnum):
    """Status of a row.

    JUDGED: there is a verdict of all participants. INCOMPLETE: there is one, but a participant failed; the next call
    asks it again. UNJUDGED: all were asked, and there is none. REFUSED: the row cannot be judged as it is.
    NOT_ASKED: a limit was reached before it.
    """

    JUDGED = "judged"
    INCOMPLETE = "incomplete"
    UNJUDGED = "unjudged"
    REFUSED = "refused"
    NOT_ASKED = "not_asked"


class SeatLabel(base.Record):
    """Label of a seat for a row, or of code (``tool`` is None): blind, and at the end."""

    seat: str
    tool: base.ToolName | None
    blind: str | None
    label: str | None


class RowQuote(base.Record):
    """A participant's quote, with the place at which code found it.

    Attributes:
        source: The text that they are quoted from, by the name of its column or by its place; empty: none was named.
        start, end: Characters of that text; None where it does not contain them word for word.
    """

    seat: str
    text: str
    source: str = ""
    start: int | None = None
    end: int | None = None
    verdict: lookups.QuoteVerdict


class RowVerdict(Struct, frozen=True):
    """Verdict on a row, in words.

    Attributes:
        word: The verdict as it is counted; empty without one.
        parts: The verdict for people, piece by piece.
        firmness: Firmness from 0 to 1; None where it is unknown.
        doubted: Why a contested verdict is contested; empty otherwise.
        reasons: Further details, shown where there is room.
    """

    word: str = ""
    parts: tuple[str, ...] = ()
    firmness: float | None = None
    doubted: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


class RowResult(base.Record):
    """A line of the output, in the order of the rows; each format that judges tables adds its verdict.

    Attributes:
        claim: The beginning of the claim, without secrets; likewise ``truth``.
        gold: The true label of the row, where the table has one; in the format's spelling if it is one of its.
        seats: The answers of each participant for the row.
        problem: Why there is no verdict, or an incomplete one, in a sentence; empty when nothing is missing.
        notices: Further notices, e.g. that the record of an earlier call could not be read.
        was_judged_before: Whether an earlier call has paid for it.
        spent: Usage of the row in all calls.
        key: Its key in the ledger, in hexadecimal digits: `sparring batch show` exports its run.
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
        """The verdict as reports show it."""
        return RowVerdict()

    @property
    def word(self) -> str:
        """The verdict, as it is counted; empty without one."""
        return self.decided.word

    @property
    def is_disputed(self) -> bool:
        """Return whether the blind answers of the participants differ."""
        return len({seat.blind for seat in self.seats if seat.blind and seat.tool}) > 1


class TextResult(RowResult):
    """Result of a row in words: the stronger argument of a debate, or an answer.

    Attributes:
        finding: The finding in a word or two; empty where nothing is decided.
        said: The answers, or the judge's recommendation.
        doubts: Why the finding is doubtful, e.g. that it changed with the order in which the sides were shown.
        sure: Firmness from 0 to 1, where it is known.
    """

    finding: str = ""
    said: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    sure: float | None = None

    @property
    def decided(self) -> RowVerdict:
        """See ``RowResult``."""
        return RowVerdict(self.finding, (self.finding, *self.said), self.sure, self.doubts, self.said)


class JudgedTable(Struct, frozen=True):
    """The results of a table, with the facts to interpret them.

    Attributes:
        name: Name of the table for people.
        labels: The possible verdicts.
        seats: The participants as they were requested.
        ledger: The ledger of the runs, as `sparring batch show` takes it.
    """

    name: str
    kind: str
    rows: tuple[RowResult, ...]
    labels: tuple[str, ...]
    seats: str = ""
    ledger: str = "project"
