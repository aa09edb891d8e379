"""The end of a fact-check: votes, label, each agent's way through the rounds; and the state file."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from sparring.schema.base import SCHEMA_VERSION, Effort, Language, Moment, Record, RunId, ToolName
from sparring.schema.claims import ClaimCheck, Label
from sparring.schema.context import ContextSize
from sparring.schema.fact_check.positions import Abstention, Position
from sparring.schema.fact_check.request import Escalation
from sparring.schema.limits import Spent

QUORUM = 2
"""Fewest valid votes that make a verdict (design: Fact-check)."""


class Path(StrEnum):
    """An agent's blind vote beside its debated one.

    KEPT: the same. FIXED: it moved to the final label. FLIPPED: it moved to another one. ABSTAINED: one is missing.
    """

    KEPT = "kept"
    FIXED = "fixed"
    FLIPPED = "flipped"
    ABSTAINED = "abstained"


class AgentPath(Record):
    """One agent through the rounds.

    Attributes:
        model: What its tool reported, else what was asked for.
        blind: Its vote of round 1; None when it abstained.
        debated: Its vote of the last round; None when it abstained.
    """

    name: str
    tool: ToolName
    model: str | None
    positions: tuple[Position, ...] = ()
    abstention: Abstention | None = None
    blind: Label | None
    debated: Label | None
    path: Path


class FactCheckStatus(StrEnum):
    """How a fact-check ended. NO_QUORUM: too few valid votes, hence no verdict. FAILED: not one."""

    COMPLETED = "completed"
    NO_QUORUM = "no_quorum"
    FAILED = "failed"


class Decision(StrEnum):
    """How the last round's votes make the label.

    UNANIMOUS: all the same. MAJORITY: more than half. PLURALITY: the most, but not more than half. SPLIT: two labels
    have the most, so that the label is NEI.
    """

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    PLURALITY = "plurality"
    SPLIT = "split"


class StopReason(StrEnum):
    """Why nobody was asked any more.

    NOT_ESCALATED: ``escalation`` called for no debate. STABLE: unanimous, and nobody moved in the last round.
    MAX_ROUNDS: the rounds are used up. NO_QUORUM: too few agents are left.
    """

    NOT_ESCALATED = "not_escalated"
    STABLE = "stable"
    MAX_ROUNDS = "max_rounds"
    NO_QUORUM = "no_quorum"


class Tally(Record):
    """The valid votes of one round, and those that are missing."""

    supported: int = Field(default=0, ge=0)
    refuted: int = Field(default=0, ge=0)
    nei: int = Field(default=0, ge=0)
    abstained: int = Field(default=0, ge=0)


class FactCheckOutcome(Record):
    """The end of a fact-check.

    Attributes:
        label: None without a quorum, and then only.
        blind: The votes of round 1.
        debated: The votes of the last round.
        check: What code, asking nobody, finds in claim and evidence.
        is_contested: Whether the label is SUPPORTED against a critical mismatch of ``check``.
    """

    kind: Literal["fact-check"] = "fact-check"
    status: FactCheckStatus
    label: Label | None = None
    decision: Decision | None = None
    stop_reason: StopReason
    rounds_completed: int = Field(ge=0)
    blind: Tally
    debated: Tally
    agents: tuple[AgentPath, ...]
    check: ClaimCheck
    is_contested: bool = False
    notices: tuple[str, ...] = ()


class LastFactCheck(Record):
    """``fact-check/last-fact-check.json`` and the ``result.json`` of a fact-check. Spans name evidence by index."""

    id: RunId
    claim: str
    evidence: tuple[ContextSize, ...]
    status: FactCheckStatus
    label: Label | None
    decision: Decision | None
    stop_reason: StopReason
    rounds_completed: int
    max_rounds: int
    escalation: Escalation
    language: Language
    effort: Effort
    blind: Tally
    debated: Tally
    agents: tuple[AgentPath, ...]
    check: ClaimCheck
    is_contested: bool
    spent: Spent
    redactions: int
    timestamp: Moment
    notices: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION
