"""OpenAI's Batch API, of Responses and of Chat Completions.

Facts from the API reference ("Create batch", "Batch object", "The request output object", "Upload file") as it is
published for OpenAI and for Azure: a file of at most 50,000 lines and 200 MB with the purpose ``batch``, all of one
model and one endpoint; ``completion_window`` is 24h; the status is validating, failed, in_progress, finalizing,
completed, expired, cancelling or cancelled; answers and errors come as two files of lines in any order; what was
answered before a batch expired or was cancelled is in the first, and paid for. An error of a request stands in
``response.body`` (openai/openai-openapi issue 302), and that a request was not reached in ``error``, with the code
``batch_expired`` or ``batch_cancelled``. Half of the usual price.
"""

import json
import secrets
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from sparring.providers.api.batches.protocol import (
    CANCELLED,
    EXPIRED,
    BatchApi,
    BatchId,
    BatchRequest,
    BatchResult,
    BatchStatus,
)
from sparring.providers.api.openai import CHAT_COMPLETIONS, OPENAI_RESPONSES
from sparring.providers.api.protocol import Api, ApiFault, Event, Json
from sparring.schema.consultation import FailureCode

_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_NOT_REACHED = {"batch_expired": EXPIRED, "batch_cancelled": CANCELLED, "request_cancelled": CANCELLED}
_ID = r"^[A-Za-z0-9_-]{1,200}$"


class _Created(BaseModel):
    id: str = Field(pattern=_ID)


class _Errors(BaseModel):
    data: tuple[dict[str, Any], ...] = ()


class _Batch(BaseModel):
    status: str
    output: str | None = Field(default=None, alias="output_file_id", pattern=_ID)
    error: str | None = Field(default=None, alias="error_file_id", pattern=_ID)
    errors: _Errors | None = None


class _Response(BaseModel):
    status: int = Field(alias="status_code")
    body: dict[str, Any] = {}


class _Line(BaseModel):
    custom_id: str
    response: _Response | None = None
    error: dict[str, Any] | None = None


class _Part(BaseModel):
    type: str
    text: str = ""
    refusal: str = ""


class _Item(BaseModel):
    type: str
    content: tuple[_Part, ...] | None = None


class _Whole(BaseModel):
    status: Literal["completed", "incomplete", "failed", "cancelled", "in_progress", "queued"] = "completed"
    output: tuple[_Item, ...] = ()


class _Choice(BaseModel):
    index: int = 0
    message: dict[str, Any] = {}
    finish_reason: str | None = None


class _Completion(BaseModel):
    model: str | None = None
    choices: tuple[_Choice, ...] = ()
    usage: dict[str, Any] | None = None


class _Batches:
    most_questions = 50_000
    most_bytes = 190_000_000

    def __init__(self, api: Api) -> None:
        self._api = api

    def files(self, entries: Sequence[tuple[str, Json]], path: str) -> BatchRequest | None:
        # The path is that of OpenAI's own address, whatever stands before it where a gateway is asked.
        common = {"method": "POST", "url": f"/v1{path}"}
        lines = (json.dumps({"custom_id": name, **common, "body": body}, ensure_ascii=False) for name, body in entries)
        boundary = secrets.token_hex(16)
        start = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="batch.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        )
        content = "".join((start, *(f"{line}\n" for line in lines), f"\r\n--{boundary}--\r\n")).encode()
        return BatchRequest("/files", content, {"content-type": f"multipart/form-data; boundary={boundary}"})

    def create(self, entries: Sequence[tuple[str, Json]], path: str, uploaded: str) -> BatchRequest:
        del entries
        made = {"input_file_id": uploaded, "endpoint": f"/v1{path}", "completion_window": "24h"}
        return BatchRequest("/batches", json.dumps(made).encode())

    def created(self, told: Json) -> BatchId:
        return _Created.model_validate(told).id

    def poll(self, batch: BatchId) -> BatchRequest:
        return BatchRequest(f"/batches/{batch}")

    def status(self, batch: BatchId, told: Json) -> BatchStatus:
        del batch
        found = _Batch.model_validate(told)
        if found.status not in _ENDED:
            return BatchStatus()
        files = tuple(f"/files/{file}/content" for file in (found.output, found.error) if file)
        return BatchStatus(is_ended=True, results=files, fault=None if files else self._of_all(found))

    def result(self, entry: Json) -> BatchResult:
        line = _Line.model_validate(entry)
        if line.response is not None and line.response.status == 200:
            return BatchResult(line.custom_id, line.response.body)
        if line.response is not None:
            fault = self._api.fault(line.response.body.get("error", {}), line.response.status)
            return BatchResult(line.custom_id, fault=fault)
        code = str((line.error or {}).get("code"))
        return BatchResult(line.custom_id, fault=_NOT_REACHED.get(code) or self._api.fault(line.error or {}, None))

    def cancel(self, batch: BatchId) -> BatchRequest:
        return BatchRequest(f"/batches/{batch}/cancel", b"{}")

    def whole(self, answer: Json) -> Iterable[Event]:
        return _events_of_completion(answer) if self._api is CHAT_COMPLETIONS else _events_of_response(answer)

    def _of_all(self, batch: _Batch) -> ApiFault:
        if batch.status == "cancelled":
            return CANCELLED
        if batch.status == "expired":
            return EXPIRED
        first = next(iter(batch.errors.data), None) if batch.errors else None
        if first is None:
            return ApiFault(FailureCode.EXIT, "the batch has ended without any result")
        return self._api.fault(first, None)


def _events_of_response(answer: Json) -> Iterable[Event]:
    said = _Whole.model_validate(answer)
    for item in said.output:
        for part in item.content or () if item.type == "message" else ():
            if part.type == "output_text":
                yield _event({"type": "response.output_text.delta", "delta": part.text})
            elif part.type == "refusal":
                yield _event({"type": "response.refusal.delta", "delta": part.refusal})
    kind = said.status if said.status in {"incomplete", "failed"} else "completed"
    yield _event({"type": f"response.{kind}", "response": answer})


def _events_of_completion(answer: Json) -> Iterable[Event]:
    said = _Completion.model_validate(answer)
    choices = [
        {"index": choice.index, "delta": choice.message, "finish_reason": choice.finish_reason}
        for choice in said.choices
    ]
    yield _event({"type": "", "model": said.model, "choices": choices, "usage": said.usage})


def _event(said: Json) -> Event:
    return Event(said["type"], json.dumps(said))


RESPONSES_BATCHES: BatchApi = _Batches(OPENAI_RESPONSES)
"""``POST /batches`` of requests to ``/v1/responses``."""

CHAT_BATCHES: BatchApi = _Batches(CHAT_COMPLETIONS)
"""``POST /batches`` of requests to ``/v1/chat/completions``."""
