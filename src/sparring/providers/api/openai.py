"""What OpenAI and everybody who took over its APIs speak: Responses and Chat Completions, and batches of either.

Facts on batches from the API reference ("Create batch", "Batch object", "The request output object", "Upload file") as
it is published for OpenAI and for Azure: a file of at most 50,000 lines and 200 MB with the purpose ``batch``, all of
one model and one endpoint; ``completion_window`` is 24h; the status is validating, failed, in_progress, finalizing,
completed, expired, cancelling or cancelled; answers and errors come as two files of lines in any order; what was
answered before a batch expired or was cancelled is in the first, and paid for. An error of a request stands in
``response.body`` (openai/openai-openapi issue 302), and that a request was not reached in ``error``, with the code
``batch_expired`` or ``batch_cancelled``. Half of the usual price.
"""

import json
import math
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, TypeAdapter

from sparring.providers.api import protocol
from sparring.providers.receiving.causes import ForeignText, Sentences, code_of_message, code_of_status
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


class _OpenAI:
    """What both APIs have in common."""

    key_header = "authorization"
    headers: Mapping[str, str] = {}
    place: str

    def path(self, model: str) -> str:
        del model
        return self.place

    def fault(self, error: Any, status: int | None) -> protocol.ApiFault:
        told = _Error(message=error) if isinstance(error, str) else _Error.model_validate(error)
        own_status = told.code if isinstance(told.code, int) else status
        candidates = (
            _BY_WORD.get(str(told.code)),
            _BY_WORD.get(told.type or ""),
            code_of_message(told.message or "", _SENTENCES),
            code_of_status(own_status),
        )
        return protocol.told_fault(told.message or "", candidates)


def _usage(told: Mapping[str, Any], asked: str, said: str) -> Usage:
    return Usage(
        input_tokens=protocol.count(told.get(f"{asked}_tokens")),
        cached_tokens=protocol.count(protocol.part(told, f"{asked}_tokens_details").get("cached_tokens")),
        output_tokens=protocol.count(told.get(f"{said}_tokens")),
        reasoning_tokens=protocol.count(protocol.part(told, f"{said}_tokens_details").get("reasoning_tokens")),
    )


_STOPS = {"content_filter": protocol.Stop.WITHHELD, "max_output_tokens": protocol.Stop.CUT}


class _Details(BaseModel):
    reason: str | None = None


class _Response(BaseModel):
    model: str | None = None
    usage: dict[str, Any] | None = None
    incomplete_details: _Details | None = None
    error: Any = None


class _Event(BaseModel):
    type: str
    delta: Any = None
    response: _Response = _Response()


class _OpenAIResponses(_OpenAI):
    place = "/responses"

    def body(self, question: Question, model: str) -> protocol.Json:
        said = [{"role": "user", "content": [{"type": "input_text", "text": question.prompt}], "type": "message"}]
        # Kept for thirty days otherwise, for a continuation that never comes.
        return {"model": model, "input": said, "stream": True, "store": False}

    def hear(self, data: str, heard: protocol.ApiHeard) -> None:
        table = json.loads(data)
        said = _Event.model_validate(table)
        match said.type:
            case "response.output_text.delta":
                heard.texts.append(_text(said.delta))
            case "response.refusal.delta":
                heard.refusal += _text(said.delta)
            case "response.completed" | "response.incomplete":
                heard.model = said.response.model
                heard.usage |= said.response.usage or {}
                if said.type == "response.incomplete":
                    details = said.response.incomplete_details or _Details()
                    heard.stopped(details.reason or "incomplete", _STOPS, protocol.Stop.CUT)
                heard.complete = heard.ended = True
            case "response.failed":
                heard.fail(self.fault(said.response.error or {}, None))
            case "error":
                heard.fail(self.fault(table.get("error") or {**table, "type": None}, None))
            case _:
                pass

    def usage(self, told: Mapping[str, Any]) -> Usage:
        return _usage(told, "input", "output")


OPENAI_RESPONSES: protocol.Api = _OpenAIResponses()
"""``POST /responses``."""


def _text(delta: Any) -> str:
    if not isinstance(delta, str):
        raise ValueError("a delta is no text")  # noqa: TRY004 -- foreign data, not a caller's mistake
    return delta


