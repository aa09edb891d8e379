"""OpenCode, ``run --format json``: one event per line on standard output."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, Field, ValidationError

from sparring.errors import OutputError
from sparring.providers.cli.output import EndedProgram, LastTry, Output, RequestLog, events_of, lines_of
from sparring.providers.cli.process import FinishedProcess
from sparring.providers.receiving.causes import (
    Cost,
    ForeignText,
    Sentences,
    Untold,
    code_of_message,
    code_of_status,
    first_code,
)
from sparring.schema.base import SessionId
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply, Usage

_BY_NAME = {
    "ContentFilterError": FailureCode.PERMISSION,
    "ContextOverflowError": FailureCode.CONTEXT_TOO_LONG,
    "MessageAbortedError": FailureCode.CANCELLED,
    "ProviderAuthError": FailureCode.AUTH,
    "ProviderModelNotFoundError": FailureCode.NOT_FOUND,
}
_BY_KIND = {
    "FreeUsageLimitError": FailureCode.QUOTA,
    "GoUsageLimitError": FailureCode.QUOTA,
    "insufficient_quota": FailureCode.QUOTA,
    "billing_error": FailureCode.QUOTA,
    "context_length_exceeded": FailureCode.CONTEXT_TOO_LONG,
}
"""Words of an endpoint's error body, in the fields for them, that say more than its status."""

# How OpenCode itself begins the message of an error without a status (1.18.33).
_SENTENCES: Sentences = {
    re.compile(r"Cannot connect to API\b"): FailureCode.CONNECTION,
    re.compile(r"Connection reset by server\b"): FailureCode.CONNECTION,
    re.compile(r"SSE read timed out\b"): FailureCode.TIMEOUT,
}
_LOGGED = r"timestamp=\S+ level=(?:INFO|ERROR) run=\S+ message="
_FAILED_CALL = re.compile(_LOGGED + r'"stream error" [^"]*error\.error="AI_APICallError: (?P<told>(?:[^"\\]|\\.)*)"')
"""What it logs of a request that failed. No status is told, but what it puts again was refused for the time being."""

_REQUESTS = RequestLog(put=re.compile(_LOGGED + "stream "), failed=_FAILED_CALL, patience_s=6.0)
"""Six tries, between which it waits as long as the endpoint says, else 2, 4, 8, 16, and 30 s (1.18.33)."""

_NOISE = re.compile(r"^timestamp=\S+ level=INFO .*\n?", re.MULTILINE)

_REFUSED_FOR_NOW = 503

_NOT_SAID = "Unexpected server error."
_GOES_ON = "tool-calls"
"""Why a step ended that another one follows, unless what it asked for was refused: OpenCode ends then (1.18.33)."""


class _Cache(BaseModel):
    read: int = Field(default=0, ge=0)
    write: int = Field(default=0, ge=0)


class _Tokens(BaseModel):
    input: int = Field(ge=0)
    output: int = Field(ge=0)
    reasoning: int = Field(default=0, ge=0)
    cache: _Cache = _Cache()


class _Part(BaseModel):
    text: ForeignText = ""
    reason: str | None = None
    tokens: Untold[_Tokens] = None
    cost: Untold[Cost] = 0


class _Data(BaseModel):
    message: str = ""
    status: int | None = Field(default=None, alias="statusCode")
    body: str = Field(default="", alias="responseBody")


class _Kind(BaseModel):
    type: str | None = None
    code: str | None = None


class _Body(BaseModel):
    """The body of an error as most endpoints write it."""

    error: _Kind


class _Error(BaseModel):
    name: str
    data: _Data = _Data()


class _Event(BaseModel):
    type: str
    session_id: SessionId | None = Field(default=None, alias="sessionID")
    part: _Part | None = None
    error: _Error | None = None


def _reply(ended: EndedProgram) -> Reply:
    """The answer, or why there is none. Exit code 0 alone means nothing."""
    events = events_of(ended.finished.stdout, _Event)
    return _fault(events, ended) or _answer(events, ended)


def _last_try(finished: FinishedProcess) -> LastTry | None:
    """Why OpenCode was about to ask the model once more when it was ended."""
    failed = [match["told"] for line in lines_of(finished.stderr) if (match := _FAILED_CALL.match(line))]
    if not failed:
        return None
    code = code_of_message(failed[-1], _SENTENCES) or code_of_status(_REFUSED_FOR_NOW)
    return LastTry(code, f"({len(failed)} so far): {failed[-1].rstrip('.')}") if code else None


