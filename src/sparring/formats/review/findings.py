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
        return self.sightings[0].reporter.report

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
        severities = [_severity(sighting.reporter.report) for sighting in self.sightings]
        return min(severities, key=lambda severity: severity.rank)

    @property
    def reviewers(self) -> tuple[int, ...]:
        """Numbers of the reviewers that reported it, each once."""
        return tuple(sorted({sighting.reporter.reviewer for sighting in self.sightings}))

    @property
    def families(self) -> tuple[str, ...]:
        """The families of the reviewers that reported it, without duplicates."""
        return tuple(dict.fromkeys(sighting.family for sighting in self.sightings))

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
    # By file and class: first line, last line and index in ``joined`` of each finding, in the order of the lines.
    placed: dict[tuple[str, str, bool], list[tuple[int, int, int]]] = {}
    # Findings without a place, which have the same subject if they quote the same words.
    struck: dict[tuple[str, str, str], int] = {}
    for sighting in sightings:
        report, place = sighting.reporter.report, sighting.place
        if place is None:
            index = struck.setdefault((report.file, report.defect, report.quote.strip()), len(joined))
        else:
            spans = placed.setdefault((place.file, report.defect, place.is_removed), [])
            index = _overlapping(spans, place)
            if index is None:
                index = len(joined)
                insort(spans, (place.first, place.last, index))
        if index == len(joined):
            joined.append(JoinedFinding((sighting,)))
        else:
            joined[index] = joined[index].followed_by((sighting,))
    return tuple(joined)


def _overlapping(spans: Sequence[tuple[int, int, int]], place: schema.CodePlace) -> int | None:
    """Return the index that belongs to the span that overlaps ``place``; the spans do not overlap each other."""
    at = bisect_left(spans, (place.first, 0, 0))
    # Only the last span that begins before the place, and the first that begins in it, can overlap it.
    for first, last, index in spans[max(at - 1, 0) : at + 1]:
        if first <= place.last and place.first <= last:
            return index
    return None


_NEAR = 3
"""Lines between two places that may be one."""

MOST_PAIRS = 60
"""Pairs that one reviewer is asked about."""


def may_be_one(defects: Sequence[JoinedFinding]) -> tuple[tuple[int, int], ...]:
    """Return the pairs that may be the same by their places; two findings of one reviewer are never the same."""
    by_file: dict[str, list[tuple[schema.CodePlace, int]]] = {}
    for number, defect in enumerate(defects):
        if defect.place:
            by_file.setdefault(defect.file, []).append((defect.place, number))
    return tuple(islice(_near(by_file.values(), defects), MOST_PAIRS))


def _near(
    files: Iterable[list[tuple[schema.CodePlace, int]]], defects: Sequence[JoinedFinding]
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of neighbours in each file that several reviewers reported."""
    for places in files:
        places.sort(key=lambda entry: (entry[0].first, entry[1]))
        for index, (place, one) in enumerate(places):
            for later_index in range(index + 1, len(places)):
                later, other = places[later_index]
                if later.first > place.last + _NEAR:
                    break  # so are all that follow
                reviewers = {*defects[one].reviewers, *defects[other].reviewers}
                if len(reviewers) > 1:
                    yield min(one, other), max(one, other)


def joined_by_reviewers(defects: Sequence[JoinedFinding], same: Iterable[tuple[int, int]]) -> tuple[JoinedFinding, ...]:
    """Merge those pairs of ``defects``, including all that are connected through several pairs."""
    # A union-find: each number leads to an earlier one of its group, the first one to itself.
    parents = list(range(len(defects)))

    def first_of_group(number: int) -> int:
        while parents[number] != number:
            number = parents[number]
        return number

    for one, other in same:
        first, second = sorted((first_of_group(one), first_of_group(other)))
        parents[second] = first
    joined: dict[int, JoinedFinding] = {}
    for number, defect in enumerate(defects):
        first = first_of_group(number)
        joined[first] = joined[first].followed_by(defect.sightings) if first in joined else defect
    return tuple(joined.values())


def with_ids(defects: Iterable[JoinedFinding], shown: ShownChange) -> tuple[JoinedFinding, ...]:
    """Return each with its id; among those with the same code and surroundings, all but the first are numbered."""
    counts: dict[str, int] = {}
    named: list[JoinedFinding] = []
    for defect in sorted(defects, key=_position):
        around = shown.around(defect.place) if defect.place else schema.CodeSurroundings()
        id_ = schema.finding_id(defect.file, defect.report.defect, defect.code, around)
        counts[id_] = count = counts.get(id_, 0) + 1
        if count > 1:
            id_ = schema.finding_id(defect.file, defect.report.defect, f"{defect.code}\n({count})", around)
        named.append(replace(defect, id=id_))
    return tuple(named)


def _position(defect: JoinedFinding) -> tuple[str, int, bool]:
    """The order in the file; removed lines precede the line that now has their number."""
    first = defect.place.first if defect.place else defect.report.line
    return defect.file, first, not (defect.place and defect.place.is_removed)
