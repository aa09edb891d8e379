"""Gemini CLI, ``--output-format json``: one object over several lines.

An answer is printed on standard output, and most failures as the last thing on standard error, after warnings and the
traces of failed tries.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from sparring.errors import OutputError
from sparring.providers.cli.output import EndedProgram, Output, lines_of, total
from sparring.providers.receiving import causes as failures
from sparring.schema.base import SessionId
from sparring.schema.consultation import Answer, Failure, FailureCode, Reply, Usage

_NO_LOGIN = 41
"""Its exit code, and the code in its errors, when it has no login; HTTP statuses are told in the same place."""

_FEEDBACK = "[ERROR] "
"""Stands before an error that it tells while it still works."""

# What it says itself where no status is told (0.61.0).
_SENTENCES: failures.Sentences = {
    re.compile(r"The model response was blocked due to "): FailureCode.PERMISSION,
    re.compile(r"The model returned an empty response\b"): FailureCode.EMPTY,
    re.compile(r"The model returned reasoning thoughts but no final response\b"): FailureCode.EMPTY,
    re.compile(r"Model response was truncated because it exceeded the token limit\b"): FailureCode.EMPTY,
    re.compile(r"exception TypeError: fetch failed\b"): FailureCode.CONNECTION,
    re.compile(r"fetch failed\b"): FailureCode.CONNECTION,
    re.compile(r"terminated$"): FailureCode.CONNECTION,
    re.compile(r"Incomplete JSON segment\b"): FailureCode.CONNECTION,
    re.compile(r"Model stream ended without a finish reason\b"): FailureCode.CONNECTION,
    re.compile(r"Model stream ended with malformed function call\b"): FailureCode.PARSE,
    re.compile(r"Model stream ended with unexpected tool call\b"): FailureCode.PARSE,
}
_BY_CLASS = {"ModelNotFoundError": FailureCode.NOT_FOUND, "TerminalQuotaError": FailureCode.QUOTA}
_NO_METHOD = "Please set an Auth method"
_NOT_SIGNED_IN = "gemini is not signed in: run `gemini` once, or set GEMINI_API_KEY."
"""Said in its place, since that names the folder that it was given for its own."""

_REPORTED = re.compile(r"^Error when talking to Gemini API Full report available at: .*?\.json (\w+)\b", re.MULTILINE)
"""How it begins to tell of a failed request; the object after that does not repeat what kind of failure it was."""


class _Tokens(BaseModel):
    prompt: int | None = Field(default=None, ge=0)
    candidates: int | None = Field(default=None, ge=0)
    thoughts: int | None = Field(default=None, ge=0)
    cached: int | None = Field(default=None, ge=0)


class _OfModel(BaseModel):
    tokens: _Tokens = _Tokens()
    roles: Mapping[str, Any] = {}


class _Stats(BaseModel):
    models: Mapping[str, _OfModel] = {}


class _Error(BaseModel):
    type: str = ""
    message: failures.ForeignText = ""
    code: int | str | None = None


class _Result(BaseModel):
    session_id: SessionId | None = None
    response: failures.ForeignText | None = None
    stats: failures.Untold[_Stats] = None
    error: _Error | None = None
    warnings: tuple[failures.ForeignText, ...] = ()


class _Detail(BaseModel):
    reason: str = ""


class _ApiError(BaseModel):
    code: int | None = None
    status: str = ""
    message: failures.ForeignText = ""
    details: tuple[_Detail, ...] = ()


class _ApiBody(BaseModel):
    error: _ApiError = _ApiError()


def _reply(ended: EndedProgram) -> Reply:
    """The answer, or why there is none. It ends with exit code 0 and says nothing when a signal ends it."""
    try:
        result = _last_object(ended.finished.stdout) or _last_object(ended.finished.stderr)
    except ValidationError as error:
        raise OutputError("what cannot be understood") from error
    if result is None:
        return _without_result(ended)
    return _fault(result, ended) or _answer(result, ended)


def _last_object(output: str) -> _Result | None:
    """The object that ``output`` ends with. What stands before it is noise, and may hold the words of an API."""
    lines = lines_of(output.rstrip())
    for number in range(len(lines) - 1, -1, -1):
        first = lines[number].removeprefix(_FEEDBACK)
        if first.startswith("{"):
            try:
                return _Result.model_validate(json.loads("\n".join((first, *lines[number + 1 :]))))
            except (json.JSONDecodeError, RecursionError):
                return None
    return None


def _fault(result: _Result, ended: EndedProgram) -> Failure | None:
    if result.error is not None:
        code, said = _told(result.error, ended.finished.stderr)
        return ended.failure(code, said)
    if ended.finished.exit_code != 0:
        return ended.without_result()
    return ended.begun_anew(result.session_id) or ended.empty(result.response)


def _without_result(ended: EndedProgram) -> Failure:
    reply = ended.without_result()
    return reply.model_copy(update={"code": FailureCode.AUTH}) if ended.finished.exit_code == _NO_LOGIN else reply


def _told(error: _Error, stderr: str) -> tuple[FailureCode, str]:
    told = _api_error(error.message)
    said = told.message or error.message
    status = error.code if isinstance(error.code, int) and error.code >= 400 else told.code
    reported = _REPORTED.findall(stderr)
    candidates = (
        *(failures.GOOGLE_REASONS.get(detail.reason) for detail in told.details),
        failures.GOOGLE_STATUSES.get(told.status),
        failures.code_of_status(status) if status is not None and status >= 500 else None,
        _BY_CLASS.get(reported[-1]) if reported else None,
        failures.code_of_message(said, failures.GOOGLE_SENTENCES) if status == 400 else None,
        failures.code_of_status(status) if status is not None else failures.code_of_message(said, _SENTENCES),
        FailureCode.AUTH if error.code == _NO_LOGIN else None,
    )
    return failures.first_code(candidates), _NOT_SIGNED_IN if said.startswith(_NO_METHOD) else said


def _api_error(message: str) -> _ApiError:
    """What the API told, where Gemini CLI passes it on as it came."""
    try:
        return _ApiBody.model_validate(json.loads(message)).error
    except (ValueError, RecursionError):  # pydantic's is one of them
        return _ApiError()


def _answer(result: _Result, ended: EndedProgram) -> Answer:
    stats = result.stats or _Stats()
    return ended.answer(
        result.response or "",
        session_id=result.session_id,
        model=_model(stats),
        usage=_usage(stats),
        warnings=result.warnings,
    )


def _model(stats: _Stats) -> str:
    """Who answered: of several, others may have been asked for something on the way."""
    answered = {name: model for name, model in stats.models.items() if "main" in model.roles} or stats.models
    return max(answered, key=lambda name: answered[name].tokens.candidates or 0, default="")


def _usage(stats: _Stats) -> Usage:
    tokens = [model.tokens for model in stats.models.values()]
    said, thought = total(each.candidates for each in tokens), total(each.thoughts for each in tokens)
    return Usage(
        input_tokens=total(each.prompt for each in tokens),
        cached_tokens=total(each.cached for each in tokens),
        # Thoughts are counted beside what was said; we count them as part of it.
        output_tokens=None if said is None and thought is None else (said or 0) + (thought or 0),
        reasoning_tokens=thought,
    )


OUTPUT = Output(_reply, no_session=re.compile(r"Error resuming session: "))
