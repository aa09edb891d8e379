"""Where a finding points: what it quotes is looked for in what reviewers were shown, and where that fails, beside it.

A removed line has no number of its own. Whoever quotes one points at the line before which it stood, and is never off.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.checks.citations import Listing
from sparring.checks.citations.lookup import from_root
from sparring.checks.code import Code, CodeLine
from sparring.schema.changes import FileChange, LineMark, ReviewedChange, ReviewedFile
from sparring.schema.review import Anchoring, CodePlace, CrossExamination, ReportedFinding

_ALL_OF_IT = frozenset({FileChange.ADDED, FileChange.DELETED, FileChange.WHOLE})
"""Where every line is under review."""


@dataclass(frozen=True)
class Pointed:
    """What somebody points at: lines of a file and what is said to stand there."""

    file: str
    first: int
    last: int
    quote: str

    @classmethod
    def by(cls, said: ReportedFinding | CrossExamination) -> "Pointed":
        """What a reviewer or an examiner points at."""
        last = said.end_line if isinstance(said, ReportedFinding) else said.line
        return cls(said.file, said.line, last, said.quote)


@dataclass(frozen=True)
class Anchor:
    """What code finds of it; ``place`` is None where it points at nothing."""

    anchoring: Anchoring
    place: CodePlace | None = None
    moved_by: int = 0


class ShownChange:
    """The files that reviewers were shown."""

    def __init__(self, change: ReviewedChange) -> None:
        self._files = {each.was: _Sheet(each) for each in change.files if each.was}
        self._files |= {each.path: _Sheet(each) for each in change.files}
        self._listing = Listing(self._files)

    def anchor(self, pointed: Pointed, elsewhere: Mapping[Pointed, CodePlace]) -> Anchor:
        """Where ``pointed`` stands; ``elsewhere`` is what was found in the project, beside what is shown."""
        sheet = self._sheet(pointed.file)
        if sheet and (found := sheet.anchor(pointed)):
            return found
        if place := elsewhere.get(pointed):
            return Anchor(Anchoring.OUTSIDE, place)
        return Anchor(Anchoring.NO_QUOTE if sheet else Anchoring.NO_FILE)

    def _sheet(self, file: str) -> "_Sheet | None":
        """The file of that name; one that is cut short in front counts where only one can be meant."""
        path = from_root(file)
        meant = (path,) if path in self._files else self._listing.ending_with(path)
        return self._files[meant[0]] if len(meant) == 1 else None


@dataclass(frozen=True)
class _Side:
    """The lines of a file before the change, after it, or both together, each with its mark."""

    code: Code
    marks: Sequence[str]


class _Sheet:
    """One file, searched when somebody points at it."""

    def __init__(self, file: ReviewedFile) -> None:
        self._file = file

    def anchor(self, pointed: Pointed) -> Anchor | None:
        """Where the quote stands, nearest to where it is said to: among the lines of the new file before all others."""
        found = [place for side in self._sides if (place := self._place(side, pointed))]
        place = min(found, key=lambda place: abs(_off(place, pointed)), default=None)
        if place is None:
            return None
        moved_by = _off(place, pointed)
        if not self._is_touched(place):
            return Anchor(Anchoring.OUTSIDE, place, moved_by)
        return Anchor(Anchoring.MOVED if moved_by else Anchoring.EXACT, place, 0 if place.is_removed else moved_by)

    @cached_property
    def _sides(self) -> tuple[_Side, ...]:
        has_removed = any(line.startswith(LineMark.REMOVED) for hunk in self._file.hunks for line in hunk.lines)
        left_out = (LineMark.REMOVED, LineMark.ADDED, None) if has_removed else (None,)
        return tuple(map(self._side, left_out))

    def _side(self, left_out: LineMark | None) -> _Side:
        blocks = [[line for line in hunk.numbered if line[1] != left_out] for hunk in self._file.hunks]
        code = Code([[CodeLine(number, text) for number, _, text in block] for block in blocks])
        return _Side(code, [mark for block in blocks for _, mark, _ in block])

    def _place(self, side: _Side, pointed: Pointed) -> CodePlace | None:
        found = side.code.find(pointed.quote, pointed.first, pointed.last)
        if found is None:
            return None
        there = slice(found.first, found.last + 1)
        lines, marks = side.code.lines[there], side.marks[there]
        is_removed = LineMark.REMOVED in marks and LineMark.ADDED not in marks
        told = [line for line, mark in zip(lines, marks, strict=True) if is_removed or mark != LineMark.REMOVED]
        return CodePlace(
            file=self._file.path,
            first=told[0].number,
            last=told[-1].number,
            text="\n".join(line.text for line in told),
            is_removed=is_removed,
        )

    @cached_property
    def _numbers(self) -> Mapping[str, list[int]]:
        numbered = [line for hunk in self._file.hunks for line in hunk.numbered]
        return {mark: sorted(number for number, each, _ in numbered if each == mark) for mark in LineMark}

    def _is_touched(self, place: CodePlace) -> bool:
        """Whether the change adds or removes a line there, or right beside."""
        if place.is_removed or self._file.change in _ALL_OF_IT:
            return True
        added, removed = self._numbers[LineMark.ADDED], self._numbers[LineMark.REMOVED]
        return _holds(added, place.first - 1, place.last + 1) or _holds(removed, place.first, place.last + 1)


def _holds(numbers: Sequence[int], least: int, most: int) -> bool:
    place = bisect_left(numbers, least)
    return place < len(numbers) and numbers[place] <= most


def _off(place: CodePlace, pointed: Pointed) -> int:
    """By how many lines the place that was named is off; 0 where both have a line in common."""
    if place.is_removed and place.first - 1 <= pointed.last:
        return 0
    if place.first > pointed.last or place.last < pointed.first:
        return place.first - pointed.first
    return 0
