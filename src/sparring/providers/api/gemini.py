"""Google's generateContent API, and its Batch API with the requests in the request itself.

Facts on batches from the reference and the guide (ai.google.dev: "Batch API"): ``models/MODEL:batchGenerateContent``
takes ``batch.displayName`` and ``batch.inputConfig.requests.requests[]``, each with ``request`` and ``metadata``; at
most 20 MB that way, more by a file. It answers with an operation, which ``GET /v1beta/batches/ID`` asks for; its
``metadata.state`` is BATCH_STATE_PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED or EXPIRED. Where it is done the
answers are in ``response.inlinedResponses.inlinedResponses[]``, by some reports in ``metadata.output`` instead, each
with ``response`` or ``error`` (a google.rpc.Status) and the request's ``metadata``. Half of the usual price.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel, Field

from sparring.providers.api import protocol
from sparring.providers.receiving import causes as failures
from sparring.schema.consultation import FailureCode, Question, Usage

_STOPS = {
    "FINISH_REASON_UNSPECIFIED": protocol.Stop.DONE,
    "MAX_TOKENS": protocol.Stop.CUT,
    "STOP": protocol.Stop.DONE,
    **dict.fromkeys(
        ("BLOCKLIST", "LANGUAGE", "OTHER", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII"), protocol.Stop.WITHHELD
    ),
}
_DAILY = "PerDay"
"""In the id of a quota, e.g. GenerateRequestsPerDayPerProjectPerModel-FreeTier."""


class _Part(BaseModel):
    text: str = ""
    thought: bool = False


class _Content(BaseModel):
    parts: tuple[_Part, ...] = ()


class _Candidate(BaseModel):
    index: int = 0
    content: _Content | None = None
    finish_reason: str | None = Field(default=None, alias="finishReason")


class _Feedback(BaseModel):
    block_reason: str | None = Field(default=None, alias="blockReason")


class _Chunk(BaseModel):
    candidates: tuple[_Candidate, ...] = ()
    feedback: _Feedback = Field(default=_Feedback(), alias="promptFeedback")
    usage: dict[str, Any] | None = Field(default=None, alias="usageMetadata")
    model: str | None = Field(default=None, alias="modelVersion")
    error: Any = None


class _Violation(BaseModel):
    quota: str = Field(default="", alias="quotaId")


class _Detail(BaseModel):
    reason: str = ""
    violations: tuple[_Violation, ...] = ()
    delay: str = Field(default="", alias="retryDelay", pattern=r"^([0-9]+(\.[0-9]+)?s)?$")


class _Error(BaseModel):
    code: int | None = None
    status: str = ""
    message: failures.ForeignText = ""
    details: tuple[_Detail, ...] = ()


class _Gemini:
    key_header = "x-goog-api-key"
    headers: Mapping[str, str] = {}

    def path(self, model: str) -> str:
        return f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:streamGenerateContent?alt=sse"

    def body(self, question: Question, model: str) -> protocol.Json:
        del model
        return {"contents": [{"role": "user", "parts": [{"text": question.prompt}]}]}

    def hear(self, data: str, heard: protocol.ApiHeard) -> None:
        chunk = _Chunk.model_validate(json.loads(data))
        if chunk.error is not None:
            heard.fail(self.fault(chunk.error, None))
            return
        heard.model = chunk.model or heard.model
        heard.usage |= chunk.usage or {}
        if chunk.feedback.block_reason:
            heard.stop, heard.reason, heard.complete = protocol.Stop.WITHHELD, chunk.feedback.block_reason, True
        for candidate in chunk.candidates:
            if candidate.index == 0:
                self._hear_candidate(candidate, heard)

    @staticmethod
    def _hear_candidate(candidate: _Candidate, heard: protocol.ApiHeard) -> None:
        heard.texts += (part.text for part in (candidate.content or _Content()).parts if not part.thought)
        if candidate.finish_reason:
            heard.stopped(candidate.finish_reason, _STOPS, protocol.Stop.BROKEN)  # such as MALFORMED_RESPONSE
            heard.complete = True  # there is no other mark of the end

    def fault(self, error: Any, status: int | None) -> protocol.ApiFault:
        told = _Error.model_validate(error)
        number = told.code if told.code is not None else status
        by_reason = (failures.GOOGLE_REASONS.get(detail.reason) for detail in told.details)
        used_up = any(_DAILY in violation.quota for detail in told.details for violation in detail.violations)
        candidates = (
            *by_reason,
            FailureCode.QUOTA if used_up else None,
            failures.GOOGLE_STATUSES.get(told.status),
            failures.code_of_message(told.message, failures.GOOGLE_SENTENCES),
            failures.code_of_status(number),
        )
        delays = (float(detail.delay[:-1]) for detail in told.details if detail.delay)
        return protocol.told_fault(told.message, candidates, told_s=next(delays, None))

    def usage(self, told: Mapping[str, Any]) -> Usage:
        said, thought = protocol.count(told.get("candidatesTokenCount")), protocol.count(told.get("thoughtsTokenCount"))
        return Usage(
            input_tokens=protocol.count(told.get("promptTokenCount")),
            cached_tokens=protocol.count(told.get("cachedContentTokenCount")),
            # Thoughts are counted beside what was said; we count them as part of it.
            output_tokens=None if said is None and thought is None else (said or 0) + (thought or 0),
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
"""google.rpc.Code: what a Status in a batch has for a number, where an HTTP answer has its status."""


class _Metadata(BaseModel):
    state: str = ""
    output: dict[str, Any] | None = None
    name: str = Field(default="", alias="displayName")
    created_at: AwareDatetime | None = Field(default=None, alias="createTime")


class _Operation(BaseModel):
    name: str = Field(pattern=r"^batches/[A-Za-z0-9_-]{1,200}$")
    metadata: _Metadata = _Metadata()
    done: bool = False
    error: dict[str, Any] | None = None
    response: dict[str, Any] | None = None


_NAMED = "sparring "


class _Page(BaseModel):
    operations: tuple[_Operation, ...] = ()
    cursor: str = Field(default="", alias="nextPageToken", pattern=r"^[A-Za-z0-9_=-]{0,1000}$")


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

    def listed(self, told: protocol.Json) -> protocol.BatchPage:
        page = _Page.model_validate(told)
        found = tuple(
            protocol.ListedBatch(
                each.name,
                each.metadata.name.removeprefix(_NAMED) if each.metadata.name.startswith(_NAMED) else "",
                each.metadata.created_at.timestamp() if each.metadata.created_at else 0.0,
            )
            for each in page.operations
        )
        return protocol.BatchPage(found, page.cursor)

    def created(self, told: protocol.Json) -> protocol.BatchId:
        return _Operation.model_validate(told).name

    def poll(self, batch: protocol.BatchId) -> protocol.BatchRequest:
        return protocol.BatchRequest(f"/v1beta/{batch}")

    def status(self, batch: protocol.BatchId, told: protocol.Json) -> protocol.BatchStatus:
        del batch
        operation = _Operation.model_validate(told)
        state = operation.metadata.state.rpartition("_STATE_")[2]
        if not operation.done and state not in {"SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"}:
            return protocol.BatchStatus()
        output = _Output.model_validate(operation.response or operation.metadata.output or {})
        if entries := output.inlined.entries:
            return protocol.BatchStatus(is_ended=True, inline=entries)
        return protocol.BatchStatus(is_ended=True, fault=_of_all(state, operation.error))

    def result(self, entry: protocol.Json) -> protocol.BatchResult:
        found = _Entry.model_validate(entry)
        if found.response is not None:
            return protocol.BatchResult(found.metadata.key, found.response)
        return protocol.BatchResult(found.metadata.key, fault=_fault_of_rpc(found.error or {}))

    def whole(self, answer: protocol.Json) -> Iterable[protocol.Json]:
        yield answer


def _of_all(state: str, error: dict[str, Any] | None) -> protocol.ApiFault:
    if state == "EXPIRED":
        return protocol.EXPIRED
    if state == "CANCELLED":
        return protocol.CANCELLED
    return _fault_of_rpc(error) if error else protocol.WITHOUT_RESULT


def _fault_of_rpc(error: dict[str, Any]) -> protocol.ApiFault:
    code = error.get("code")
    status = _RPC_STATUSES.get(code) if isinstance(code, int) else None
    if status is None:
        return GEMINI.fault(error, None)
    if status == "CANCELLED":
        return protocol.CANCELLED
    told = {name: value for name, value in error.items() if name != "code"}
    return GEMINI.fault({"status": status, **told}, None)


GEMINI_BATCHES: protocol.BatchApi = _GeminiBatches()
"""``POST /v1beta/models/MODEL:batchGenerateContent``."""
