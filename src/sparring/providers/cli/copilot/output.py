"""GitHub Copilot CLI, ``--output-format json``: one event per line on standard output, and what it used in a report."""

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from pydantic import BaseModel, Field, ValidationError

from sparring.processes.children import FinishedProcess
from sparring.providers.cli.output import (
    EndedProgram,
    Faults,
    LastAttempt,
    Output,
    ProgramStage,
    lines_of,
    text_of,
    total,
)
from sparring.providers.receiving.causes import (
    Sentences,
    ValidOrNone,
    code_of_message,
    code_of_status,
    first_code,
    joined,
)
from sparring.providers.receiving.framing import Json, TornEvent, events_in
from sparring.providers.receiving.printed import code_of_line
from sparring.schema.base import SessionId
from sparring.schema.consultation import Answer, Ending, Failure, FailureCode, Reply, Usage

# Copilot's own messages about a failed turn (1.0.102); where a status decides, they are not used.
_SENTENCES: Sentences = {
    re.compile(r"The provider rejected the prompt as too long\b"): FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"No response was returned\b"): FailureCode.EMPTY,
}
# Its messages on standard error before there is a turn. They contain no text of a prompt.
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


_NEEDED = ("assistant.message", "session.error", "result")


class _Data(BaseModel):
    """Fields of the events that we read; each has a few of them."""

    content: Any = None
    delta: ValidOrNone[str] = Field(default=None, alias="deltaContent")
    model: ValidOrNone[str] = None
    message: ValidOrNone[str] = None
    error_type: ValidOrNone[str] = Field(default=None, alias="errorType")
    error_code: ValidOrNone[str] = Field(default=None, alias="errorCode")
    status: ValidOrNone[int] = Field(default=None, alias="statusCode")
    failure_kind: ValidOrNone[str] = Field(default=None, alias="failureKind")

    @property
    def is_error(self) -> bool:
        """Return whether it has any field of an error."""
        return bool(self.message or self.error_type or self.error_code or self.status)


class _Event(BaseModel):
    type: ValidOrNone[str] = None
    data: ValidOrNone[_Data] = None
    session_id: ValidOrNone[SessionId] = Field(default=None, alias="sessionId")
    exit_code: ValidOrNone[int] = Field(default=None, alias="exitCode")


class _Tokens(BaseModel):
    input: int | None = Field(default=None, ge=0, alias="inputTokens")
    cached: int | None = Field(default=None, ge=0, alias="cacheReadTokens")
    output: int | None = Field(default=None, ge=0, alias="outputTokens")
    reasoning: int | None = Field(default=None, ge=0, alias="reasoningTokens")


class _OfModel(BaseModel):
    usage: _Tokens = _Tokens()


class _Report(BaseModel):
    models: Mapping[str, _OfModel] = Field(default={}, alias="modelMetrics")


class _Turn(Struct):
    """Sum of the events of one run, up to the last one.

    Attributes:
        text: The last message with content, with all beginnings that it continues.
        begun: Text of steps that the model's limit of tokens ended: Copilot continues after it,
            and only the continuation becomes a message (1.0.102).
        is_joined: Whether ``text`` has such a beginning.
        deltas: Parts of an answer that is no message yet.
        torn: Broken parts of the answer.
        error: An error after it that ended the turn.
        refused: The last request for an answer, if it failed and no other one was sent.
        result: The last event, which a run that was ended from outside may lack.
    """

    text: str | None = None
    model: str = ""
    begun: list[str] = field(default_factory=list[str])
    is_joined: bool = False
    deltas: list[str] = field(default_factory=list[str])
    torn: TornEvent | None = None
    error: _Data | None = None
    refused: _Data | None = None
    result: _Event | None = None
    faults: Faults = field(default_factory=Faults)

    def take(self, event: Json | TornEvent) -> None:
        if isinstance(event, TornEvent):
            self.torn = event
            return
        fields = _Event.model_validate(event)
        data = fields.data or _Data()
        match fields.type:
            case "assistant.message":
                self._take_message(data, event)
            case "assistant.message_delta":
                self.deltas.append(data.delta or "")
            case "assistant.turn_end":
                self.begun += self.deltas
                self.deltas = []
            case "session.error" if data.is_error:
                self.error, self.faults.error = data, data.message
            case "model.call_start":
                self.refused, self.deltas = None, []
            case "model.call_failure":
                self.refused = data
                self.faults.error = self.faults.error or _of_call(data)
            case "result":
                self.result = fields
            case _:
                pass

    def _take_message(self, data: _Data, event: Json) -> None:
        content = text_of(data.content)
        if content is None:  # one that calls a tool may have none
            self.torn = None if data.content is None else TornEvent.of(event)
            return
        whole = joined((*self.begun, content))
        if whole.strip():
            self.text, self.model, self.is_joined = whole, data.model or "", bool("".join(self.begun).strip())
            self.torn = self.error = None
            self.faults.settle()
        self.begun, self.deltas = [], []


