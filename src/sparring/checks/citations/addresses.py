"""Find the addresses of a text: as far as they go, and not a character further."""

import re
from collections.abc import Iterator

_START = re.compile(r"(?<!\w)https?://", re.IGNORECASE)
_NEVER_INSIDE = frozenset('<>"“”`{}|\\^')
_TRAILING = ".,;:!?*_'’…~"
_PAIRS = {")": "(", "]": "["}


def find_addresses(line: str) -> Iterator[tuple[int, int]]:
    """Where the addresses of ``line`` stand.

    Brackets that an address opens belong to it, as in ``…/Debate_(parliamentary)``; punctuation behind it does not.
    """
    position = 0
    while match := _START.search(line, position):
        position = end = _end(line, match.end())
        while end > match.end() and line[end - 1] in _TRAILING:
            end -= 1
        if end > match.end():
            yield match.start(), end


def _end(line: str, start: int) -> int:
    """The first character from ``start`` on that no address holds, or that closes a bracket which it did not open."""
    open_: dict[str, int] = {"(": 0, "[": 0}
    for position in range(start, len(line)):
        character = line[position]
        if character.isspace() or character in _NEVER_INSIDE:
            return position
        if character in open_:
            open_[character] += 1
        elif character in _PAIRS:
            open_[_PAIRS[character]] -= 1
            if open_[_PAIRS[character]] < 0:
                return position
    return len(line)
