"""How a chaired debate ended."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from sparring.schema.base import SCHEMA_VERSION, Effort, Moment, Record, Role, RunId
from sparring.schema.chaired_debate.log import LogEntry
from sparring.schema.limits import Spent
from sparring.schema.participants import StateParticipant
from sparring.schema.sources import SourceFinding


class DebateDecision(StrEnum):
    """Who has won (design: Chaired debate). VOID: there was no debate that could be decided."""

    AFFIRMATIVE_WINS = "affirmative_wins"
    NEGATIVE_WINS = "negative_wins"
    DRAW = "draw"
    VOID = "void"


class DecidedBy(StrEnum):
    """Who decided: the chair; or a rule, where a debater was disqualified."""

    CHAIR = "chair"
    RULE = "rule"


class EndReason(StrEnum):
    """Why no further round was held."""

    NATURAL = "natural"
    MAX_ROUNDS = "max_rounds"
    TIME_BUDGET = "time_budget"
    DISQUALIFICATION = "disqualification"
    FAILURE = "failure"


class ChairedDebateStatus(StrEnum):
    """How a chaired debate ended.

    COMPLETED: all phases, decision. INCOMPLETE: a debater could not be had to the end, decision from what was said.
    UNJUDGED: the debate is there, the chair gave no usable decision. FAILED: a debater never spoke.
    """

    COMPLETED = "completed"
    INCOMPLETE = "incomplete"
    UNJUDGED = "unjudged"
    FAILED = "failed"


class CheckedSource(Record):
    """What came of one source of one entry. That of a redacted entry has neither address nor words."""

    seq: int = Field(ge=1)
    finding: SourceFinding


class ChairedDebateOutcome(Record):
    """The end of a chaired debate.

    Attributes:
        decision: None without one.
        reasoning: Why, in the chair's words or the rule's.
        decisive: Entries that the chair rests on; each is in the log and was not taken out of the debate.
        rounds_completed: Rebuttal rounds that both debaters, as far as they were there, have spoken in.
        disqualified: Debaters who were sent away.
        log: Every entry; the content of what was taken out is not in it.
        summary: The reporter's, in Markdown; empty without a reporter or when it failed.
    """

    kind: Literal["chaired-debate"] = "chaired-debate"
    status: ChairedDebateStatus
    decision: DebateDecision | None = None
    decided_by: DecidedBy | None = None
    reasoning: str = ""
    decisive: tuple[int, ...] = ()
    ended: EndReason
    rounds_completed: int = Field(default=0, ge=0)
    disqualified: tuple[Role, ...] = ()
    log: tuple[LogEntry, ...] = ()
    sources: tuple[CheckedSource, ...] = ()
    summary: str = ""
    notices: tuple[str, ...] = ()


class Seat(StateParticipant):
    """Who sat in which seat, and whether its tool could search the web."""

    role: Role
    web: bool = False


class ChairedDebateResult(Record):
    """``metadata.json`` and the ``result.json`` of a chaired debate."""

    id: RunId
    topic: str
    status: ChairedDebateStatus
    decision: DebateDecision | None
    decided_by: DecidedBy | None
    reasoning: str
    decisive: tuple[int, ...]
    ended: EndReason
    rounds_completed: int
    min_rounds: int
    max_rounds: int
    time_budget_s: float | None
    seats: tuple[Seat, ...]
    disqualified: tuple[Role, ...]
    entries: int
    sources: tuple[CheckedSource, ...]
    effort: Effort
    spent: Spent
    timestamp: Moment
    notices: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION
