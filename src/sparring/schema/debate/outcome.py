"""How a debate ended, and the state file of the specification."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from sparring.schema.base import SCHEMA_VERSION, Effort, Moment, Record, RunId, ToolName
from sparring.schema.debate.conduct import Conduct, SpeechLedger
from sparring.schema.debate.verdict import Judgement, Quality, Side, SideScores, Verdict
from sparring.schema.participants import StateParticipant


class DebateStatus(StrEnum):
    """How a debate ended.

    COMPLETED: all rounds, verdict. INCOMPLETE: a later consultation failed, verdict from the completed rounds.
    UNCONTESTED: the challenger failed in round 1, the proposer's position stands alone, no verdict.
    UNJUDGED: the rounds are there, the judge failed. FAILED: nothing to show.
    """

    COMPLETED = "completed"
    INCOMPLETE = "incomplete"
    UNCONTESTED = "uncontested"
    UNJUDGED = "unjudged"
    FAILED = "failed"


class DebateOutcome(Record):
    """The end of a debate.

    Attributes:
        notices: Lines for the reader, among them the literal ``[WARN]`` and ``[ERROR]`` messages of the specification.
        incomplete_round: The round that was broken off, if one was.
        judgement: How the verdict's winner came about.
        ledgers: What each speech cites, in the order of speaking.
    """

    kind: Literal["debate"] = "debate"
    status: DebateStatus
    rounds_completed: int = Field(ge=0, le=5)
    verdict: Verdict | None = None
    judgement: Judgement | None = None
    ledgers: tuple[SpeechLedger, ...] = ()
    conduct: Conduct = Conduct()
    incomplete_round: int | None = None
    notices: tuple[str, ...] = ()


class Exchange(Record):
    """One speech as the state file keeps it."""

    round: int
    role: Side
    tool: ToolName
    response: str
    duration_ms: int


class StateVerdict(Record):
    """The verdict as the state file keeps it: the specification's five fields, ours beside them."""

    winner: ToolName
    reasoning: str
    agreements: tuple[str, ...]
    disagreements: tuple[str, ...]
    recommendation: str
    winner_role: Side
    quality: Quality
    unresolved_questions: tuple[str, ...]
    scores: SideScores | None = None


class LastDebate(Record):
    """``debate/last-debate.json``: exactly the specification's fields, then ours.

    Attributes:
        id: ``debate-{ISO timestamp}-{4 char random hex}``.
    """

    id: RunId
    topic: str
    proposer: StateParticipant
    challenger: StateParticipant
    effort: Effort
    rounds_completed: int
    max_rounds: int
    status: DebateStatus
    exchanges: tuple[Exchange, ...]
    verdict: StateVerdict | None
    timestamp: Moment
    schema_version: int = SCHEMA_VERSION
    judge: StateParticipant
    panel: tuple[StateParticipant, ...] = ()
    blind_openings: bool = False
    devil: bool = False
    judgement: Judgement | None = None
    ledgers: tuple[SpeechLedger, ...] = ()
    conduct: Conduct = Conduct()
    incomplete_round: int | None = None
    notices: tuple[str, ...] = ()
