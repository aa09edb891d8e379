"""Many runs, one for each row of a table: what is known of each row."""

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
    """Verdict on a row, as its format reads it from a finished run.

    Attributes:
        word: The verdict as it is counted; empty where the format decides nothing.
        firmness: Firmness from 0 to 1; None where it is unknown.
        doubted: Why a contested verdict is contested; empty otherwise.
        reasons: The result in words.
        seats: The labels of each participant.
    """

    word: str = ""
    firmness: float | None = None
    doubted: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    seats: tuple[SeatLabel, ...] = ()


class RowResult(base.Record):
    """A judged row, as pages and comparisons show it.

    Attributes:
        claim: The beginning of the claim, without secrets; likewise ``truth``.
        gold: The true label of the row, where the table has one; in the format's spelling if it is one of its.
        seats: The answers of each participant for the row.
        problem: Why there is no verdict, or an incomplete one, in a sentence; empty when nothing is missing.
        word, firmness, doubted, reasons: As in ``RowVerdict``; an empty word without a verdict.
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
    word: str = ""
    firmness: float | None = None
    doubted: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    spent: runs.Spent = runs.Spent()
    key: str = ""

    @property
    def is_disputed(self) -> bool:
        """Return whether the blind answers of the participants differ."""
        return len({seat.blind for seat in self.seats if seat.blind and seat.tool}) > 1


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
