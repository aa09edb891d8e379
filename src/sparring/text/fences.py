"""Lines of a text, with those in fenced code marked (CommonMark 4.5)."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

FENCE = re.compile(r"(?P<before>[ \t>]*)(?P<marks>`{3,}(?=[^`]*\Z)|~{3,})(?P<info>.*)", re.DOTALL)
"""Begins or ends fenced code; after backticks no further backtick may stand in the line."""


class Line(Struct, frozen=True):
    """One line and where it begins. The lines that open and close a fence are fenced too."""

    start: int
    words: str
    is_fenced: bool


def lines(text: str) -> Iterator[Line]:
    """Every line of ``text``, in order.

    Code that is fenced but never ends is text: else one line could hide everything below it.
    """
    words = text.split("\n")
    fences = dict(_fences(words))
    start, end = 0, -1
    for number, line in enumerate(words):
        if number > end:
            end = fences.get(number, end)
        yield Line(start, line, is_fenced=number <= end)
        start += len(line) + 1


class _Opened(Struct, frozen=True):
    number: int
    marks: str
    is_quoted: bool


def _fences(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The numbers of the lines that open and close fenced code; one in a block quotation ends with it at the latest.

    One that another one holds is given, too: it counts where the outer one never ends.
    """
    opened: list[_Opened] = []
    for number, line in enumerate(words):
        is_quoted = line.lstrip()[:1] == ">"
        if not is_quoted:
            opened = [each for each in opened if not each.is_quoted]
        mark = FENCE.match(line)
        if mark is None:
            continue
        same = [place for place, each in enumerate(opened) if _may_close(mark, each, is_quoted=is_quoted)]
        if same and not mark["info"].strip():
            yield opened[same[0]].number, number
            del opened[same[0] :]
        elif not same:
            opened.append(_Opened(number, mark["marks"], is_quoted))


def _may_close(mark: re.Match[str], opened: _Opened, *, is_quoted: bool) -> bool:
    return is_quoted is opened.is_quoted and mark["marks"].startswith(opened.marks)
