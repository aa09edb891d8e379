"""Wire formats of the model APIs: how a prompt arrives, how an answer streams, how an error looks.

One class per API; a further one is added to ``DIALECTS``.
"""

import json
import re
from typing import Any, Protocol

Json = dict[str, Any]

INPUT_TOKENS, CACHED_TOKENS, OUTPUT_TOKENS = 1200, 5, 34
"""Tokens that every answer reports, as long as its request is not too long for that."""


AS_SENT = "as sent"
READ_TOKENS = "sparring-testing-read-tokens"
"""Member of a request, added by the endpoint: the tokens to report as read."""

REPORTED_COST = "sparring-testing-cost"
"""Member of a request, added by the endpoint: the price to report."""


def input_tokens(body: Json) -> Any:
    """The tokens that are reported for a request: about as many as it may really have, if these are more."""
    if (reported := body.get(READ_TOKENS, AS_SENT)) != AS_SENT:
        return reported
    about = len(json.dumps(body, ensure_ascii=False)) // 4
    return INPUT_TOKENS if about < 1.5 * INPUT_TOKENS else about


def _total(body: Json) -> int:
    read = input_tokens(body)
    return OUTPUT_TOKENS + (read if isinstance(read, int) else 0)


class Dialect(Protocol):
    """One model API, with the parts that most of them share."""

    content_type = "text/event-stream"
    """The media type of a streamed answer."""

    def serves(self, path: str) -> bool:
        """Return whether a request for ``path`` speaks this API."""
        ...

    def wants_stream(self, path: str, body: Json) -> bool:
        """Return whether the answer is to come in pieces."""
        del path
        return bool(body.get("stream"))

    def prompt(self, body: Json) -> str:
        """The user's prompt in a request."""
        ...

    def model(self, path: str, body: Json) -> str:
        """The model that a request for ``path`` asks."""
        del path
        return body["model"]

    def tools(self, body: Json) -> list[str]:
        """Names of the tools that a request offers to the model."""
        ...

    def results(self, body: Json) -> list[str]:
        """Return the results of the called tools, in order, as the model reads them."""
        ...

    def stream(self, text: str, body: Json) -> list[bytes]:
        """A streamed answer, one piece per event."""
        ...

    def call(self, tool: str, argument: str, body: Json) -> list[bytes]:
        """A streamed call of a tool."""
        ...

    def whole(self, text: str, body: Json) -> Json:
        """The same answer in one piece."""
        ...

    def error(self, kind: str, message: str) -> Json:
        """The body of an answer with an error status."""
        return {"error": {"message": message, "type": kind, "code": kind, "param": None}}


