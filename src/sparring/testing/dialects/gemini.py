"""Google's generateContent API."""

import json
import re

from sparring.testing.dialects.wire import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, Json, halves, plain_event

_PATH = re.compile(r"/v1(?:beta)?/models/(?P<model>[^/:]+):(?P<method>generateContent|streamGenerateContent)")


class Gemini:
    """``POST /v1beta/models/MODEL:streamGenerateContent``."""

    def serves(self, path: str) -> bool:
        return _PATH.fullmatch(path) is not None

    def wants_stream(self, path: str, body: Json) -> bool:
        del body
        return ":streamGenerateContent" in path

    def prompt(self, body: Json) -> str:
        said = [content for content in body["contents"] if content.get("role", "user") == "user"]
        return [part["text"] for part in said[-1]["parts"] if "text" in part][-1]

    def model(self, path: str, body: Json) -> str:
        del body
        found = _PATH.match(path)
        assert found is not None, "only what it serves is asked of it"
        return found["model"]

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
            *(plain_event(self._response([{"text": piece}], None)) for piece in pieces),
            plain_event(self.whole("", body)),
        ]

    def call(self, tool: str, argument: str, body: Json) -> list[bytes]:
        del body
        call = {"functionCall": {"name": tool, "args": json.loads(argument)}}
        return [plain_event(self._response([call], "STOP"))]

    def whole(self, text: str, body: Json) -> Json:
        del body
        return self._response([{"text": text}], "STOP")

    @staticmethod
    def _response(parts: list[Json], finish_reason: str | None) -> Json:
        candidate: Json = {"index": 0, "content": {"role": "model", "parts": parts}}
        usage = {
            "promptTokenCount": INPUT_TOKENS,
            "candidatesTokenCount": OUTPUT_TOKENS,
            "cachedContentTokenCount": CACHED_TOKENS,
            "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
        }
        end: Json = {"finishReason": finish_reason} if finish_reason else {}
        return {"candidates": [candidate | end], "usageMetadata": usage, "responseId": "loopback"}

    def error(self, kind: str, message: str) -> Json:
        return {"error": {"message": message, "status": kind}}
