"""The lines that a text cites with a path, in the forms in which people write them.

Reading is strict; the search for numbers is not. A number next to a path that cannot be read as a line leaves
the citation unread: a text that names a line does not cite the file alone.
"""

import re

from msgspec import Struct

from sparring.text.words import SPACED

_NUMBER = r"\d{1,18}"
_DASH = r"[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]"

LINES_CITED = (
    rf"(?::L?|\#L)(?P<line>{_NUMBER})(?:C\d{{1,5}}|:\d{{1,5}})?(?:{_DASH}L?(?P<end>{_NUMBER})(?:C\d{{1,5}})?)?"
    r"(?P<more>(?:,\d[\d-]{0,38})*)"
)
"""Lines right behind a path: ``:3``, ``:3-9``, ``:3:14``, ``#L3-L9``, ``:3-9,17``."""

_STEP = rf"(?: ?(?:{_DASH}|\.{{2,3}}|…|[,;&/+]) ?| (?:to|through|and|or) |, (?:and|or) )"
_NEXT = rf"{_STEP}(?P<mark>(?:lines? )?[:#L]{{0,2}})(?P<number>{_NUMBER})"
_LISTED = re.compile(rf"{_NUMBER}(?:{_NEXT.replace('?P<mark>', '').replace('?P<number>', '')}){{0,20}}")
_FURTHER = re.compile(_NEXT)
_OPENING = re.compile(
    r"[`\"”’*_]{0,3}(?:"
    r"(?:,? ?[(\[]?|,? \(?(?:on|at|around|near|see|in) (?:the )?|: ?)(?:lines?\b|ll?\.|ln\.?|L(?=\d))[ .:#]{0,3}"
    r"|(?::{1,2}|\#| ?@ ?)L?)(?=\d)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"\blines? \#?(?P<listed>{_LISTED.pattern}) (?:of|in|from) (?:the file )?[`\"“(*_]{{0,3}}\Z", re.IGNORECASE
)
_REACH_BEFORE = 80
"""Most characters before a path that are read for "lines 3 to 9 of the file"."""

_NEAR_BEFORE, _NEAR_BEHIND = 16, 24
"""Characters on either side of a path in which a number may be that of a line."""

_LABEL = re.compile(r"[\s>*_#-]*(?:[A-Za-z]{1,12} )?\#?\d{1,3}(?: ?\([^()]{0,60}\))?[.):]+(?=[\s*_])")
"""The number of an item, a heading or a marked line, at the beginning of a line."""

_NEXT_NUMBER = re.compile(rf"[^\w\n]*(?:[A-Za-z]{{1,3}}[^\w\n]+)?[:#L]{{0,2}}(?P<number>{_NUMBER})")
_DIGIT = re.compile(r"\d")
_IN_WORD = re.compile(SPACED)
_PUNCTUATION = re.compile(r"(?:[^\w\s]|_)+")


class LinesCited(Struct, frozen=True):
    """The lines that are cited with a path.

    Attributes:
        numbers: Every number that is read as a line; empty for the file as a whole.
        others: Numbers next to them that may be further lines.
        is_unread: Whether there is a number that may be a line, and cannot be read.
    """

    numbers: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    is_unread: bool = False


def lines_cited(
    line: str, start: int, end: int, written: re.Match[str] | None = None, bounds: tuple[int, int] | None = None
) -> LinesCited:
    """Return the lines that ``line`` cites for the path at ``line[start:end]``, its lines and marks included.

    Args:
        line: A line of a text.
        start: First character of the path.
        end: End of the path, with ``written`` if that is given.
        written: A match of ``LINES_CITED`` with the path.
        bounds: Outer bounds of the text that may belong to the path.
    """
    first, last = bounds or (0, len(line))
    if written is not None and written["line"]:  # "a.py:3"
        return _continued(line, end, last, _numbers_of(written))
    opening = _OPENING.match(line, end, last)
    listed = _LISTED.match(line, opening.end(), last) if opening else None
    if listed:  # "a.py, lines 3 to 9"
        return _continued(line, listed.end(), last, _numbers_in(listed[0]))
    if before := _BEFORE.search(line[max(first, start - _REACH_BEFORE) : start]):  # "lines 3 to 9 of a.py"
        return _continued(line, end, last, _numbers_in(before["listed"]))
    # Any other number near the path may be that of a line, but for the label of the item.
    label = _LABEL.match(line)
    near_start = max(first, start - _NEAR_BEFORE, label.end() if label else 0)
    near_end = min(last, end + _NEAR_BEHIND)
    is_adjacent = _DIGIT.search(line, near_start, start) or _DIGIT.search(line, end, near_end)
    return LinesCited(is_unread=is_adjacent is not None)


def _numbers_of(written: re.Match[str]) -> tuple[int, ...]:
    parts = [written["line"], written["end"], written["more"]]
    return _numbers_in(" ".join(part for part in parts if part))


def _numbers_in(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(_NUMBER, text))


def _continued(line: str, place: int, last: int, numbers: tuple[int, ...]) -> LinesCited:
    """The lines cited, with those that are listed from ``place`` on."""
    cited, others = list(numbers), list[int]()
    while (step := _FURTHER.match(line, place, last)) and not _is_part_of_longer(line, step.end(), last):
        # After a mark ("and :9") it is surely a line; without one ("and 9") it may be something else.
        further = cited if step["mark"] else others
        further.append(int(step["number"]))
        place = step.end()
    if adjacent := _NEXT_NUMBER.match(line, place, last):
        others.append(int(adjacent["number"]))
    return LinesCited(tuple(cited), tuple(others), is_unread=_is_part_of_longer(line, place, last))


def _is_part_of_longer(line: str, place: int, last: int) -> bool:
    """Return whether the number that ends at ``place`` is a part of something longer, such as ``1_000`` or ``77a``."""
    if place >= last:
        return False
    if line[place] != "_" and _IN_WORD.match(line, place):
        return True
    punctuation = _PUNCTUATION.match(line, place, last)
    return punctuation is not None and _DIGIT.match(line, punctuation.end(), last) is not None
