"""The records of a plain consultation: request, outcome, and the state file that allows to continue it."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from sparring.schema.base import (
    SCHEMA_VERSION,
    Effort,
    ModelName,
    Moment,
    PlainText,
    Record,
    RunId,
    SessionId,
    ToolName,
)
from sparring.schema.consultation import Failure, Reply, Usage

QUESTION_LIMIT = 2_000_000
"""Most characters of a plain question: twice the largest prompt that is known to arrive whole."""


class ConsultRequest(Record):
    """One question to one tool. ``timeout_s`` is in seconds."""

    kind: Literal["consult"] = "consult"
    question: PlainText = Field(min_length=1, max_length=QUESTION_LIMIT)
    tool: ToolName
    model: ModelName | None = None
    effort: Effort = Effort.MEDIUM
    timeout_s: float = Field(default=120.0, gt=0)
    session_id: SessionId | None = None
    notices: tuple[str, ...] = ()


class ConsultStatus(StrEnum):
    """How a consultation ended."""

    COMPLETED = "completed"
    FAILED = "failed"


class ConsultOutcome(Record):
    """The end of a consultation."""

    kind: Literal["consult"] = "consult"
    status: ConsultStatus
    reply: Reply
    notices: tuple[str, ...] = ()


class LastSession(Record):
    """``consult/last-session.json``: what is needed to continue the last consultation."""

    tool: ToolName
    model: str | None
    effort: Effort | None
    session_id: SessionId
    continuable: bool
    question: str
    timestamp: Moment
    schema_version: int = SCHEMA_VERSION


class ConsultResult(Record):
    """``result.json`` of a consultation (design: Consult, Result). Without an answer ``failure`` says why."""

    id: RunId
    status: ConsultStatus
    question: str
    tool: ToolName
    model: str | None
    effort: Effort | None
    response: str | None
    session_id: SessionId | None
    continuable: bool
    duration_ms: int
    usage: Usage
    redactions: int
    warnings: tuple[str, ...]
    failure: Failure | None
    timestamp: Moment
    notices: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION
