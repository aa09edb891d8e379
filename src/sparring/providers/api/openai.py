"""What OpenAI and everybody who took over its APIs speak: Responses and Chat Completions."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from sparring.providers.api.protocol import Api, ApiFault, ApiHeard, Event, Json, Stop, count, part
from sparring.providers.failures import RETRYABLE, ForeignText, Sentences, code_of_message, code_of_status, first_code
from sparring.schema.consultation import FailureCode, Question, Usage

_BY_WORD = {
    "authentication_error": FailureCode.AUTH,
    "billing_hard_limit_reached": FailureCode.QUOTA,
    "billing_not_active": FailureCode.QUOTA,
    "content_filter": FailureCode.PERMISSION,
    "content_policy_violation": FailureCode.PERMISSION,
    "context_length_exceeded": FailureCode.CONTEXT_TOO_LONG,
    "insufficient_quota": FailureCode.QUOTA,
    "invalid_api_key": FailureCode.AUTH,
    "model_not_found": FailureCode.NOT_FOUND,
    "permission_error": FailureCode.PERMISSION,
    "rate_limit_exceeded": FailureCode.RATE_LIMIT,
    "server_error": FailureCode.SERVER_ERROR,
    "server_is_overloaded": FailureCode.OVERLOADED,
    "slow_down": FailureCode.RATE_LIMIT,
}
# What servers write that tell no more than status 400.
_SENTENCES: Sentences = {
    re.compile(r"This model's maximum context length is "): FailureCode.CONTEXT_TOO_LONG,  # vLLM
    re.compile(r"This endpoint's maximum context length is "): FailureCode.CONTEXT_TOO_LONG,  # OpenRouter
    re.compile(
        r"Trying to keep the first \d+ tokens when context the overflows"
    ): FailureCode.CONTEXT_TOO_LONG,  # LM Studio
}


class _Error(BaseModel):
    message: ForeignText | None = None
    type: str | None = None
    code: str | int | None = None


def _openai_fault(error: Any, status: int | None = None) -> ApiFault:
    """The fault that ``error`` describes, with the ``status`` that it came with; None in the middle of a stream.

    Raises:
        ValueError: It describes nothing.
    """
    told = _Error(message=error) if isinstance(error, str) else _Error.model_validate(error)
    own_status = told.code if isinstance(told.code, int) else status
    candidates = (
        _BY_WORD.get(str(told.code)),
        _BY_WORD.get(told.type or ""),
        code_of_message(told.message or "", _SENTENCES),
        code_of_status(own_status) if own_status is not None else None,
    )
    code = first_code(candidates)
    return ApiFault(code, told.message or "", told=True, again=code in RETRYABLE)


_STOPS = {"content_filter": Stop.WITHHELD, "max_output_tokens": Stop.CUT}


class _Details(BaseModel):
    reason: str = ""


class _Response(BaseModel):
    model: str | None = None
    usage: dict[str, Any] | None = None
    incomplete_details: _Details | None = None
    error: Any = None


class _Event(BaseModel):
    type: str
    delta: Any = None
    response: _Response = _Response()


class _OpenAIResponses:
    key_header = "authorization"
    headers: Mapping[str, str] = {}

    def path(self, model: str) -> str:
        del model
        return "/responses"

    def body(self, question: Question, model: str) -> Json:
        said = [{"role": "user", "content": [{"type": "input_text", "text": question.prompt}], "type": "message"}]
        # Kept for thirty days otherwise, for a continuation that never comes.
        return {"model": model, "input": said, "stream": True, "store": False}

    def hear(self, event: Event, heard: ApiHeard) -> None:
        table = json.loads(event.data)
        said = _Event.model_validate(table)
        match said.type:
            case "response.output_text.delta":
                heard.texts.append(_text(said.delta))
            case "response.refusal.delta":
                heard.refusal += _text(said.delta)
            case "response.completed" | "response.incomplete":
                heard.model = said.response.model
                heard.usage |= said.response.usage or {}
                heard.stopped((said.response.incomplete_details or _Details()).reason, _STOPS)
                heard.complete = heard.ended = True
            case "response.failed":
                heard.fail(self.fault(said.response.error or {}, None))
            case "error":
                heard.fail(self.fault(table.get("error") or {**table, "type": None}, None))
            case _:
                pass

    def fault(self, error: Any, status: int | None) -> ApiFault:
        return _openai_fault(error, status)

    def usage(self, told: Mapping[str, Any]) -> Usage:
        return Usage(
            input_tokens=count(told.get("input_tokens")),
            cached_tokens=count(part(told, "input_tokens_details").get("cached_tokens")),
            output_tokens=count(told.get("output_tokens")),
            reasoning_tokens=count(part(told, "output_tokens_details").get("reasoning_tokens")),
        )


OPENAI_RESPONSES: Api = _OpenAIResponses()
"""``POST /responses``."""


def _text(delta: Any) -> str:
    if not isinstance(delta, str):
        raise ValueError("a delta is no text")  # noqa: TRY004 -- foreign data, not a caller's mistake
    return delta


_END = "[DONE]"
_STOPS_OF_COMPLETIONS = {"content_filter": Stop.WITHHELD, "length": Stop.CUT}


class _Delta(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    index: int = 0
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Chunk(BaseModel):
    model: str | None = None
    choices: tuple[_Choice, ...] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


class _ChatCompletions:
    key_header = "authorization"
    headers: Mapping[str, str] = {}

    def path(self, model: str) -> str:
        del model
        return "/chat/completions"

    def body(self, question: Question, model: str) -> Json:
        said = [{"role": "user", "content": question.prompt}]
        return {"model": model, "messages": said, "stream": True, "stream_options": {"include_usage": True}}

    def hear(self, event: Event, heard: ApiHeard) -> None:
        if event.data.strip() == _END:
            heard.complete = heard.ended = True
            return
        chunk = _Chunk.model_validate(json.loads(event.data))
        if chunk.error is not None:
            heard.fail(self.fault(chunk.error, None))
            return
        heard.model = chunk.model or heard.model
        heard.usage |= chunk.usage or {}
        for choice in chunk.choices or ():
            if choice.index == 0:
                self._hear_choice(choice, heard)

    @staticmethod
    def _hear_choice(choice: _Choice, heard: ApiHeard) -> None:
        delta = choice.delta or _Delta()
        heard.texts.append(delta.content or "")
        heard.refusal += delta.refusal or ""
        if choice.finish_reason:
            heard.stopped(choice.finish_reason, _STOPS_OF_COMPLETIONS)
            heard.complete = True  # some leave the end mark out

    def fault(self, error: Any, status: int | None) -> ApiFault:
        return _openai_fault(error, status)

    def usage(self, told: Mapping[str, Any]) -> Usage:
        return Usage(
            input_tokens=count(told.get("prompt_tokens")),
            cached_tokens=count(part(told, "prompt_tokens_details").get("cached_tokens")),
            output_tokens=count(told.get("completion_tokens")),
            reasoning_tokens=count(part(told, "completion_tokens_details").get("reasoning_tokens")),
            cost_usd=_cost(told.get("cost")),
        )


CHAT_COMPLETIONS: Api = _ChatCompletions()
"""``POST /chat/completions``."""


def _cost(told: object) -> float | None:
    # OpenRouter's credits are dollars.
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    return told if math.isfinite(told) and told >= 0 else None
