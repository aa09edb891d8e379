"""Places in a text that hold secrets, and putting markers there."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

MARKER = re.compile(r"\[REDACTED:[a-z0-9-]+\]")
_ONLY_MARKERS = re.compile(rf"(?:{MARKER.pattern}[:@]?)+")


_MARGIN = 1024
"""More than any rule looks back or ahead from a secret that fits into a line."""


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Span:
    """A secret of one kind from ``start`` to ``end``."""

    start: int
    end: int
    kind: str

    @property
    def marker(self) -> str:
        """What stands there afterwards."""
        return f"[REDACTED:{self.kind}]"


def united(text: str, spans: Iterable[Span]) -> list[Span]:
    """``spans`` in order, overlapping ones as one of the kind that came first; without what is redacted already."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):  # stable: of two at one place the first found is first
        if _ONLY_MARKERS.fullmatch(text, span.start, span.end):
            continue
        if result and span.start < result[-1].end:
            last = result[-1]
            result[-1] = Span(last.start, max(last.end, span.end), last.kind)
        else:
            result.append(span)
    return result


def replaced(text: str, spans: Iterable[Span]) -> str:
    """``text`` with a marker in the place of each of the ordered ``spans``."""
    pieces: list[str] = []
    kept = 0
    for span in spans:
        pieces += text[kept : span.start], span.marker
        kept = span.end
    return "".join([*pieces, text[kept:]])


def surroundings(text: str, spans: Iterable[Span]) -> list[Place]:
    """Where something new may have come free: the lines of ``text`` around what the ordered ``spans`` became.

    Everything else was searched already. Cut at line ends, so that no cut makes a secret out of a part of a word.
    """
    places: list[Place] = []
    shift = 0
    for span in spans:
        start, end = span.start + shift, span.start + shift + len(span.marker)
        shift = end - span.end
        first = text.rfind("\n", 0, max(0, start - _MARGIN)) + 1
        last = text.find("\n", end + _MARGIN)
        last = len(text) if last < 0 else last + 1
        if places and first <= places[-1].end:
            places[-1] = Place(places[-1].start, max(last, places[-1].end))
        else:
            places.append(Place(first, last))
    return places
