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
    Course,
    CourseCursor,
    DeferredAsk,
    ReadReply,
    ask_one,
    ask_until_usable,
    defaulted_notice,
    next_step,
    run_together,
)
from sparring.formats.review.findings import (
    JoinedFinding,
    Sighting,
    joined_by_place,
    joined_by_reviewers,
    may_be_one,
    with_ids,
)
from sparring.formats.review.places import Anchor, PointedLines, ShownChange
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
    def is_usable(self) -> bool:
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
        self._bookmark = CourseCursor[DeferredAsk, schema.ReviewOutcome]()

    def next(self, transcript: Transcript) -> Asks | schema.ReviewOutcome:
        """See ``engine.format.Rules``."""
        return next_step(self._bookmark, self._course, transcript)

    def _course(self) -> Course[DeferredAsk, schema.ReviewOutcome]:
        """Ask for blind findings, place them, merge duplicates, have single ones cross-examined; then end."""
        reviewed = yield from run_together(*self._blind())
        answering = tuple(sorted({answer.reviewer for answer in reviewed if answer.has_answered}))
        sightings, unseen = yield from self._placed(reviewed)
        defects, uncompared = yield from self._compared(joined_by_place(sightings), answering)
        defects = with_ids(defects, self._shown)
        examinations, unexamined = yield from self._examined(defects, answering)
        findings = [_examined_finding(defect, examinations.get(defect.id), self._dismissed) for defect in defects]
        outcome = schema.ReviewOutcome(
            status=schema.ReviewStatus.FAILED,
            findings=tuple(sorted(findings, key=_worst_first)),
            answered=self._answered(reviewed),
            incomplete_reviewers=self._incomplete_reviewers(reviewed, sightings),
            counted=tuple(self._counted(reviewed, part) for part in range(len(self._request.change.parts))),
            notices=(*self._silence(reviewed), *self._misquoted(sightings), *unseen, *uncompared, *unexamined),
        )
        # The status follows from the rest of the outcome.
        return outcome.model_copy(update={"status": self._status(reviewed, outcome)})

    def _blind(self) -> Iterator[Course[DeferredAsk, BlindAnswer]]:
        for part in range(len(self._request.change.parts)):
            for reviewer in range(1, len(self._request.reviewers) + 1):
                yield self._findings(part, reviewer)

    def _findings(self, part: int, reviewer: int) -> Course[DeferredAsk, BlindAnswer]:
        """Of two answers the one with more usable findings counts, the second if both have as many."""
        attempts = yield from ask_until_usable(partial(self._asking.findings, part, reviewer), self._read)
        best, most = BlindAnswer(part, reviewer, attempts[-1]), -1
        for attempt in reversed(attempts):
            answer = BlindAnswer(part, reviewer, attempt)
            usable = sum(not self._is_misplaced(finding) for finding in answer.findings)
            if attempt.value and usable > most:
                best, most = answer, usable
        return best

    def _read(self, reply: str) -> ReadReply[FindingsForm]:
        """The findings in a reply; a reply that misquotes the change is requested once more."""
        reading = read_findings(reply)
        problems = list[str]()
        for number, finding in enumerate(reading.value.findings, start=1):
            if self._is_misplaced(finding):
                file = one_line(finding.file, _FAULT_SHOWN)
                problems.append(f"Finding {number}: its quote is not in {file}. Copy the lines.")
        return replace(reading, problems=(*reading.problems, *problems[:_MOST_WRONG]))

    def _is_misplaced(self, report: schema.ReportedFinding) -> bool:
        """Return whether a finding is about the change and matches no place in it.

        A reviewer that may open files may mean others.
        """
        if self._request.repo_access is not RepoAccess.NONE:
            return False
        pointed = PointedLines.by(report)
        return self._shown.anchor(pointed, {}).place is None and self._shown.bears_on(pointed)

    def _placed(
        self, reviewed: Sequence[BlindAnswer]
    ) -> Course[DeferredAsk, tuple[tuple[Sighting, ...], tuple[str, ...]]]:
        """Every report with its place, grouped by reviewer."""
        by_reviewer = sorted(reviewed, key=lambda answer: answer.reviewer)
        reports = [(answer, finding) for answer in by_reviewer for finding in answer.findings]
        elsewhere, notices = yield from self._looked_up(1, [PointedLines.by(finding) for _, finding in reports])
        return tuple(self._sighting(answer, finding, elsewhere) for answer, finding in reports), notices

    def _sighting(
        self, by: BlindAnswer, report: schema.ReportedFinding, elsewhere: Mapping[PointedLines, schema.CodePlace]
    ) -> Sighting:
        anchor = self._shown.anchor(PointedLines.by(report), elsewhere)
        reporter = schema.Reporter(
            reviewer=by.reviewer, report=report, anchoring=anchor.anchoring, moved_by=anchor.moved_by
        )
        return Sighting(reporter, self._family(by.reviewer, by.attempt.turn), anchor.place)

    def _family(self, reviewer: int, turn: Turn) -> str:
        answer = turn.answer
        return self._request.family_of(reviewer, answer.tool if answer else turn.tool, answer.family if answer else "")

    def _looked_up(
        self, which: int, pointed: Iterable[PointedLines]
    ) -> Course[DeferredAsk, tuple[Mapping[PointedLines, schema.CodePlace], tuple[str, ...]]]:
        """Look up quotes that are not in the material in the project, if the reviewers may have read it there."""
        if self._request.repo_access is RepoAccess.NONE:
            return {}, ()
        missing = [
            each for each in dict.fromkeys(pointed) if each.quote.strip() and self._shown.anchor(each, {}).place is None
        ][:LIST_LIMIT]
        if not missing:
            return {}, ()
        turn = yield from ask_one(self._asking.lookup(which, missing))
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
    ) -> Course[DeferredAsk, tuple[tuple[JoinedFinding, ...], tuple[str, ...]]]:
        """Merge those of ``defects`` that a reviewer identifies as the same; without an answer they stay separate."""
        pairs = may_be_one(defects)
        if not pairs:
            return defects, ()
        numbered = [(one + 1, other + 1) for one, other in pairs]
        attempts = yield from ask_until_usable(
            partial(self._asking.joining, defects, pairs, answering[0]), partial(read_same, pairs=numbered)
        )
        last = attempts[-1]
        if last.value is None:
            why = cause_of(last)
            return defects, (f"[WARN] Findings that may be the same were not compared, and stay apart: {why}.",)
        return joined_by_reviewers(defects, ((one - 1, other - 1) for one, other in last.value)), ()

    def _examined(
        self, defects: Sequence[JoinedFinding], answering: Sequence[int]
    ) -> Course[DeferredAsk, tuple[Mapping[str, schema.Examined], tuple[str, ...]]]:
        """Have findings of a single family examined by another; return the results by the ids of the findings."""
        alone = _of_one_family(defects, self._dismissed)
        pairs = _with_examiners(alone[: self._request.examined], answering, self._request)
        attempts = yield from run_together(*(self._examination(defect, examiner) for defect, examiner in pairs))
        quoted = [_quoted_by(attempt) for attempt in attempts]
        elsewhere, notices = yield from self._looked_up(2, [pointed for pointed in quoted if pointed])
        examined: dict[str, schema.Examined] = {}
        for (defect, examiner), attempt, pointed in zip(pairs, attempts, quoted, strict=True):
            anchor = self._shown.anchor(pointed, elsewhere) if pointed else None
            why_partial = self._why_partial(defect, examiner, attempt)
            examined[defect.id] = _examined(examiner, attempt, anchor, why_partial)
        return examined, (*notices, *self._unexamined(len(alone), len(pairs)))

    def _why_partial(self, defect: JoinedFinding, examiner: int, attempt: Attempt[schema.CrossExamination]) -> str:
        """Return why the model that answered cannot decide this; empty: nothing speaks against it."""
        turn, examination = attempt.turn, attempt.value
        if self._family(examiner, turn) in defect.families:
            return _OF_KIN
        is_refuted = examination is not None and examination.verdict is schema.Examination.REFUTED
        # The author's model may confirm a defect of its own work; that it refutes one proves nothing.
        if is_refuted and self._independence(examiner, turn) is Independence.SAME:
            return _OF_AUTHOR
        return ""

    def _independence(self, reviewer: int, turn: Turn) -> Independence:
        """Return whether the model that answered in that reviewer's place is independent of the authors."""
        answer = turn.answer
        if answer is None:
            return self._request.independence_of(reviewer, turn.tool, None)
        return self._request.independence_of(reviewer, answer.tool, answer.model, answer.family)

    def _examination(
        self, defect: JoinedFinding, examiner: int
    ) -> Course[DeferredAsk, Attempt[schema.CrossExamination]]:
        attempts = yield from ask_until_usable(
            partial(self._asking.examination, defect, examiner),
            partial(read_examination, reported=PointedLines.by(defect.report)),
        )
        return attempts[-1]

    def _answered(self, reviewed: Iterable[BlindAnswer]) -> tuple[tuple[int, ...], ...]:
        parts: list[list[int]] = [[] for _ in self._request.change.parts]
        for answer in reviewed:
            if answer.has_answered:
                parts[answer.part].append(answer.reviewer)
        return tuple(map(tuple, parts))

    def _status(self, reviewed: Sequence[BlindAnswer], outcome: schema.ReviewOutcome) -> schema.ReviewStatus:
        if reviewed and not any(answer.attempt.has_reply for answer in reviewed):
            return schema.ReviewStatus.FAILED
        counting = [finding for finding in outcome.findings if finding.state in _COUNTING and not finding.dismissed]
        if any(_blocks(finding, self._request.fail_on) for finding in counting):
            return schema.ReviewStatus.BLOCKING
        has_gap = any(file.reason.is_gap for file in self._request.change.left_out)
        if has_gap or not outcome.has_quorum:
            return schema.ReviewStatus.INCOMPLETE
        return schema.ReviewStatus.FINDINGS if counting else schema.ReviewStatus.CLEAN

    def _incomplete_reviewers(
        self, reviewed: Sequence[BlindAnswer], sightings: Iterable[Sighting]
    ) -> tuple[tuple[int, ...], ...]:
        """For each part, the reviewers whose answers were not fully usable.

        A finding that matches nothing in a file of the change, or quotes it under another name, may be a real one with
        errors in its spelling; this cannot be ruled out. It counts for the parts that its reviewer answered for.
        """
        misquoting = {sighting.reporter.reviewer for sighting in sightings if self._is_misquoted(sighting)}
        parts: list[list[int]] = [[] for _ in self._request.change.parts]
        for answer in reviewed:
            if not answer.is_usable or answer.reviewer in misquoting:
                parts[answer.part].append(answer.reviewer)
        return tuple(map(tuple, parts))

    def _is_misquoted(self, sighting: Sighting) -> bool:
        return sighting.place is None and self._shown.bears_on(PointedLines.by(sighting.reporter.report))

    def _misquoted(self, sightings: Iterable[Sighting]) -> Iterator[str]:
        for sighting in sightings:
            if self._is_misquoted(sighting):
                report = sighting.reporter.report
                place = one_line(f"{report.file}:{report.line}", _FAULT_SHOWN)
                name = self._name(sighting.reporter.reviewer)
                yield f"[WARN] The quote of {name} is not at {place}: it counts as unheard."

    def _counted(self, reviewed: Iterable[BlindAnswer], part: int) -> Mapping[str, Independence]:
        """The families that answered for a part and count, and whether each is independent of the author."""
        counted: dict[str, Independence] = {}
        for answer in reviewed:
            if answer.part != part or not answer.has_answered:
                continue
            independence = self._independence(answer.reviewer, answer.attempt.turn)
            if independence is not Independence.SAME:
                counted.setdefault(self._family(answer.reviewer, answer.attempt.turn), independence)
        return counted

    def _silence(self, reviewed: Iterable[BlindAnswer]) -> Iterator[str]:
        """Yield warnings about reviewers without a usable answer, and about parts of answers that are unusable."""
        is_split = len(self._request.change.parts) > 1
        for answer in reviewed:
            name, form = self._name(answer.reviewer), answer.attempt.value
            part = f"part {answer.part + 1}" if is_split else ""
            if form is None:
                yield f"[WARN] {name} has not reviewed {part or 'it'}: {cause_of(answer.attempt)}."
                continue
            author = f"{name} in {part}" if part else name
            for fault in form.malformed:
                yield f"[WARN] A finding of {author} is left out: {one_line(fault, _FAULT_SHOWN)}."
            yield from defaulted_notice(author, answer.attempt.defaulted)

    def _unexamined(self, alone: int, examined: int) -> Iterator[str]:
        """Yield warnings about findings of a single family that were not examined, by the reason."""
        most = self._request.examined
        above_limit = max(0, alone - most)
        without_examiner = alone - above_limit - examined
        if above_limit:
            yield f"[WARN] {_counted(above_limit)} of a single family not examined: at most {most} are."
        if without_examiner:
            yield f"[WARN] {_counted(without_examiner)} of a single family not examined: no other family answered."

    def _name(self, reviewer: int) -> str:
        tools = [seat.tool for seat in self._request.reviewers]
        tool = tools[reviewer - 1]
        return f"{tool} (reviewer {reviewer})" if tools.count(tool) > 1 else tool


