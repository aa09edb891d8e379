"""What a debate is about and who takes part."""

from typing import Literal, Self

from pydantic import Field, model_validator

from sparring.schema.base import Effort, PlainText, Record, RepoAccess, Role
from sparring.schema.context import ContextPart
from sparring.schema.participants import RULE_BASED_TOOL, Participant

TOPIC_LIMIT = 100_000
"""Most characters of a topic. A topic is a question; material belongs into context."""

MOST_JUDGES = 5

SPEAKING_ORDER: tuple[Literal[Role.PROPOSER], Literal[Role.CHALLENGER]] = (Role.PROPOSER, Role.CHALLENGER)
"""Who speaks in a round, in this order."""


class DebateRequest(Record):
    """What a debate is about and who takes part.

    Attributes:
        context: Material that both sides and the judge see.
        judge: The first judge, who also makes the summaries.
        panel: Further judges.
        timeout_s: Seconds for each consultation.
        repo_access: What both sides may see of the project; the judge sees what they say of it.
        blind_openings: Both sides open without hearing the other.
        devil: One tool may argue both sides, as the devil's advocate of itself.
        notices: What the user should know about how the request was completed, e.g. whose judge was chosen.
    """

    kind: Literal["debate"] = "debate"
    topic: PlainText = Field(min_length=1, max_length=TOPIC_LIMIT)
    context: tuple[ContextPart, ...] = ()
    proposer: Participant
    challenger: Participant
    judge: Participant
    panel: tuple[Participant, ...] = Field(default=(), max_length=MOST_JUDGES - 1)
    rounds: int = Field(default=2, ge=1, le=5)
    effort: Effort = Effort.MEDIUM
    timeout_s: float = Field(default=240.0, gt=0)
    repo_access: RepoAccess = RepoAccess.NONE
    blind_openings: bool = False
    devil: bool = False
    notices: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _sides_differ(self) -> Self:
        is_one = self.proposer.tool == self.challenger.tool
        if is_one and not self.devil and self.proposer.tool != RULE_BASED_TOOL:
            raise ValueError(f"proposer and challenger must be different tools, both are {self.proposer.tool!r}")
        if self.devil and not is_one:
            raise ValueError("the devil's advocate is the same tool on both sides")
        return self

    @model_validator(mode="after")
    def _blind_openings_are_answered(self) -> Self:
        if self.blind_openings and self.rounds == 1:
            raise ValueError("blind openings need a second round, in which the sides answer each other")
        return self

    @property
    def judges(self) -> tuple[Participant, ...]:
        """All judges, in their order."""
        return (self.judge, *self.panel)

    @property
    def subject(self) -> str:
        """What it is about."""
        return self.topic

    def participant(self, role: Role) -> Participant:
        """Who sits in ``role``."""
        seats = {Role.PROPOSER: self.proposer, Role.CHALLENGER: self.challenger, Role.JUDGE: self.judge}
        return seats[role]