_END = "[DONE]"
_STOPS_OF_COMPLETIONS = {
    "content_filter": protocol.Stop.WITHHELD,
    "error": protocol.Stop.BROKEN,  # OpenRouter, Mistral
    "insufficient_system_resource": protocol.Stop.BROKEN,  # DeepSeek
    "length": protocol.Stop.CUT,
    "model_length": protocol.Stop.CUT,  # Mistral
}


class _Part(BaseModel):
    type: str
    text: str = ""
    refusal: str = ""


_PARTS: TypeAdapter[list[_Part]] = TypeAdapter(list[_Part])


def _joined(content: Any) -> Any:
    """One text of several parts, as Mistral's models send them that think first; a thought is no text."""
    if not isinstance(content, list):
        return content
    return "".join(part.text for part in _PARTS.validate_python(content) if part.type == "text")


class _Delta(BaseModel):
    content: Annotated[str | None, BeforeValidator(_joined)] = None
    refusal: str | None = None


class _Choice(BaseModel):
    index: int = 0
    # A message is all of it at once.
    delta: _Delta | None = Field(default=None, validation_alias=AliasChoices("delta", "message"))
    finish_reason: str | None = None


class _Chunk(BaseModel):
    model: str | None = None
    choices: tuple[_Choice, ...] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


class _ChatCompletions(_OpenAI):
    place = "/chat/completions"

    def body(self, question: Question, model: str) -> protocol.Json:
        said = [{"role": "user", "content": question.prompt}]
        return {"model": model, "messages": said, "stream": True, "stream_options": {"include_usage": True}}

    def hear(self, data: str, heard: protocol.ApiHeard) -> None:
        if data.strip() == _END:
            heard.complete = heard.ended = True
            return
        chunk = _Chunk.model_validate(json.loads(data))
        if chunk.error is not None:
            heard.fail(self.fault(chunk.error, None))
            return
        heard.model = chunk.model or heard.model
        heard.usage |= chunk.usage or {}
        for choice in chunk.choices or ():
            if choice.index == 0:
                self._hear_choice(choice, heard)

    @staticmethod
    def _hear_choice(choice: _Choice, heard: protocol.ApiHeard) -> None:
        delta = choice.delta or _Delta()
        heard.texts.append(delta.content or "")
        heard.refusal += delta.refusal or ""
        if choice.finish_reason:
            heard.stopped(choice.finish_reason, _STOPS_OF_COMPLETIONS)
            heard.complete = True  # some leave the end mark out

    def usage(self, told: Mapping[str, Any]) -> Usage:
        return _usage(told, "prompt", "completion").model_copy(update={"cost_usd": _cost(told.get("cost"))})


CHAT_COMPLETIONS: protocol.Api = _ChatCompletions()
"""``POST /chat/completions``."""


def _cost(told: object) -> float | None:
    # OpenRouter's credits are dollars.
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    return told if math.isfinite(told) and told >= 0 else None


_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_NOT_REACHED = {
    "batch_expired": protocol.EXPIRED,
    "batch_cancelled": protocol.CANCELLED,
    "request_cancelled": protocol.CANCELLED,
}
_ID = r"^[A-Za-z0-9_-]{1,200}$"


class _Created(BaseModel):
    id: str = Field(pattern=_ID)


_INTENT = "sparring_intent"


class _Listed(_Created):
    created_at: float = 0.0
    metadata: dict[str, str] | None = None


class _Page(BaseModel):
    data: tuple[_Listed, ...]
    has_more: bool = False


class _Errors(BaseModel):
    data: tuple[dict[str, Any], ...] = ()


class _Batch(BaseModel):
    status: str
    output: str | None = Field(default=None, alias="output_file_id", pattern=_ID)
    error: str | None = Field(default=None, alias="error_file_id", pattern=_ID)
    errors: _Errors | None = None


class _BatchResponse(BaseModel):
    status: int = Field(alias="status_code")
    body: dict[str, Any] = {}


class _Line(BaseModel):
    custom_id: str
    response: _BatchResponse | None = None
    error: dict[str, Any] | None = None


class _Item(BaseModel):
    type: str
    content: tuple[_Part, ...] | None = None


