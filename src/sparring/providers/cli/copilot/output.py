"""GitHub Copilot CLI, ``--output-format json``: one event per line on standard output, and what it used in a report."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, Field, ValidationError

from sparring.errors import OutputError
from sparring.providers.cli.output import EndedProgram, LastTry, Output, events_of, lines_of, total
from sparring.providers.cli.process import FinishedProcess
from sparring.providers.receiving.causes import (
    ForeignText,
    Sentences,
    code_of_message,
    code_of_status,
    first_code,
    joined,
)
from sparring.schema.base import SessionId
from sparring.schema.consultation import Answer, Failure, FailureCode, Reply, Usage

# What Copilot itself says of a turn that failed (1.0.102); where a status decides, none of it is looked at.
_SENTENCES: Sentences = {
    re.compile(r"The provider rejected the prompt as too long\b"): FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"No response was returned\b"): FailureCode.EMPTY,
}
# What it says on standard error before there is a turn. No prompt stands there.
_REFUSALS: Sentences = {
    re.compile(r"Error: No authentication information found\b"): FailureCode.AUTH,
    re.compile(r"Error: Authentication token found but could not be validated\b"): FailureCode.AUTH,
    re.compile(r"Error: Authentication failed\b"): FailureCode.AUTH,
}
_BY_ERROR_TYPE = {
    "authentication": FailureCode.AUTH,
    "context_limit": FailureCode.CONTEXT_TOO_LONG,
    "policy": FailureCode.PERMISSION,
    "quota": FailureCode.QUOTA,
    "rate_limit": FailureCode.RATE_LIMIT,
}
_BY_ERROR_CODE = {
    "context_length_exceeded": FailureCode.CONTEXT_TOO_LONG,
    "insufficient_quota": FailureCode.QUOTA,
}


_READ = (
    "assistant.message",
    "assistant.message_delta",
    "assistant.turn_end",
    "model.call_failure",
    "model.call_start",
    "result",
    "session.error",
)
"""The events that we read; of some twenty kinds, most of which name their fields alike and fill them otherwise."""


class _Data(BaseModel):
    """Fields of the events that we read; each has a few of them."""

    content: ForeignText = ""
    delta: str = Field(default="", alias="deltaContent")
    model: ForeignText | None = None
    message: ForeignText = ""
    error_type: str = Field(default="", alias="errorType")
    error_code: str = Field(default="", alias="errorCode")
    status: int | None = Field(default=None, alias="statusCode")
    failure_kind: str = Field(default="", alias="failureKind")


class _Event(BaseModel):
    type: str
    data: _Data = _Data()
    session_id: SessionId | None = Field(default=None, alias="sessionId")
    exit_code: int | None = Field(default=None, alias="exitCode")


class _Tokens(BaseModel):
    input: int | None = Field(default=None, ge=0, alias="inputTokens")
    cached: int | None = Field(default=None, ge=0, alias="cacheReadTokens")
    output: int | None = Field(default=None, ge=0, alias="outputTokens")
    reasoning: int | None = Field(default=None, ge=0, alias="reasoningTokens")


class _OfModel(BaseModel):
    usage: _Tokens = _Tokens()


class _Report(BaseModel):
    models: Mapping[str, _OfModel] = Field(default={}, alias="modelMetrics")


@dataclass
class _Turn:
    """What the events of one run add up to, up to the last one.

    Attributes:
        said: The last message that says something, with all that it goes on from.
        begun: What was said in steps that the model's limit of tokens ended: Copilot has it go on where it left off,
            and only what it says then becomes a message (1.0.102).
        deltas: What has come of an answer that is no message yet.
        error: What came after it and ended the turn.
        refused: The last request for an answer, if it failed and no other one was sent.
        result: The last event, which a run that was ended from outside may lack.
    """

    said: _Data | None = None
    begun: list[str] = field(default_factory=list[str])
    deltas: list[str] = field(default_factory=list[str])
    error: _Data | None = None
    refused: _Data | None = None
    result: _Event | None = None


def _reply(ended: EndedProgram) -> Reply:
    """The answer, or why there is none. An event that tells of an error outweighs exit code 0."""
    turn = _turn(ended.finished.stdout)
    return _fault(turn, ended) or _answer(turn, ended)


def _last_try(finished: FinishedProcess) -> LastTry | None:
    """Why Copilot was about to ask the model once more when it was ended; None when it waited for an answer."""
    try:
        refused = _turn(finished.stdout).refused
    except OutputError:
        return None
    if refused is None or (code := _code_of_call(refused)) is None:
        return None
    return LastTry(code, f"with status {refused.status}" if refused.status else "for want of a connection")


def _turn(stdout: str) -> _Turn:
    turn = _Turn()
    for event in events_of(stdout, _Event, only=_READ):
        match event.type:
            case "assistant.message":
                whole = joined((*turn.begun, event.data.content))
                turn.begun, turn.deltas = [], []
                if whole.strip():
                    turn.said, turn.error = event.data.model_copy(update={"content": whole}), None
            case "assistant.message_delta":
                turn.deltas.append(event.data.delta)
            case "assistant.turn_end":
                turn.begun += turn.deltas
                turn.deltas = []
            case "session.error":
                turn.error = event.data
            case "model.call_start":
                turn.refused, turn.deltas = None, []
            case "model.call_failure":
                turn.refused = event.data
            case "result":
                turn.result = event
            case _:
                pass
    return turn


def _fault(turn: _Turn, ended: EndedProgram) -> Failure | None:
    if turn.error is not None:
        return ended.failure(_code(turn.error, turn.refused), turn.error.message)
    if turn.result is None or ended.finished.exit_code != 0 or turn.result.exit_code != 0:
        return _without_result(ended)
    said = turn.said.content if turn.said else ""
    return ended.begun_anew(turn.result.session_id) or ended.empty(said)


def _code(error: _Data, refused: _Data | None) -> FailureCode:
    candidates = (
        _BY_ERROR_CODE.get(error.error_code),
        code_of_message(error.message, _SENTENCES),
        _code_of_call(refused) if refused is not None else None,
        code_of_status(error.status),
        _BY_ERROR_TYPE.get(error.error_type),
    )
    return first_code(candidates)


def _code_of_call(refused: _Data) -> FailureCode | None:
    if code := _BY_ERROR_CODE.get(refused.error_code):
        return code
    if refused.status is not None:
        return code_of_status(refused.status)
    return FailureCode.CONNECTION if refused.failure_kind == "transport" else None


def _without_result(ended: EndedProgram) -> Failure:
    said = [line for line in lines_of(ended.finished.stderr) if line.startswith("Error: ")]
    code = code_of_message(said[0], _REFUSALS) if said else None
    return ended.without_result() if code is None else ended.failure(code, said[0])


def _answer(turn: _Turn, ended: EndedProgram) -> Answer:
    said, session_id = turn.said or _Data(), turn.result.session_id if turn.result else None
    usage, warnings = ended.counting_sessions(_usage(ended.finished.report))
    return ended.answer(said.content, session_id=session_id, model=said.model or "", usage=usage, warnings=warnings)


def _usage(report: str) -> Usage:
    """Tokens of all models together. What it cost is told in credits, and nowhere what those are worth."""
    try:
        models = _Report.model_validate(json.loads(report)).models.values()
    except (ValidationError, ValueError, RecursionError):
        return Usage()
    tokens = [model.usage for model in models]
    return Usage(
        input_tokens=total(each.input for each in tokens),
        cached_tokens=total(each.cached for each in tokens),
        output_tokens=total(each.output for each in tokens),
        reasoning_tokens=total(each.reasoning for each in tokens),
    )


OUTPUT = Output(_reply, last_try=_last_try, no_session=re.compile(r"Error: No session, task, or name matched "))
