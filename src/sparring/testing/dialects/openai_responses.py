"""OpenAI's Responses API."""

from sparring.testing.dialects.wire import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, Json, halves, joined, named_event


class OpenAIResponses:
    """``POST /v1/responses``."""

    def serves(self, path: str) -> bool:
        return path == "/v1/responses"

    def wants_stream(self, path: str, body: Json) -> bool:
        del path
        return bool(body.get("stream"))

    def prompt(self, body: Json) -> str:
        said = [item for item in body["input"] if item.get("type") == "message" and item["role"] == "user"]
        return [part["text"] for part in said[-1]["content"] if part["type"] == "input_text"][-1]

    def model(self, path: str, body: Json) -> str:
        del path
        return body["model"]

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
        said = {"arguments": argument} if slash else {"input": argument}
        item = kind | said | {"id": "ctc_loopback", "call_id": f"call_{len(body['input'])}", "name": name}
        return [
            named_event({"type": "response.created", "response": {"id": "resp_loopback", "model": body["model"]}}),
            named_event({"type": "response.output_item.done", "output_index": 0, "item": item}),
            named_event({"type": "response.completed", "response": self.whole("", body) | {"output": []}}),
        ]

    @staticmethod
    def _item(text: str) -> Json:
        content: list[Json] = [{"type": "output_text", "text": text, "annotations": []}]
        return {"type": "message", "id": "msg_loopback", "role": "assistant", "content": content}

    @staticmethod
    def _delta(text: str) -> bytes:
        place = {"item_id": "msg_loopback", "output_index": 0, "content_index": 0}
        return named_event({"type": "response.output_text.delta", "delta": text} | place)

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
