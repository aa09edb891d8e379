"""Google's Batch API for generateContent, with the requests in the request itself.

Facts from the reference and the guide (ai.google.dev: "Batch API"): ``models/MODEL:batchGenerateContent`` takes
``batch.displayName`` and ``batch.inputConfig.requests.requests[]``, each with ``request`` and ``metadata``; at most
20 MB that way, more by a file. It answers with an operation, which ``GET /v1beta/batches/ID`` asks for; its
``metadata.state`` is BATCH_STATE_PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED or EXPIRED. Where it is done the
answers are in ``response.inlinedResponses.inlinedResponses[]``, by some reports in ``metadata.output`` instead, each
with ``response`` or ``error`` (a google.rpc.Status) and the request's ``metadata``. Half of the usual price.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

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
from sparring.providers.api.gemini import GEMINI
from sparring.providers.api.protocol import ApiFault, Event, Json
from sparring.schema.consultation import FailureCode

_RPC_STATUSES = {
    1: "CANCELLED",
    3: "INVALID_ARGUMENT",
    4: "DEADLINE_EXCEEDED",
    5: "NOT_FOUND",
    7: "PERMISSION_DENIED",
    8: "RESOURCE_EXHAUSTED",
    13: "INTERNAL",
    14: "UNAVAILABLE",
    16: "UNAUTHENTICATED",
}
"""google.rpc.Code: what a Status in a batch has for a number, where an HTTP answer has its status."""


class _Metadata(BaseModel):
    state: str = ""
    output: dict[str, Any] | None = None


class _Operation(BaseModel):
    name: str = Field(pattern=r"^batches/[A-Za-z0-9_-]{1,200}$")
    metadata: _Metadata = _Metadata()
    done: bool = False
    error: dict[str, Any] | None = None
    response: dict[str, Any] | None = None


class _Inlined(BaseModel):
    entries: tuple[dict[str, Any], ...] = Field(default=(), alias="inlinedResponses")


class _Output(BaseModel):
    inlined: _Inlined = Field(default=_Inlined(), alias="inlinedResponses")


class _Key(BaseModel):
    key: str


class _Entry(BaseModel):
    metadata: _Key
    response: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class _GeminiBatches:
    most_questions = 2_000  # whose answers come in one piece
    most_bytes = 18_000_000

    def files(self, entries: Sequence[tuple[str, Json]], path: str) -> BatchRequest | None:
        del entries, path
        return None

    def create(self, entries: Sequence[tuple[str, Json]], path: str, uploaded: str) -> BatchRequest:
        del uploaded
        requests = [{"request": body, "metadata": {"key": name}} for name, body in entries]
        batch = {"displayName": "sparring", "inputConfig": {"requests": {"requests": requests}}}
        model = path.rpartition(":")[0]
        content = json.dumps({"batch": batch}, ensure_ascii=False).encode()
        return BatchRequest(f"{model}:batchGenerateContent", content)

    def created(self, told: Json) -> BatchId:
        return _Operation.model_validate(told).name

    def poll(self, batch: BatchId) -> BatchRequest:
        return BatchRequest(f"/v1beta/{batch}")

    def status(self, batch: BatchId, told: Json) -> BatchStatus:
        del batch
        operation = _Operation.model_validate(told)
        state = operation.metadata.state.rpartition("_STATE_")[2]
        if not operation.done and state not in {"SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"}:
            return BatchStatus()
        output = _Output.model_validate(operation.response or operation.metadata.output or {})
        if entries := output.inlined.entries:
            return BatchStatus(is_ended=True, inline=entries)
        return BatchStatus(is_ended=True, fault=_of_all(state, operation.error))

    def result(self, entry: Json) -> BatchResult:
        found = _Entry.model_validate(entry)
        if found.response is not None:
            return BatchResult(found.metadata.key, found.response)
        return BatchResult(found.metadata.key, fault=_fault(found.error or {}))

    def cancel(self, batch: BatchId) -> BatchRequest:
        return BatchRequest(f"/v1beta/{batch}:cancel", b"{}")

    def whole(self, answer: Json) -> Iterable[Event]:
        yield Event("", json.dumps(answer))


def _of_all(state: str, error: dict[str, Any] | None) -> ApiFault:
    if state == "EXPIRED":
        return EXPIRED
    if state == "CANCELLED":
        return CANCELLED
    return _fault(error) if error else ApiFault(FailureCode.EXIT, "the batch has ended without any result")


def _fault(error: dict[str, Any]) -> ApiFault:
    code = error.get("code")
    status = _RPC_STATUSES.get(code) if isinstance(code, int) else None
    if status is None:
        return GEMINI.fault(error, None)
    if status == "CANCELLED":
        return CANCELLED
    told = {name: value for name, value in error.items() if name != "code"}
    return GEMINI.fault({"status": status, **told}, None)


GEMINI_BATCHES: BatchApi = _GeminiBatches()
"""``POST /v1beta/models/MODEL:batchGenerateContent``."""
