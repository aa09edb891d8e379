"""Google's generateContent API, and its Batch API with the requests in the request itself.

Facts on batches from the reference and the guide (ai.google.dev: "Batch API"): ``models/MODEL:batchGenerateContent``
takes ``batch.displayName`` and ``batch.inputConfig.requests.requests[]``, each with ``request`` and ``metadata``; at
most 20 MB that way, more by a file. It answers with an operation, which ``GET /v1beta/batches/ID`` asks for; its
``metadata.state`` is BATCH_STATE_PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED or EXPIRED. Where it is done the
answers are in ``response.inlinedResponses.inlinedResponses[]``, by some reports in ``metadata.output`` instead, each
with ``response`` or ``error`` (a google.rpc.Status) and the request's ``metadata``. Half of the usual price.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel, Field

from sparring.providers.api import protocol
from sparring.providers.api.protocol import PartialAnswer, Stop, table, tables, text_in, word
from sparring.providers.receiving.causes import cause_of
from sparring.schema.consultation import Question, Usage

_STOPS = {
    "MALFORMED_FUNCTION_CALL": Stop.TOOL,
    "MALFORMED_RESPONSE": Stop.BROKEN,
    "MAX_TOKENS": Stop.CUT,
    "TOO_MANY_TOOL_CALLS": Stop.TOOL,
    "UNEXPECTED_TOOL_CALL": Stop.TOOL,
    **dict.fromkeys(
        ("BLOCKLIST", "LANGUAGE", "OTHER", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII"), Stop.WITHHELD
    ),
}


class _Gemini:
    key_header = "x-goog-api-key"
    headers: Mapping[str, str] = {}

    def path(self, model: str) -> str:
        return f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:streamGenerateContent?alt=sse"

    def body(self, question: Question, model: str) -> protocol.Json:
        del model
        return {"contents": [{"role": "user", "parts": [{"text": question.prompt}]}]}

    def read(self, event: protocol.Json, answer: PartialAnswer) -> None:
        answer.note(event.get("modelVersion"), event.get("usageMetadata"))
        if blocked := word(table(event.get("promptFeedback")).get("blockReason")):
            answer.end(blocked, {}, Stop.WITHHELD)
        for candidate in tables(event.get("candidates")):
            if protocol.is_first(candidate.get("index")):
                self._read_candidate(candidate, answer)

    @staticmethod
    def _read_candidate(candidate: protocol.Json, answer: PartialAnswer) -> None:
        for part in tables(table(candidate.get("content")).get("parts")):
            if part.get("thought"):
                answer.thoughts.append(word(part.get("text")))
            else:
                answer.write(text_in(part.get("text")))
            if call := table(part.get("functionCall")):
                answer.call([word(call.get("name")) or "a tool"])
        if reason := word(candidate.get("finishReason")):
            answer.end(reason, _STOPS)  # there is no other mark of the end
            if answer.tools and answer.stop is Stop.DONE:
                answer.stop = Stop.TOOL

    def read_mark(self, text: str, answer: PartialAnswer) -> None:
        del text, answer

    def usage(self, reported: Mapping[str, Any]) -> Usage:
        written = protocol.count(reported.get("candidatesTokenCount"))
        thought = protocol.count(reported.get("thoughtsTokenCount"))
        return Usage(
            input_tokens=protocol.count(reported.get("promptTokenCount")),
            cached_tokens=protocol.count(reported.get("cachedContentTokenCount")),
            # Thoughts are counted apart from the answer; we count them as part of it.
            output_tokens=None if written is None and thought is None else (written or 0) + (thought or 0),
            reasoning_tokens=thought,
        )


GEMINI: protocol.Api = _Gemini()
"""``POST /v1beta/models/MODEL:streamGenerateContent?alt=sse``."""


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
"""Names of the numbers of google.rpc.Code, which a batch has in the place of HTTP statuses."""


class _Batch(BaseModel):
    name: str = Field(pattern=r"^batches/[A-Za-z0-9_-]{1,200}$")


class _Operation(_Batch):
    metadata: dict[str, Any] | None = None
    done: bool | None = None
    error: dict[str, Any] | None = None
    response: dict[str, Any] | None = None


_NAMED = "sparring "


class _Named(BaseModel):
    name: str = Field(default="", alias="displayName")
    created_at: AwareDatetime | None = Field(default=None, alias="createTime")


class _Listed(_Batch):
    metadata: _Named = _Named()


class _Page(BaseModel):
    operations: tuple[_Listed, ...] = ()
    cursor: str = Field(default="", alias="nextPageToken", pattern=r"^[A-Za-z0-9_=-]{0,1000}$")


class _GeminiBatches:
    most_questions = 2_000  # their answers come in one piece
    most_bytes = 18_000_000

    def files(self, entries: Sequence[tuple[str, protocol.Json]], path: str) -> protocol.BatchRequest | None:
        del entries, path
        return None

    def create(
        self, entries: Sequence[tuple[str, protocol.Json]], path: str, uploaded: str, intent: str
    ) -> protocol.BatchRequest:
        del uploaded
        requests = [{"request": body, "metadata": {"key": name}} for name, body in entries]
        batch = {"displayName": f"{_NAMED}{intent}".strip(), "inputConfig": {"requests": {"requests": requests}}}
        model = path.rpartition(":")[0]
        content = json.dumps({"batch": batch}, ensure_ascii=False).encode()
        return protocol.BatchRequest(f"{model}:batchGenerateContent", content)

    def listing(self, cursor: str) -> protocol.BatchRequest:
        return protocol.BatchRequest("/v1beta/batches?pageSize=100" + (f"&pageToken={cursor}" if cursor else ""))

    def listed(self, answer: protocol.Json) -> protocol.BatchPage:
        page = _Page.model_validate(answer)
        batches = tuple(
            protocol.ListedBatch(
                each.name,
                each.metadata.name.removeprefix(_NAMED) if each.metadata.name.startswith(_NAMED) else "",
                each.metadata.created_at.timestamp() if each.metadata.created_at else 0.0,
            )
            for each in page.operations
        )
        return protocol.BatchPage(batches, page.cursor)

    def created(self, answer: protocol.Json) -> protocol.BatchId:
        return _Operation.model_validate(answer).name

    def poll(self, batch: protocol.BatchId) -> protocol.BatchRequest:
        return protocol.BatchRequest(f"/v1beta/{batch}")

    def status(self, batch: protocol.BatchId, answer: protocol.Json) -> protocol.BatchStatus:
        del batch
        operation = _Operation.model_validate(answer)
        metadata = table(operation.metadata)
        state = word(metadata.get("state")).rpartition("_STATE_")[2]
        if not operation.done and state not in {"SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"}:
            return protocol.BatchStatus()
        for output in (operation.response, metadata.get("output")):
            listed = table(table(output).get("inlinedResponses")).get("inlinedResponses")
            if entries := tables(listed):
                return protocol.BatchStatus(is_ended=True, inline=tuple(entries))
        return protocol.BatchStatus(is_ended=True, fault=_of_all(state, table(operation.error)))

    def result(self, entry: protocol.Json) -> protocol.BatchResult:
        name = protocol.question_id(table(entry.get("metadata")).get("key"))
        if response := table(entry.get("response")):
            return protocol.BatchResult(name, response)
        return protocol.BatchResult(name, fault=_fault_of_rpc(table(entry.get("error"))))


def _of_all(state: str, error: protocol.Json) -> protocol.ApiFault:
    if state == "EXPIRED":
        return protocol.EXPIRED
    if state == "CANCELLED":
        return protocol.CANCELLED
    return _fault_of_rpc(error) if error else protocol.WITHOUT_RESULT


def _fault_of_rpc(error: protocol.Json) -> protocol.ApiFault:
    code = protocol.count(error.get("code"))
    status = _RPC_STATUSES.get(code) if code is not None else None
    if status == "CANCELLED":
        return protocol.CANCELLED
    if status is None:
        return protocol.find_reported_fault(cause_of(error))
    return protocol.find_reported_fault(
        cause_of({"status": status, **{name: error[name] for name in error if name != "code"}})
    )


GEMINI_BATCHES: protocol.BatchApi = _GeminiBatches()
"""``POST /v1beta/models/MODEL:batchGenerateContent``."""
