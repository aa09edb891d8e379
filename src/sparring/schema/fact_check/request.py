"""What is checked, against what, by whom, and how far the agents go."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from sparring.schema.base import Effort, Language, PlainText, Record
from sparring.schema.context import ContextPart
from sparring.schema.participants import Participant

CLAIM_LIMIT = 20_000
"""Most characters of a claim. A claim is a sentence or a few; what it is held against is evidence."""

FEWEST_AGENTS, MOST_AGENTS, USUAL_AGENTS = 2, 7, 3


class Escalation(StrEnum):
    """When agents debate. AUTO: when round 1 is split or one of its quotes failed."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class FactCheckRequest(Record):
    """What is checked, against what, and by whom.

    Attributes:
        evidence: The sources, in the order in which quotes name them by index.
        max_rounds: The blind round and the debate rounds, together.
        timeout_s: Seconds for each consultation.
        redactions: Secrets that were taken out of claim and evidence before they were put here.
    """

    kind: Literal["fact-check"] = "fact-check"
    claim: PlainText = Field(min_length=1, max_length=CLAIM_LIMIT)
    evidence: tuple[ContextPart, ...] = Field(min_length=1)
    agents: tuple[Participant, ...] = Field(min_length=FEWEST_AGENTS, max_length=MOST_AGENTS)
    max_rounds: int = Field(default=3, ge=1, le=5)
    escalation: Escalation = Escalation.AUTO
    language: Language = "en"
    effort: Effort = Effort.MEDIUM
    timeout_s: float = Field(default=240.0, gt=0)
    redactions: int = Field(default=0, ge=0)
    notices: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """What it is about."""
        return self.claim

    @property
    def names(self) -> tuple[str, ...]:
        """What each agent is called in front of the others: a tool's name would carry weight of its own."""
        return tuple(f"Agent {number}" for number in range(1, len(self.agents) + 1))
