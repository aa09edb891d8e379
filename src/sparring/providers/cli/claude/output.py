"""Claude Code, ``-p --output-format json``: one object on standard output, for answers and failures alike.

With ``verbose`` it is the last element of an array of all messages (2.1.329).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from sparring.providers.cli.output import EndedProgram, Faults, Output, ProgramStage, text_of
from sparring.providers.receiving.causes import (
    Cost,
    ForeignText,
    Sentences,
    ValidOrNone,
    code_of_message,
    code_of_status,
    first_code,
)
from sparring.providers.receiving.framing import Json, TornEvent, objects_in
from sparring.providers.receiving.printed import code_of_line
from sparring.schema.base import RepoAccess, SessionId
from sparring.schema.consultation import Answer, Ending, Failure, FailureCode, Reply, Usage

# What Claude Code itself writes when there was no HTTP status (2.1.329).
_SENTENCES: Sentences = {
    re.compile(r"Not logged in\b"): FailureCode.AUTH,
    re.compile(r"Login expired\b"): FailureCode.AUTH,
    re.compile(r"OAuth token (revoked|has expired)\b"): FailureCode.AUTH,
    re.compile(r"Failed to authenticate\b"): FailureCode.AUTH,
    re.compile(r"Request timed out\b"): FailureCode.TIMEOUT,
    re.compile(r"API Error: API returned an empty or malformed response\b"): FailureCode.CONNECTION,
    re.compile(r"API Error: Connection\b"): FailureCode.CONNECTION,
}
_BY_REASON = {
    "prompt_too_long": FailureCode.CONTEXT_TOO_LONG,
    "blocking_limit": FailureCode.CONTEXT_TOO_LONG,
    "aborted_streaming": FailureCode.CANCELLED,
    "aborted_tools": FailureCode.CANCELLED,
}
_BY_ERROR = {"connection_failed": FailureCode.CONNECTION, "max_output_tokens": FailureCode.CUT_OFF}
_BY_ERROR_TYPE = {
    "authentication_error": FailureCode.AUTH,
    "billing_error": FailureCode.QUOTA,
    "overloaded_error": FailureCode.OVERLOADED,
    "rate_limit_error": FailureCode.RATE_LIMIT,
}


class _Details(BaseModel):
    thinking_tokens: int | None = Field(default=None, ge=0)


class _Tokens(BaseModel):
    input_tokens: int | None = Field(default=None, ge=0)
    cache_creation_input_tokens: int | None = Field(default=None, ge=0)
    cache_read_input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    output_tokens_details: ValidOrNone[_Details] = None


class _OfModel(BaseModel):
    output_tokens: int = Field(default=0, alias="outputTokens")


class _Result(BaseModel):
    """The last object; only ``result`` is needed, and an error if there is one."""

    result: Any = None
    subtype: ValidOrNone[str] = None
    is_error: ValidOrNone[bool] = None
    num_turns: ValidOrNone[int] = None
    session_id: ValidOrNone[SessionId] = None
    stop_reason: ValidOrNone[str] = None
    terminal_reason: ValidOrNone[str] = None
    api_error: ValidOrNone[str] = None
    api_error_status: ValidOrNone[int] = None
    api_error_type: ValidOrNone[str] = None
    errors: ValidOrNone[tuple[ForeignText, ...]] = None
    usage: ValidOrNone[_Tokens] = None
    models: ValidOrNone[Mapping[str, _OfModel]] = Field(default=None, alias="modelUsage")
    total_cost_usd: ValidOrNone[Cost] = None

    @property
    def text(self) -> str | None:
        """The answer, or a message about what went wrong."""
        return text_of(self.result)

    @property
    def has_failed(self) -> bool:
        """Return whether this is no answer. ``subtype`` alone may wrongly call it one."""
        return self.is_error is True or (self.subtype or "").startswith("error")

    @property
    def reason(self) -> str:
        """The reason why it is no answer, for people."""
        return self.text or "; ".join(self.errors or ()) or f"it ended with {self.subtype}."


def _progress(event: Json) -> ProgramStage | None:
    match event.get("type"):
        case "result":
            return ProgramStage.OVER
        case "assistant" | "user":
            return ProgramStage.CONTINUES
        case _:
            return None


def _reply(ended: EndedProgram) -> Reply:
    """Return the answer, or the failure. Exit code 0 alone means nothing, and neither does ``subtype``."""
    events = tuple(objects_in(ended.finished.stdout))
    results = [_Result.model_validate(event) for event in events if event.get("type") == "result"]
    if not results:
        return ended.without_result()
    faults = Faults()
    for result in results[:-1]:
        faults.error = result.reason if result.has_failed else None
    faults.settle()
    last = results[-1]
    text = last.text if last.result is not None else _last_message(events)
    return _fault(last, text, ended) or _answer(last, text or "", faults, ended)


def _last_message(events: Sequence[Json]) -> str | None:
    """Return the last message of the model, where the events hold the messages as well."""
    contents = [message.get("content") for event in events if isinstance(message := event.get("message"), dict)]  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return next((text for content in reversed(contents) if (text := text_of(content))), None)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _fault(result: _Result, text: str | None, ended: EndedProgram) -> Failure | None:
    if result.has_failed:
        return ended.failure(_code(result), result.reason)
    if result.num_turns == 0:
        # A built-in command was run instead of the question: it costs nothing, and gives no answer.
        return ended.failure(FailureCode.PARSE, f"{ended.tool} answered by itself, without asking a model: {text}")
    if text is None and result.result is not None:
        return ended.unread(TornEvent("result", f"`result` is {str(result.result)[:200]}"))
    return ended.empty(text)


def _code(result: _Result) -> FailureCode:
    candidates = (
        _BY_REASON.get(result.terminal_reason or ""),
        _BY_ERROR_TYPE.get(result.api_error_type or ""),
        code_of_status(result.api_error_status),
        _BY_ERROR.get(result.api_error or ""),
        FailureCode.REFUSED if result.stop_reason == "refusal" else None,
        code_of_message(result.reason, _SENTENCES),
        code_of_line(result.reason),
    )
    return first_code(candidates, FailureCode.UNKNOWN)


def _answer(result: _Result, text: str, faults: Faults, ended: EndedProgram) -> Answer:
    models = result.models or {}
    most_used = max(models, key=lambda name: models[name].output_tokens, default="")
    question, turns = ended.question.question, result.num_turns or 1
    # Without tools another turn follows only one that the limit of tokens ended, and the last one alone is printed
    # (2.1.329).
    is_split = turns > 1 and question.repo_access is RepoAccess.NONE and not question.web
    split = f"{ended.tool} took {turns} turns and printed only the last one: earlier text is missing."
    return ended.answer(
        text,
        session_id=result.session_id,
        model=most_used,
        usage=_usage(result, resumed=question.session_id is not None),
        ending=Ending.CUT_OFF if is_split or result.stop_reason == "max_tokens" else Ending.COMPLETE,
        warnings=(*((split,) if is_split else ()), *faults.notices(ended.tool)),
    )


def _usage(result: _Result, *, resumed: bool) -> Usage:
    tokens = result.usage or _Tokens()
    read = (tokens.input_tokens, tokens.cache_creation_input_tokens, tokens.cache_read_input_tokens)
    return Usage(
        # Anthropic counts tokens read from or written to the cache apart from the input; we count them as part of it.
        input_tokens=sum(count or 0 for count in read) if tokens.input_tokens is not None else None,
        cached_tokens=tokens.cache_read_input_tokens,
        output_tokens=tokens.output_tokens,
        reasoning_tokens=tokens.output_tokens_details.thinking_tokens if tokens.output_tokens_details else None,
        # In a continued session the cost is that of the whole session, the tokens are those of this answer (2.1.329).
        cost_usd=None if resumed else result.total_cost_usd,
    )


OUTPUT = Output(_reply, progress=_progress, no_session=re.compile(r"No conversation found with session ID: "))
