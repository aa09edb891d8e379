"""The course of a review: blind findings, their places, duplicates, cross-examination, and the outcome."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from sparring.engine.course import (
    Asks,
    Attempt,
    Bookmark,
    Course,
    Reading,
    Wanted,
    asked,
    decided,
    defaulted_notice,
    together,
    until_usable,
)
from sparring.formats.review.findings import (
    JoinedFinding,
    Sighting,
    joined_by_place,
    joined_by_reviewers,
    may_be_one,
    with_ids,
)
from sparring.formats.review.places import Anchor, Pointed, ShownChange
from sparring.formats.review.prompts import ReviewAsks
from sparring.formats.review.replies import FindingsForm, read_examination, read_findings, read_same
from sparring.prompts import PromptLibrary
from sparring.schema import review as schema
from sparring.schema.authors import Independence
from sparring.schema.base import LIST_LIMIT, RepoAccess
from sparring.schema.consultation import DETAIL_LIMIT
from sparring.schema.transcript import Transcript, Turn
from sparring.text.tidying import one_line

_FAULT_SHOWN = 200
_MOST_WRONG = 20


class BlindAnswer(Struct, frozen=True):
    """Findings of a reviewer in a part, both numbered as in the request; the part counts from 0."""

    part: int
    reviewer: int
    attempt: Attempt[FindingsForm]

    @property
    def has_answered(self) -> bool:
        """True if any part of it is usable; an empty list of findings is an answer, too."""
        return self.attempt.value is not None

    @property
    def is_heard(self) -> bool:
        """Return whether all of the answer can be used."""
        return self.attempt.value is not None and not self.attempt.value.malformed

    @property
    def findings(self) -> tuple[schema.ReportedFinding, ...]:
        """Those that can be used."""
        return self.attempt.value.findings if self.attempt.value else ()


class Review:
    """The rules of one review; see ``engine.format.Rules``."""

    def __init__(self, request: schema.ReviewRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._asking = ReviewAsks(request, prompts)
        self._shown = ShownChange(request.change)
        self._dismissed = {each.id: each.why for each in request.dismissed}
        self._bookmark = Bookmark[Wanted, schema.ReviewOutcome]()

    def next(self, transcript: Transcript) -> Asks | schema.ReviewOutcome:
        """See ``engine.format.Rules``."""
        return decided(self._bookmark, self._course, transcript)

    def _course(self) -> Course[Wanted, schema.ReviewOutcome]:
        reviewed = yield from together(*self._blind())
        sightings, unseen = yield from self._placed(reviewed)
        defects, uncompared = yield from self._compared(joined_by_place(sightings), _answering(reviewed))
        defects = with_ids(defects, self._shown)
        examinations, unexamined = yield from self._examined(defects, _answering(reviewed))
        placed = (_examined_finding(each, examinations.get(each.id), self._dismissed) for each in defects)
        findings = tuple(sorted(placed, key=_worst_first))
        outcome = schema.ReviewOutcome(
            status=schema.ReviewStatus.FAILED,
            findings=findings,
            answered=self._answered(reviewed),
            unheard=self._unheard(reviewed, sightings),
            counted=tuple(self._counted(reviewed, part) for part in range(len(self._request.change.parts))),
            notices=(*self._silence(reviewed), *self._misquoted(sightings), *unseen, *uncompared, *unexamined),
        )
        return outcome.model_copy(update={"status": self._status(reviewed, outcome)})

    def _blind(self) -> Iterator[Course[Wanted, BlindAnswer]]:
        for part in range(len(self._request.change.parts)):
            for reviewer in range(1, len(self._request.reviewers) + 1):
                yield self._findings(part, reviewer)

    def _findings(self, part: int, reviewer: int) -> Course[Wanted, BlindAnswer]:
        """Of two answers the one with more usable findings counts, the second if both have as many."""
        attempts = yield from until_usable(partial(self._asking.findings, part, reviewer), self._read)
        answers = [BlindAnswer(part, reviewer, each) for each in reversed(attempts) if each.value]
        return max(answers, key=self._usable, default=BlindAnswer(part, reviewer, attempts[-1]))

    def _usable(self, answer: BlindAnswer) -> int:
        """Return the number of usable findings: they are readable, and match a place."""
        return sum(not self._points_elsewhere(each) for each in answer.findings)

    def _read(self, reply: str) -> Reading[FindingsForm]:
        """The findings in a reply; a reply that misquotes the change is requested once more."""
        reading = read_findings(reply)
        wrong = [
            f"Finding {number}: what it quotes does not stand in {one_line(each.file, _FAULT_SHOWN)}. Copy the lines."
            for number, each in enumerate(reading.value.findings, start=1)
            if self._points_elsewhere(each)
        ]
        return replace(reading, problems=(*reading.problems, *wrong[:_MOST_WRONG]))

    def _points_elsewhere(self, report: schema.ReportedFinding) -> bool:
        """Return whether a finding is about the change and points at nothing in it.

        A reviewer that may open files may mean others.
        """
        pointed = Pointed.by(report)
        if self._request.repo_access is not RepoAccess.NONE or self._shown.anchor(pointed, {}).place is not None:
            return False
        return self._shown.bears_on(pointed)

    def _placed(self, reviewed: Sequence[BlindAnswer]) -> Course[Wanted, tuple[tuple[Sighting, ...], tuple[str, ...]]]:
        """Every report with its place, grouped by reviewer."""
        by_reviewer = sorted(reviewed, key=lambda each: each.reviewer)
        reports = [(each, finding) for each in by_reviewer for finding in each.findings]
        elsewhere, notices = yield from self._looked_up(1, [Pointed.by(finding) for _, finding in reports])
        return tuple(self._sighting(each, finding, elsewhere) for each, finding in reports), notices

    def _sighting(
        self, by: BlindAnswer, report: schema.ReportedFinding, elsewhere: Mapping[Pointed, schema.CodePlace]
    ) -> Sighting:
        anchor = self._shown.anchor(Pointed.by(report), elsewhere)
        reporter = schema.Reporter(
            reviewer=by.reviewer, said=report, anchoring=anchor.anchoring, moved_by=anchor.moved_by
        )
        return Sighting(reporter, self._family(by.reviewer, by.attempt.turn), anchor.place)

    def _family(self, reviewer: int, turn: Turn) -> str:
        answer = turn.answer
        return self._request.family_of(reviewer, answer.tool if answer else turn.tool, answer.family if answer else "")

    def _looked_up(
        self, which: int, pointed: Iterable[Pointed]
    ) -> Course[Wanted, tuple[Mapping[Pointed, schema.CodePlace], tuple[str, ...]]]:
        """Look up quotes that are not in the material in the project, if the reviewers may have read it there."""
        if self._request.repo_access is RepoAccess.NONE:
            return {}, ()
        missing = [each for each in dict.fromkeys(pointed) if self._shown.anchor(each, {}).place is None]
        missing = [each for each in missing if each.quote.strip()][:LIST_LIMIT]
        if not missing:
            return {}, ()
        turn = yield from asked(self._asking.lookup(which, missing))
        if turn.failure:
            return {}, (f"[WARN] Places in the rest of the project were not looked up: {turn.failure.cause}.",)
        try:
            looked_up = schema.LocatedPlaces.model_validate_json(turn.answer.response if turn.answer else "")
        except ValidationError:
            return {}, ("[WARN] Places in the rest of the project were looked up, and the result cannot be read.",)
        places = zip(missing, looked_up.places, strict=False)
        return {each: place for each, place in places if place}, ()

    def _compared(
        self, defects: tuple[JoinedFinding, ...], answering: Sequence[int]
    ) -> Course[Wanted, tuple[tuple[JoinedFinding, ...], tuple[str, ...]]]:
        """Merge those of ``defects`` that a reviewer identifies as the same; without an answer they stay separate."""
        pairs = may_be_one(defects)
        if not pairs:
            return defects, ()
        numbered = [(one + 1, other + 1) for one, other in pairs]
        attempts = yield from until_usable(
            partial(self._asking.joining, defects, pairs, answering[0]), partial(read_same, pairs=numbered)
        )
        last = attempts[-1]
        if last.value is None:
            why = cause_of(last)
            return defects, (f"[WARN] Findings that may be the same were not compared, and stay apart: {why}.",)
        return joined_by_reviewers(defects, ((one - 1, other - 1) for one, other in last.value)), ()

    def _examined(
        self, defects: Sequence[JoinedFinding], answering: Sequence[int]
    ) -> Course[Wanted, tuple[Mapping[str, schema.Examined], tuple[str, ...]]]:
        """Have findings of a single family examined by another; return the results by the ids of the findings."""
        alone = _of_one_family(defects, self._dismissed)
        chosen = _examiners(alone[: self._request.examined], answering, self._request)
        by_id = {each.id: each for each in alone if each.id in chosen}
        attempts = yield from together(*(self._examination(by_id[id_], who) for id_, who in chosen.items()))
        attempts_by_id = dict(zip(chosen, attempts, strict=True))
        pointing = {
            id_: Pointed.by(each.value)
            for id_, each in attempts_by_id.items()
            if each.value and each.value.quote.strip()
        }
        elsewhere, notices = yield from self._looked_up(2, pointing.values())
        anchors = {id_: self._shown.anchor(each, elsewhere) for id_, each in pointing.items()}
        examined = dict[str, schema.Examined]()
        for id_, attempt in attempts_by_id.items():
            why_partial = self._why_partial(by_id[id_], chosen[id_], attempt)
            examined[id_] = _examined(chosen[id_], attempt, anchors.get(id_), why_partial)
        return examined, (*notices, *self._unexamined(len(alone), len(chosen)))

    def _why_partial(self, defect: JoinedFinding, examiner: int, attempt: Attempt[schema.CrossExamination]) -> str:
        """Return why the model that answered cannot decide this; empty: nothing speaks against it."""
        turn, examination = attempt.turn, attempt.value
        if self._family(examiner, turn) in defect.families:
            return _OF_KIN
        is_refuted = examination is not None and examination.verdict is schema.Examination.REFUTED
        return _OF_AUTHOR if is_refuted and self._independence(examiner, turn) is Independence.SAME else ""

    def _independence(self, reviewer: int, turn: Turn) -> Independence:
        """Return whether the model that answered in that reviewer's place is independent of the authors."""
        answer = turn.answer
        if answer is None:
            return self._request.independence_of(reviewer, turn.tool, None)
        return self._request.independence_of(reviewer, answer.tool, answer.model, answer.family)

    def _examination(self, defect: JoinedFinding, examiner: int) -> Course[Wanted, Attempt[schema.CrossExamination]]:
        attempts = yield from until_usable(
            partial(self._asking.examination, defect, examiner),
            partial(read_examination, reported=Pointed.by(defect.report)),
        )
        return attempts[-1]

    def _answered(self, reviewed: Iterable[BlindAnswer]) -> tuple[tuple[int, ...], ...]:
        parts: list[list[int]] = [[] for _ in self._request.change.parts]
        for each in reviewed:
            if each.has_answered:
                parts[each.part].append(each.reviewer)
        return tuple(map(tuple, parts))

    def _status(self, reviewed: Sequence[BlindAnswer], outcome: schema.ReviewOutcome) -> schema.ReviewStatus:
        standing = [each for each in outcome.findings if each.state in _STANDING and not each.dismissed]
        if reviewed and not any(each.attempt.has_reply for each in reviewed):
            return schema.ReviewStatus.FAILED
        if any(_blocks(each, self._request.fail_on) for each in standing):
            return schema.ReviewStatus.BLOCKING
        if any(each.why.is_gap for each in self._request.change.left_out) or not outcome.is_heard:
            return schema.ReviewStatus.INCOMPLETE
        return schema.ReviewStatus.FINDINGS if standing else schema.ReviewStatus.CLEAN

    def _unheard(self, reviewed: Sequence[BlindAnswer], sightings: Iterable[Sighting]) -> tuple[tuple[int, ...], ...]:
        """For each part, the reviewers whose answers were not fully usable.

        A finding that matches nothing in a file of the change, or quotes it under another name, may be a real one with
        errors in its spelling; this cannot be ruled out. It counts for the parts that its reviewer answered for.
        """
        misquoting = {each.reporter.reviewer for each in sightings if self._is_misquoted(each)}
        unheard = [each for each in reviewed if not each.is_heard or each.reviewer in misquoting]
        parts = range(len(self._request.change.parts))
        return tuple(tuple(each.reviewer for each in unheard if each.part == part) for part in parts)

    def _is_misquoted(self, sighting: Sighting) -> bool:
        return sighting.place is None and self._shown.bears_on(Pointed.by(sighting.reporter.said))

    def _misquoted(self, sightings: Iterable[Sighting]) -> Iterator[str]:
        for each in sightings:
            if self._is_misquoted(each):
                report = each.reporter.said
                place = one_line(f"{report.file}:{report.line}", _FAULT_SHOWN)
                yield f"[WARN] What {self._name(each.reporter.reviewer)} quotes stands not at {place}: {_COUNTS_AS}."

    def _counted(self, reviewed: Iterable[BlindAnswer], part: int) -> Mapping[str, Independence]:
        """The families that answered for a part and count, and whether each is independent of the author."""
        counted = dict[str, Independence]()
        for each in reviewed:
            if each.part != part or not each.has_answered:
                continue
            how = self._independence(each.reviewer, each.attempt.turn)
            if how is not Independence.SAME:
                counted.setdefault(self._family(each.reviewer, each.attempt.turn), how)
        return counted

    def _silence(self, reviewed: Iterable[BlindAnswer]) -> Iterator[str]:
        """Yield warnings about reviewers without a usable answer, and about parts of answers that are unusable."""
        several = len(self._request.change.parts) > 1
        for each in reviewed:
            of = f" part {each.part + 1}" if several else ""
            in_, who, form = of and f" in{of}", self._name(each.reviewer), each.attempt.value
            if form is None:
                yield f"[WARN] {who} has not reviewed{of or ' it'}: {cause_of(each.attempt)}."
                continue
            for fault in form.malformed:
                yield f"[WARN] A finding of {who}{in_} is left out: {one_line(fault, _FAULT_SHOWN)}."
            yield from defaulted_notice(f"{who}{in_}", each.attempt.defaulted)

    def _unexamined(self, alone: int, chosen: int) -> Iterator[str]:
        if over := max(0, alone - self._request.examined):
            yield f"[WARN] {_counted(over)} of a single family not examined: at most {self._request.examined} are."
        if nobody := alone - over - chosen:
            yield f"[WARN] {_counted(nobody)} of a single family not examined: no other family has answered."

    def _name(self, reviewer: int) -> str:
        tool = self._request.reviewers[reviewer - 1].tool
        often = sum(each.tool == tool for each in self._request.reviewers)
        return f"{tool} (reviewer {reviewer})" if often > 1 else tool


