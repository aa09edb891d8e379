"""Anthropic's Messages API, and its Message Batches.

Facts on batches from the reference and the guide (platform.claude.com: "Create a Message Batch", "Retrieve Message
Batch results", "Batch processing"): at most 100,000 requests or 256 MB; ``processing_status`` is in_progress, canceling
or ended; a batch ends at the latest 24 hours after it was made; results are lines in any order, each of type succeeded,
errored, canceled or expired; half of the usual price.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, Field

from sparring.providers.api import protocol
from sparring.providers.api.protocol import PartialAnswer, Stop, table, tables, text_in, word
from sparring.providers.receiving.causes import cause_of
from sparring.schema.consultation import Question, Usage

_VERSION = "2023-06-01"
_STOPS = {
    "max_tokens": Stop.CUT,
    "model_context_window_exceeded": Stop.CUT,
    "pause_turn": Stop.CUT,
    "refusal": Stop.WITHHELD,
    "tool_use": Stop.TOOL,
}


def _content(question: Question) -> str | list[protocol.Json]:
    """The prompt; the beginning that other prompts of that seat share is marked for the cache."""
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

    def read(self, event: protocol.Json, answer: PartialAnswer) -> None:
        delta = table(event.get("delta"))
        match event.get("type"):
            case "message_start":
                self._read_message(table(event.get("message")), answer)
            case "message":  # the message itself, from a server that does not stream
                self._read_message(event, answer)
                if answer.error is None:
                    answer.complete()
            case "content_block_start":
                self._read_block(table(event.get("content_block")), answer)
            case "content_block_delta":
                self._read_block(delta, answer)
            case "message_delta":
                answer.note(None, event.get("usage"))
                if reason := word(delta.get("stop_reason")):
                    answer.end(reason, _STOPS)
            case "message_stop":
                answer.is_ended = True
                if answer.error is None:
                    answer.complete()
            case _:
                pass  # pings, thoughts, and future kinds

    def _read_message(self, message: protocol.Json, answer: PartialAnswer) -> None:
        answer.note(message.get("model"), message.get("usage"))
        for block in tables(message.get("content")):
            self._read_block(block, answer)
        if reason := word(message.get("stop_reason")):
            answer.end(reason, _STOPS)

    @staticmethod
    def _read_block(block: protocol.Json, answer: PartialAnswer) -> None:
        """Read a part of the content, or an addition to one."""
        match block.get("type"):
            case "text" | "text_delta" | None | "":
                answer.write(text_in(block.get("text")))
            case "thinking" | "thinking_delta":
                answer.thoughts.append(word(block.get("thinking")))
            case "tool_use" | "server_tool_use":
                answer.call([word(block.get("name")) or "a tool"])
            case _:
                pass

    def read_mark(self, text: str, answer: PartialAnswer) -> None:
        del text, answer

    def usage(self, reported: Mapping[str, Any]) -> Usage:
        kinds = ("", "cache_creation_", "cache_read_")
        read = [protocol.count(reported.get(f"{kind}input_tokens")) for kind in kinds]
        return Usage(
            # Tokens read from or written to the cache are counted apart from the input; we count them as part of it.
            input_tokens=sum(tokens or 0 for tokens in read) if read[0] is not None else None,
            cached_tokens=read[2],
            output_tokens=protocol.count(reported.get("output_tokens")),
            reasoning_tokens=protocol.count(table(reported.get("output_tokens_details")).get("thinking_tokens")),
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

    def listed(self, answer: protocol.Json) -> protocol.BatchPage:
        page = _Page.model_validate(answer)
        batches = tuple(protocol.ListedBatch(each.id, None, each.created_at.timestamp()) for each in page.data)
        return protocol.BatchPage(batches, page.data[-1].id if page.has_more and page.data else "")

    def created(self, answer: protocol.Json) -> protocol.BatchId:
        return _Batch.model_validate(answer).id

    def poll(self, batch: protocol.BatchId) -> protocol.BatchRequest:
        return protocol.BatchRequest(f"{_PATH}/{batch}")

    def status(self, batch: protocol.BatchId, answer: protocol.Json) -> protocol.BatchStatus:
        # The answer also has the address of the results (``results_url``). It is ignored: a key goes to one address.
        if _Batch.model_validate(answer).status != "ended":
            return protocol.BatchStatus()
        return protocol.BatchStatus(is_ended=True, results=(f"{_PATH}/{batch}/results",))

    def result(self, entry: protocol.Json) -> protocol.BatchResult:
        name, result = protocol.question_id(entry.get("custom_id")), table(entry.get("result"))
        match result.get("type"):
            case "succeeded":
                return protocol.BatchResult(name, {"type": "message", **table(result.get("message"))})
            case "errored":
                return protocol.BatchResult(name, fault=protocol.find_reported_fault(cause_of(result.get("error"))))
            case "canceled":
                return protocol.BatchResult(name, fault=protocol.CANCELLED)
            case "expired":
                return protocol.BatchResult(name, fault=protocol.EXPIRED)
            case _:
                raise ValueError("a result of no known type")


MESSAGE_BATCHES: protocol.BatchApi = _MessageBatches()
"""``POST /v1/messages/batches``."""
