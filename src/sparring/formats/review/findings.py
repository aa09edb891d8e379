"""What reviewers report: where in the change it points, and what of it is the same.

What a finding quotes is looked for in what reviewers were shown, and where that fails, beside it. A removed line has no
number of its own. Whoever quotes one points at the line before which it stood, and is never off.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from sparring.checks.citations import Listing
from sparring.checks.citations.lookup import from_root
from sparring.checks.code import Code, CodeLine
from sparring.schema import review as schema
from sparring.schema.changes import FileChange, LineMark, ReviewedChange, ReviewedFile

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
    def by(cls, said: schema.ReportedFinding | schema.CrossExamination) -> "Pointed":
        """What a reviewer or an examiner points at."""
        last = said.end_line if isinstance(said, schema.ReportedFinding) else said.line
        return cls(said.file, said.line, last, said.quote)


@dataclass(frozen=True)
class Anchor:
    """What code finds of it; ``place`` is None where it points at nothing."""

    anchoring: schema.Anchoring
    place: schema.CodePlace | None = None
    moved_by: int = 0


class ShownChange:
    """The files that reviewers were shown."""

    def __init__(self, change: ReviewedChange) -> None:
        self._files = {each.was: _Sheet(each) for each in change.files if each.was}
        self._files |= {each.path: _Sheet(each) for each in change.files}
        self._listing = Listing(self._files)

    def anchor(self, pointed: Pointed, elsewhere: Mapping[Pointed, schema.CodePlace]) -> Anchor:
        """Where ``pointed`` stands; ``elsewhere`` is what was found in the project, beside what is shown."""
        sheet = self._sheet(pointed.file)
        if sheet and (found := sheet.anchor(pointed)):
            return found
        if place := elsewhere.get(pointed):
            return Anchor(schema.Anchoring.OUTSIDE, place)
        return Anchor(schema.Anchoring.NO_QUOTE if sheet else schema.Anchoring.NO_FILE)

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
            return Anchor(schema.Anchoring.OUTSIDE, place, moved_by)
        return Anchor(
            schema.Anchoring.MOVED if moved_by else schema.Anchoring.EXACT, place, 0 if place.is_removed else moved_by
        )

    @cached_property
    def _sides(self) -> tuple[_Side, ...]:
        has_removed = any(line.startswith(LineMark.REMOVED) for hunk in self._file.hunks for line in hunk.lines)
        left_out = (LineMark.REMOVED, LineMark.ADDED, None) if has_removed else (None,)
        return tuple(map(self._side, left_out))

    def _side(self, left_out: LineMark | None) -> _Side:
        blocks = [[line for line in hunk.numbered if line[1] != left_out] for hunk in self._file.hunks]
        code = Code([[CodeLine(number, text) for number, _, text in block] for block in blocks])
        return _Side(code, [mark for block in blocks for _, mark, _ in block])

    def _place(self, side: _Side, pointed: Pointed) -> schema.CodePlace | None:
        found = side.code.find(pointed.quote, pointed.first, pointed.last)
        if found is None:
            return None
        there = slice(found.first, found.last + 1)
        lines, marks = side.code.lines[there], side.marks[there]
        is_removed = LineMark.REMOVED in marks and LineMark.ADDED not in marks
        told = [line for line, mark in zip(lines, marks, strict=True) if is_removed or mark != LineMark.REMOVED]
        return schema.CodePlace(
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

    def _is_touched(self, place: schema.CodePlace) -> bool:
        """Whether the change adds or removes a line there, or right beside."""
        if place.is_removed or self._file.change in _ALL_OF_IT:
            return True
        added, removed = self._numbers[LineMark.ADDED], self._numbers[LineMark.REMOVED]
        return _holds(added, place.first - 1, place.last + 1) or _holds(removed, place.first, place.last + 1)


def _holds(numbers: Sequence[int], least: int, most: int) -> bool:
    place = bisect_left(numbers, least)
    return place < len(numbers) and numbers[place] <= most


def _off(place: schema.CodePlace, pointed: Pointed) -> int:
    """By how many lines the place that was named is off; 0 where both have a line in common."""
    if place.is_removed and place.first - 1 <= pointed.last:
        return 0
    if place.first > pointed.last or place.last < pointed.first:
        return place.first - pointed.first
    return 0


@dataclass(frozen=True)
class Sighting:
    """One report of a defect, and where it is; no place where it points at nothing."""

    reporter: schema.Reporter
    family: str
    place: schema.CodePlace | None


@dataclass(frozen=True)
class JoinedFinding:
    """What several reports make one finding of; the first of them says what it is called and where it is.

    Attributes:
        id: Empty as long as more may be joined to it.
    """

    sightings: tuple[Sighting, ...]
    id: str = ""

    @property
    def said(self) -> schema.ReportedFinding:
        """The first report."""
        return self.sightings[0].reporter.said

    @property
    def place(self) -> schema.CodePlace | None:
        """Where it is; None of what is struck."""
        return self.sightings[0].place

    @property
    def file(self) -> str:
        """Of its place, or as it was said."""
        return self.place.file if self.place else self.said.file

    @property
    def code(self) -> str:
        """What stands there, or is said to."""
        return self.place.text if self.place else self.said.quote

    @property
    def severity(self) -> schema.DefectSeverity:
        """The worst that was said."""
        return min((_severity(each.reporter.said) for each in self.sightings), key=lambda each: each.rank)

    @property
    def reviewers(self) -> tuple[int, ...]:
        """Who reported it, each once."""
        return tuple(sorted({each.reporter.reviewer for each in self.sightings}))

    @property
    def families(self) -> tuple[str, ...]:
        """Whose reviewers reported it, each once."""
        return tuple(dict.fromkeys(each.family for each in self.sightings))

    def followed_by(self, sightings: Iterable[Sighting]) -> "JoinedFinding":
        """It with further reports."""
        return replace(self, sightings=(*self.sightings, *sightings))


def _severity(said: schema.ReportedFinding) -> schema.DefectSeverity:
    """What counts of how bad it is called: a matter of style is never worse than a nuisance."""
    if said.defect is schema.DefectClass.STYLE and said.severity.is_at_least(schema.DefectSeverity.MINOR):
        return schema.DefectSeverity.MINOR
    return said.severity


def joined_by_place(sightings: Sequence[Sighting]) -> tuple[JoinedFinding, ...]:
    """One for each class and place: reports of one class whose lines overlap are about the same.

    A report joins the first that it meets; what it meets of that one's other reports does not count, so that no chain
    of neighbours makes one finding of a whole file.
    """
    found: list[JoinedFinding] = []
    shelves: dict[tuple[str, str, bool], list[tuple[int, int, int]]] = {}
    struck: dict[tuple[str, str, str], int] = {}
    for each in sightings:
        said, place = each.reporter.said, each.place
        if place is None:
            at = struck.setdefault((said.file, said.defect, said.quote.strip()), len(found))
        else:
            shelf = shelves.setdefault((place.file, said.defect, place.is_removed), [])
            at = _met(shelf, place)
            if at is None:
                at = len(found)
                insort(shelf, (place.first, place.last, at))
        if at == len(found):
            found.append(JoinedFinding((each,)))
        else:
            found[at] = found[at].followed_by((each,))
    return tuple(found)


def _met(shelf: Sequence[tuple[int, int, int]], place: schema.CodePlace) -> int | None:
    """What stands on ``shelf``, where nothing overlaps, and overlaps ``place``."""
    at = bisect_left(shelf, (place.first, 0, 0))
    before = shelf[at - 1 : at] if at else ()
    for first, last, which in (*before, *shelf[at : at + 1]):
        if first <= place.last and place.first <= last:
            return which
    return None


_NEAR = 3
"""Lines between two places that may be one."""

MOST_PAIRS = 60
"""Pairs that one reviewer is asked about."""


def may_be_one(defects: Sequence[JoinedFinding]) -> tuple[tuple[int, int], ...]:
    """Which may be the same by their places, and code cannot tell; what one reviewer has told apart is two."""
    by_file: dict[str, list[tuple[schema.CodePlace, int]]] = {}
    for number, each in enumerate(defects):
        if each.place:
            by_file.setdefault(each.file, []).append((each.place, number))
    return tuple(islice(_near(by_file.values(), defects), MOST_PAIRS))


def _near(
    files: Iterable[list[tuple[schema.CodePlace, int]]], defects: Sequence[JoinedFinding]
) -> Iterator[tuple[int, int]]:
    for places in files:
        places.sort(key=lambda each: (each[0].first, each[1]))
        for at, (place, one) in enumerate(places):
            for next_ in range(at + 1, len(places)):
                behind, other = places[next_]
                if behind.first > place.last + _NEAR:
                    break
                reviewers = {*defects[one].reviewers, *defects[other].reviewers}
                if len(reviewers) > 1:
                    yield min(one, other), max(one, other)


def joined_as_said(defects: Sequence[JoinedFinding], same: Iterable[tuple[int, int]]) -> tuple[JoinedFinding, ...]:
    """``defects`` with those pairs of them made one, and whatever is one with either."""
    leads = list(range(len(defects)))

    def lead(number: int) -> int:
        while leads[number] != number:
            number = leads[number]
        return number

    for one, other in same:
        first, second = sorted((lead(one), lead(other)))
        leads[second] = first
    found: dict[int, JoinedFinding] = {}
    for number, each in enumerate(defects):
        first = lead(number)
        found[first] = found[first].followed_by(each.sightings) if first in found else each
    return tuple(found.values())


def with_ids(defects: Iterable[JoinedFinding]) -> tuple[JoinedFinding, ...]:
    """Each with its id; of several with the same code in one file, those behind the first are counted."""
    often: dict[str, int] = {}
    found: list[JoinedFinding] = []
    for each in sorted(defects, key=_where):
        id_ = schema.finding_id(each.file, each.said.defect, each.code)
        often[id_] = count = often.get(id_, 0) + 1
        again = f"{each.code}\n({count})"
        found.append(replace(each, id=id_ if count == 1 else schema.finding_id(each.file, each.said.defect, again)))
    return tuple(found)


def _where(each: JoinedFinding) -> tuple[str, int, bool]:
    """In the order of the file; what was removed stood before what has its number now."""
    first = each.place.first if each.place else each.said.line
    return each.file, first, not (each.place and each.place.is_removed)
