"""Antigravity CLI, ``--input-format stream-json --output-format stream-json``: one JSON object a line, both ways.

From public reports up to 1.5.0; it was never run in development. Neither exit code 0 nor the status ``SUCCESS`` means
an answer: both are reported of a tool that was denied and of an answer that was cut off when the time ran out.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, Field, ValidationError

from sparring.providers.cli.output import EndedProgram, Output, ProgramStage, text_of
from sparring.providers.receiving import causes
from sparring.providers.receiving.framing import Json, objects_in
from sparring.schema.consultation import Failure, FailureCode, Reply, Usage

_PRINT_TIMEOUT = re.compile(r"^\[agy\] print timeout after\b", re.MULTILINE)
_DENIED = re.compile(r"^jetski: no output produced\b", re.MULTILINE)
_AGY_ERROR = re.compile(r"^AGY_ERROR:?[ \t]*(\S[^\n]{0,2000})", re.MULTILINE)
_LOGGED = re.compile(r"^[EW]\d{4} [^\n]{0,300}?\] ([^\n]{1,600})", re.MULTILINE)
"""An error or a warning in its log, the only place where earlier versions report an exhausted quota."""

_STATUS = re.compile(r"[^\n]{0,100}?\b([A-Z][A-Z_]{3,30}) \(code (\d{3})\):?[ \t]*([^\n]{0,600})")
_OWN_EFFORT = re.compile(r"gpt-.*|.*-(?:low|medium|high|thinking)", re.DOTALL)

_SENTENCES: causes.Sentences = {
    re.compile(r"(?:Individual quota|You have exhausted your quota)\b"): FailureCode.QUOTA,
    re.compile(r"(?:Error: )?(?:Authentication required|No valid authentication found)\b"): FailureCode.AUTH,
    re.compile(r"(?:Error: )?(?:authentication timed out|Please sign in|[Nn]ot (?:authenticated|signed in))\b"): (
        FailureCode.AUTH
    ),
    re.compile(r"(?:Error: )?(?:Account ineligible|Eligibility check failed)\b"): FailureCode.PERMISSION,
    re.compile(r"(?:Error: )?(?:unknown model|invalid model selection)\b", re.IGNORECASE): FailureCode.NOT_FOUND,
    re.compile(r"(?:Error: )?[^\n]{0,100}\brequires --effort\b"): FailureCode.UNSUPPORTED,
    re.compile(r"timeout waiting for response\b"): FailureCode.TIMEOUT,
}


class _Usage(BaseModel):
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    thinking_tokens: int | None = Field(default=None, ge=0)
    cache_read_tokens: int | None = Field(default=None, ge=0)


class _Result(BaseModel):
    status: causes.ValidOrNone[str] = None
    response: Any = None
    error: Any = None
    usage: causes.ValidOrNone[_Usage] = None
    denied_actions: Any = None


def encoded(prompt: str) -> str:
    """Return the line by which it is asked ``prompt``: ASCII alone, so that nothing in it ends a line."""
    return json.dumps({"event": "user", "message": {"content": prompt}}) + "\n"


def has_own_effort(model: str | None) -> bool:
    """Return whether the name of ``model`` includes an effort, so that a second one is an error."""
    return model is not None and _OWN_EFFORT.fullmatch(model) is not None


def _progress(event: Json) -> ProgramStage | None:
    return ProgramStage.OVER if event.get("event") == "result" else None


def _reply(ended: EndedProgram) -> Reply:
    events = tuple(objects_in(ended.finished.stdout))
    results = [result for event in events if event.get("event") == "result" and (result := _result(event))]
    if (broken := _broken_rule(events, results, ended)) is not None:
        return broken
    if not results:
        return _without_result(ended)
    result, text = results[-1], _text(results[-1], events)
    is_whole = result.status in (None, "SUCCESS")
    if not is_whole and (not text.strip() or ended.finished.exit_code != 0):
        code, message = _cause(result.error)
        return ended.failure(code or FailureCode.UNKNOWN, message or f"agy ended with the status {result.status}.")
    return ended.empty(text) or ended.answer(
        text.rstrip("\n"),
        session_id=None,
        model=_model(events),
        usage=_usage(result.usage or _Usage()),
        warnings=_notices(ended, "" if is_whole else result.status or ""),
    )


def _result(event: Json) -> _Result | None:
    try:
        return _Result.model_validate(event.get("result"))
    except ValidationError:
        return None


def _broken_rule(events: Sequence[Json], results: Sequence[_Result], ended: EndedProgram) -> Failure | None:
    """Return the failure of a call that is not only an answer to the question, or that ran out of its own time."""
    stderr = ended.finished.stderr
    if _PRINT_TIMEOUT.search(stderr):
        return ended.failure(FailureCode.TIMEOUT, "agy ran out of its own time, and printed what it had by then.")
    tools = [str(step.get("tool_name") or "a tool") for step in _steps(events) if step.get("step_type") == "tool"]
    if tools:
        return ended.failure(FailureCode.PERMISSION, f"agy used {tools[0]}, and was asked to use no tool.")
    if _DENIED.search(stderr) or any(result.denied_actions for result in results):
        return ended.failure(FailureCode.PERMISSION, "agy wanted to use a tool, and was asked to use none.")
    return None


def _steps(events: Iterable[Json]) -> Iterable[Mapping[str, Any]]:
    for event in events:
        if isinstance(step := event.get("step_update"), dict):
            yield cast("Mapping[str, Any]", step)


def _text(result: _Result, events: Sequence[Json]) -> str:
    whole = text_of(result.response)
    if whole is not None:
        return whole
    steps = (step for step in _steps(events) if step.get("step_type") == "agent_response")
    return causes.joined(delta for step in steps if isinstance(delta := step.get("text_delta"), str))


def _model(events: Iterable[Json]) -> str:
    begun = (event.get("init") for event in events if event.get("event") == "init")
    named = (cast("Mapping[str, Any]", init).get("model") for init in begun if isinstance(init, dict))
    return next((name for name in named if isinstance(name, str)), "")


def _usage(used: _Usage) -> Usage:
    """Return the tokens as we count them: cached tokens are part of the input."""
    read = None if used.input_tokens is None else used.input_tokens + (used.cache_read_tokens or 0)
    return Usage(
        input_tokens=read,
        cached_tokens=used.cache_read_tokens,
        output_tokens=used.output_tokens,
        reasoning_tokens=used.thinking_tokens,
    )


def _notices(ended: EndedProgram, status: str) -> Iterable[str]:
    question = ended.question.question
    if status:
        yield f"agy answered and ended with the status {status}."
    if question.effort is not None and has_own_effort(question.model):
        yield f"The effort {question.effort} was not passed on: the model {question.model} has one in its name."


def _without_result(ended: EndedProgram) -> Failure:
    finished = ended.finished
    redact = ended.question.redactor.redact  # as a whole, before anything is cut
    stderr, log = redact(finished.stderr), redact(finished.report)
    lines = (*_AGY_ERROR.findall(stderr.text)[-1:], *_LOGGED.findall(log.text)[-1:], *stderr.text.split("\n")[:50])
    for line in lines:
        code, message = _cause(line)
        if code is not None:
            return ended.failure(code, message, redactions=stderr.count + log.count)
    return ended.without_result()


def _cause(error: object) -> tuple[FailureCode | None, str]:
    """Return the code and the sentence of an error: a text, JSON in a text, or an object."""
    cause = causes.cause_in(error) if isinstance(error, str) else causes.cause_of(error)
    message = cause.message
    if status := _STATUS.match(message):
        own = causes.code_of_message(status[3], _SENTENCES)
        by_status = causes.GOOGLE_STATUSES.get(status[1]) or causes.code_of_status(int(status[2]))
        return own or by_status, message
    return causes.code_of_message(message, _SENTENCES) or cause.code or causes.code_of_status(cause.status), message


OUTPUT = Output(_reply, progress=_progress, encoded=encoded)
