"""The records of a debate: request, verdict, outcome, and the state file of the specification."""

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from sparring.schema.base import (
    SCHEMA_VERSION,
    Effort,
    Moment,
    PlainText,
    Record,
    RepoAccess,
    Role,
    RunId,
    ToolName,
)
from sparring.schema.context import ContextPart
from sparring.schema.participants import RULE_BASED_TOOL, Participant, StateParticipant

TOPIC_LIMIT = 100_000
"""Most characters of a topic. A topic is a question; material belongs into context."""

SPEAKING_ORDER: tuple[Literal[Role.PROPOSER], Literal[Role.CHALLENGER]] = (Role.PROPOSER, Role.CHALLENGER)
"""Who speaks in a round, in this order."""


class DebateRequest(Record):
    """What a debate is about and who takes part.

    Attributes:
        context: Material that both sides and the judge see.
        timeout_s: Seconds for each consultation.
        repo_access: What both sides may see of the project; the judge sees what they say of it.
        notices: What the user should know about how the request was completed, e.g. whose judge was chosen.
    """

    kind: Literal["debate"] = "debate"
    topic: PlainText = Field(min_length=1, max_length=TOPIC_LIMIT)
    context: tuple[ContextPart, ...] = ()
    proposer: Participant
    challenger: Participant
    judge: Participant
    rounds: int = Field(default=2, ge=1, le=5)
    effort: Effort = Effort.MEDIUM
    timeout_s: float = Field(default=240.0, gt=0)
    repo_access: RepoAccess = RepoAccess.NONE
    notices: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _sides_differ(self) -> Self:
        if self.proposer.tool == self.challenger.tool != RULE_BASED_TOOL:
            raise ValueError(f"proposer and challenger must be different tools, both are {self.proposer.tool!r}")
        return self

    @property
    def subject(self) -> str:
        """What it is about."""
        return self.topic

    def participant(self, role: Role) -> Participant:
        """Who sits in ``role``."""
        seats = {Role.PROPOSER: self.proposer, Role.CHALLENGER: self.challenger, Role.JUDGE: self.judge}
        return seats[role]


class Rating(StrEnum):
    """How good a debate was in one respect."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Quality(Record):
    """The three ratings of the specification's synthesis."""

    genuine_disagreement: Rating
    evidence_quality: Rating
    challenge_depth: Rating


class Agreement(Record):
    """A point both sides hold, and what supports it."""

    point: str = Field(min_length=1)
    evidence: str = Field(min_length=1)


class Disagreement(Record):
    """A point the sides do not share, and what each argues."""

    point: str = Field(min_length=1)
    proposer: str = Field(min_length=1)
    challenger: str = Field(min_length=1)


class Verdict(Record):
    """The judge's synthesis. It always picks a side."""

    winner: Literal[Role.PROPOSER, Role.CHALLENGER]
    reasoning: str = Field(min_length=1)
    quality: Quality
    agreements: tuple[Agreement, ...]
    disagreements: tuple[Disagreement, ...]
    unresolved_questions: tuple[str, ...]
    recommendation: str = Field(min_length=1)


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
    """

    kind: Literal["debate"] = "debate"
    status: DebateStatus
    rounds_completed: int = Field(ge=0, le=5)
    verdict: Verdict | None = None
    incomplete_round: int | None = None
    notices: tuple[str, ...] = ()


class Exchange(Record):
    """One speech as the state file keeps it."""

    round: int
    role: Literal[Role.PROPOSER, Role.CHALLENGER]
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
    winner_role: Literal[Role.PROPOSER, Role.CHALLENGER]
    quality: Quality
    unresolved_questions: tuple[str, ...]


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
    incomplete_round: int | None = None
    notices: tuple[str, ...] = ()
