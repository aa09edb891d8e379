"""The Chat Completions API, as OpenAI and everybody compatible speak it."""

import json
import math
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from sparring.consult.api import errors_of_openai
from sparring.consult.api.apis import Api, Json
from sparring.consult.api.events import Event
from sparring.consult.api.heard import Fault, Heard, Stop, count, part
from sparring.schema.consultation import Usage

_END = "[DONE]"
_STOPS = {"content_filter": Stop.WITHHELD, "length": Stop.CUT}


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

    def body(self, prompt: str, model: str) -> Json:
        said = [{"role": "user", "content": prompt}]
        return {"model": model, "messages": said, "stream": True, "stream_options": {"include_usage": True}}

    def hear(self, event: Event, heard: Heard) -> None:
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
    def _hear_choice(choice: _Choice, heard: Heard) -> None:
        delta = choice.delta or _Delta()
        heard.texts.append(delta.content or "")
        heard.refusal += delta.refusal or ""
        if choice.finish_reason:
            heard.stopped(choice.finish_reason, _STOPS)
            heard.complete = True  # some leave the end mark out

    def fault(self, error: Any, status: int | None) -> Fault:
        return errors_of_openai.fault(error, status)

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