_COUNTING = (schema.FindingState.CONFIRMED, schema.FindingState.CONTESTED)
_STATES = {state: rank for rank, state in enumerate(schema.FindingState)}


def _worst_first(finding: schema.ReviewFinding) -> tuple[int, int, str, int]:
    place = finding.place
    return finding.severity.rank, _STATES[finding.state], place.file if place else "", place.first if place else 0


def _blocks(finding: schema.ReviewFinding, fail_on: schema.DefectSeverity | None) -> bool:
    """Return whether a finding blocks; one on lines that the change does not touch was there before."""
    is_severe = fail_on is not None and finding.severity.is_at_least(fail_on)
    return is_severe and finding.state is schema.FindingState.CONFIRMED and not finding.is_outside


def _counted(count: int) -> str:
    return "1 finding was" if count == 1 else f"{count} findings were"


def _of_one_family(defects: Sequence[JoinedFinding], dismissed: Mapping[str, str]) -> list[JoinedFinding]:
    """Return the findings of a single family, the most severe first, without struck and dismissed ones."""
    alone = [defect for defect in defects if defect.place and defect.id not in dismissed and len(defect.families) == 1]
    return sorted(alone, key=lambda defect: defect.severity.rank)


def _with_examiners(
    defects: Sequence[JoinedFinding], answered: Sequence[int], request: schema.ReviewRequest
) -> list[tuple[JoinedFinding, int]]:
    """Choose the examiner of each of ``defects``: of those that ``answered``, one of another family.

    One that is independent of the author comes first, then the one with the fewest examinations. A defect for which
    there is none is left out.
    """
    is_dependent: dict[int, bool] = {}
    for number in answered:
        tool = request.reviewers[number - 1].tool
        is_dependent[number] = request.independence_of(number, tool, None) is not Independence.INDEPENDENT
    examinations = dict.fromkeys(answered, 0)
    pairs: list[tuple[JoinedFinding, int]] = []
    for defect in defects:
        others = [number for number in answered if request.reviewers[number - 1].family not in defect.families]
        if others:
            examiner = min(others, key=lambda number: (is_dependent[number], examinations[number]))
            examinations[examiner] += 1
            pairs.append((defect, examiner))
    return pairs


