"""A file's lines in blocks of a size to be shown: whole functions and sections where these are small.

By the look of the lines alone, since no parser knows all languages: what begins behind an empty line, or further to the
left than the line before, begins something; the further to the left, the more.
"""

import re
from collections.abc import Iterator, Sequence

_MOST, _FEW = 40, 28
"""Lines of a block, and of those that small neighbours are put together to."""

_DEEPEST, _PARAGRAPH = 12, 8
_INDENTATION = re.compile(r"[ \t]*")
_GOES_ON = re.compile(r"[)\]}>]|(?:else|elif|except|finally|catch|end|fi|done|esac|then|do)\b")
_HEADING = re.compile(r"#{1,6}(?=\s)")


def blocks(lines: Sequence[str], *, is_prose: bool) -> list[tuple[int, int]]:
    """The first and the last line of each block, from 1 on; lines that hold nothing are in none at its edges."""
    levels = list(_levels(lines, is_prose=is_prose))
    found = (_trimmed(lines, first, last) for first, last in _cut(levels, 0, len(lines)))
    return [span for span in found if span[0] <= span[1]]


def _levels(lines: Sequence[str], *, is_prose: bool) -> Iterator[int]:
    """How much begins in each line: 0 is most, ``_DEEPEST`` nothing."""
    before, is_behind_empty = 0, True
    for line in lines:
        text = line.strip()
        match = _INDENTATION.match(line)
        indent = min(len(match[0].expandtabs(4)) // 2 if match else 0, _DEEPEST - 1)
        if not text:
            yield _DEEPEST
            is_behind_empty = True
            continue
        heading = _HEADING.match(line) if is_prose else None
        is_boundary = (is_behind_empty or indent < before) and not _GOES_ON.match(text)
        yield len(heading[0]) - 1 if heading else (indent + _PARAGRAPH * is_prose) if is_boundary else _DEEPEST
        before, is_behind_empty = indent, False


def _cut(levels: Sequence[int], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts from ``start`` to before ``end``, cut where most begins, and again where they are too long."""
    if end - start <= _MOST:
        yield start, end
        return
    level = min(levels[start + 1 : end])
    if level >= _DEEPEST:
        yield from ((first, min(first + _MOST, end)) for first in range(start, end, _MOST))
        return
    cuts = [start, *(number for number in range(start + 1, end) if levels[number] == level), end]
    for first, last in _together(cuts):
        yield from _cut(levels, first, last)


def _together(cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The parts between ``cuts``, small neighbours together."""
    start = cuts[0]
    for here, following in zip(cuts[1:], (*cuts[2:], cuts[-1]), strict=True):
        if following - start > _FEW or here == cuts[-1]:
            yield start, here
            start = here


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while start < end and not lines[start].strip():
        start += 1
    while start < end and not lines[end - 1].strip():
        end -= 1
    return start + 1, end
