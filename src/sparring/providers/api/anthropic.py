"""Anthropic's Messages API."""

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from sparring.providers.api.protocol import Api, ApiFault, ApiHeard, Event, Json, Stop, count, part
from sparring.providers.failures import RETRYABLE, ForeignText, Sentences, code_of_message, code_of_status, first_code
from sparring.schema.consultation import FailureCode, Question, Usage

_VERSION = "2023-06-01"
_STOPS = {
    "max_tokens": Stop.CUT,
    "model_context_window_exceeded": Stop.CUT,
    "refusal": Stop.WITHHELD,
}
_BY_TYPE = {
    "api_error": FailureCode.SERVER_ERROR,
    "authentication_error": FailureCode.AUTH,
    "billing_error": FailureCode.QUOTA,
    "not_found_error": FailureCode.NOT_FOUND,
    "overloaded_error": FailureCode.OVERLOADED,
    "permission_error": FailureCode.PERMISSION,
    "rate_limit_error": FailureCode.RATE_LIMIT,
    "request_too_large": FailureCode.CONTEXT_TOO_LONG,
    "timeout_error": FailureCode.TIMEOUT,
}
# Of type invalid_request_error, which says nothing.
_SENTENCES: Sentences = {
    re.compile(r"prompt is too long: "): FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"input length and `max_tokens` exceed context limit: "): FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"Your credit balance is too low "): FailureCode.QUOTA,
}


class _Message(BaseModel):
    model: str | None = None
    usage: dict[str, Any] = {}


class _Delta(BaseModel):
    type: str | None = None
    text: str = ""
    stop_reason: str | None = None


class _Event(BaseModel):
    type: str
    message: _Message = _Message()
    delta: _Delta = _Delta()
    usage: dict[str, Any] = {}
    error: Any = None


class _Error(BaseModel):
    type: str
    message: ForeignText = ""


def _content(question: Question) -> str | list[Json]:
    """The prompt; what the next prompts of that seat begin with as well is marked as worth keeping."""
    if not 0 < question.stable < len(question.prompt):
        return question.prompt
    kept, rest = question.prompt[: question.stable], question.prompt[question.stable :]
    return [
        {"type": "text", "text": kept, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": rest},
    ]


class _AnthropicMessages:
    key_header = "x-api-key"
    headers: Mapping[str, str] = {"anthropic-version": _VERSION}

    def path(self, model: str) -> str:
        del model
        return "/v1/messages"

    def body(self, question: Question, model: str) -> Json:
        return {"model": model, "messages": [{"role": "user", "content": _content(question)}], "stream": True}

    def hear(self, event: Event, heard: ApiHeard) -> None:
        said = _Event.model_validate(json.loads(event.data))
        match said.type, said.delta.type:
            case "message_start", _:
                heard.model = said.message.model
                heard.usage |= said.message.usage
            case "content_block_delta", "text_delta":
                heard.texts.append(said.delta.text)
            case "message_delta", _:
                heard.usage |= {name: told for name, told in said.usage.items() if told is not None}
                heard.stopped(said.delta.stop_reason or "", _STOPS)
            case "message_stop", _:
                heard.complete = heard.ended = True
            case "error", _:
                heard.fail(self.fault(said.error, None))
            case _:
                pass  # pings, thinking, and what may be invented yet

    def fault(self, error: Any, status: int | None) -> ApiFault:
        told = _Error.model_validate(error)
        candidates = (
            _BY_TYPE.get(told.type),
            code_of_message(told.message, _SENTENCES),
            code_of_status(status) if status is not None else None,
        )
        code = first_code(candidates)
        return ApiFault(code, told.message, told=True, again=code in RETRYABLE)

    def usage(self, told: Mapping[str, Any]) -> Usage:
        read = [count(told.get(f"{kind}input_tokens")) for kind in ("", "cache_creation_", "cache_read_")]
        return Usage(
            # What came from the cache, or went there, is counted beside the input; we count it as part of it.
            input_tokens=sum(tokens or 0 for tokens in read) if read[0] is not None else None,
            cached_tokens=read[2],
            output_tokens=count(told.get("output_tokens")),
            reasoning_tokens=count(part(told, "output_tokens_details").get("thinking_tokens")),
        )


ANTHROPIC_MESSAGES: Api = _AnthropicMessages()
"""``POST /v1/messages``."""