_STANDING = (schema.FindingState.CONFIRMED, schema.FindingState.CONTESTED)
_STATES = {state: rank for rank, state in enumerate(schema.FindingState)}


def _worst_first(each: schema.ReviewFinding) -> tuple[int, int, str, int]:
    place = each.place
    return each.severity.rank, _STATES[each.state], place.file if place else "", place.first if place else 0


def _blocks(finding: schema.ReviewFinding, fail_on: schema.DefectSeverity | None) -> bool:
    """Return whether a finding blocks; one on lines that the change does not touch was there before."""
    is_severe = fail_on is not None and finding.severity.is_at_least(fail_on)
    return is_severe and finding.state is schema.FindingState.CONFIRMED and not finding.is_outside


_COUNTS_AS = "it counts as unheard"


def _answering(reviewed: Iterable[BlindAnswer]) -> tuple[int, ...]:
    return tuple(sorted({each.reviewer for each in reviewed if each.has_answered}))


def _counted(count: int) -> str:
    return "1 finding was" if count == 1 else f"{count} findings were"


def _of_one_family(defects: Sequence[JoinedFinding], dismissed: Mapping[str, str]) -> list[JoinedFinding]:
    """Return the findings of a single family, the most severe first, without struck and dismissed ones."""
    alone = (each for each in defects if each.place and each.id not in dismissed and len(each.families) == 1)
    return sorted(alone, key=lambda each: each.severity.rank)


