"""The records of a fact-check: ``request``, ``positions``, ``outcome``.

Fields and labels of the agents' answers are those of the specification (seed 000). What an agent *claims* is kept
beside what *counts*: a quote that is not in the evidence carries nothing, and a verdict follows from its parts.
"""

from sparring.schema.fact_check.outcome import (
    QUORUM,
    AgentPath,
    Decision,
    FactCheckOutcome,
    FactCheckStatus,
    LastFactCheck,
    Path,
    StopReason,
    Tally,
)
from sparring.schema.fact_check.positions import (
    Abstention,
    ChangeTrigger,
    CheckedPart,
    CheckedRebuttal,
    DecisionChange,
    Fault,
    FaultFound,
    Issue,
    Movement,
    PartStatus,
    Position,
    verdict_by_rule,
)
from sparring.schema.fact_check.request import (
    CLAIM_LIMIT,
    FEWEST_AGENTS,
    MOST_AGENTS,
    USUAL_AGENTS,
    Escalation,
    FactCheckRequest,
)

__all__ = [
    "CLAIM_LIMIT",
    "FEWEST_AGENTS",
    "MOST_AGENTS",
    "QUORUM",
    "USUAL_AGENTS",
    "Abstention",
    "AgentPath",
    "ChangeTrigger",
    "CheckedPart",
    "CheckedRebuttal",
    "Decision",
    "DecisionChange",
    "Escalation",
    "FactCheckOutcome",
    "FactCheckRequest",
    "FactCheckStatus",
    "Fault",
    "FaultFound",
    "Issue",
    "LastFactCheck",
    "Movement",
    "PartStatus",
    "Path",
    "Position",
    "StopReason",
    "Tally",
    "verdict_by_rule",
]
