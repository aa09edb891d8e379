"""The Chat Completions API, as OpenAI and everybody compatible speak it."""

from sparring.testing.dialects.wire import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, Json, halves, joined, plain_event


class ChatCompletions:
    """``POST …/v1/chat/completions``."""

    def serves(self, path: str) -> bool:
        return path.endswith("/v1/chat/completions")

    def wants_stream(self, path: str, body: Json) -> bool:
        del path
        return bool(body.get("stream"))

    def prompt(self, body: Json) -> str:
        content = [message["content"] for message in body["messages"] if message["role"] == "user"][-1]
        if isinstance(content, str):
            return content
        return [part["text"] for part in content if part["type"] == "text"][-1]

    def model(self, path: str, body: Json) -> str:
        del path
        return body["model"]

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
            chunks.append(plain_event(frame | {"choices": [], "usage": self._usage()}))
        return [*chunks, b"data: [DONE]\n\n"]

    @staticmethod
    def _usage() -> Json:
        return {
            "prompt_tokens": INPUT_TOKENS,
            "completion_tokens": OUTPUT_TOKENS,
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
            "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }

    def whole(self, text: str, body: Json) -> Json:
        message = {"role": "assistant", "content": text}
        return {
            "id": "chatcmpl-loopback",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": self._usage(),
        }

    def error(self, kind: str, message: str) -> Json:
        return {"error": {"message": message, "type": kind, "code": kind, "param": None}}
