"""The place in a change that a finding points at: its lines, their surroundings, whether the change touches them.

The quote of a finding is searched for in the text that reviewers were shown, and if that fails, outside it. A removed
line has no number of its own. A quote of one points at the line that followed it, and its line number is never off.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from sparring.checks.citations import Listing
from sparring.checks.citations.lookup import from_root
from sparring.checks.code import Code, CodeLine
from sparring.schema import review as schema
from sparring.schema.changes import FileChange, Hunk, LineMark, ReviewedChange, ReviewedFile
from sparring.text import source_lines

_ALL_OF_IT = frozenset({FileChange.ADDED, FileChange.DELETED, FileChange.RENAMED, FileChange.WHOLE})
"""Changes that put every line under review: under a new name a file may behave differently."""

_LINES_AROUND = 2
"""Lines of code before and after a place that distinguish it from others."""

_SHORTEST_FACT = 8
"""Characters of a quote that may match a change outside the lines, e.g. of the file's mode."""


class Pointed(Struct, frozen=True):
    """Lines of a file, and the words that a reviewer quotes from them."""

    file: str
    first: int
    last: int
    quote: str

    @classmethod
    def by(cls, report: schema.ReportedFinding | schema.CrossExamination) -> "Pointed":
        """Return the place that a reviewer or an examiner points at."""
        last = report.end_line if isinstance(report, schema.ReportedFinding) else report.line
        return cls(report.file, report.line, last, report.quote)


class Anchor(Struct, frozen=True):
    """Finding of code on a place; ``place`` is None if the quote occurs nowhere."""

    anchoring: schema.Anchoring
    place: schema.CodePlace | None = None
    moved_by: int = 0


class ShownChange:
    """The files that reviewers were shown."""

    def __init__(self, change: ReviewedChange) -> None:
        sheets = [_Sheet(file) for file in _joined_files(change.files)]
        self._files = {each.file.was: each for each in sheets if each.file.was}
        self._files |= {each.file.path: each for each in sheets}
        self._listing = Listing(self._files)

    def anchor(self, pointed: Pointed, elsewhere: Mapping[Pointed, schema.CodePlace]) -> Anchor:
        """Locate ``pointed``; ``elsewhere`` holds places in the project outside the material."""
        sheet = self._sheet(pointed.file)
        if sheet and (anchor := sheet.anchor(pointed)):
            return anchor
        if place := elsewhere.get(pointed):
            return Anchor(schema.Anchoring.OUTSIDE, place)
        return Anchor(schema.Anchoring.NO_QUOTE if sheet else schema.Anchoring.NO_FILE)

    def around(self, place: schema.CodePlace) -> schema.CodeSurroundings:
        """Return the code around ``place``; nothing if reviewers were not shown it."""
        sheet = self._files.get(place.file)
        return sheet.around(place) if sheet else schema.CodeSurroundings()

    def bears_on(self, pointed: Pointed) -> bool:
        """Return whether the file or the quote of ``pointed`` is part of the change."""
        return self._sheet(pointed.file) is not None or any(each.anchor(pointed) for each in self._files.values())

    def _sheet(self, file: str) -> "_Sheet | None":
        """The file of that name; a path without its beginning counts if it is unambiguous."""
        path = from_root(file)
        meant = (path,) if path in self._files else self._listing.ending_with(path)
        return self._files[meant[0]] if len(meant) == 1 else None


def _joined_files(files: Iterable[ReviewedFile]) -> Iterator[ReviewedFile]:
    """Each file once, with all of its hunks, since a long file is split over several parts."""
    joined: dict[str, ReviewedFile] = {}
    for each in files:
        known = joined.get(each.path)
        hunks = (*known.hunks, *each.hunks) if known else each.hunks
        joined[each.path] = each.model_copy(update={"hunks": hunks})
    return iter(joined.values())


class _Side(Struct, frozen=True):
    """The lines of a file before the change, after it, or both together, each with its mark."""

    code: Code
    marks: Sequence[str]


