"""GitHub Copilot CLI, ``--output-format json``: one event per line on standard output, and what it used in a report."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, Field, ValidationError

from sparring.providers.failures import (
    Asked,
    ForeignText,
    Sentences,
    code_of_message,
    code_of_status,
    failure,
    lines_of,
    without_result,
)
from sparring.providers.process import Finished
from sparring.schema.base import SessionId
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Failure, FailureCode, Reply, Usage
from sparring.text.tidying import one_line

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
    "context_limit": FailureCode.CONTEXT_TOO_LONG,
    "policy": FailureCode.PERMISSION,
    "quota": FailureCode.QUOTA,
    "rate_limit": FailureCode.RATE_LIMIT,
}
_BY_ERROR_CODE = {
    "context_length_exceeded": FailureCode.CONTEXT_TOO_LONG,
    "insufficient_quota": FailureCode.QUOTA,
}


_READ = ("assistant.message", "model.call_failure", "model.call_start", "result", "session.error")
"""The events that we read; of some twenty kinds, most of which name their fields alike and fill them otherwise."""


class _Data(BaseModel):
    """Fields of the events that we read; each has a few of them."""

    content: ForeignText = ""
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
        said: The last message that says something.
        error: What came after it and ended the turn.
        refused: The last request for an answer, if it failed and no other one was sent.
        result: The last event, which a run that was ended from outside may lack.
    """

    said: _Data | None = None
    error: _Data | None = None
    refused: _Data | None = None
    result: _Event | None = None


@dataclass(frozen=True)
class LastTry:
    """How the last request to the model failed.

    Attributes:
        told: The same for people.
    """

    code: FailureCode
    told: str


def parse_copilot(finished: Finished, asked: Asked) -> Reply:
    """The answer, or why there is none. An event that tells of an error outweighs exit code 0."""
    try:
        turn = _turn(finished.stdout)
    except ValueError:  # pydantic's is one of them
        detail = f"{asked.tool} printed an event that cannot be understood."
        return failure(asked, FailureCode.PARSE, detail, finished)
    return _fault(turn, finished, asked) or _answer(turn, finished, asked)


def last_try(stdout: str) -> LastTry | None:
    """Why Copilot was about to ask the model once more when it was ended; None when it waited for an answer."""
    try:
        refused = _turn(stdout).refused
    except ValueError:
        return None
    if refused is None or (code := _code_of_call(refused)) is None:
        return None
    return LastTry(code, f"with status {refused.status}" if refused.status else "for want of a connection")


def _turn(stdout: str) -> _Turn:
    turn = _Turn()
    for event in _events(stdout):
        match event.type:
            case "assistant.message" if event.data.content.strip():
                turn.said, turn.error = event.data, None
            case "session.error":
                turn.error = event.data
            case "model.call_start":
                turn.refused = None
            case "model.call_failure":
                turn.refused = event.data
            case "result":
                turn.result = event
            case _:
                pass
    return turn


def _events(stdout: str) -> Iterator[_Event]:
    for line in lines_of(stdout):
        if not line.startswith("{"):
            continue  # noise around the events; a broken event is no noise
        try:
            event = json.loads(line)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        if event.get("type") in _READ:
            yield _Event.model_validate(event)


def _fault(turn: _Turn, finished: Finished, asked: Asked) -> Failure | None:
    if turn.error is not None:
        return failure(asked, _code(turn.error, turn.refused), turn.error.message, finished)
    if turn.result is None or finished.exit_code != 0 or turn.result.exit_code != 0:
        return _without_result(finished, asked)
    wanted = asked.question.session_id
    if wanted is not None and turn.result.session_id != wanted:
        detail = f"{asked.tool} did not continue session {wanted} but began a new one."
        return failure(asked, FailureCode.PARSE, detail, finished)
    if turn.said is None:
        return failure(asked, FailureCode.EMPTY, f"{asked.tool} gave an empty answer.", finished)
    return None


def _code(error: _Data, refused: _Data | None) -> FailureCode:
    candidates = (
        _BY_ERROR_CODE.get(error.error_code),
        code_of_message(error.message, _SENTENCES),
        _code_of_call(refused) if refused is not None else None,
        code_of_status(error.status) if error.status is not None else None,
        _BY_ERROR_TYPE.get(error.error_type),
        FailureCode.AUTH if error.error_type == "authentication" else None,
    )
    return next((code for code in candidates if code is not None), FailureCode.EXIT)


def _code_of_call(refused: _Data) -> FailureCode | None:
    if code := _BY_ERROR_CODE.get(refused.error_code):
        return code
    if refused.status is not None:
        return code_of_status(refused.status)
    return FailureCode.CONNECTION if refused.failure_kind == "transport" else None


def _without_result(finished: Finished, asked: Asked) -> Failure:
    reply = without_result(asked, finished)
    said = [line for line in lines_of(finished.stderr) if line.startswith("Error: ")]
    code = code_of_message(said[0], _REFUSALS) if said else None
    if code is None:
        return reply
    return failure(asked, code, said[0], finished)


def _answer(turn: _Turn, finished: Finished, asked: Asked) -> Answer:
    question, said, result = asked.question, turn.said or _Data(), turn.result
    session_id = result.session_id if result is not None else None
    warnings: tuple[str, ...] = ()
    if question.session_id is not None:
        warnings = (f"{asked.tool} counts tokens for the whole session, so those of this answer are not known.",)
    return Answer(
        tool=asked.tool,
        model=one_line(said.model or "", DETAIL_LIMIT) or question.model,
        effort=question.effort,
        response=said.content,
        session_id=session_id,
        continuable=question.keep_session and session_id is not None,
        duration_ms=finished.duration_ms,
        usage=Usage() if question.session_id is not None else _usage(finished.report),
        warnings=warnings,
    )


def _usage(report: str) -> Usage:
    """Tokens of all models together. What it cost is told in credits, and nowhere what those are worth."""
    try:
        models = _Report.model_validate(json.loads(report)).models.values()
    except (ValidationError, ValueError, RecursionError):
        return Usage()
    tokens = [model.usage for model in models]
    return Usage(
        input_tokens=_sum(each.input for each in tokens),
        cached_tokens=_sum(each.cached for each in tokens),
        output_tokens=_sum(each.output for each in tokens),
        reasoning_tokens=_sum(each.reasoning for each in tokens),
    )


def _sum(counts: Iterator[int | None]) -> int | None:
    told = [count for count in counts if count is not None]
    return sum(told) if told else None
