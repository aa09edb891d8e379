"""Anthropic's Messages API."""

from sparring.testing.dialects.wire import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, Json, halves, joined, named_event


class AnthropicMessages:
    """``POST /v1/messages``."""

    def serves(self, path: str) -> bool:
        return path == "/v1/messages"

    def wants_stream(self, path: str, body: Json) -> bool:
        del path
        return bool(body.get("stream"))

    def prompt(self, body: Json) -> str:
        contents = [message["content"] for message in body["messages"] if message["role"] == "user"]
        if isinstance(contents[-1], str):
            return contents[-1]
        return [block["text"] for block in contents[-1] if block["type"] == "text"][-1]

    def model(self, path: str, body: Json) -> str:
        del path
        return body["model"]

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
            "input_tokens": INPUT_TOKENS,
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
    """How much was said so far. An id that comes twice is taken for one message, or for one call, by Claude Code."""
    return sum(len(message["content"]) for message in body["messages"])
