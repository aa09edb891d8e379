"""A text in which places were replaced, and the way back to the text that it was made from."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Replaced:
    """What stands at ``start`` to ``end`` of a rewritten text, and where it came from."""

    start: int
    end: int
    original_start: int
    original_end: int


@dataclass(frozen=True)
class Rewritten:
    """A text without some of its words; ``replaced`` is in order."""

    text: str
    original: str
    replaced: tuple[Replaced, ...] = ()

    def original_place(self, start: int, end: int) -> tuple[int, int]:
        """Where in the original ``text[start:end]`` comes from; a replacement that is touched is taken whole."""
        return self._start(start), self._end(end)

    def _start(self, offset: int) -> int:
        passed = bisect_right(self.replaced, offset, key=lambda piece: piece.end)
        if passed < len(self.replaced) and self.replaced[passed].start < offset:
            return self.replaced[passed].original_start
        return offset + self._shift(passed)

    def _end(self, offset: int) -> int:
        begun = bisect_left(self.replaced, offset, key=lambda piece: piece.start)
        if begun and self.replaced[begun - 1].end > offset:
            return self.replaced[begun - 1].original_end
        return offset + self._shift(begun)

    def _shift(self, passed: int) -> int:
        """By how much the original is longer, up to the end of the last of the first ``passed`` replacements."""
        return self.replaced[passed - 1].original_end - self.replaced[passed - 1].end if passed else 0


def rewritten(text: str, places: Iterable[tuple[int, int, str]]) -> Rewritten:
    """``text`` with each of ``places`` (start, end, what is to stand there), which are in order, replaced."""
    parts, replaced, taken, length = list[str](), list[Replaced](), 0, 0
    for start, end, stand_in in places:
        begin = length + start - taken
        length = begin + len(stand_in)
        replaced.append(Replaced(begin, length, start, end))
        parts += [text[taken:start], stand_in]
        taken = end
    return Rewritten("".join([*parts, text[taken:]]), text, tuple(replaced))
