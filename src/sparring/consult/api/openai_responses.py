"""OpenAI's Responses API."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from sparring.consult.api import errors_of_openai
from sparring.consult.api.apis import Api, Json
from sparring.consult.api.events import Event
from sparring.consult.api.heard import Fault, Heard, Stop, count, part
from sparring.schema.consultation import Usage

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

    def body(self, prompt: str, model: str) -> Json:
        said = [{"role": "user", "content": [{"type": "input_text", "text": prompt}], "type": "message"}]
        # Kept for thirty days otherwise, for a continuation that never comes.
        return {"model": model, "input": said, "stream": True, "store": False}

    def hear(self, event: Event, heard: Heard) -> None:
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

    def fault(self, error: Any, status: int | None) -> Fault:
        return errors_of_openai.fault(error, status)

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
