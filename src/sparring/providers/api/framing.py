"""Framing of response bodies: where one JSON value ends and the next begins.

A body is a stream of server-sent events, lines of JSON, or one JSON document. Its content type does not matter, because
servers and gateways mislabel it. Everything that is no JSON object is noise, with one exception: an object that is not
whole may have been a piece of the answer, so it is reported as torn. The meaning of a value is for the API's dialect.
"""

import json
import re
from collections.abc import Generator, Iterator
from typing import Any, cast

from msgspec import Struct, field

from sparring.providers.api.protocol import Json
from sparring.text.extraction import find_json, remainder

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK = "\ufeff"
_DATA = "data: "
_FIELD = re.compile(r"(data|event|id|retry)[ \t]*(?::|$)|:", re.IGNORECASE)
_TORN = re.compile(r"""\{\s*+(?:["']|$)""")
"""The beginning of an object, as it is left where the object is not whole."""

_NOISE_KEPT = 400
"""Characters of text among the events that are kept, so that a failure can quote them."""

DONE = "[DONE]"
"""The mark of the end in the dialects of OpenAI."""


class Event(Struct, frozen=True):
    """One JSON object of a body.

    Attributes:
        value: The object; empty for a text such as the mark of the end.
        name: The name of a server-sent event; empty where there is none.
        text: The text of an event that is no JSON.
    """

    value: Json = field(default_factory=dict[str, Any])
    name: str = ""
    text: str = ""


class TornEventError(ValueError):
    """An event that may have been a piece of the answer is not whole."""


class BodyReader:
    """Cuts a body into the objects that it holds, however its bytes are cut into pieces.

    Bytes that are not UTF-8 are replaced. Time is linear in the body.

    Attributes:
        noise: The first words among the events that are no event.
    """

    def __init__(self) -> None:
        self.noise = ""
        self._documents = 0
        self._sent = 0
        self._line: list[bytes] = []
        self._after_return = False
        self._begun = False
        self._data: list[str] = []
        self._name = ""
        self._document: list[str] = []

    @property
    def is_document(self) -> bool:
        """Return whether the body, read to its end, was one JSON document and no stream."""
        return self._documents == 1 and not self._sent

    def feed(self, piece: bytes) -> Generator[Event]:
        """Yield the events that ``piece`` completes; raises ``TornEventError``."""
        # A line end may be cut in two: then its second half ends nothing more.
        line_end = b"\n" if self._after_return else b""
        if piece:
            self._after_return = piece.endswith(b"\r")
        *ended, rest = _LINE_END.split(piece.removeprefix(line_end))
        for end in ended:
            if self._line:
                end = b"".join((*self._line, end))  # noqa: PLW2901 -- the same line, whole
                self._line.clear()
            line = end.decode("utf-8", errors="replace")
            if line.startswith(_DATA) and not self._document:  # as nearly every line of a stream
                self._begun = True
                self._data.append(line[len(_DATA) :])
            elif line:
                yield from self._take(line)
            elif event := self._of_one_line():
                yield event
            elif self._data or self._name:
                yield from self._dispatched()
        if rest:
            self._line.append(rest)

    def end(self) -> Generator[Event]:
        """Yield the rest at the end of the body; raises ``TornEventError`` where it is incomplete."""
        line = b"".join(self._line).decode("utf-8", errors="replace")
        self._line.clear()
        if line.strip():
            yield from self._take(line)
        yield from self._dispatched()
        yield from self._document_read()

    def _take(self, line: str) -> Iterator[Event]:
        if not self._begun and line:
            self._begun = True
            line = line.removeprefix(_BYTE_ORDER_MARK)
        text = line.strip()
        if not text:
            yield from self._dispatched()
        elif sent := _FIELD.match(line.lstrip()):
            yield from self._document_read()  # which no such line can be a part of
            self._take_field((sent[1] or "").lower(), line.lstrip()[sent.end() :].removeprefix(" "))
        elif self._document:
            self._document.append(line)
        elif text.startswith(("{", "[")):
            yield from self._take_json(line)
        else:
            self._note_noise(text)

    def _take_field(self, name: str, value: str) -> None:
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value.strip()
        # Any other field does not matter here, and a line that begins with a colon is a comment.

    def _take_json(self, line: str) -> Iterator[Event]:
        """Yield the event of a single line, as in NDJSON, or begin a document of several lines."""
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            self._document.append(line)
            return
        self._documents += 1
        yield from self._events_of(value, "")

    def _of_one_line(self) -> Event | None:
        """Return the event of a single line of data, as nearly all are; None leaves it to ``_dispatched``."""
        if len(self._data) != 1 or self._document:
            return None
        line = self._data[0]
        if line == DONE:
            event = Event(name=self._name, text=DONE)
        else:
            try:
                value: object = json.loads(line)
            except (ValueError, RecursionError):
                return None
            if not isinstance(value, dict):
                return None
            event = Event(cast("Json", value), self._name)
        self._data, self._name = [], ""
        self._sent += 1
        return event

    def _dispatched(self) -> Iterator[Event]:
        """Yield the event of the lines so far."""
        lines, name = self._data, self._name
        self._data, self._name = [], ""
        if not any(map(str.strip, lines)):
            return
        self._sent += 1
        if len(lines) == 1:
            yield from self._read(lines[0], name)
        elif all(map(_is_json, lines)):  # some servers leave out the lines between events
            for line in lines:
                yield from self._read(line, name)
        else:
            yield from self._read("\n".join(lines), name)

    def _document_read(self) -> Iterator[Event]:
        if self._document:
            lines, self._document = self._document, []
            self._documents += 1
            yield from self._read("\n".join(lines), "")

    def _read(self, data: str, name: str) -> Iterator[Event]:
        """Yield the objects in ``data``; text around them is noise."""
        try:
            value: object = json.loads(data)
        except RecursionError as error:
            raise TornEventError(data) from error
        except ValueError:
            objects = find_json(data)
            rest = remainder(data, objects)
            if _TORN.search(rest):
                raise TornEventError(data) from None
            for each in objects:
                yield from self._events_of(each.value, name)
            if not objects:
                self._note_noise(rest)
                yield Event(name=name, text=data.strip())
        else:
            yield from self._events_of(value, name)

    def _events_of(self, value: object, name: str) -> Iterator[Event]:
        """One event, or those of a list, as Gemini answers without a stream."""
        for each in cast("list[object]", value) if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                yield Event(cast("Json", each), name)
            else:
                text = each if isinstance(each, str) else json.dumps(each)
                self._note_noise(text)
                yield Event(name=name, text=text)

    def _note_noise(self, text: str) -> None:
        if len(self.noise) < _NOISE_KEPT and (text := text.strip()) != DONE:
            self.noise = f"{self.noise} {text[:_NOISE_KEPT]}".strip()


def _is_json(text: str) -> bool:
    if text.strip() == DONE or not text.strip():
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
