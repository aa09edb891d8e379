"""``debate-log.jsonl``: everything that counts in a chaired debate, an entry a line (specification: seed 003)."""

from enum import StrEnum

from pydantic import Field

from sparring.schema.base import Moment, Record
from sparring.schema.sources import MOST_SOURCES, Source

CONTENT_LIMIT = 20_000
"""Most characters of an entry: a speech, no book."""

CONJECTURE_LABEL = "[CONJECTURE]"
REDACTED = "[REDACTED]"
STRUCK = "[STRUCK]"
"""What stands in an entry instead of its content when the chair has taken it out of the debate; a reason follows."""


class Phase(StrEnum):
    """Where a debate stands; phases follow each other in this order."""

    OPENING = "opening"
    REBUTTAL = "rebuttal"
    CLOSING = "closing"
    CONCLUSION = "conclusion"


class Speaker(StrEnum):
    """Whose entry it is. VERIFIER is code."""

    CHAIR = "chair"
    PROMOTER = "promoter"
    DETRACTOR = "detractor"
    VERIFIER = "verifier"
    AUDIENCE = "audience"
    REPORTER = "reporter"


class EntryType(StrEnum):
    """What an entry is.

    The first six are what debaters do (specification: Turn Action Types). SOURCE_CHECK is the verifier's, QUESTION the
    audience's, SUMMARY the reporter's, the rest are the chair's.
    """

    OPENING_STATEMENT = "opening_statement"
    NEW_POINT = "new_point"
    REBUTTAL = "rebuttal"
    CONJECTURE = "conjecture"
    CLARIFICATION_REQUEST = "clarification_request"
    CLOSING_STATEMENT = "closing_statement"
    SOURCE_CHECK = "source_check"
    QUESTION = "question"
    CUE = "cue"
    CLARIFICATION = "clarification"
    RULING = "ruling"
    WARNING = "warning"
    REDACTION = "redaction"
    DISQUALIFICATION = "disqualification"
    CONCLUSION = "conclusion"
    SUMMARY = "summary"


class LogDraft(Record):
    """An entry as somebody wants to write it.

    Attributes:
        rebuttal_to_seq: The entry that a rebuttal answers.
        target_seq: The entry that a source challenge, a ruling or a check is about.
    """

    phase: Phase
    speaker: Speaker
    type: EntryType
    content: str = Field(min_length=1, max_length=CONTENT_LIMIT)
    sources: tuple[Source, ...] = Field(default=(), max_length=MOST_SOURCES)
    rebuttal_to_seq: int | None = Field(default=None, ge=1)
    target_seq: int | None = Field(default=None, ge=1)


class LogEntry(LogDraft):
    """An entry as it stands in the log: exactly the specification's fields."""

    seq: int = Field(ge=1)
    timestamp: Moment
