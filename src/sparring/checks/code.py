"""Find quoted code: the places of these lines, word for word (design: Review).

Letters with their case, and the boundaries of words, count. The amount of white space between
words does not, nor empty lines, nor the common indentation of all lines; the indentation of lines relative to each
other does, except for the first line, which a quote often begins without its indentation.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec import Struct

from sparring.checks.folding import is_inside_word
from sparring.text.tidying import visible

_BREAK = "\0"
"""Stands between blocks, so that no quote goes over two of them."""

_DEEPER, _LEVEL, _OUT = "\1", "\2", "\3"
"""Marks for a line that is indented deeper, equally, or less than the line before it."""

_OURS = str.maketrans("", "", _BREAK + _DEEPER + _LEVEL + _OUT)
_GUTTER = re.compile(r"[ \t]{0,12}\d{0,9} {0,2}[+-]? ?\|(?: |$)")
_MARKED = re.compile(r"[+-]")
_MOST_TRIED = 4_096
"""Places of the letters within longer words that are examined, in either direction."""


class CodeLine(Struct, frozen=True):
    """A line, by its number for people, which grows or stays from line to line."""

    number: int
    text: str


class CodeLocation(Struct, frozen=True):
    """Position of a quote: the numbers of its first and last line among all lines."""

    first: int
    last: int


class Code:
    """Blocks of lines, prepared once."""

    def __init__(self, blocks: Sequence[Sequence[CodeLine]]) -> None:
        self.lines = [line for block in blocks for line in block]
        # One text of all lines that are not empty. Of each such line: its number, its index in ``lines``, and its
        # start in the text.
        self._numbers: list[int] = []
        self._places: list[int] = []
        self._starts: list[int] = []
        pieces: list[str] = []
        length = place = 0
        for block in blocks:
            indent_before: int | None = None
            for line in block:
                key = _key(line.text)
                if key:
                    indent = _indent(line.text)
                    piece = f"\n{_step(indent_before, indent)}{key}"
                    self._numbers.append(line.number)
                    self._places.append(place)
                    self._starts.append(length)
                    pieces.append(piece)
                    length += len(piece)
                    indent_before = indent
                place += 1
            end = f"\n{_BREAK}"
            pieces.append(end)
            length += len(end)
        self._text = "".join(pieces)

    def find(self, quote: str, first: int, last: int) -> CodeLocation | None:
        """Find ``quote`` at the lines ``first`` to ``last``, or nearest to them."""
        for wording in _wordings(quote):
            for needle in _needles(wording):
                place = self._nearest(needle, first, last)
                if place:
                    return place
        return None

    def _nearest(self, needle: str, first: int, last: int) -> CodeLocation | None:
        place = bisect_left(self._numbers, first)
        offset = self._starts[place] if place < len(self._starts) else len(self._text)
        ahead, behind = self._ahead(needle, offset), self._behind(needle, offset)
        if ahead is None or behind is None:
            return ahead or behind
        if self._number(ahead.first) <= last:
            return ahead
        if self._number(behind.last) >= first:
            return behind
        is_behind_nearer = first - self._number(behind.last) < self._number(ahead.first) - last
        return behind if is_behind_nearer else ahead

    def _ahead(self, needle: str, offset: int) -> CodeLocation | None:
        for _ in range(_MOST_TRIED):
            offset = self._text.find(needle, offset)
            if offset < 0:
                return None
            if self._is_whole(needle, offset):
                return self._location(needle, offset)
            offset += 1
        return None

    def _behind(self, needle: str, offset: int) -> CodeLocation | None:
        """Return the last place that begins before ``offset``.

        The reversed text is searched, since ``find`` takes linear time and ``rfind`` does not.
        """
        reversed_needle = needle[::-1]
        last_start = len(self._text) - len(needle)
        from_end = max(0, last_start - offset + 1)
        for _ in range(_MOST_TRIED):
            from_end = self._backwards.find(reversed_needle, from_end)
            if from_end < 0:
                return None
            start = last_start - from_end
            if self._is_whole(needle, start):
                return self._location(needle, start)
            from_end += 1
        return None

    @cached_property
    def _backwards(self) -> str:
        return self._text[::-1]

    def _is_whole(self, needle: str, start: int) -> bool:
        """Return whether neither end of it is within a word or number."""
        return not is_inside_word(self._text, start) and not is_inside_word(self._text, start + len(needle))

    def _location(self, needle: str, start: int) -> CodeLocation:
        first = bisect_right(self._starts, start) - 1
        return CodeLocation(self._places[first], self._places[first + needle.count("\n")])

    def _number(self, place: int) -> int:
        return self.lines[place].number


def _key(line: str) -> str:
    return " ".join(visible(line).translate(_OURS).split())


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip())].expandtabs())


def _step(before: int | None, indent: int) -> str:
    if before is None or before == indent:
        return _LEVEL
    return _DEEPER if indent > before else _OUT


def _wordings(quote: str) -> Iterator[list[str]]:
    """Yield the lines of a quote unchanged, then without additions that it may have from the place it was read."""
    lines = [line for line in quote.split("\n") if line.strip()]
    yield lines
    if lines and all(_GUTTER.match(line) for line in lines):
        yield [_GUTTER.sub("", line, count=1) for line in lines]
    if any(map(_MARKED.match, lines)) and all(line[0] in "+- \t" for line in lines):
        yield [line[1:] for line in lines]
    bare = quote.strip()
    if len(bare) > 1 and bare[0] == bare[-1] == "`":
        yield [line for line in bare.strip("`").split("\n") if line.strip()]


def _needles(lines: Sequence[str]) -> Iterator[str]:
    """Yield the strings to search for, the likeliest first; none without a letter, digit or sign."""
    keys: list[str] = []
    indents: list[int] = []
    for line in lines:
        key = _key(line)
        if key:
            keys.append(key)
            indents.append(_indent(line))
    if len(keys) < 2:
        yield from keys
        return
    first, second, *others = keys
    first_step, *steps = [_step(before, indent) for before, indent in pairwise(indents)]
    rest = "".join(f"\n{step}{key}" for step, key in zip(steps, others, strict=True))
    # A quote often begins without the indentation of its first line; then the step to the second one is unknown.
    unknown = (_LEVEL, _OUT, _DEEPER) if indents[0] == 0 else ()
    for step in dict.fromkeys((first_step, *unknown)):
        yield f"{first}\n{step}{second}{rest}"
