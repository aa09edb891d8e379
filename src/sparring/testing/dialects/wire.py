"""What the dialects have in common: their shape, and how events look."""

import json
from typing import Any, Protocol

Json = dict[str, Any]

INPUT_TOKENS, CACHED_TOKENS, OUTPUT_TOKENS = 1200, 5, 34
"""What every answer is said to have used."""


class Dialect(Protocol):
    """One model API."""

    def serves(self, path: str) -> bool:
        """Whether a request for ``path`` speaks this API."""
        ...

    def wants_stream(self, path: str, body: Json) -> bool:
        """Whether the answer is to come in pieces."""
        ...

    def prompt(self, body: Json) -> str:
        """The user's prompt in a request."""
        ...

    def model(self, path: str, body: Json) -> str:
        """The model that a request for ``path`` asks."""
        ...

    def tools(self, body: Json) -> list[str]:
        """Names of the tools that a request offers to the model."""
        ...

    def results(self, body: Json) -> list[str]:
        """What the tools that were called gave, in order, as the model reads it."""
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