class _Whole(BaseModel):
    status: Literal["completed", "incomplete", "failed", "cancelled", "in_progress", "queued"] = "completed"
    output: tuple[_Item, ...] = ()


class _OpenAIBatches:
    most_questions = 50_000
    most_bytes = 190_000_000

    def __init__(self, api: protocol.Api) -> None:
        self._api = api

    def files(self, entries: Sequence[tuple[str, protocol.Json]], path: str) -> protocol.BatchRequest | None:
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
        return protocol.BatchRequest("/files", content, {"content-type": f"multipart/form-data; boundary={boundary}"})

    def create(
        self, entries: Sequence[tuple[str, protocol.Json]], path: str, uploaded: str, intent: str
    ) -> protocol.BatchRequest:
        del entries
        made: protocol.Json = {"input_file_id": uploaded, "endpoint": f"/v1{path}", "completion_window": "24h"}
        made |= {"metadata": {_INTENT: intent}} if intent else {}
        return protocol.BatchRequest("/batches", json.dumps(made).encode())

    def listing(self, cursor: str) -> protocol.BatchRequest:
        return protocol.BatchRequest("/batches?limit=100" + (f"&after={cursor}" if cursor else ""))

    def listed(self, told: protocol.Json) -> protocol.BatchPage:
        page = _Page.model_validate(told)
        found = tuple(
            protocol.ListedBatch(each.id, (each.metadata or {}).get(_INTENT, ""), each.created_at) for each in page.data
        )
        return protocol.BatchPage(found, page.data[-1].id if page.has_more and page.data else "")

    def created(self, told: protocol.Json) -> protocol.BatchId:
        return _Created.model_validate(told).id

    def poll(self, batch: protocol.BatchId) -> protocol.BatchRequest:
        return protocol.BatchRequest(f"/batches/{batch}")

    def status(self, batch: protocol.BatchId, told: protocol.Json) -> protocol.BatchStatus:
        del batch
        found = _Batch.model_validate(told)
        if found.status not in _ENDED:
            return protocol.BatchStatus()
        files = tuple(f"/files/{file}/content" for file in (found.output, found.error) if file)
        return protocol.BatchStatus(is_ended=True, results=files, fault=None if files else self._of_all(found))

    def result(self, entry: protocol.Json) -> protocol.BatchResult:
        line = _Line.model_validate(entry)
        if line.response is not None and line.response.status == 200:
            return protocol.BatchResult(line.custom_id, line.response.body)
        if line.response is not None:
            fault = self._api.fault(line.response.body.get("error", {}), line.response.status)
            return protocol.BatchResult(line.custom_id, fault=fault)
        code = str((line.error or {}).get("code"))
        return protocol.BatchResult(
            line.custom_id, fault=_NOT_REACHED.get(code) or self._api.fault(line.error or {}, None)
        )

    def whole(self, answer: protocol.Json) -> Iterable[protocol.Json]:
        return (answer,) if self._api is CHAT_COMPLETIONS else _events_of_response(answer)

    def _of_all(self, batch: _Batch) -> protocol.ApiFault:
        if batch.status == "cancelled":
            return protocol.CANCELLED
        if batch.status == "expired":
            return protocol.EXPIRED
        first = next(iter(batch.errors.data), None) if batch.errors else None
        return protocol.WITHOUT_RESULT if first is None else self._api.fault(first, None)


def _events_of_response(answer: protocol.Json) -> Iterable[protocol.Json]:
    said = _Whole.model_validate(answer)
    for item in said.output:
        for said_so in item.content or () if item.type == "message" else ():
            if said_so.type == "output_text":
                yield {"type": "response.output_text.delta", "delta": said_so.text}
            elif said_so.type == "refusal":
                yield {"type": "response.refusal.delta", "delta": said_so.refusal}
    kind = said.status if said.status in {"incomplete", "failed"} else "completed"
    yield {"type": f"response.{kind}", "response": answer}


RESPONSES_BATCHES: protocol.BatchApi = _OpenAIBatches(OPENAI_RESPONSES)
"""``POST /batches`` of requests to ``/v1/responses``."""

CHAT_BATCHES: protocol.BatchApi = _OpenAIBatches(CHAT_COMPLETIONS)
"""``POST /batches`` of requests to ``/v1/chat/completions``."""
