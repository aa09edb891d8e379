"""Answers of model APIs with everything that real servers and gateways add, leave out or mislabel.

``noisy_answers`` yields the same answer in many forms. Each of them has all of the text and comes to its end, so that a
client has to receive it. ``broken_answers`` yields forms that a client must not take for an answer.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec import Struct

from sparring.testing.dialects import (
    AnthropicDialect,
    ChatDialect,
    Dialect,
    GeminiDialect,
    Json,
    OllamaDialect,
    ResponsesDialect,
)
from sparring.testing.model_endpoint import Send

EVENT_STREAM = "text/event-stream"
_DONE = "[DONE]"
_REQUEST: Json = {
    "model": "some-model",
    "messages": [],
    "input": [],
    "contents": [],
    "stream": True,
    "stream_options": {"include_usage": True},
}

Events = tuple[Json | str, ...]
"""The events of a stream: JSON objects, and marks that are no JSON."""


class NoisyAnswer(Struct, frozen=True):
    """One form of an answer.

    Attributes:
        kind: Its peculiarity; the same for all places.
        place: Its place in the stream; -1 where it concerns all of it.
        send: The response of the endpoint.
    """

    kind: str
    place: int
    send: Send

    @property
    def name(self) -> str:
        """The kind and the place, for the name of a test."""
        return self.kind if self.place < 0 else f"{self.kind} at {self.place}"


def events_of(dialect: Dialect, text: str) -> Events:
    """The events with which ``dialect`` streams ``text``."""
    events: list[Json | str] = []
    for piece in dialect.stream(text, _REQUEST):
        line = next(line for line in piece.decode().splitlines() if line.startswith(("data:", "{")))
        data = line.removeprefix("data: ")
        events.append(_DONE if data == _DONE else json.loads(data))
    return tuple(events)


def noisy_answers(dialect: Dialect, text: str) -> Iterator[NoisyAnswer]:
    """``text`` as an answer of ``dialect``, once with each kind of noise at each place where it can stand."""
    events = events_of(dialect, text)
    for kind, noise in _INSERTED.items():
        for place in range(len(events) if _ends_itself(dialect) else len(events) + 1):
            pieces = [_framed(event) for event in events]
            yield NoisyAnswer(kind, place, _stream(*pieces[:place], noise, *pieces[place:]))
    for kind, members in _ADDED.items():
        for place, event in enumerate(events):
            if isinstance(event, dict):
                yield NoisyAnswer(kind, place, _sent(_replaced(events, place, {**event, **members})))
    for kind, change in _CHANGED[type(dialect)].items():
        changed = tuple(change(event) if isinstance(event, dict) else event for event in events)
        yield NoisyAnswer(kind, -1, _sent(changed))
    yield from _framings(dialect, events, text)


def _ends_itself(dialect: Dialect) -> bool:
    """Return whether nothing is read behind the last event, so that noise there proves nothing."""
    return not isinstance(dialect, GeminiDialect)


_LOG: Json = {"timestamp": "2026-11-27T12:00:00Z", "level": "WARN", "fields": {"message": "slow"}}

_INSERTED: Mapping[str, bytes] = {
    "a comment": b": keep-alive\n\n",
    "a bare comment": b":\n\n",
    "several empty lines": b"\n\n\n\r\n",
    "a ping": b'event: ping\ndata: {"type": "ping"}\n\n',
    "an event without data": b"event: heartbeat\n\n",
    "empty data": b"data:\n\n",
    "a null": b"data: null\n\n",
    "a number": b"data: 42\n\n",
    "a truth": b"data: true\n\n",
    "an empty list": b"data: []\n\n",
    "a list of nulls": b"data: [null, 1, []]\n\n",
    "an empty object": b"data: {}\n\n",
    "a text": b"data: connected\n\n",
    "a quoted text": b'data: "connected"\n\n',
    "an event of an unknown type": b'event: load\ndata: {"type": "load", "region": "eu", "queue": [1, null]}\n\n',
    "a log line as data": b"data: " + json.dumps(_LOG).encode() + b"\n\n",
    "a log line between events": json.dumps(_LOG).encode() + b"\n\n",
    "a line of text": b"upstream connected\n\n",
    "an id and a retry": b"id: 7\nretry: 3000\n\n",
    "an error that is empty": b'data: {"error": ""}\n\n',
    "an error that is null": b'data: {"error": null}\n\n',
    "an error without members": b'data: {"error": {}}\n\n',
    "an error whose members are empty": b'data: {"error": {"message": "", "code": null, "type": ""}}\n\n',
    "an error that is false": b'data: {"error": false}\n\n',
    "no errors": b'data: {"errors": []}\n\n',
    "choices without one": b'data: {"choices": [], "candidates": [], "prompt_filter_results": [{"index": 0}]}\n\n',
    "choices that are null": b'data: {"choices": null, "candidates": null, "message": null, "delta": null}\n\n',
    "a choice that is null": b'data: {"choices": [null], "candidates": [null]}\n\n',
    "choices of another type": b'data: {"choices": 3, "candidates": "none", "delta": [], "output": {}}\n\n',
    "bytes that are no text": b": \xff\xfe\xc3\n\n",
}
"""Noise between the events of a stream."""

_ADDED: Mapping[str, Json] = {
    "an unknown member": {"x_gateway": {"region": "eu", "hops": [1, None]}, "obfuscation": "aGk"},
    "usage that is a list": {"usage": [], "usageMetadata": []},
    "usage that is a text": {"usage": "", "usageMetadata": "many"},
    "usage that is null": {"usage": None, "usageMetadata": None},
    "usage of odd numbers": {
        "usage": {
            "prompt_tokens": "12",
            "completion_tokens": 3.5,
            "input_tokens": -1,
            "output_tokens": [],
            "cost": "1",
        },
        "usageMetadata": {"promptTokenCount": "12", "candidatesTokenCount": -1},
    },
    "a model that is none": {"model": {"id": "some-model"}, "modelVersion": 3},
    "a model that is null": {"model": None, "modelVersion": None},
    "an error of the answer that is empty": {"error": ""},
    "an error of the answer that is false": {"error": False},
    "an error of the answer without members": {"error": {}},
    "an error of the answer that is null": {"error": None},
    "ids that are numbers": {"id": 7, "created": "now", "object": None, "system_fingerprint": 0},
}
"""Members that are added to an event, or replace its own."""

Change = Callable[[Json], Json]


def _choices_changed(change: Callable[[Json], Json]) -> Change:
    def changed(event: Json) -> Json:
        return {**event, "choices": [change(choice) for choice in event["choices"]]} if "choices" in event else event

    return changed


def _candidates_changed(change: Callable[[Json], Json]) -> Change:
    def changed(event: Json) -> Json:
        return {**event, "candidates": [change(each) for each in event["candidates"]]}

    return changed


def _without(*names: str) -> Change:
    return lambda event: {name: value for name, value in event.items() if name not in names}


def _text_in_place_of_delta(choice: Json) -> Json:
    return {**_without("delta")(choice), "text": choice["delta"].get("content") or ""}


def _parts(choice: Json) -> Json:
    content = choice["delta"].get("content")
    return {**choice, "delta": {"content": [{"type": "text", "text": content}]}} if content else choice


def _no_finish_reason(*, reason: object) -> Change:
    return lambda choice: choice if choice.get("finish_reason") else {**choice, "finish_reason": reason}


_CHANGED: Mapping[type[Dialect], Mapping[str, Change]] = {
    ChatDialect: {
        "an index that is null": _choices_changed(lambda choice: {**choice, "index": None}),
        "an index that is a text": _choices_changed(lambda choice: {**choice, "index": "0"}),
        "no index": _choices_changed(_without("index")),
        "a finish reason that is empty": _choices_changed(_no_finish_reason(reason="")),
        "a finish reason that is false": _choices_changed(_no_finish_reason(reason=False)),
        "text in place of delta": _choices_changed(_text_in_place_of_delta),
        "content in parts": _choices_changed(_parts),
        "a delta that is null at the end": _choices_changed(
            lambda choice: {**choice, "delta": None} if choice.get("finish_reason") else choice
        ),
        "an unknown finish reason": _choices_changed(
            lambda choice: {**choice, "finish_reason": "eos_token"} if choice.get("finish_reason") else choice
        ),
        "a refusal that is null": _choices_changed(
            lambda choice: {**choice, "delta": {**choice["delta"], "refusal": None, "tool_calls": None}}
        ),
    },
    AnthropicDialect: {
        "no index": _without("index"),
        "an index that is null": lambda event: {**event, "index": None},
        "deltas without a type": lambda event: (
            {**event, "delta": _without("type")(event["delta"])} if event["type"] == "content_block_delta" else event
        ),
        "an unknown stop reason": lambda event: (
            {**event, "delta": {"stop_reason": "eos"}} if event["type"] == "message_delta" else event
        ),
    },
    ResponsesDialect: {
        "no places of parts": _without("output_index", "content_index", "item_id", "sequence_number"),
        "places that are null": lambda event: {**event, "output_index": None, "content_index": None},
        "a response without output": lambda event: (
            {**event, "response": _without("output")(event["response"])} if "response" in event else event
        ),
    },
    GeminiDialect: {
        "an index that is null": _candidates_changed(lambda each: {**each, "index": None}),
        "no index": _candidates_changed(_without("index")),
        "no role": _candidates_changed(lambda each: {**each, "content": _without("role")(each["content"])}),
        "parts without a text": _candidates_changed(
            lambda each: {**each, "content": {"parts": [*each["content"]["parts"], {"inlineData": None}, None]}}
        ),
        "an unknown finish reason": _candidates_changed(
            lambda each: {**each, "finishReason": "ENDED"} if each.get("finishReason") else each
        ),
    },
    OllamaDialect: {
        "no times": _without("created_at", "total_duration", "load_duration"),
        "a role that is missing": lambda event: {**event, "message": _without("role")(event["message"])},
        "an unknown reason": lambda event: {**event, "done_reason": "eos"} if event["done"] else event,
    },
}
"""Changes that servers of each dialect make to every event."""


def _replaced(events: Events, place: int, event: Json) -> Events:
    return (*events[:place], event, *events[place + 1 :])


def _framed(event: Json | str, *, end: bytes = b"\n", colon: bytes = b": ") -> bytes:
    data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
    return b"data" + colon + data.encode() + end * 2


def _stream(*pieces: bytes, kind: str | None = EVENT_STREAM, whole: bool = False, **headers: str) -> Send:
    kinds = {} if kind is None else {"content-type": kind}
    packed = {name.replace("_", "-"): value for name, value in headers.items()}
    return Send(pieces, headers={**kinds, **packed}, whole=whole)


def _sent(events: Events) -> Send:
    return _stream(*map(_framed, events))


def _pretty(event: Json | str) -> bytes:
    lines = event.splitlines() if isinstance(event, str) else json.dumps(event, indent=2).splitlines()
    return b"".join(b"data: " + line.encode() + b"\n" for line in lines) + b"\n"


def _framings(dialect: Dialect, events: Events, text: str) -> Iterator[NoisyAnswer]:
    """The same events in other frames, and the answer in one piece, under every name that bodies have."""
    stream = b"".join(map(_framed, events))
    objects = [event for event in events if isinstance(event, dict)]
    lines = b"".join(json.dumps(event).encode() + b"\n" for event in objects)
    frames: dict[str, Send] = {
        "carriage returns": _stream(*(_framed(event, end=b"\r\n") for event in events)),
        "carriage returns alone": _stream(*(_framed(event, end=b"\r") for event in events)),
        "no space behind the colon": _stream(*(_framed(event, colon=b":") for event in events)),
        "a byte order mark": _stream(b"\xef\xbb\xbf", stream),
        "byte by byte": _stream(*(bytes([byte]) for byte in stream)),
        "one packet": _stream(stream),
        "no line end behind the last event": _stream(stream.rstrip()),
        "no empty lines between events": _stream(stream.replace(b"\n\n", b"\n")),
        "events over several lines": _stream(*map(_pretty, events)),
        "names of events": _stream(*(b"event: message\n" + _framed(event) for event in events)),
        "packed": _stream(gzip.compress(stream), whole=True, content_encoding="gzip"),
        "lines of JSON": _stream(lines, kind="application/x-ndjson"),
        "lines of JSON called events": _stream(lines),
        "lines of JSON behind an empty one": _stream(b"\n\n", lines),
        "a list of events": _stream(json.dumps(objects, indent=1).encode(), kind="application/json"),
    }
    for kind in (None, "text/plain", "application/json", "application/octet-stream", "text/html; charset=utf-8"):
        frames[f"events called {kind or 'nothing'}"] = _stream(stream, kind=kind)
    if _DONE in events or isinstance(dialect, AnthropicDialect):
        frames["no mark of the end"] = _stream(*map(_framed, events[:-1]))
    if isinstance(dialect, ResponsesDialect):
        # Its last but one event marks the message as complete.
        frames["no mark of the end"] = _stream(*map(_framed, events[:-1]))
        frames["no pieces before the whole"] = _stream(*map(_framed, _without_deltas(events)))
    body = dialect.whole(text, _REQUEST)
    for kind in (None, "application/json", EVENT_STREAM, "text/plain"):
        frames[f"one document called {kind or 'nothing'}"] = _stream(json.dumps(body).encode(), kind=kind)
    document = json.dumps(body, indent=4, ensure_ascii=False).encode()
    frames |= {
        "one document, indented": _stream(document, kind="application/json"),
        "one document behind a byte order mark": _stream(b"\xef\xbb\xbf" + document, kind="application/json"),
        "one document with carriage returns": _stream(document.replace(b"\n", b"\r\n"), kind="application/json"),
        "one document as an event": _stream(_framed(body)),
        "one document behind empty lines": _stream(b"\n \n" + document + b"\n\n", kind="application/json"),
        "one document of which only the bytes are counted": _stream(document, kind="application/json", whole=True),
    }
    for kind, send in frames.items():
        yield NoisyAnswer(kind, -1, send)


def _without_deltas(events: Events) -> Events:
    return tuple(each for each in events if isinstance(each, dict) and not str(each.get("type")).endswith(".delta"))


class ReportedError(Struct, frozen=True):
    """An error as servers write it into a stream.

    Attributes:
        kind: The peculiarity of its form.
        event: The event, framed.
        message: The part that a client should pass on.
    """

    kind: str
    event: bytes
    message: str


def _error(kind: str, event: object, message: str, *, name: str = "") -> ReportedError:
    prefix = f"event: {name}\n".encode() if name else b""
    data = event if isinstance(event, str) else json.dumps(event)
    return ReportedError(kind, prefix + b"data: " + data.encode() + b"\n\n", message)


REPORTED_ERRORS: Sequence[ReportedError] = (
    _error("an object", {"error": {"message": "The GPU is on fire.", "type": "hardware"}}, "The GPU is on fire."),
    _error("a text", {"error": "The GPU is on fire."}, "The GPU is on fire."),
    _error("a list", {"errors": [{"message": "The GPU is on fire."}]}, "The GPU is on fire."),
    _error("of type error", {"type": "error", "error": {"type": "x", "message": "It burns."}}, "It burns."),
    _error("an object called error", {"object": "error", "message": "It burns.", "code": 500}, "It burns."),
    _error("an event called error", {"message": "It burns."}, "It burns.", name="error"),
    _error("text of an event called error", "It burns.", "It burns.", name="error"),
    _error("with a number alone", {"error": {"code": 500}}, "500"),
    ReportedError("a line without data", b'{"error": {"message": "It burns."}}\n\n', "It burns."),
)
"""Errors in streams of status 200."""


def broken_answers(dialect: Dialect, text: str) -> Iterator[tuple[NoisyAnswer, str]]:
    """Yield streams that are no whole answer, each with the expected message of a client; empty if only cut off."""
    events = events_of(dialect, text)
    pieces = [_framed(event) for event in events]
    last = len(events) - 1 if events[-1] == _DONE else len(events)
    for error in REPORTED_ERRORS:
        for place in range(last):
            yield NoisyAnswer(f"an error, {error.kind}", place, _stream(*pieces[:place], error.event)), error.message
    for place in range(_first_end(events)):
        yield NoisyAnswer("broken off", place, _stream(*pieces[:place])), ""
        torn = pieces[place][: len(pieces[place]) // 2]
        yield NoisyAnswer("torn", place, _stream(*pieces[:place], torn)), ""


_ENDS = ("finish_reason", "stop_reason", "finishReason", "done_reason")


def _first_end(events: Events) -> int:
    """The place of the first event after which the answer is whole, should nothing more come."""
    return next(place for place, event in enumerate(events) if isinstance(event, str) or _ends(event))


def _ends(event: Json) -> bool:
    if event.get("type") in {"response.output_item.done", "response.completed"}:
        return True
    return any(_has(event, name) for name in _ENDS)


def _has(value: object, name: str) -> bool:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return bool(members.get(name)) or any(_has(each, name) for each in members.values())
    return isinstance(value, list) and any(_has(each, name) for each in cast("list[Any]", value))
