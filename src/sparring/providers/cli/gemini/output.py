"""Gemini CLI, ``--output-format json``: one object over several lines.

An answer is printed on standard output, and most failures as the last object on standard error, after warnings and the
traces of failed tries.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from sparring.providers.cli.output import EndedProgram, Faults, Output, ProgramStage, text_of, total
from sparring.providers.receiving import causes as failures
from sparring.providers.receiving.framing import Json, objects_in
from sparring.providers.receiving.printed import code_of_line
from sparring.schema.base import SessionId
from sparring.schema.consultation import Answer, Ending, Failure, FailureCode, Reply, Usage

_NO_LOGIN = 41
"""Its exit code, and the code in its errors, without a login; the same field also has HTTP statuses."""

# Its own words where no status is reported (0.61.0).
_SENTENCES: failures.Sentences = {
    re.compile(r"The model response was blocked due to "): FailureCode.REFUSED,
    re.compile(r"Model stream ended due to (?:safety|recitation|other) settings\b"): FailureCode.REFUSED,
    re.compile(r"The model returned an empty response\b"): FailureCode.EMPTY,
    re.compile(r"The model returned reasoning thoughts but no final response\b"): FailureCode.EMPTY,
    re.compile(r"Model response was truncated because it exceeded the token limit\b"): FailureCode.CUT_OFF,
    re.compile(r"Model stream ended due to token limit exhaustion\b"): FailureCode.CUT_OFF,
    re.compile(r"exception TypeError: fetch failed\b"): FailureCode.CONNECTION,
    re.compile(r"fetch failed\b"): FailureCode.CONNECTION,
    re.compile(r"terminated$"): FailureCode.CONNECTION,
    re.compile(r"Incomplete JSON segment\b"): FailureCode.CONNECTION,
    re.compile(r"Model stream ended without a finish reason\b"): FailureCode.CONNECTION,
    re.compile(r"Unexpected token\b.{0,200}\bis not valid JSON\b"): FailureCode.CONNECTION,
    re.compile(r"Model stream ended with malformed function call\b"): FailureCode.PARSE,
    re.compile(r"Model stream ended with unexpected tool call\b"): FailureCode.PARSE,
}
_BY_CLASS = {"ModelNotFoundError": FailureCode.NOT_FOUND, "TerminalQuotaError": FailureCode.QUOTA}
_NO_METHOD = "Please set an Auth method"
_NOT_SIGNED_IN = "gemini is not signed in: run `gemini` once, or set GEMINI_API_KEY."
"""Replaces its own message, which names its private folder."""

_INELIGIBLE = re.compile(
    r"^(?:Error authenticating: |Failed to sign in\. Message: )?(?:IneligibleTierError: )?"
    r"(?:UNSUPPORTED_CLIENT \S )?This client is no longer supported for Gemini Code Assist\b",
    re.MULTILINE,
)
_INELIGIBLE_CLASS = "IneligibleTierError"
_NOT_SERVED = (
    "Google serves Gemini CLI no longer to this account (free, Pro or Ultra): "
    "set GEMINI_API_KEY, or use Antigravity CLI (`agy`) or the API (`google`)."
)
"""Replaces its own message: Google stopped to serve these accounts on 18 June 2026."""

_REPORTED = re.compile(r"^Error when talking to Gemini API Full report available at: .*?\.json (\w+)\b", re.MULTILINE)
"""Beginning of its report of a failed request; the object after that does not repeat the kind of failure."""

_FINISH_REASONS = re.compile(r'^ {4}"finish_reasons": \[([^\]]{0,2000})\]', re.MULTILINE)
_QUOTED = re.compile(r'"(\w+)"')
_ENDINGS = {"length": Ending.CUT_OFF, "content_filter": Ending.WITHHELD}
"""Ends of answers, as Gemini CLI writes them into its report and nowhere else (0.61.0)."""


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
    type: failures.ValidOrNone[str] = None
    message: Any = None
    code: failures.ValidOrNone[int | str] = None


class _Result(BaseModel):
    """The printed object; only ``response`` is needed, and an error if there is one."""

    session_id: failures.ValidOrNone[SessionId] = None
    response: Any = None
    stats: failures.ValidOrNone[_Stats] = None
    error: Any = None
    warnings: failures.ValidOrNone[tuple[failures.ForeignText, ...]] = None

    @property
    def fault(self) -> _Error | None:
        """The error, if there is one."""
        match self.error:
            case dict() as fields if fields:  # pyright: ignore[reportUnknownVariableType]
                return _Error.model_validate(fields)
            case str(message) if message:
                return _Error(message=message)
            case _:
                return None


class _Detail(BaseModel):
    reason: str = ""


class _ApiError(BaseModel):
    code: int | None = None
    status: str = ""
    message: failures.ForeignText = ""
    details: tuple[_Detail, ...] = ()


class _ApiBody(BaseModel):
    error: _ApiError = _ApiError()


def _is_result(event: Json) -> bool:
    """Return whether ``event`` is the final result; traces of failed tries contain other objects with errors."""
    return isinstance(event.get("response"), str) or (_is_marked(event) and bool({"response", "error"} & event.keys()))


def _is_marked(event: Json) -> bool:
    return "session_id" in event or "stats" in event


def _progress(event: Json) -> ProgramStage | None:
    return ProgramStage.OVER if _is_result(event) else None


def _reply(ended: EndedProgram) -> Reply:
    """Return the answer, or the failure. After a signal it ends with exit code 0 and prints nothing."""
    printed, reported = (_results(stream) for stream in (ended.finished.stdout, ended.finished.stderr))
    faults = Faults()
    for result in printed[:-1]:
        faults.error = result.fault and str(result.fault.message)
    faults.settle()
    if not printed:
        return (_fault(reported[-1], ended) if reported else None) or _without_result(ended)
    if reported and ended.finished.exit_code:  # this exit code means that the error came after its answer
        printed = (*printed, reported[-1])
    return _fault(printed[-1], ended) or _answer(printed[-1], faults, ended)


def _results(stream: str) -> Sequence[_Result]:
    results = [event for event in objects_in(stream) if _is_result(event)]
    return [_Result.model_validate(event) for event in filter(_is_marked, results)] or list(
        map(_Result.model_validate, results)
    )


def _fault(result: _Result, ended: EndedProgram) -> Failure | None:
    if (error := result.fault) is not None:
        if error.type == _INELIGIBLE_CLASS or _INELIGIBLE.match(text_of(error.message) or ""):
            return ended.failure(FailureCode.PERMISSION, _NOT_SERVED)
        code, message = _cause(error, ended.finished.stderr)
        return ended.failure(code, message)
    return ended.session_mismatch(result.session_id) or ended.empty(text_of(result.response))


def _without_result(ended: EndedProgram) -> Failure:
    if _INELIGIBLE.search(ended.finished.stderr):
        return ended.failure(FailureCode.PERMISSION, _NOT_SERVED)
    reply = ended.without_result()
    return reply.model_copy(update={"code": FailureCode.AUTH}) if ended.finished.exit_code == _NO_LOGIN else reply


def _cause(error: _Error, stderr: str) -> tuple[FailureCode, str]:
    message = text_of(error.message) or ""
    passed_on = _api_error(message)
    message = passed_on.message or message
    status = error.code if isinstance(error.code, int) and error.code >= 400 else passed_on.code
    reported = _REPORTED.findall(stderr)
    candidates = (
        *(failures.GOOGLE_REASONS.get(detail.reason) for detail in passed_on.details),
        failures.GOOGLE_STATUSES.get(passed_on.status),
        failures.code_of_status(status) if status is not None and status >= 500 else None,
        _BY_CLASS.get(reported[-1]) if reported else None,
        failures.code_of_message(message, failures.GOOGLE_SENTENCES) if status == 400 else None,
        failures.code_of_status(status) if status is not None else failures.code_of_message(message, _SENTENCES),
        FailureCode.AUTH if error.code == _NO_LOGIN else None,
        code_of_line(message) if status is None else None,
    )
    code = failures.first_code(candidates, FailureCode.UNKNOWN)
    return code, _NOT_SIGNED_IN if message.startswith(_NO_METHOD) else message


def _api_error(message: str) -> _ApiError:
    """Return the error of the API, where Gemini CLI passes it on as it came."""
    try:
        return _ApiBody.model_validate(json.loads(message)).error
    except (ValueError, RecursionError):  # pydantic's is one of them
        return _ApiError()


def _answer(result: _Result, faults: Faults, ended: EndedProgram) -> Answer:
    stats = result.stats or _Stats()
    return ended.answer(
        text_of(result.response) or "",
        session_id=result.session_id,
        model=_model(stats),
        usage=_usage(stats),
        ending=_ending(ended.finished.report),
        warnings=(*(result.warnings or ()), *faults.notices(ended.tool)),
    )


def _ending(report: str) -> Ending:
    reasons = [_QUOTED.findall(each) for each in _FINISH_REASONS.findall(report)]
    return _ENDINGS.get(reasons[-1][-1], Ending.COMPLETE) if reasons and reasons[-1] else Ending.COMPLETE


def _model(stats: _Stats) -> str:
    """Return the model that answered: others may have been asked for intermediate steps."""
    answered = {name: model for name, model in stats.models.items() if "main" in model.roles} or stats.models
    return max(answered, key=lambda name: answered[name].tokens.candidates or 0, default="")


def _usage(stats: _Stats) -> Usage:
    tokens = [model.tokens for model in stats.models.values()]
    output, thought = total(each.candidates for each in tokens), total(each.thoughts for each in tokens)
    return Usage(
        input_tokens=total(each.prompt for each in tokens),
        cached_tokens=total(each.cached for each in tokens),
        # Thoughts are counted apart from the answer; we count them as part of it.
        output_tokens=None if output is None and thought is None else (output or 0) + (thought or 0),
        reasoning_tokens=thought,
    )


OUTPUT = Output(_reply, progress=_progress, no_session=re.compile(r"Error resuming session: "))