def _of_call(refused: _Data) -> str:
    """Return how a request to the model failed, for people."""
    return f"a request failed with status {refused.status}" if refused.status else "a request failed"


def _progress(event: Json) -> ProgramStage | None:
    match event.get("type"):
        case "result":
            return ProgramStage.OVER
        case "assistant.turn_start":
            return ProgramStage.CONTINUES
        case _:
            return None


def _reply(ended: EndedProgram) -> Reply:
    """Return the answer, or the failure. An error event outweighs exit code 0."""
    turn = _turn(ended.finished.stdout)
    return _fault(turn, ended) or _answer(turn, ended)


def _last_try(finished: FinishedProcess) -> LastAttempt | None:
    """Return why Copilot was about to ask the model again when it was ended; None when it waited for an answer."""
    refused = _turn(finished.stdout).refused
    if refused is None or (code := _code_of_call(refused)) is None:
        return None
    return LastAttempt(code, f"status {refused.status}" if refused.status else "no connection")


def _turn(stdout: str) -> _Turn:
    turn = _Turn()
    for event in events_in(stdout, _NEEDED):
        turn.take(event)
    return turn


def _fault(turn: _Turn, ended: EndedProgram) -> Failure | None:
    if turn.error is not None:
        return ended.failure(_code(turn.error, turn.refused), turn.error.message or "")
    if turn.torn:
        return ended.unread(turn.torn)
    if turn.result is None or turn.result.exit_code:
        return _without_result(ended)
    return ended.session_mismatch(turn.result.session_id) or ended.empty(turn.text)


def _code(error: _Data, refused: _Data | None) -> FailureCode:
    candidates = (
        _BY_ERROR_CODE.get(error.error_code or ""),
        code_of_message(error.message or "", _SENTENCES),
        _code_of_call(refused) if refused is not None else None,
        code_of_status(error.status),
        _BY_ERROR_TYPE.get(error.error_type or ""),
        code_of_line(error.message or "") if error.status is None else None,
    )
    return first_code(candidates, FailureCode.UNKNOWN)


def _code_of_call(refused: _Data) -> FailureCode | None:
    if code := _BY_ERROR_CODE.get(refused.error_code or ""):
        return code
    if refused.status is not None:
        return code_of_status(refused.status)
    return FailureCode.CONNECTION if refused.failure_kind == "transport" else None


def _without_result(ended: EndedProgram) -> Failure:
    errors = [line for line in lines_of(ended.finished.stderr) if line.startswith("Error: ")]
    code = code_of_message(errors[0], _REFUSALS) if errors else None
    return ended.without_result() if code is None else ended.failure(code, errors[0])


def _answer(turn: _Turn, ended: EndedProgram) -> Answer:
    usage, unknown = ended.counting_sessions(_usage(ended.finished.report))
    return ended.answer(
        turn.text or "",
        session_id=turn.result.session_id if turn.result else None,
        model=turn.model,
        usage=usage,
        ending=Ending.CUT_OFF if turn.is_joined else Ending.COMPLETE,
        warnings=(*turn.faults.notices(ended.tool), *unknown),
    )


def _usage(report: str) -> Usage:
    """Tokens of all models together. The cost is reported in credits only, without their price."""
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


OUTPUT = Output(
    _reply,
    progress=_progress,
    last_attempt=_last_try,
    no_session=re.compile(r"Error: No session, task, or name matched "),
)
