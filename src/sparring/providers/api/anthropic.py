"""Anthropic's Messages API, and its Message Batches.

Facts on batches from the reference and the guide (platform.claude.com: "Create a Message Batch", "Retrieve Message
Batch results", "Batch processing"): at most 100,000 requests or 256 MB; ``processing_status`` is in_progress, canceling
or ended; a batch ends at the latest 24 hours after it was made; results are lines in any order, each of type succeeded,
errored, canceled or expired; half of the usual price.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, Field

from sparring.providers.api import protocol
from sparring.providers.receiving.causes import ForeignText, Sentences, code_of_message, code_of_status
from sparring.schema.consultation import FailureCode, Question, Usage

_VERSION = "2023-06-01"
_STOPS = {
    "max_tokens": protocol.Stop.CUT,
    "model_context_window_exceeded": protocol.Stop.CUT,
    "refusal": protocol.Stop.WITHHELD,
}
_BY_TYPE = {
    "api_error": FailureCode.SERVER_ERROR,
    "authentication_error": FailureCode.AUTH,
    "billing_error": FailureCode.QUOTA,
    "not_found_error": FailureCode.NOT_FOUND,
    "overloaded_error": FailureCode.OVERLOADED,
    "permission_error": FailureCode.PERMISSION,
    "rate_limit_error": FailureCode.RATE_LIMIT,
    "request_too_large": FailureCode.CONTEXT_TOO_LONG,
    "timeout_error": FailureCode.TIMEOUT,
}
# Of type invalid_request_error, which says nothing.
_SENTENCES: Sentences = {
    re.compile(r"prompt is too long: "): FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"input length and `max_tokens` exceed context limit: "): FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"Your credit balance is too low "): FailureCode.QUOTA,
}


class _Message(BaseModel):
    model: str | None = None
    usage: dict[str, Any] | None = None


class _Delta(BaseModel):
    type: str | None = None
    text: str = ""
    stop_reason: str | None = None


class _Event(BaseModel):
    type: str
    message: _Message = _Message()
    delta: _Delta = _Delta()
    usage: dict[str, Any] | None = None
    error: Any = None


class _Error(BaseModel):
    type: str
    message: ForeignText = ""


def _content(question: Question) -> str | list[protocol.Json]:
    """The prompt; what the next prompts of that seat begin with as well is marked as worth keeping."""
    if not 0 < question.stable < len(question.prompt):
        return question.prompt
    kept, rest = question.prompt[: question.stable], question.prompt[question.stable :]
    return [
        {"type": "text", "text": kept, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": rest},
    ]


class _AnthropicMessages:
    key_header = "x-api-key"
    headers: Mapping[str, str] = {"anthropic-version": _VERSION}

    def path(self, model: str) -> str:
        del model
        return "/v1/messages"

    def body(self, question: Question, model: str) -> protocol.Json:
        return {"model": model, "messages": [{"role": "user", "content": _content(question)}], "stream": True}

    def hear(self, data: str, heard: protocol.ApiHeard) -> None:
        said = _Event.model_validate(json.loads(data))
        match said.type, said.delta.type:
            case "message_start", _:
                heard.model = said.message.model
                heard.usage |= said.message.usage or {}
            case "content_block_delta", "text_delta":
                heard.texts.append(said.delta.text)
            case "message_delta", _:
                heard.usage |= {name: told for name, told in (said.usage or {}).items() if told is not None}
                heard.stopped(said.delta.stop_reason or "", _STOPS)
            case "message_stop", _:
                heard.complete = heard.ended = True
            case "error", _:
                heard.fail(self.fault(said.error, None))
            case _:
                pass  # pings, thinking, and what may be invented yet

    def fault(self, error: Any, status: int | None) -> protocol.ApiFault:
        told = _Error.model_validate(error)
        candidates = (
            _BY_TYPE.get(told.type),
            code_of_message(told.message, _SENTENCES),
            code_of_status(status),
        )
        return protocol.told_fault(told.message, candidates)

    def usage(self, told: Mapping[str, Any]) -> Usage:
        read = [protocol.count(told.get(f"{kind}input_tokens")) for kind in ("", "cache_creation_", "cache_read_")]
        return Usage(
            # What came from the cache, or went there, is counted beside the input; we count it as part of it.
            input_tokens=sum(tokens or 0 for tokens in read) if read[0] is not None else None,
            cached_tokens=read[2],
            output_tokens=protocol.count(told.get("output_tokens")),
            reasoning_tokens=protocol.count(protocol.part(told, "output_tokens_details").get("thinking_tokens")),
        )


ANTHROPIC_MESSAGES: protocol.Api = _AnthropicMessages()
"""``POST /v1/messages``."""


_PATH = "/v1/messages/batches"


class _Batch(BaseModel):
    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,200}$")
    status: Literal["in_progress", "canceling", "ended"] = Field(alias="processing_status")


class _Listed(BaseModel):
    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,200}$")
    created_at: AwareDatetime


class _Page(BaseModel):
    data: tuple[_Listed, ...]
    has_more: bool = False


class _Block(BaseModel):
    type: str
    text: str = ""


class _Whole(BaseModel):
    content: tuple[_Block, ...] = ()
    stop_reason: str | None = None


class _BatchError(BaseModel):
    error: Any = None


class _Result(BaseModel):
    type: Literal["succeeded", "errored", "canceled", "expired"]
    message: dict[str, Any] = {}
    error: _BatchError = _BatchError()


class _Line(BaseModel):
    custom_id: str
    result: _Result


class _MessageBatches:
    most_questions = 100_000
    most_bytes = 250_000_000

    def files(self, entries: Sequence[tuple[str, protocol.Json]], path: str) -> protocol.BatchRequest | None:
        del entries, path
        return None

    def create(
        self, entries: Sequence[tuple[str, protocol.Json]], path: str, uploaded: str, intent: str
    ) -> protocol.BatchRequest:
        del path, uploaded, intent  # there is no place for it: the names of the questions carry it
        requests = [{"custom_id": name, "params": body} for name, body in entries]
        return protocol.BatchRequest(_PATH, json.dumps({"requests": requests}, ensure_ascii=False).encode())

    def listing(self, cursor: str) -> protocol.BatchRequest:
        return protocol.BatchRequest(f"{_PATH}?limit=100" + (f"&after_id={cursor}" if cursor else ""))

    def listed(self, told: protocol.Json) -> protocol.BatchPage:
        page = _Page.model_validate(told)
        found = tuple(protocol.ListedBatch(each.id, None, each.created_at.timestamp()) for each in page.data)
        return protocol.BatchPage(found, page.data[-1].id if page.has_more and page.data else "")

    def created(self, told: protocol.Json) -> protocol.BatchId:
        return _Batch.model_validate(told).id

    def poll(self, batch: protocol.BatchId) -> protocol.BatchRequest:
        return protocol.BatchRequest(f"{_PATH}/{batch}")

    def status(self, batch: protocol.BatchId, told: protocol.Json) -> protocol.BatchStatus:
        # Where the results are is told as well (``results_url``). It is not read: a key goes where it was sent.
        if _Batch.model_validate(told).status != "ended":
            return protocol.BatchStatus()
        return protocol.BatchStatus(is_ended=True, results=(f"{_PATH}/{batch}/results",))

    def result(self, entry: protocol.Json) -> protocol.BatchResult:
        line = _Line.model_validate(entry)
        match line.result.type:
            case "succeeded":
                return protocol.BatchResult(line.custom_id, line.result.message)
            case "errored":
                return protocol.BatchResult(
                    line.custom_id, fault=ANTHROPIC_MESSAGES.fault(line.result.error.error, None)
                )
            case "canceled":
                return protocol.BatchResult(line.custom_id, fault=protocol.CANCELLED)
            case "expired":
                return protocol.BatchResult(line.custom_id, fault=protocol.EXPIRED)

    def whole(self, answer: protocol.Json) -> Iterable[protocol.Json]:
        message = _Whole.model_validate(answer)
        yield {"type": "message_start", "message": answer}
        for block in message.content:
            if block.type == "text":
                yield {"type": "content_block_delta", "delta": {"type": "text_delta", "text": block.text}}
        yield {"type": "message_delta", "delta": {"stop_reason": message.stop_reason}}
        yield {"type": "message_stop"}


MESSAGE_BATCHES: protocol.BatchApi = _MessageBatches()
"""``POST /v1/messages/batches``."""
