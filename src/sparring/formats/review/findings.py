"""The findings of several reviewers that are the same, and the id of a finding."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from sparring.formats.review.places import ShownChange
from sparring.schema import review as schema


class Sighting(Struct, frozen=True):
    """One report of a defect, with its place; None if it matches none."""

    reporter: schema.Reporter
    family: str
    place: schema.CodePlace | None


class JoinedFinding(Struct, frozen=True):
    """Finding joined from several reports; the first of them determines name and place.

    Attributes:
        id: Empty as long as further reports may be joined.
    """

    sightings: tuple[Sighting, ...]
    id: str = ""

    @property
    def report(self) -> schema.ReportedFinding:
        """The first report."""
        return self.sightings[0].reporter.said

    @property
    def place(self) -> schema.CodePlace | None:
        """Place of the finding; None for a struck one."""
        return self.sightings[0].place

    @property
    def file(self) -> str:
        """File of the place, or as reported."""
        return self.place.file if self.place else self.report.file

    @property
    def code(self) -> str:
        """Code at the place, or as quoted."""
        return self.place.text if self.place else self.report.quote

    @property
    def severity(self) -> schema.DefectSeverity:
        """The worst severity in the reports."""
        return min((_severity(each.reporter.said) for each in self.sightings), key=lambda each: each.rank)

    @property
    def reviewers(self) -> tuple[int, ...]:
        """Numbers of the reviewers that reported it, each once."""
        return tuple(sorted({each.reporter.reviewer for each in self.sightings}))

    @property
    def families(self) -> tuple[str, ...]:
        """The families of the reviewers that reported it, without duplicates."""
        return tuple(dict.fromkeys(each.family for each in self.sightings))

    def followed_by(self, sightings: Iterable[Sighting]) -> "JoinedFinding":
        """It with further reports."""
        return replace(self, sightings=(*self.sightings, *sightings))


def _severity(report: schema.ReportedFinding) -> schema.DefectSeverity:
    """Return the severity that counts: a matter of style is never worse than minor."""
    if report.defect is schema.DefectClass.STYLE and report.severity.is_at_least(schema.DefectSeverity.MINOR):
        return schema.DefectSeverity.MINOR
    return report.severity


def joined_by_place(sightings: Sequence[Sighting]) -> tuple[JoinedFinding, ...]:
    """One finding for each class and place: reports of one class whose lines overlap have the same subject.

    A report joins a finding only if its lines overlap those of the first report, so that no chain of neighbours makes
    one finding of a whole file.
    """
    joined: list[JoinedFinding] = []
    shelves: dict[tuple[str, str, bool], list[tuple[int, int, int]]] = {}
    struck: dict[tuple[str, str, str], int] = {}
    for each in sightings:
        report, place = each.reporter.said, each.place
        if place is None:
            at = struck.setdefault((report.file, report.defect, report.quote.strip()), len(joined))
        else:
            shelf = shelves.setdefault((place.file, report.defect, place.is_removed), [])
            at = _met(shelf, place)
            if at is None:
                at = len(joined)
                insort(shelf, (place.first, place.last, at))
        if at == len(joined):
            joined.append(JoinedFinding((each,)))
        else:
            joined[at] = joined[at].followed_by((each,))
    return tuple(joined)


def _met(shelf: Sequence[tuple[int, int, int]], place: schema.CodePlace) -> int | None:
    """Return the entry of ``shelf`` that overlaps ``place``; the entries do not overlap each other."""
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
    """Return the pairs that may be the same by their places; two findings of one reviewer are never the same."""
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


def joined_by_reviewers(defects: Sequence[JoinedFinding], same: Iterable[tuple[int, int]]) -> tuple[JoinedFinding, ...]:
    """Merge those pairs of ``defects``, including all that are connected through several pairs."""
    leads = list(range(len(defects)))

    def lead(number: int) -> int:
        while leads[number] != number:
            number = leads[number]
        return number

    for one, other in same:
        first, second = sorted((lead(one), lead(other)))
        leads[second] = first
    joined: dict[int, JoinedFinding] = {}
    for number, each in enumerate(defects):
        first = lead(number)
        joined[first] = joined[first].followed_by(each.sightings) if first in joined else each
    return tuple(joined.values())


def with_ids(defects: Iterable[JoinedFinding], shown: ShownChange) -> tuple[JoinedFinding, ...]:
    """Return each with its id; among those with the same code and surroundings, all but the first are numbered."""
    often: dict[str, int] = {}
    named: list[JoinedFinding] = []
    for each in sorted(defects, key=_where):
        around = shown.around(each.place) if each.place else schema.CodeSurroundings()
        id_ = schema.finding_id(each.file, each.report.defect, each.code, around)
        often[id_] = count = often.get(id_, 0) + 1
        if count > 1:
            id_ = schema.finding_id(each.file, each.report.defect, f"{each.code}\n({count})", around)
        named.append(replace(each, id=id_))
    return tuple(named)


def _where(each: JoinedFinding) -> tuple[str, int, bool]:
    """The order in the file; removed lines precede the line that now has their number."""
    first = each.place.first if each.place else each.report.line
    return each.file, first, not (each.place and each.place.is_removed)