def _examiners(
    defects: Sequence[JoinedFinding], answered: Sequence[int], request: schema.ReviewRequest
) -> dict[str, int]:
    """Choose the examiner of each of ``defects``: of those that ``answered``, one of another family.

    One that is independent of the author comes first, then the one with the fewest examinations.
    """
    own = {number for number in answered if not _is_independent(request, number)}
    work, chosen_by_id = dict.fromkeys(answered, 0), dict[str, int]()
    for each in defects:
        others = [number for number in work if request.reviewers[number - 1].family not in each.families]
        if others:
            chosen_by_id[each.id] = chosen = min(others, key=lambda number: (number in own, work[number]))
            work[chosen] += 1
    return chosen_by_id


def _is_independent(request: schema.ReviewRequest, number: int) -> bool:
    reviewer = request.reviewers[number - 1]
    return request.independence_of(number, reviewer.tool, None) is Independence.INDEPENDENT


def _examined(
    examiner: int, attempt: Attempt[schema.CrossExamination], anchor: Anchor | None, why_partial: str
) -> schema.Examined:
    """Return the parts of the examination that count.

    Args:
        examiner: The examining reviewer.
        attempt: The examiner's attempt, with the reply or the failure.
        anchor: The place of its quote; None if it gave no quote.
        why_partial: The reason why the model that answered cannot decide this; empty if there is none.
    """
    examination = attempt.value
    if examination is None:
        return schema.Examined(examiner=examiner, verdict=schema.Examination.UNSURE, cause=cause_of(attempt))
    place = anchor.place if anchor else None
    if examination.verdict is schema.Examination.UNSURE or (place and not why_partial):
        return schema.Examined(examiner=examiner, verdict=examination.verdict, said=examination, place=place)
    why = why_partial if place else _NOT_THERE[anchor.anchoring] if anchor else "it quotes no code"
    cause = f"{examination.verdict}, which does not count: {why}"
    return schema.Examined(
        examiner=examiner, verdict=schema.Examination.UNSURE, said=examination, place=place, cause=cause
    )


