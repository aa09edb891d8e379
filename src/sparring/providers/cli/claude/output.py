"""Claude Code, ``-p --output-format json``: one line of JSON on standard output, for answers and failures alike."""

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from sparring.providers.cli.output import EndedProgram, Output, lines_of
from sparring.providers.receiving.causes import (
    Cost,
    ForeignText,
    Sentences,
    Untold,
    code_of_message,
    code_of_status,
    first_code,
)
from sparring.schema.base import RepoAccess, SessionId
from sparring.schema.consultation import Answer, Failure, FailureCode, Reply, Usage

# What Claude Code itself writes when there was no HTTP status (2.1.329).
_SENTENCES: Sentences = {
    re.compile(r"Not logged in\b"): FailureCode.AUTH,
    re.compile(r"Login expired\b"): FailureCode.AUTH,
    re.compile(r"OAuth token (revoked|has expired)\b"): FailureCode.AUTH,
    re.compile(r"Failed to authenticate\b"): FailureCode.AUTH,
    re.compile(r"Credit balance is too low\b"): FailureCode.QUOTA,
    re.compile(r"You've hit your "): FailureCode.QUOTA,
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
    output_tokens_details: _Details | None = None


class _OfModel(BaseModel):
    output_tokens: int = Field(default=0, alias="outputTokens")


class _Result(BaseModel):
    result: ForeignText | None = None
    subtype: str
    is_error: bool
    num_turns: int | None = None
    session_id: SessionId | None = None
    stop_reason: str | None = None
    terminal_reason: str | None = None
    api_error: str | None = None
    api_error_status: int | None = None
    api_error_type: str | None = None
    errors: tuple[str, ...] = ()
    usage: Untold[_Tokens] = None
    models: Untold[Mapping[str, _OfModel]] = Field(default=None, alias="modelUsage")
    total_cost_usd: Untold[Cost] = None


def _reply(ended: EndedProgram) -> Reply:
    """The answer, or why there is none. Exit code 0 alone means nothing, and neither does ``subtype``."""
    line = _result_line(ended.finished.stdout)
    if line is None:
        return ended.without_result()
    try:
        result = _Result.model_validate(line)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        detail = f"{ended.tool} printed a result that cannot be understood: {place}."
        return ended.failure(FailureCode.PARSE, detail)
    return _fault(result, ended) or _answer(result, ended)


def _fault(result: _Result, ended: EndedProgram) -> Failure | None:
    if result.is_error or result.subtype != "success":
        said = result.result or "; ".join(result.errors) or f"{ended.tool} ended with {result.subtype}."
        return ended.failure(_code(result), said)
    if ended.finished.exit_code != 0:
        return ended.without_result()
    if result.num_turns == 0:
        # A built-in command was run instead of a question put: it costs nothing, and says nothing.
        detail = f"{ended.tool} answered by itself, without asking a model: {result.result}"
        return ended.failure(FailureCode.PARSE, detail)
    return ended.empty(result.result)


def _result_line(stdout: str) -> dict[str, Any] | None:
    # Warnings may stand around it; the last result counts.
    for text in reversed(lines_of(stdout)):
        if not text.startswith("{"):
            continue
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if line.get("type") == "result":
            return line
    return None


def _code(result: _Result) -> FailureCode:
    candidates = (
        _BY_REASON.get(result.terminal_reason or ""),
        _BY_ERROR_TYPE.get(result.api_error_type or ""),
        code_of_status(result.api_error_status),
        FailureCode.CONNECTION if result.api_error == "connection_failed" else None,
        FailureCode.PERMISSION if result.stop_reason == "refusal" else None,
        code_of_message(result.result or "", _SENTENCES) if result.terminal_reason == "api_error" else None,
    )
    return first_code(candidates)


def _answer(result: _Result, ended: EndedProgram) -> Answer:
    models = result.models or {}
    most_used = max(models, key=lambda name: models[name].output_tokens, default="")
    question, turns = ended.asked.question, result.num_turns or 1
    usage = _usage(result, resumed=question.session_id is not None)
    # Who has no tools takes another turn only where one was ended early, and tells the last alone (2.1.329).
    is_split = turns > 1 and question.repo_access is RepoAccess.NONE and not question.web
    told = f"{ended.tool} took {turns} turns: if the model's limit of tokens ended one, what it said there is missing."
    return ended.answer(
        result.result or "",
        session_id=result.session_id,
        model=most_used,
        usage=usage,
        warnings=(told,) if is_split else (),
    )


def _usage(result: _Result, *, resumed: bool) -> Usage:
    tokens = result.usage or _Tokens()
    read = (tokens.input_tokens, tokens.cache_creation_input_tokens, tokens.cache_read_input_tokens)
    return Usage(
        # Anthropic counts what came from the cache, or went there, beside the input; we count it as part of it.
        input_tokens=sum(count or 0 for count in read) if tokens.input_tokens is not None else None,
        cached_tokens=tokens.cache_read_input_tokens,
        output_tokens=tokens.output_tokens,
        reasoning_tokens=tokens.output_tokens_details.thinking_tokens if tokens.output_tokens_details else None,
        # In a continued session the cost is that of the whole session, the tokens are those of this answer (2.1.329).
        cost_usd=None if resumed else result.total_cost_usd,
    )


OUTPUT = Output(_reply, no_session=re.compile(r"No conversation found with session ID: "))
