"""Anthropic's Message Batches.

Facts from the reference and the guide (platform.claude.com: "Create a Message Batch", "Retrieve Message Batch results",
"Batch processing"): at most 100,000 requests or 256 MB; ``processing_status`` is in_progress, canceling or ended; a
batch ends at the latest 24 hours after it was made; results are lines in any order, each of type succeeded, errored,
canceled or expired; half of the usual price.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from sparring.providers.api.anthropic import ANTHROPIC_MESSAGES
from sparring.providers.api.batches.protocol import (
    CANCELLED,
    EXPIRED,
    BatchApi,
    BatchId,
    BatchRequest,
    BatchResult,
    BatchStatus,
)
from sparring.providers.api.protocol import Event, Json

_PATH = "/v1/messages/batches"


class _Batch(BaseModel):
    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,200}$")
    status: Literal["in_progress", "canceling", "ended"] = Field(alias="processing_status")


class _Block(BaseModel):
    type: str
    text: str = ""


class _Message(BaseModel):
    content: tuple[_Block, ...] = ()
    stop_reason: str | None = None


class _Error(BaseModel):
    error: Any = None


class _Result(BaseModel):
    type: Literal["succeeded", "errored", "canceled", "expired"]
    message: dict[str, Any] = {}
    error: _Error = _Error()


class _Line(BaseModel):
    custom_id: str
    result: _Result


class _MessageBatches:
    most_questions = 100_000
    most_bytes = 250_000_000

    def files(self, entries: Sequence[tuple[str, Json]], path: str) -> BatchRequest | None:
        del entries, path
        return None

    def create(self, entries: Sequence[tuple[str, Json]], path: str, uploaded: str) -> BatchRequest:
        del path, uploaded
        requests = [{"custom_id": name, "params": body} for name, body in entries]
        return BatchRequest(_PATH, json.dumps({"requests": requests}, ensure_ascii=False).encode())

    def created(self, told: Json) -> BatchId:
        return _Batch.model_validate(told).id

    def poll(self, batch: BatchId) -> BatchRequest:
        return BatchRequest(f"{_PATH}/{batch}")

    def status(self, batch: BatchId, told: Json) -> BatchStatus:
        # Where the results are is told as well (``results_url``). It is not read: a key goes where it was sent.
        if _Batch.model_validate(told).status != "ended":
            return BatchStatus()
        return BatchStatus(is_ended=True, results=(f"{_PATH}/{batch}/results",))

    def result(self, entry: Json) -> BatchResult:
        line = _Line.model_validate(entry)
        match line.result.type:
            case "succeeded":
                return BatchResult(line.custom_id, line.result.message)
            case "errored":
                return BatchResult(line.custom_id, fault=ANTHROPIC_MESSAGES.fault(line.result.error.error, None))
            case "canceled":
                return BatchResult(line.custom_id, fault=CANCELLED)
            case "expired":
                return BatchResult(line.custom_id, fault=EXPIRED)

    def cancel(self, batch: BatchId) -> BatchRequest:
        return BatchRequest(f"{_PATH}/{batch}/cancel", b"{}")

    def whole(self, answer: Json) -> Iterable[Event]:
        message = _Message.model_validate(answer)
        yield _event({"type": "message_start", "message": answer})
        for block in message.content:
            if block.type == "text":
                yield _event({"type": "content_block_delta", "delta": {"type": "text_delta", "text": block.text}})
        yield _event({"type": "message_delta", "delta": {"stop_reason": message.stop_reason}})
        yield _event({"type": "message_stop"})


def _event(said: Json) -> Event:
    return Event(said["type"], json.dumps(said))


MESSAGE_BATCHES: BatchApi = _MessageBatches()
"""``POST /v1/messages/batches``."""
