"""The native dialect of Ollama, in which the context window is the caller's to set and an overflow is an error.

Its other dialect, Chat Completions, has no field for the window and drops the beginning of a prompt without a word.
Facts from its source (2026-11): the answer is lines of JSON; the last one has ``done``, ``done_reason`` and the counts.
An error is ``{"error": "TEXT"}``, also in a stream.
"""

from collections.abc import Mapping
from typing import Any

from sparring.providers.api import protocol
from sparring.providers.api.protocol import PartialAnswer, Stop, table, tables, text_in, word
from sparring.schema.consultation import Question, Usage

_STOPS = {"length": Stop.CUT}


class _OllamaChat:
    key_header = "authorization"
    headers: Mapping[str, str] = {}

    def path(self, model: str) -> str:
        del model
        return "/api/chat"

    def body(self, question: Question, model: str) -> protocol.Json:
        messages = [{"role": "user", "content": question.prompt}]
        return {"model": model, "messages": messages, "stream": True, "truncate": False}

    def read(self, event: protocol.Json, answer: PartialAnswer) -> None:
        message = table(event.get("message"))
        counts = {name: event[name] for name in ("prompt_eval_count", "eval_count") if name in event}
        answer.note(event.get("model"), counts)
        answer.write(text_in(message.get("content")))
        answer.thoughts.append(word(message.get("thinking")))
        functions = (table(call.get("function")) for call in tables(message.get("tool_calls")))
        answer.call([word(function.get("name")) or "a tool" for function in functions])
        if event.get("done") is True:
            answer.end(word(event.get("done_reason")), _STOPS, Stop.TOOL if answer.tools else Stop.DONE)
            answer.is_ended = True

    def read_mark(self, text: str, answer: PartialAnswer) -> None:
        del text, answer

    def usage(self, reported: Mapping[str, Any]) -> Usage:
        return Usage(
            input_tokens=protocol.count(reported.get("prompt_eval_count")),
            output_tokens=protocol.count(reported.get("eval_count")),
        )


OLLAMA_CHAT: protocol.Api = _OllamaChat()
"""``POST /api/chat``."""
