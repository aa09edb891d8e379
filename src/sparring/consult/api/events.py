"""Server-sent events as the HTML standard frames them: where one ends, not what it says."""

import re
from collections.abc import Generator
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Event:
    """One event. Its data are never empty."""

    name: str
    data: str


class EventReader:
    """Cuts a stream into events, however its bytes are cut into pieces.

    What follows the last empty line is no event yet, and never becomes one if the stream ends there. Bytes that are no
    UTF-8 are replaced.
    """

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._after_return = False
        self._begun = False
        self._name = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Generator[Event]:
        """The events that ``piece`` completes."""
        # A line end may be cut in two: then its second half ends nothing more.
        line_end = b"\n" if self._after_return else b""
        if piece:
            self._after_return = piece.endswith(b"\r")
        *ended, rest = _LINE_END.split(piece.removeprefix(line_end))
        for end in ended:
            line = b"".join((*self._line, end)).decode("utf-8", errors="replace")
            self._line.clear()
            if event := self._take(line):
                yield event
        self._line.append(rest)

    def _take(self, line: str) -> Event | None:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line:
            event = Event(self._name, "\n".join(self._data)) if any(self._data) else None
            self._name = ""
            self._data.clear()
            return event
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        return None  # any other field does not matter here, and a line that begins with a colon is a comment