class _Sheet:
    def __init__(self, file: ReviewedFile) -> None:
        self.file = file

    def anchor(self, pointed: Pointed) -> Anchor | None:
        """Return the place of the quote nearest to the named line, in the new file before all others."""
        places = [place for side in self._sides if (place := self._place(side, pointed))]
        place = min(places, key=lambda place: abs(_off(place, pointed)), default=None)
        if place is None:
            return self._fact(pointed)
        moved_by = _off(place, pointed)
        if not self._is_touched(place):
            return Anchor(schema.Anchoring.OUTSIDE, place, moved_by)
        return Anchor(
            schema.Anchoring.MOVED if moved_by else schema.Anchoring.EXACT, place, 0 if place.is_removed else moved_by
        )

    def around(self, place: schema.CodePlace) -> schema.CodeSurroundings:
        """Return what surrounds ``place``."""
        left_out = LineMark.ADDED if place.is_removed else LineMark.REMOVED
        for hunk in self.file.hunks:
            numbered = [(at, line) for at, line in enumerate(hunk.numbered) if line[1] != left_out]
            meant = [n for n, (_, line) in enumerate(numbered) if place.first <= line[0] <= place.last]
            if not meant:
                continue
            texts = [line[2] for _, line in numbered]
            before = [text for text in texts[: meant[0]] if source_lines.is_code(text)]
            behind = [text for text in texts[meant[-1] + 1 :] if source_lines.is_code(text)]
            return schema.CodeSurroundings(
                above=source_lines.enclosing([*hunk.above, *texts], len(hunk.above) + meant[0]),
                beside=(*before[-_LINES_AROUND:], *behind[:_LINES_AROUND]),
                replaced=tuple(_removed_around(hunk, numbered[meant[0]][0], numbered[meant[-1]][0])),
            )
        return schema.CodeSurroundings()

    def _fact(self, pointed: Pointed) -> Anchor | None:
        """Return a change outside the lines, if one is quoted; it belongs to no line, and counts as the first."""
        quote = pointed.quote.strip()
        fact = next((each for each in self.file.facts if len(quote) >= _SHORTEST_FACT and quote in each), None)
        if fact is None:
            return None
        return Anchor(schema.Anchoring.EXACT, schema.CodePlace(file=self.file.path, first=1, last=1, text=fact))

    @cached_property
    def _sides(self) -> tuple[_Side, ...]:
        has_removed = any(line.startswith(LineMark.REMOVED) for hunk in self.file.hunks for line in hunk.lines)
        left_out = (LineMark.REMOVED, LineMark.ADDED, None) if has_removed else (None,)
        return tuple(map(self._side, left_out))

    def _side(self, left_out: LineMark | None) -> _Side:
        blocks = [[line for line in hunk.numbered if line[1] != left_out] for hunk in self.file.hunks]
        code = Code([[CodeLine(number, text) for number, _, text in block] for block in blocks])
        return _Side(code, [mark for block in blocks for _, mark, _ in block])

    def _place(self, side: _Side, pointed: Pointed) -> schema.CodePlace | None:
        match = side.code.find(pointed.quote, pointed.first, pointed.last)
        if match is None:
            return None
        there = slice(match.first, match.last + 1)
        lines, marks = side.code.lines[there], side.marks[there]
        is_removed = LineMark.REMOVED in marks and LineMark.ADDED not in marks
        kept_lines = [line for line, mark in zip(lines, marks, strict=True) if is_removed or mark != LineMark.REMOVED]
        return schema.CodePlace(
            file=self.file.path,
            first=kept_lines[0].number,
            last=kept_lines[-1].number,
            text="\n".join(line.text for line in kept_lines),
            is_removed=is_removed,
        )

    @cached_property
    def _numbers(self) -> Mapping[str, list[int]]:
        numbered = [line for hunk in self.file.hunks for line in hunk.numbered]
        return {
            mark: sorted(number for number, each, text in numbered if each == mark and source_lines.is_code(text))
            for mark in LineMark
        }

    @cached_property
    def _added(self) -> list[int]:
        return sorted(line[0] for hunk in self.file.hunks for line in hunk.numbered if line[1] == LineMark.ADDED)

    def _is_touched(self, place: schema.CodePlace) -> bool:
        """Return whether the change adds a line there, or removes one there or directly next to it.

        An added or removed comment or empty line does not touch the code next to it.
        """
        if place.is_removed or self.file.change in _ALL_OF_IT:
            return True
        if not any(map(source_lines.is_code, place.text.splitlines())):
            return _holds(self._added, place.first, place.last)
        added, removed = self._numbers[LineMark.ADDED], self._numbers[LineMark.REMOVED]
        return _holds(added, place.first, place.last) or _holds(removed, place.first, place.last + 1)


def _removed_around(hunk: Hunk, first: int, last: int) -> Iterator[str]:
    """The removed lines of the contiguous touched lines that include those at ``first`` to ``last``."""
    marks = [line[:1] for line in hunk.lines]
    while first > 0 and marks[first - 1] != LineMark.KEPT:
        first -= 1
    while last + 1 < len(marks) and marks[last + 1] != LineMark.KEPT:
        last += 1
    for line in hunk.lines[first : last + 1]:
        if line.startswith(LineMark.REMOVED):
            yield line[1:]


def _holds(numbers: Sequence[int], least: int, most: int) -> bool:
    place = bisect_left(numbers, least)
    return place < len(numbers) and numbers[place] <= most


def _off(place: schema.CodePlace, pointed: Pointed) -> int:
    """Number of lines between the named and the actual place; 0 if they share a line."""
    if place.is_removed and place.first - 1 <= pointed.last:
        return 0
    if place.first > pointed.last or place.last < pointed.first:
        return place.first - pointed.first
    return 0
