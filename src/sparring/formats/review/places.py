"""The place in a change that a finding points at: its lines, their surroundings, whether the change touches them.

The quote of a finding is searched for in the text that reviewers were shown, and if that fails, outside it. A removed
line has no number of its own. A quote of one points at the line that followed it, and its line number is never off.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from sparring.checks.citations import Listing
from sparring.checks.citations.lookup import root_relative
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


class PointedLines(Struct, frozen=True):
    """Lines of a file, and the words that a reviewer quotes from them."""

    file: str
    first: int
    last: int
    quote: str

    @classmethod
    def by(cls, report: schema.ReportedFinding | schema.CrossExamination) -> "PointedLines":
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
        files = [_ShownFile(file) for file in _joined_files(change.files)]
        # A renamed file is known by both names; where one is the present name of another file, that one counts.
        self._files = {shown.file.old_path: shown for shown in files if shown.file.old_path}
        self._files |= {shown.file.path: shown for shown in files}
        self._listing = Listing(self._files)

    def anchor(self, pointed: PointedLines, elsewhere: Mapping[PointedLines, schema.CodePlace]) -> Anchor:
        """Locate ``pointed``; ``elsewhere`` holds places in the project outside the material."""
        shown = self._file(pointed.file)
        anchor = shown.anchor(pointed) if shown else None
        if anchor:
            return anchor
        if pointed in elsewhere:
            return Anchor(schema.Anchoring.OUTSIDE, elsewhere[pointed])
        return Anchor(schema.Anchoring.NO_QUOTE if shown else schema.Anchoring.NO_FILE)

    def around(self, place: schema.CodePlace) -> schema.CodeSurroundings:
        """Return the code around ``place``; nothing if reviewers were not shown it."""
        shown = self._files.get(place.file)
        return shown.around(place) if shown else schema.CodeSurroundings()

    def bears_on(self, pointed: PointedLines) -> bool:
        """Return whether the file or the quote of ``pointed`` is part of the change."""
        return self._file(pointed.file) is not None or any(shown.anchor(pointed) for shown in self._files.values())

    def _file(self, name: str) -> "_ShownFile | None":
        """The file of that name; a path without its beginning counts if it is unambiguous."""
        path = root_relative(name)
        if path in self._files:
            return self._files[path]
        matching = self._listing.ending_with(path)
        return self._files[matching[0]] if len(matching) == 1 else None


def _joined_files(files: Iterable[ReviewedFile]) -> Iterator[ReviewedFile]:
    """Each file once, with all of its hunks, since a long file is split over several parts."""
    joined: dict[str, ReviewedFile] = {}
    for file in files:
        earlier = joined.get(file.path)
        hunks = (*earlier.hunks, *file.hunks) if earlier else file.hunks
        joined[file.path] = file.model_copy(update={"hunks": hunks})
    return iter(joined.values())


class _Side(Struct, frozen=True):
    """The lines of a file before the change, after it, or both together, each with its mark."""

    code: Code
    marks: Sequence[str]


class _ShownFile:
    """A file of the change with all of its shown lines."""

    def __init__(self, file: ReviewedFile) -> None:
        self.file = file

    def anchor(self, pointed: PointedLines) -> Anchor | None:
        """Return the place of the quote nearest to the named line, in the new file before all others."""
        places = [self._place(side, pointed) for side in self._sides]
        place = min((place for place in places if place), key=lambda place: abs(_off(place, pointed)), default=None)
        if place is None:
            return self._fact(pointed)
        moved_by = _off(place, pointed)
        if not self._is_touched(place):
            return Anchor(schema.Anchoring.OUTSIDE, place, moved_by)
        anchoring = schema.Anchoring.MOVED if moved_by else schema.Anchoring.EXACT
        # The number of a removed line is that of the line which now stands there: nothing to count from.
        return Anchor(anchoring, place, 0 if place.is_removed else moved_by)

    def around(self, place: schema.CodePlace) -> schema.CodeSurroundings:
        """Return what surrounds ``place``."""
        left_out = LineMark.ADDED if place.is_removed else LineMark.REMOVED
        for hunk in self.file.hunks:
            # Of one side of the change: the place of each line in the hunk, its number in the file, its text.
            lines = [
                (index, number, text) for index, (number, mark, text) in enumerate(hunk.numbered) if mark != left_out
            ]
            inside = [at for at, (_, number, _) in enumerate(lines) if place.first <= number <= place.last]
            if not inside:
                continue
            first, last = inside[0], inside[-1]
            texts = [text for _, _, text in lines]
            before = [text for text in texts[:first] if source_lines.is_code(text)]
            after = [text for text in texts[last + 1 :] if source_lines.is_code(text)]
            return schema.CodeSurroundings(
                above=source_lines.enclosing([*hunk.above, *texts], len(hunk.above) + first),
                nearby=(*before[-_LINES_AROUND:], *after[:_LINES_AROUND]),
                replaced=tuple(_removed_around(hunk, lines[first][0], lines[last][0])),
            )
        return schema.CodeSurroundings()

    def _fact(self, pointed: PointedLines) -> Anchor | None:
        """Return a change outside the lines, if one is quoted; it belongs to no line, and counts as the first."""
        quote = pointed.quote.strip()
        if len(quote) < _SHORTEST_FACT:
            return None
        for fact in self.file.facts:
            if quote in fact:
                place = schema.CodePlace(file=self.file.path, first=1, last=1, text=fact)
                return Anchor(schema.Anchoring.EXACT, place)
        return None

    @cached_property
    def _sides(self) -> tuple[_Side, ...]:
        """The file after the change, before it, and both together as the diff shows them."""
        has_removed = any(line.startswith(LineMark.REMOVED) for hunk in self.file.hunks for line in hunk.lines)
        if not has_removed:
            return (self._side(None),)
        return self._side(LineMark.REMOVED), self._side(LineMark.ADDED), self._side(None)

    def _side(self, left_out: LineMark | None) -> _Side:
        blocks = [[line for line in hunk.numbered if line[1] != left_out] for hunk in self.file.hunks]
        code = Code([[CodeLine(number, text) for number, _, text in block] for block in blocks])
        return _Side(code, [mark for block in blocks for _, mark, _ in block])

    def _place(self, side: _Side, pointed: PointedLines) -> schema.CodePlace | None:
        match = side.code.find(pointed.quote, pointed.first, pointed.last)
        if match is None:
            return None
        lines = side.code.lines[match.first : match.last + 1]
        marks = side.marks[match.first : match.last + 1]
        # Of removed and added lines quoted together, the added ones are the place.
        is_removed = LineMark.REMOVED in marks and LineMark.ADDED not in marks
        kept = [line for line, mark in zip(lines, marks, strict=True) if is_removed or mark != LineMark.REMOVED]
        return schema.CodePlace(
            file=self.file.path,
            first=kept[0].number,
            last=kept[-1].number,
            text="\n".join(line.text for line in kept),
            is_removed=is_removed,
        )

    @cached_property
    def _code_numbers(self) -> Mapping[str, list[int]]:
        """The numbers of the lines with code, in order, by their mark."""
        numbers: dict[str, list[int]] = {mark: [] for mark in LineMark}
        for hunk in self.file.hunks:
            for number, mark, text in hunk.numbered:
                if mark in numbers and source_lines.is_code(text):
                    numbers[mark].append(number)
        return {mark: sorted(of_mark) for mark, of_mark in numbers.items()}

    @cached_property
    def _added(self) -> list[int]:
        """The numbers of all added lines, in order."""
        lines = [line for hunk in self.file.hunks for line in hunk.numbered]
        return sorted(number for number, mark, _ in lines if mark == LineMark.ADDED)

    def _is_touched(self, place: schema.CodePlace) -> bool:
        """Return whether the change adds a line there, or removes one there or directly next to it.

        An added or removed comment or empty line does not touch the code next to it.
        """
        if place.is_removed or self.file.change in _ALL_OF_IT:
            return True
        if not any(map(source_lines.is_code, place.text.splitlines())):
            return _has_number(self._added, place.first, place.last)
        added, removed = self._code_numbers[LineMark.ADDED], self._code_numbers[LineMark.REMOVED]
        return _has_number(added, place.first, place.last) or _has_number(removed, place.first, place.last + 1)


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


def _has_number(numbers: Sequence[int], least: int, most: int) -> bool:
    """Return whether any of ``numbers``, which are in order, lies between these, both included."""
    index = bisect_left(numbers, least)
    return index < len(numbers) and numbers[index] <= most


def _off(place: schema.CodePlace, pointed: PointedLines) -> int:
    """Number of lines between the named and the actual place; 0 if they share a line."""
    if place.is_removed and place.first - 1 <= pointed.last:
        return 0
    if place.first > pointed.last or place.last < pointed.first:
        return place.first - pointed.first
    return 0
