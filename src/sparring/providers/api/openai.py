"""The dialects of OpenAI, which many servers have adopted: Responses and Chat Completions, and batches of either.

Facts on batches from the API reference ("Create batch", "Batch object", "The request output object", "Upload file") as
it is published for OpenAI and for Azure: a file of at most 50,000 lines and 200 MB with the purpose ``batch``, all of
one model and one endpoint; ``completion_window`` is 24h; the status is validating, failed, in_progress, finalizing,
completed, expired, cancelling or cancelled; answers and errors come as two files of lines in any order; answers from
before a batch expired or was cancelled are in the first, and paid for. An error of a request is in
``response.body`` (openai/openai-openapi issue 302), and that a request was not reached in ``error``, with the code
``batch_expired`` or ``batch_cancelled``. Half of the usual price.
"""

import json
import math
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from sparring.providers.api import protocol
from sparring.providers.api.framing import DONE
from sparring.providers.api.protocol import PartialAnswer, Stop, table, tables, text_in, word
from sparring.providers.receiving.causes import cause_of
from sparring.schema.consultation import Question, Usage

_BEARER = "authorization"


def _usage(reported: Mapping[str, Any], asked: str, answered: str, cost_usd: float | None = None) -> Usage:
    read, written = table(reported.get(f"{asked}_tokens_details")), table(reported.get(f"{answered}_tokens_details"))
    return Usage(
        input_tokens=protocol.count(reported.get(f"{asked}_tokens")),
        cached_tokens=protocol.count(read.get("cached_tokens")),
        output_tokens=protocol.count(reported.get(f"{answered}_tokens")),
        reasoning_tokens=protocol.count(written.get("reasoning_tokens")),
        cost_usd=cost_usd,
    )


_STOPS = {
    "content_filter": Stop.WITHHELD,
    "max_output_tokens": Stop.CUT,
    "max_tokens": Stop.CUT,
    "tool": Stop.TOOL,
}


class _OpenAIResponses:
    key_header = _BEARER
    headers: Mapping[str, str] = {}

    def path(self, model: str) -> str:
        del model
        return "/responses"

    def body(self, question: Question, model: str) -> protocol.Json:
        parts = [{"role": "user", "content": [{"type": "input_text", "text": question.prompt}], "type": "message"}]
        # Kept for thirty days otherwise, for a continuation that never comes.
        return {"model": model, "input": parts, "stream": True, "store": False}

    def read(self, event: protocol.Json, answer: PartialAnswer) -> None:
        kind = word(event.get("type"))
        match kind:
            case "response.output_text.delta":
                answer.write(text_in(event.get("delta")))
            case "response.refusal.delta":
                answer.refusal += text_in(event.get("delta"))
            case "response.output_item.done":
                self._read_item(table(event.get("item")), answer)
            case "response.completed" | "response.done" | "response.incomplete" | "response.failed":
                response = table(event.get("response"))
                self._read_response(response, kind.removeprefix("response."), answer)
                answer.is_ended = True
            case _ if isinstance(event.get("output"), list):  # the response itself, from a server that does not stream
                self._read_response(event, word(event.get("status")), answer)
            case _:
                pass

    @staticmethod
    def _read_item(item: protocol.Json, answer: PartialAnswer) -> None:
        """A part of the response that is through; where the last event never comes, its state is the end."""
        answer.call(_tools_in([item]))
        if item.get("type") == "message" and (answer.text or answer.refusal or item.get("content")):
            if not answer.text:
                _take_output([item], answer)
            if item.get("status") == "completed":
                answer.complete()
            elif item.get("status") == "incomplete":
                answer.end("incomplete", {}, Stop.CUT)

    def _read_response(self, response: protocol.Json, kind: str, answer: PartialAnswer) -> None:
        answer.note(response.get("model"), response.get("usage"))
        _take_output(tables(response.get("output")), answer)
        answer.call(_tools_in(tables(response.get("output"))))
        status = word(response.get("status")) or kind
        if kind == "failed" or status in {"failed", "cancelled"}:
            report = response if protocol.is_error(response.get("error")) else {"error": {"code": status}}
            answer.report(protocol.find_reported_fault(cause_of(report)))
        elif kind == "incomplete" or status == "incomplete":
            reason = word(table(response.get("incomplete_details")).get("reason"))
            answer.end(reason or "incomplete", _STOPS, Stop.CUT)
        elif status not in {"in_progress", "queued"} or kind in {"completed", "done"}:
            answer.end("tool" if answer.tools and not answer.text else "", _STOPS)

    def read_mark(self, text: str, answer: PartialAnswer) -> None:
        if text.strip() == DONE:
            answer.is_ended = True

    def usage(self, reported: Mapping[str, Any]) -> Usage:
        return _usage(reported, "input", "output")


OPENAI_RESPONSES: protocol.Api = _OpenAIResponses()
"""``POST /responses``."""


def _take_output(items: Iterable[protocol.Json], answer: PartialAnswer) -> None:
    """Take the texts and refusals of a response's items, which may repeat what came in pieces."""
    parts = [part for item in items if item.get("type") == "message" for part in tables(item.get("content"))]
    if text := "".join(text_in([part]) for part in parts):
        answer.repeat(text)
    if not answer.refusal:
        answer.refusal = "".join(word(part.get("refusal")) for part in parts)


def _tools_in(items: Iterable[protocol.Json]) -> Iterator[str]:
    for item in items:
        if word(item.get("type")) in {"function_call", "custom_tool_call"}:
            yield word(item.get("name")) or "a tool"