def named_event(event: Json) -> bytes:
    """A server-sent event under the name that it carries as its type."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def plain_event(event: Json) -> bytes:
    """A server-sent event without a name."""
    return f"data: {json.dumps(event)}\n\n".encode()


def joined(content: str | list[Json]) -> str:
    """The text of a message that is one text or several parts."""
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content if "text" in part)


def halves(text: str) -> tuple[str, str]:
    """``text`` in two pieces, so that a stream has something to break off in."""
    return text[: len(text) // 2], text[len(text) // 2 :]


class AnthropicDialect(Dialect):
    """``POST /v1/messages``."""

    def serves(self, path: str) -> bool:
        return path == "/v1/messages"

    def prompt(self, body: Json) -> str:
        contents = [message["content"] for message in body["messages"] if message["role"] == "user"]
        if isinstance(contents[-1], str):
            return contents[-1]
        return [block["text"] for block in contents[-1] if block["type"] == "text"][-1]

    def tools(self, body: Json) -> list[str]:
        return [tool["name"] for tool in body.get("tools", ())]

    def results(self, body: Json) -> list[str]:
        contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
        blocks = [block for content in contents for block in content if block["type"] == "tool_result"]
        return [joined(block["content"]) for block in blocks]

    def stream(self, text: str, body: Json) -> list[bytes]:
        deltas: list[Json] = [{"type": "text_delta", "text": part} for part in halves(text)]
        return self._message({"type": "text", "text": ""}, deltas, "end_turn", body)

    def call(self, tool: str, argument: str, body: Json) -> list[bytes]:
        block: Json = {"type": "tool_use", "id": f"toolu_{_blocks(body)}", "name": tool, "input": {}}
        return self._message(block, [{"type": "input_json_delta", "partial_json": argument}], "tool_use", body)

    def _message(self, block: Json, deltas: list[Json], stop_reason: str, body: Json) -> list[bytes]:
        start: Json = self.whole("", body) | {"content": [], "stop_reason": None}
        end = {"stop_reason": stop_reason, "stop_sequence": None}
        return [
            named_event({"type": "message_start", "message": start}),
            named_event({"type": "content_block_start", "index": 0, "content_block": block}),
            *(named_event({"type": "content_block_delta", "index": 0, "delta": delta}) for delta in deltas),
            named_event({"type": "content_block_stop", "index": 0}),
            named_event({"type": "message_delta", "delta": end, "usage": {"output_tokens": OUTPUT_TOKENS}}),
            named_event({"type": "message_stop"}),
        ]

    def whole(self, text: str, body: Json) -> Json:
        usage = {
            "input_tokens": input_tokens(body),
            "output_tokens": OUTPUT_TOKENS,
            "cache_read_input_tokens": CACHED_TOKENS,
            "cache_creation_input_tokens": 0,
        }
        content = [{"type": "text", "text": text}]
        return {
            "id": f"msg_{_blocks(body)}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": usage,
        }

    def error(self, kind: str, message: str) -> Json:
        return {"type": "error", "error": {"type": kind, "message": message}}


def _blocks(body: Json) -> int:
    """Count the content blocks so far.

    An id that comes twice is taken for one message, or for one call, by Claude Code.
    """
    return sum(len(message["content"]) for message in body["messages"])


class ResponsesDialect(Dialect):
    """``POST /v1/responses``."""

    def serves(self, path: str) -> bool:
        return path == "/v1/responses"

    def prompt(self, body: Json) -> str:
        messages = [item for item in body["input"] if item.get("type") == "message" and item["role"] == "user"]
        return [part["text"] for part in messages[-1]["content"] if part["type"] == "input_text"][-1]

    def tools(self, body: Json) -> list[str]:
        declared = list(body.get("tools", ()))
        for item in body["input"]:
            declared += item.get("tools", ()) if item.get("type") == "additional_tools" else ()
        return [tool.get("name", tool["type"]) for tool in declared]

    def results(self, body: Json) -> list[str]:
        return [joined(item["output"]) for item in body["input"] if item.get("type") == "function_call_output"]

    def stream(self, text: str, body: Json) -> list[bytes]:
        item = self._item(text)
        first, second = halves(text)
        return [
            named_event({"type": "response.created", "response": {"id": "resp_loopback", "model": body["model"]}}),
            named_event({"type": "response.output_item.added", "output_index": 0, "item": item | {"content": []}}),
            self._delta(first),
            self._delta(second),
            named_event({"type": "response.output_item.done", "output_index": 0, "item": item}),
            named_event({"type": "response.completed", "response": self.whole(text, body)}),
        ]

    def call(self, tool: str, argument: str, body: Json) -> list[bytes]:
        namespace, slash, name = tool.rpartition("/")
        kind = {"type": "function_call"} if slash else {"type": "custom_tool_call"}
        kind |= {"namespace": namespace} if namespace else {}
        fields = {"arguments": argument} if slash else {"input": argument}
        item = kind | fields | {"id": "ctc_loopback", "call_id": f"call_{len(body['input'])}", "name": name}
        return [
            named_event({"type": "response.created", "response": {"id": "resp_loopback", "model": body["model"]}}),
            named_event({"type": "response.output_item.done", "output_index": 0, "item": item}),
            named_event({"type": "response.completed", "response": self.whole("", body) | {"output": []}}),
        ]

    @staticmethod
    def _item(text: str) -> Json:
        content: list[Json] = [{"type": "output_text", "text": text, "annotations": []}]
        return {"type": "message", "id": "msg_loopback", "status": "completed", "role": "assistant", "content": content}

    @staticmethod
    def _delta(text: str) -> bytes:
        place = {"item_id": "msg_loopback", "output_index": 0, "content_index": 0}
        return named_event({"type": "response.output_text.delta", "delta": text} | place)

    def whole(self, text: str, body: Json) -> Json:
        usage = {
            "input_tokens": input_tokens(body),
            "input_tokens_details": {"cached_tokens": CACHED_TOKENS},
            "output_tokens": OUTPUT_TOKENS,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": _total(body),
        }
        response = {"id": "resp_loopback", "object": "response", "status": "completed", "error": None}
        return response | {"model": body["model"], "output": [self._item(text)], "usage": usage}


class ChatDialect(Dialect):
    """``POST …/v1/chat/completions``."""

    def serves(self, path: str) -> bool:
        return path.endswith("/v1/chat/completions")

    def prompt(self, body: Json) -> str:
        content = [message["content"] for message in body["messages"] if message["role"] == "user"][-1]
        if isinstance(content, str):
            return content
        return [part["text"] for part in content if part["type"] == "text"][-1]

    def tools(self, body: Json) -> list[str]:
        return [tool[tool["type"]]["name"] for tool in body.get("tools", ())]

    def results(self, body: Json) -> list[str]:
        return [joined(message["content"]) for message in body["messages"] if message["role"] == "tool"]

    def stream(self, text: str, body: Json) -> list[bytes]:
        deltas: list[Json] = [{"role": "assistant", "content": ""}, *({"content": part} for part in halves(text))]
        return self._chunks(deltas, "stop", body)

    def call(self, tool: str, argument: str, body: Json) -> list[bytes]:
        function = {"name": tool, "arguments": argument}
        call = {"index": 0, "id": f"call_{len(body['messages'])}", "type": "function", "function": function}
        return self._chunks([{"role": "assistant", "content": None, "tool_calls": [call]}], "tool_calls", body)

    def _chunks(self, deltas: list[Json], finish_reason: str, body: Json) -> list[bytes]:
        frame: Json = {
            "id": "chatcmpl-loopback",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": body["model"],
        }
        choices: list[Json] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": finish_reason})
        chunks = [plain_event(frame | {"choices": [choice]}) for choice in choices]
        options: Json = body.get("stream_options") or {}
        if options.get("include_usage"):
            chunks.append(plain_event(frame | {"choices": [], "usage": self._usage(body)}))
        return [*chunks, b"data: [DONE]\n\n"]

    @staticmethod
    def _usage(body: Json) -> Json:
        return {
            "prompt_tokens": input_tokens(body),
            "completion_tokens": OUTPUT_TOKENS,
            "total_tokens": _total(body),
            "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
            "completion_tokens_details": {"reasoning_tokens": 0},
            **({"cost": body[REPORTED_COST]} if REPORTED_COST in body else {}),
        }

    def whole(self, text: str, body: Json) -> Json:
        message = {"role": "assistant", "content": text}
        return {
            "id": "chatcmpl-loopback",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": self._usage(body),
        }


_PATH = re.compile(r"/v1(?:beta)?/models/(?P<model>[^/:]+):(?P<method>generateContent|streamGenerateContent)")


class GeminiDialect(Dialect):
    """``POST /v1beta/models/MODEL:streamGenerateContent``."""

    def serves(self, path: str) -> bool:
        return _PATH.fullmatch(path) is not None

    def wants_stream(self, path: str, body: Json) -> bool:
        del body
        return ":streamGenerateContent" in path

    def prompt(self, body: Json) -> str:
        contents = [content for content in body["contents"] if content.get("role", "user") == "user"]
        return [part["text"] for part in contents[-1]["parts"] if "text" in part][-1]

    def model(self, path: str, body: Json) -> str:
        del body
        match = _PATH.match(path)
        assert match is not None, "only what it serves is asked of it"
        return match["model"]

    def tools(self, body: Json) -> list[str]:
        return [function["name"] for tool in body.get("tools", ()) for function in tool.get("functionDeclarations", ())]

    def results(self, body: Json) -> list[str]:
        parts = [part for content in body["contents"] for part in content["parts"]]
        answers = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        return [answer.get("output") or json.dumps(answer, ensure_ascii=False) for answer in answers]

    def stream(self, text: str, body: Json) -> list[bytes]:
        first, second = halves(text)
        pieces = (first, *halves(second))
        return [
            *(plain_event(self._response([{"text": piece}], None, body)) for piece in pieces),
            plain_event(self.whole("", body)),
        ]

    def call(self, tool: str, argument: str, body: Json) -> list[bytes]:
        call = {"functionCall": {"name": tool, "args": json.loads(argument)}}
        return [plain_event(self._response([call], "STOP", body))]

    def whole(self, text: str, body: Json) -> Json:
        return self._response([{"text": text}], "STOP", body)

    @staticmethod
    def _response(parts: list[Json], finish_reason: str | None, body: Json) -> Json:
        candidate: Json = {"index": 0, "content": {"role": "model", "parts": parts}}
        usage = {
            "promptTokenCount": input_tokens(body),
            "candidatesTokenCount": OUTPUT_TOKENS,
            "cachedContentTokenCount": CACHED_TOKENS,
            "totalTokenCount": _total(body),
        }
        end: Json = {"finishReason": finish_reason} if finish_reason else {}
        return {"candidates": [candidate | end], "usageMetadata": usage, "responseId": "loopback"}

    def error(self, kind: str, message: str) -> Json:
        return {"error": {"message": message, "status": kind}}


class OllamaDialect(Dialect):
    """``POST /api/chat``, Ollama's own API: lines of JSON."""

    content_type = "application/x-ndjson"

    def serves(self, path: str) -> bool:
        return path.endswith("/api/chat")

    def wants_stream(self, path: str, body: Json) -> bool:
        del path
        return body.get("stream") is not False

    def prompt(self, body: Json) -> str:
        return [message["content"] for message in body["messages"] if message["role"] == "user"][-1]

    def tools(self, body: Json) -> list[str]:
        return [tool["function"]["name"] for tool in body.get("tools", ())]

    def results(self, body: Json) -> list[str]:
        return [message["content"] for message in body["messages"] if message["role"] == "tool"]

    def stream(self, text: str, body: Json) -> list[bytes]:
        pieces = [self._part({"content": piece}, body) for piece in halves(text)]
        return [*map(_line, pieces), _line(self._end("", body))]

    def call(self, tool: str, argument: str, body: Json) -> list[bytes]:
        call = {"function": {"name": tool, "arguments": json.loads(argument)}}
        return [_line(self._part({"content": "", "tool_calls": [call]}, body)), _line(self._end("", body))]

    def whole(self, text: str, body: Json) -> Json:
        return self._end(text, body)

    @staticmethod
    def _part(message: Json, body: Json) -> Json:
        frame = {"model": body["model"], "created_at": "2026-11-27T12:00:00Z"}
        return frame | {"message": {"role": "assistant"} | message, "done": False}

    def _end(self, text: str, body: Json) -> Json:
        counts = {"prompt_eval_count": input_tokens(body), "eval_count": OUTPUT_TOKENS}
        times = {"total_duration": 1_000_000, "load_duration": 1_000, "eval_duration": 900_000}
        return self._part({"content": text}, body) | {"done": True, "done_reason": "stop"} | counts | times

    def error(self, kind: str, message: str) -> Json:
        del kind
        return {"error": message}


def _line(event: Json) -> bytes:
    return json.dumps(event).encode() + b"\n"


DIALECTS: tuple[Dialect, ...] = (
    AnthropicDialect(),
    ResponsesDialect(),
    ChatDialect(),
    GeminiDialect(),
    OllamaDialect(),
)
