"""The records of a chaired debate: ``request``, the ``log`` of the specification, ``outcome``."""

from sparring.schema.chaired_debate.log import (
    CONJECTURE_LABEL,
    REDACTED,
    STRUCK,
    EntryType,
    LogDraft,
    LogEntry,
    Phase,
    Speaker,
)
from sparring.schema.chaired_debate.outcome import (
    ChairedDebateOutcome,
    ChairedDebateResult,
    ChairedDebateStatus,
    CheckedSource,
    DebateDecision,
    DecidedBy,
    EndReason,
)
from sparring.schema.chaired_debate.request import ChairedDebateRequest, DebateConfig

__all__ = [
    "CONJECTURE_LABEL",
    "REDACTED",
    "STRUCK",
    "ChairedDebateOutcome",
    "ChairedDebateRequest",
    "ChairedDebateResult",
    "ChairedDebateStatus",
    "CheckedSource",
    "DebateConfig",
    "DebateDecision",
    "DecidedBy",
    "EndReason",
    "EntryType",
    "LogDraft",
    "LogEntry",
    "Phase",
    "Speaker",
]
