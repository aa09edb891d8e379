"""Many runs, one for each row of a table: what is told of each row."""

from dataclasses import dataclass
from enum import StrEnum

from sparring.schema import base, claims, fact_check, jury, lookups, runs


class PairStatus(StrEnum):
    """What became of a row.

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
    """What somebody says of a row, or code (``tool`` is None): before others were heard, and in the end."""

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
    def word(self) -> str:
        """The verdict, as it is counted; empty without one."""
        return ""

    @property
    def told(self) -> tuple[str, ...]:
        """The verdict for people, piece by piece."""
        return ()

    @property
    def firmness(self) -> float | None:
        """How firm the verdict is, from 0 to 1; None where nothing says so."""
        return None

    @property
    def doubted(self) -> tuple[str, ...]:
        """Why a verdict that counts as contested is; empty where it does not."""
        return ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """What else is told of the verdict where there is room."""
        return ()

    @property
    def is_disputed(self) -> bool:
        """Whether those who have seats have not all said the same before they heard each other."""
        return len({seat.blind for seat in self.seats if seat.blind}) > 1


class PairResult(RowResult):
    """What a jury says of a row; ``verdict`` is there for one that was judged, completely or not, and for no other."""

    verdict: jury.JudgeVerdict | None = None
    contested: tuple[str, ...] = ()
    mutations: tuple[claims.Dimension, ...] = ()

    @property
    def word(self) -> str:
        """See ``RowResult.word``."""
        return self.verdict.verdict.value if self.verdict else ""

    @property
    def told(self) -> tuple[str, ...]:
        """See ``RowResult.told``."""
        if self.verdict is None:
            return ()
        contested = "contested" if self.contested else ""
        sure = "by code alone" if self.verdict.confidence is None else f"{self.verdict.confidence:.2f}"
        return f"{self.word} {sure}", ", ".join(self.mutations), contested, self.verdict.one_sentence_summary

    @property
    def firmness(self) -> float | None:
        """See ``RowResult.firmness``: what the judge says of itself."""
        return self.verdict.confidence if self.verdict else None

    @property
    def doubted(self) -> tuple[str, ...]:
        """See ``RowResult.doubted``."""
        return self.contested

    @property
    def reasons(self) -> tuple[str, ...]:
        """See ``RowResult.reasons``."""
        if self.verdict is None:
            return ()
        return self.verdict.one_sentence_summary, *self.verdict.critical_differences


class ClaimResult(RowResult):
    """What a fact-check says of a row; its fields are those of the outcome."""

    label: claims.Label | None = None
    decision: fact_check.Decision | None = None
    is_contested: bool = False
    doubts: tuple[fact_check.Doubt, ...] = ()

    @property
    def word(self) -> str:
        """See ``RowResult.word``."""
        return self.label.value if self.label else ""

    @property
    def told(self) -> tuple[str, ...]:
        """See ``RowResult.told``."""
        contested = "contested" if self.is_contested else ""
        decision = (self.decision or "").replace("_", " ")
        return self.word, decision, contested, ", ".join(doubt.kind.replace("_", " ") for doubt in self.doubts)

    @property
    def firmness(self) -> float | None:
        """See ``RowResult.firmness``: the share of the votes that are for the label."""
        votes = [seat.label for seat in self.seats if seat.label and seat.tool]
        return votes.count(self.word) / len(votes) if votes and self.label else None

    @property
    def doubted(self) -> tuple[str, ...]:
        """See ``RowResult.doubted``."""
        return ("Code finds a critical mismatch.",) if self.is_contested else ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """See ``RowResult.reasons``."""
        decided = (self.decision.replace("_", " "),) if self.decision else ()
        return *decided, *(doubt.why for doubt in self.doubts)


class ToldResult(RowResult):
    """What came of a row in words: whose argument was the stronger in a debate, or what was answered.

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
    def word(self) -> str:
        """See ``RowResult.word``."""
        return self.finding

    @property
    def firmness(self) -> float | None:
        """See ``RowResult.firmness``."""
        return self.sure

    @property
    def told(self) -> tuple[str, ...]:
        """See ``RowResult.told``."""
        return self.finding, *self.said

    @property
    def doubted(self) -> tuple[str, ...]:
        """See ``RowResult.doubted``."""
        return self.doubts

    @property
    def reasons(self) -> tuple[str, ...]:
        """See ``RowResult.reasons``."""
        return self.said


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