def _quoted_by(attempt: Attempt[schema.CrossExamination]) -> PointedLines | None:
    """Return the place and code that an examiner quotes; None if it quotes none."""
    if attempt.value and attempt.value.quote.strip():
        return PointedLines.by(attempt.value)
    return None


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
        return schema.Examined(examiner=examiner, verdict=examination.verdict, examination=examination, place=place)
    why = "it quotes no code"
    if place:
        why = why_partial
    elif anchor:
        why = _NOT_THERE[anchor.anchoring]
    cause = f"{examination.verdict}, which does not count: {why}"
    return schema.Examined(
        examiner=examiner, verdict=schema.Examination.UNSURE, examination=examination, place=place, cause=cause
    )


_OF_KIN = "who answered in its place is of the family that found it"
_OF_AUTHOR = "the examiner may be the model that wrote the change"
_NOT_THERE = {
    schema.Anchoring.NO_FILE: "the file that it quotes does not exist",
    schema.Anchoring.NO_QUOTE: "what it quotes is not there",
}


def cause_of(attempt: Attempt[Any]) -> str:
    """Return why there is no usable answer, within a sentence."""
    return one_line(attempt.cause, DETAIL_LIMIT)


def _state(defect: JoinedFinding, examination: schema.Examined | None) -> schema.FindingState:
    """Return the state of a finding by rule; see ``FindingState``."""
    if defect.place is None:
        return schema.FindingState.STRUCK
    if len(defect.families) > 1:
        return schema.FindingState.CONFIRMED
    match examination.verdict if examination else None:
        case schema.Examination.CONFIRMED:
            return schema.FindingState.CONFIRMED
        case schema.Examination.REFUTED:
            return schema.FindingState.REFUTED
        case _:
            return schema.FindingState.CONTESTED


def _examined_finding(
    defect: JoinedFinding, examination: schema.Examined | None, dismissed: Mapping[str, str]
) -> schema.ReviewFinding:
    """A finding in its final state."""
    reporters = tuple(sighting.reporter for sighting in defect.sightings)
    return schema.ReviewFinding(
        id=defect.id,
        state=_state(defect, examination),
        defect=defect.report.defect,
        severity=defect.severity,
        title=defect.report.title,
        place=defect.place,
        is_outside=bool(defect.place) and all(reporter.anchoring is schema.Anchoring.OUTSIDE for reporter in reporters),
        reporters=reporters,
        families=defect.families,
        examined=examination,
        dismissed=dismissed.get(defect.id, ""),
    )
