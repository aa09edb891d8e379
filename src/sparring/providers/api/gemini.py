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

from pydantic import BaseModel, Field

from sparring.providers.api.protocol import (
    CANCELLED,
    EXPIRED,
    WITHOUT_RESULT,
    Api,
    ApiFault,
    ApiHeard,
    BatchApi,
    BatchId,
    BatchRequest,
    BatchResult,
    BatchStatus,
    Json,
    Stop,
    count,
)
from sparring.providers.failures import (
    GOOGLE_REASONS,
    GOOGLE_SENTENCES,
    GOOGLE_STATUSES,
    RETRYABLE,
    ForeignText,
    code_of_message,
    code_of_status,
    first_code,
)
from sparring.schema.consultation import FailureCode, Question, Usage

_STOPS = {
    "MAX_TOKENS": Stop.CUT,
    **dict.fromkeys(
        ("BLOCKLIST", "LANGUAGE", "OTHER", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII"), Stop.WITHHELD
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
    content: _Content = _Content()
    finish_reason: str | None = Field(default=None, alias="finishReason")


class _Feedback(BaseModel):
    block_reason: str | None = Field(default=None, alias="blockReason")


class _Chunk(BaseModel):
    candidates: tuple[_Candidate, ...] = ()
    feedback: _Feedback = Field(default=_Feedback(), alias="promptFeedback")
    usage: dict[str, Any] = Field(default={}, alias="usageMetadata")
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
    message: ForeignText = ""
    details: tuple[_Detail, ...] = ()


class _Gemini:
    key_header = "x-goog-api-key"
    headers: Mapping[str, str] = {}

    def path(self, model: str) -> str:
        return f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:streamGenerateContent?alt=sse"

    def body(self, question: Question, model: str) -> Json:
        del model
        return {"contents": [{"role": "user", "parts": [{"text": question.prompt}]}]}

    def hear(self, data: str, heard: ApiHeard) -> None:
        chunk = _Chunk.model_validate(json.loads(data))
        if chunk.error is not None:
            heard.fail(self.fault(chunk.error, None))
            return
        heard.model = chunk.model or heard.model
        heard.usage |= chunk.usage
        if chunk.feedback.block_reason:
            heard.stop, heard.reason, heard.complete = Stop.WITHHELD, chunk.feedback.block_reason, True
        for candidate in chunk.candidates:
            if candidate.index == 0:
                self._hear_candidate(candidate, heard)

    @staticmethod
    def _hear_candidate(candidate: _Candidate, heard: ApiHeard) -> None:
        heard.texts += (part.text for part in candidate.content.parts if not part.thought)
        if candidate.finish_reason:
            heard.stopped(candidate.finish_reason, _STOPS)
            heard.complete = True  # there is no other mark of the end

    def fault(self, error: Any, status: int | None) -> ApiFault:
        told = _Error.model_validate(error)
        number = told.code if told.code is not None else status
        by_reason = (GOOGLE_REASONS.get(detail.reason) for detail in told.details)
        used_up = any(_DAILY in violation.quota for detail in told.details for violation in detail.violations)
        candidates = (
            *by_reason,
            FailureCode.QUOTA if used_up else None,
            GOOGLE_STATUSES.get(told.status),
            code_of_message(told.message, GOOGLE_SENTENCES),
            code_of_status(number) if number is not None else None,
        )
        code = first_code(candidates)
        delays = (float(detail.delay[:-1]) for detail in told.details if detail.delay)
        return ApiFault(code, told.message, told=True, again=code in RETRYABLE, told_s=next(delays, None))

    def usage(self, told: Mapping[str, Any]) -> Usage:
        said, thought = count(told.get("candidatesTokenCount")), count(told.get("thoughtsTokenCount"))
        return Usage(
            input_tokens=count(told.get("promptTokenCount")),
            cached_tokens=count(told.get("cachedContentTokenCount")),
            # Thoughts are counted beside what was said; we count them as part of it.
            output_tokens=None if said is None and thought is None else (said or 0) + (thought or 0),
            reasoning_tokens=thought,
        )


GEMINI: Api = _Gemini()
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
        return BatchResult(found.metadata.key, fault=_fault_of_rpc(found.error or {}))

    def whole(self, answer: Json) -> Iterable[Json]:
        yield answer


def _of_all(state: str, error: dict[str, Any] | None) -> ApiFault:
    if state == "EXPIRED":
        return EXPIRED
    if state == "CANCELLED":
        return CANCELLED
    return _fault_of_rpc(error) if error else WITHOUT_RESULT


def _fault_of_rpc(error: dict[str, Any]) -> ApiFault:
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
