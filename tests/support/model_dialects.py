"""What the model APIs say on the wire: how a prompt arrives, how an answer streams, how an error looks.

One class per API; a further one is added by giving it a class and a line in ``DIALECTS``.
"""

import json
from typing import Any, Protocol

Json = dict[str, Any]

INPUT_TOKENS, CACHED_TOKENS, OUTPUT_TOKENS = 1200, 5, 34
"""What every answer is said to have used."""


class Dialect(Protocol):
    """One model API."""

    path: str

    def prompt(self, body: Json) -> str:
        """The user's prompt in a request."""
        ...

    def tools(self, body: Json) -> list[str]:
        """Names of the tools that a request offers to the model."""
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
        ...


def _event(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


class AnthropicMessages:
    """``POST /v1/messages``."""

    path = "/v1/messages"

    def prompt(self, body: Json) -> str:
        contents = [message["content"] for message in body["messages"] if message["role"] == "user"]
        if isinstance(contents[-1], str):
            return contents[-1]
        return [block["text"] for block in contents[-1] if block["type"] == "text"][-1]

    def tools(self, body: Json) -> list[str]:
        return [tool["name"] for tool in body.get("tools", ())]

    def stream(self, text: str, body: Json) -> list[bytes]:
        half = len(text) // 2
        deltas: list[Json] = [{"type": "text_delta", "text": part} for part in (text[:half], text[half:])]
        return self._message({"type": "text", "text": ""}, deltas, "end_turn", body)

    def call(self, tool: str, argument: str, body: Json) -> list[bytes]:
        block: Json = {"type": "tool_use", "id": "toolu_loopback", "name": tool, "input": {}}
        return self._message(block, [{"type": "input_json_delta", "partial_json": argument}], "tool_use", body)

    def _message(self, block: Json, deltas: list[Json], stop_reason: str, body: Json) -> list[bytes]:
        start: Json = self.whole("", body) | {"content": [], "stop_reason": None}
        end = {"stop_reason": stop_reason, "stop_sequence": None}
        return [
            _event({"type": "message_start", "message": start}),
            _event({"type": "content_block_start", "index": 0, "content_block": block}),
            *(_event({"type": "content_block_delta", "index": 0, "delta": delta}) for delta in deltas),
            _event({"type": "content_block_stop", "index": 0}),
            _event({"type": "message_delta", "delta": end, "usage": {"output_tokens": OUTPUT_TOKENS}}),
            _event({"type": "message_stop"}),
        ]

    def whole(self, text: str, body: Json) -> Json:
        usage = {
            "input_tokens": INPUT_TOKENS,
            "output_tokens": OUTPUT_TOKENS,
            "cache_read_input_tokens": CACHED_TOKENS,
            "cache_creation_input_tokens": 0,
        }
        content = [{"type": "text", "text": text}]
        return {
            "id": "msg_loopback",
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


class OpenAIResponses:
    """``POST /v1/responses``."""

    path = "/v1/responses"

    def prompt(self, body: Json) -> str:
        said = [item for item in body["input"] if item.get("type") == "message" and item["role"] == "user"]
        return [part["text"] for part in said[-1]["content"] if part["type"] == "input_text"][-1]

    def tools(self, body: Json) -> list[str]:
        declared = list(body.get("tools", ()))
        for item in body["input"]:
            declared += item.get("tools", ()) if item.get("type") == "additional_tools" else ()
        return [tool.get("name", tool["type"]) for tool in declared]

    def stream(self, text: str, body: Json) -> list[bytes]:
        item = self._item(text)
        half = len(text) // 2
        return [
            _event({"type": "response.created", "response": {"id": "resp_loopback", "model": body["model"]}}),
            _event({"type": "response.output_item.added", "output_index": 0, "item": item | {"content": []}}),
            self._delta(text[:half]),
            self._delta(text[half:]),
            _event({"type": "response.output_item.done", "output_index": 0, "item": item}),
            _event({"type": "response.completed", "response": self.whole(text, body)}),
        ]

    def call(self, tool: str, argument: str, body: Json) -> list[bytes]:
        namespace, _, name = tool.rpartition("/")
        kind = {"type": "function_call", "namespace": namespace} if namespace else {"type": "custom_tool_call"}
        said = {"arguments": argument} if namespace else {"input": argument}
        item = kind | said | {"id": "ctc_loopback", "call_id": "call_loopback", "name": name}
        return [
            _event({"type": "response.created", "response": {"id": "resp_loopback", "model": body["model"]}}),
            _event({"type": "response.output_item.done", "output_index": 0, "item": item}),
            _event({"type": "response.completed", "response": self.whole("", body) | {"output": []}}),
        ]

    @staticmethod
    def _item(text: str) -> Json:
        content: list[Json] = [{"type": "output_text", "text": text, "annotations": []}]
        return {"type": "message", "id": "msg_loopback", "role": "assistant", "content": content}

    @staticmethod
    def _delta(text: str) -> bytes:
        place = {"item_id": "msg_loopback", "output_index": 0, "content_index": 0}
        return _event({"type": "response.output_text.delta", "delta": text} | place)

    def whole(self, text: str, body: Json) -> Json:
        usage = {
            "input_tokens": INPUT_TOKENS,
            "input_tokens_details": {"cached_tokens": CACHED_TOKENS},
            "output_tokens": OUTPUT_TOKENS,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        }
        return {"id": "resp_loopback", "model": body["model"], "output": [self._item(text)], "usage": usage}

    def error(self, kind: str, message: str) -> Json:
        return {"error": {"message": message, "type": kind, "code": kind, "param": None}}


DIALECTS: tuple[Dialect, ...] = (AnthropicMessages(), OpenAIResponses())