_STOPS_OF_COMPLETIONS = {
    "abort": Stop.BROKEN,  # vLLM
    "content_filter": Stop.WITHHELD,
    "error": Stop.BROKEN,  # OpenRouter, Mistral
    "function_call": Stop.TOOL,
    "insufficient_system_resource": Stop.BROKEN,  # DeepSeek
    "length": Stop.CUT,
    "max_tokens": Stop.CUT,
    "model_length": Stop.CUT,  # Mistral
    "tool_calls": Stop.TOOL,
}


_TEXT_ALONE = frozenset({"content", "role"})
"""Members of nearly all pieces of an answer."""


class _ChatCompletions:
    key_header = _BEARER
    headers: Mapping[str, str] = {}

    def path(self, model: str) -> str:
        del model
        return "/chat/completions"

    def body(self, question: Question, model: str) -> protocol.Json:
        messages = [{"role": "user", "content": question.prompt}]
        return {"model": model, "messages": messages, "stream": True, "stream_options": {"include_usage": True}}

    def read(self, event: protocol.Json, answer: PartialAnswer) -> None:
        answer.note(event.get("model"), event.get("usage"))
        for choice in tables(event.get("choices")):
            if protocol.is_first(choice.get("index")):
                self._read_choice(choice, answer)

    @staticmethod
    def _read_choice(choice: protocol.Json, answer: PartialAnswer) -> None:
        delta, message = table(choice.get("delta")), table(choice.get("message"))
        answer.write(text_in(delta.get("content")))
        if not delta and not message:
            answer.write(text_in(choice.get("text")))  # of the older API, where a gateway does not convert it
        if text := text_in(message.get("content")):
            answer.repeat(text)  # a message is all of it at once
        for part in (delta, message):
            if part.keys() <= _TEXT_ALONE:
                continue
            answer.refusal += word(part.get("refusal"))
            answer.thoughts.append(word(part.get("reasoning_content")) or word(part.get("reasoning")))
            calls = [*tables(part.get("tool_calls")), *([part] if part.get("function_call") else [])]
            functions = [table(call.get("function") or call.get("function_call")) for call in calls]
            answer.call([name for each in functions if (name := word(each.get("name")))])
        if reason := word(choice.get("finish_reason")):
            answer.end(reason, _STOPS_OF_COMPLETIONS)  # some servers leave the end mark out

    def read_mark(self, text: str, answer: PartialAnswer) -> None:
        if text.strip() == DONE:
            answer.is_ended = True
            if answer.error is None:
                answer.complete()

    def usage(self, reported: Mapping[str, Any]) -> Usage:
        return _usage(reported, "prompt", "completion", _cost(reported.get("cost")))


CHAT_COMPLETIONS: protocol.Api = _ChatCompletions()
"""``POST /chat/completions``."""


def _cost(reported: object) -> float | None:
    # OpenRouter's credits are dollars.
    if isinstance(reported, bool) or not isinstance(reported, int | float):
        return None
    return reported if math.isfinite(reported) and reported >= 0 else None


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


class _Batch(BaseModel):
    status: str
    output: str | None = Field(default=None, alias="output_file_id", pattern=_ID)
    error: str | None = Field(default=None, alias="error_file_id", pattern=_ID)
    errors: Any = None


class _OpenAIBatches:
    most_questions = 50_000
    most_bytes = 190_000_000

    def files(self, entries: Sequence[tuple[str, protocol.Json]], path: str) -> protocol.BatchRequest | None:
        # The path is that of OpenAI's own address, with or without a prefix of a gateway.
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

    def listed(self, answer: protocol.Json) -> protocol.BatchPage:
        page = _Page.model_validate(answer)
        batches = tuple(
            protocol.ListedBatch(each.id, (each.metadata or {}).get(_INTENT, ""), each.created_at) for each in page.data
        )
        return protocol.BatchPage(batches, page.data[-1].id if page.has_more and page.data else "")

    def created(self, answer: protocol.Json) -> protocol.BatchId:
        return _Created.model_validate(answer).id

    def poll(self, batch: protocol.BatchId) -> protocol.BatchRequest:
        return protocol.BatchRequest(f"/batches/{batch}")

    def status(self, batch: protocol.BatchId, answer: protocol.Json) -> protocol.BatchStatus:
        del batch
        current = _Batch.model_validate(answer)
        if current.status not in _ENDED:
            return protocol.BatchStatus()
        files = tuple(f"/files/{file}/content" for file in (current.output, current.error) if file)
        return protocol.BatchStatus(is_ended=True, results=files, fault=None if files else self._of_all(current))

    def result(self, entry: protocol.Json) -> protocol.BatchResult:
        name = protocol.question_id(entry.get("custom_id"))
        response, error = table(entry.get("response")), table(entry.get("error"))
        status, body = protocol.count(response.get("status_code")), table(response.get("body"))
        if body and (status is None or 200 <= status < 300):
            return protocol.BatchResult(name, body)
        if response:
            return protocol.BatchResult(name, fault=protocol.find_reported_fault(cause_of(body), status))
        fault = _NOT_REACHED.get(str(error.get("code"))) or protocol.find_reported_fault(cause_of(error))
        return protocol.BatchResult(name, fault=fault)

    def _of_all(self, batch: _Batch) -> protocol.ApiFault:
        if batch.status == "cancelled":
            return protocol.CANCELLED
        if batch.status == "expired":
            return protocol.EXPIRED
        cause = cause_of({"errors": table(batch.errors).get("data") or batch.errors})
        return protocol.find_reported_fault(cause) if cause.message or cause.words else protocol.WITHOUT_RESULT


OPENAI_BATCHES: protocol.BatchApi = _OpenAIBatches()
"""``POST /batches`` of requests to ``/v1/responses`` or ``/v1/chat/completions``."""
