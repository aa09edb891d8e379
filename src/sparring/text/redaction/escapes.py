"""Terminal escape sequences, taken out while a text is searched: a colour may begin in the middle of a secret."""

import re
from dataclasses import dataclass

from sparring.text.redaction.spans import Span

_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


@dataclass(frozen=True, slots=True)
class Escape:
    """A sequence that belongs before the character at ``position`` of the text without sequences."""

    position: int
    sequence: str


@dataclass(frozen=True, slots=True)
class Plain:
    """A text without escape sequences, and what was taken out of it."""

    text: str
    escapes: tuple[Escape, ...] = ()


def without_escapes(text: str) -> Plain:
    """``text`` without the sequences that move the cursor or change colours."""
    if "\x1b[" not in text:
        return Plain(text)
    pieces: list[str] = []
    escapes: list[Escape] = []
    kept = length = 0
    for match in _SEQUENCE.finditer(text):
        pieces.append(text[kept : match.start()])
        length += match.start() - kept
        escapes.append(Escape(length, match[0]))
        kept = match.end()
    return Plain("".join([*pieces, text[kept:]]), tuple(escapes))


def moved(escapes: tuple[Escape, ...], spans: list[Span]) -> tuple[Escape, ...]:
    """``escapes`` where they belong once the ordered ``spans`` have been replaced; none stands in a marker."""
    result: list[Escape] = []
    shift = index = 0
    for escape in escapes:
        while index < len(spans) and spans[index].end <= escape.position:
            shift += len(spans[index].marker) - (spans[index].end - spans[index].start)
            index += 1
        position = escape.position
        if index < len(spans) and spans[index].start < position:
            position = spans[index].start + len(spans[index].marker)
        result.append(Escape(position + shift, escape.sequence))
    return tuple(result)


def with_escapes(plain: Plain) -> str:
    """The text with its escape sequences where they were."""
    if not plain.escapes:
        return plain.text
    pieces: list[str] = []
    kept = 0
    for escape in plain.escapes:
        pieces += plain.text[kept : escape.position], escape.sequence
        kept = escape.position
    return "".join([*pieces, plain.text[kept:]])
