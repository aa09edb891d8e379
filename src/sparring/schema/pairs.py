"""Many juries, one for each row of a table: the rows, and what is told of each."""

from enum import StrEnum

from pydantic import Field

from sparring.schema.base import Record, RunId
from sparring.schema.claims import Dimension
from sparring.schema.jury import JudgeVerdict
from sparring.schema.runs import Spent


class Pair(Record):
    """A row of the table: two texts, and what the row is called.

    Attributes:
        row: Its number, counted from 1 without the header.
        line: Where it begins in the file.
        problem: Why it cannot be judged; then a text may be empty.
    """

    row: int = Field(ge=1)
    line: int = Field(ge=1)
    row_id: str | None = None
    dataset: str | None = None
    truth: str = ""
    claim: str = ""
    problem: str = ""


class PairStatus(StrEnum):
    """What became of a row.

    JUDGED: there is a verdict. UNJUDGED: everybody was asked, and there is none. REFUSED: the row cannot be judged as
    it is. NOT_ASKED: a limit was reached before it.
    """

    JUDGED = "judged"
    UNJUDGED = "unjudged"
    REFUSED = "refused"
    NOT_ASKED = "not_asked"


class PairResult(Record):
    """A line of the output, in the order of the rows.

    Attributes:
        verdict: The judge's answer; it is there for a row that was judged, and for no other.
        problem: Why there is no verdict, in a sentence; empty when there is one.
        was_judged_before: Whether an earlier call has asked, and paid, for it.
        spent: What the row has used, in whichever call.
    """

    row: int
    row_id: str | None
    dataset: str | None
    status: PairStatus
    verdict: JudgeVerdict | None = None
    contested: tuple[str, ...] = ()
    mutations: tuple[Dimension, ...] = ()
    problem: str = ""
    run_id: RunId | None = None
    was_judged_before: bool = False
    spent: Spent = Spent()