_OF_KIN = "who answered in its place is of the family that found it"
_OF_AUTHOR = "the examiner may be the model that wrote the change"
_NOT_THERE = {
    schema.Anchoring.NO_FILE: "there is no such file as it quotes",
    schema.Anchoring.NO_QUOTE: "what it quotes is not there",
}


def cause_of(attempt: Attempt[Any]) -> str:
    """Return why there is no usable answer, within a sentence."""
    return one_line(attempt.cause, DETAIL_LIMIT)


def _state(defect: JoinedFinding, examination: schema.Examined | None) -> schema.FindingState:
    """Return the state of a finding by rule; see ``FindingState``."""
    if defect.place is None:
        return schema.FindingState.STRUCK
    verdict = examination.verdict if examination else None
    if len(defect.families) > 1 or verdict is schema.Examination.CONFIRMED:
        return schema.FindingState.CONFIRMED
    return schema.FindingState.REFUTED if verdict is schema.Examination.REFUTED else schema.FindingState.CONTESTED


def _examined_finding(
    defect: JoinedFinding, examination: schema.Examined | None, dismissed: Mapping[str, str]
) -> schema.ReviewFinding:
    """A finding in its final state."""
    reporters = tuple(each.reporter for each in defect.sightings)
    return schema.ReviewFinding(
        id=defect.id,
        state=_state(defect, examination),
        defect=defect.report.defect,
        severity=defect.severity,
        title=defect.report.title,
        place=defect.place,
        is_outside=bool(defect.place) and all(each.anchoring is schema.Anchoring.OUTSIDE for each in reporters),
        reporters=reporters,
        families=defect.families,
        examined=examination,
        dismissed=dismissed.get(defect.id, ""),
    )