def _asks_without_end(line: str) -> bool:
    """Whether OpenCode will now ask the same again, and again, as fast as it can.

    It does after a stream that ended without an end, and nothing but a signal stops it (1.18.33, 700 requests in 90 s).
    """
    if not line.startswith('{"type":"step_finish"'):
        return False
    try:
        return _was_cut_off(events_of(line, _Event))
    except OutputError:
        return False


def _was_cut_off(events: Sequence[_Event]) -> bool:
    finishes = [event.part for event in events if event.type == "step_finish" and event.part]
    return bool(finishes) and finishes[-1].reason == "unknown"


def _fault(events: Sequence[_Event], ended: EndedProgram) -> Failure | None:
    # An error may be told twice, and then the last one tells how it ended.
    if error := next((event.error for event in reversed(events) if event.error), None):
        return ended.failure(_code(error), _told(error, ended))
    if _was_cut_off(events):
        return ended.failure(FailureCode.CONNECTION, f"{ended.tool} was given an answer that broke off.")
    exit_code = ended.finished.exit_code
    if (exit_code is None or exit_code < 0) and (last := _last_try(ended.finished)):
        return ended.failure(last.code, f"{ended.tool} waits for long; its last try failed {last.told}.")
    finishes = [event.part for event in _last_step(events) if event.type == "step_finish" and event.part]
    if exit_code != 0 or not finishes:
        quiet = replace(ended.finished, stderr=_NOISE.sub("", ended.finished.stderr))
        return replace(ended, finished=quiet).without_result()
    if finishes[-1].reason == _GOES_ON:
        detail = f"{ended.tool} gave no answer: it was to go on after a tool that it may not use."
        return ended.failure(FailureCode.EMPTY, detail)
    return ended.empty(_text(events))


def _told(error: _Error, ended: EndedProgram) -> str:
    told, model = error.data.message or error.name, ended.asked.question.model
    if told.startswith(_NOT_SAID) and model is not None:  # all that it says of a model that it does not know
        return f"{ended.tool} failed before it asked {model}; does `opencode models` list it? {told}"
    return told


def _code(error: _Error) -> FailureCode:
    status = error.data.status
    candidates = (
        _BY_NAME.get(error.name),
        *(_BY_KIND.get(kind or "") for kind in _kinds(error.data.body)),
        code_of_status(status) if status is not None else code_of_message(error.data.message, _SENTENCES),
    )
    return first_code(candidates)


def _kinds(body: str) -> tuple[str | None, ...]:
    try:
        told = _Body.model_validate_json(body).error
    except ValidationError:
        return ()
    return told.type, told.code


def _last_step(events: Sequence[_Event]) -> Sequence[_Event]:
    steps = [number for number, event in enumerate(events) if event.type == "step_start"]
    return events[steps[-1] :] if steps else events


def _text(events: Sequence[_Event]) -> str:
    """What was said last: before that there may be words that only announce the reading of a file."""
    said = (event.part.text for event in _last_step(events) if event.type == "text" and event.part)
    return "\n\n".join(said)


def _answer(events: Sequence[_Event], ended: EndedProgram) -> Answer:
    session_id = next((event.session_id for event in events if event.session_id), None)
    finishes = [event.part for event in events if event.type == "step_finish" and event.part]
    warnings = _warnings(ended.tool, ended.asked.question, finishes)
    return ended.answer(_text(events), session_id=session_id, usage=_usage(finishes), warnings=warnings)


def _usage(finishes: Sequence[_Part]) -> Usage:
    steps = [part.tokens for part in finishes if part.tokens]
    costs = [part.cost for part in finishes if part.cost is not None]
    if len(steps) != len(finishes) or not steps:
        return Usage()
    # OpenCode counts what came from the cache or went there beside the input, and reasoning beside the output.
    return Usage(
        input_tokens=sum(step.input + step.cache.read + step.cache.write for step in steps),
        cached_tokens=sum(step.cache.read for step in steps),
        output_tokens=sum(step.output + step.reasoning for step in steps),
        reasoning_tokens=sum(step.reasoning for step in steps),
        # Reckoned from the prices in its configuration; it says 0 of a model whose price it does not know.
        cost_usd=(sum(costs) or None) if len(costs) == len(finishes) else None,
    )


def _warnings(tool: str, question: Question, finishes: Sequence[_Part]) -> list[str]:
    told: list[str] = []
    if question.effort is not None:  # an unknown variant is ignored, and nothing is said (1.18.33)
        told.append(f"{tool} passes the effort on only to models that it knows levels for, and does not tell which.")
    if finishes and finishes[-1].reason == "length":
        told.append(f"{tool} ended the answer at the model's limit for output.")
    return told


OUTPUT = Output(
    _reply,
    last_try=_last_try,
    no_session=re.compile(r"Error: Session not found$"),
    is_last=_asks_without_end,
    requests=_REQUESTS,
)
