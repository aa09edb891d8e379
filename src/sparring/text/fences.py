"""Which lines of a Markdown text stand in fenced code (CommonMark 4.5); one that is never closed runs to the end."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
"""Begins a line that opens or closes a fence; the group is its marks."""


@dataclass(frozen=True)
class Line:
    """One line and where it begins. The lines that open and close a fence are fenced too."""

    start: int
    words: str
    is_fenced: bool


def lines(text: str) -> Iterator[Line]:
    """Every line of ``text``, in order."""
    start, fence = 0, ""
    for words in text.split("\n"):
        mark = FENCE.match(words)
        yield Line(start, words, is_fenced=bool(fence or mark))
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        start += len(words) + 1
