"""Cross-examination: who looks at what a single family found, what comes of it, and what is made of every finding."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparring.engine.course import Attempt, Reading, UnusableReplyError, as_record, read_object
from sparring.formats.review.findings import JoinedFinding, most_severe_first
from sparring.formats.review.places import Anchor, Pointed
from sparring.schema.consultation import DETAIL_LIMIT
from sparring.schema.review import (
    Anchoring,
    CrossExamination,
    Examination,
    Examined,
    FindingState,
    ReviewFinding,
    ReviewRequest,
)
from sparring.text.tidying import one_line


def found_alone(defects: Sequence[JoinedFinding], dismissed: Mapping[str, str]) -> list[JoinedFinding]:
    """What a single family found, the most severe first: neither struck nor dismissed before."""
    return most_severe_first(
        each for each in defects if each.place and each.id not in dismissed and len(each.families) == 1
    )


def examiners(defects: Sequence[JoinedFinding], answered: Sequence[int], request: ReviewRequest) -> dict[str, int]:
    """Who examines each of ``defects``: of those that ``answered``, one of another family, whoever has least to do."""
    work, found = dict.fromkeys(answered, 0), dict[str, int]()
    for each in defects:
        others = [number for number in work if request.reviewers[number - 1].family not in each.families]
        if others:
            found[each.id] = chosen = min(others, key=work.__getitem__)
            work[chosen] += 1
    return found


def read_examination(reply: str, reported: Pointed) -> Reading[CrossExamination]:
    """What an examiner says of what was ``reported`` there; whoever is unsure need not point anywhere.

    Raises:
        UnusableReplyError: There is no JSON object, or it lacks what its verdict needs.
    """
    said: dict[str, Any] = dict(read_object(reply))
    if isinstance(said.get("verdict"), str):
        said["verdict"] = said["verdict"].strip().lower()
    if said.get("verdict") == Examination.UNSURE:
        said |= {"file": reported.file, "line": reported.first, "quote": ""}
    found = as_record(said, CrossExamination)
    if found.verdict is Examination.CONFIRMED and not found.reason.strip():
        raise UnusableReplyError("reason: a confirmation has to name what triggers it.")
    return Reading(found)


def examined(examiner: int, attempt: Attempt[CrossExamination], anchor: Anchor | None, *, is_of_kin: bool) -> Examined:
    """What counts of an examination.

    Args:
        examiner: Who was asked.
        attempt: What came of it.
        anchor: Where its quote stands; None where it gave none.
        is_of_kin: Whether it was answered by models of a family that found it, in the examiner's place.
    """
    said = attempt.said
    if said is None:
        return Examined(examiner=examiner, verdict=Examination.UNSURE, cause=cause_of(attempt))
    place = anchor.place if anchor else None
    if said.verdict is Examination.UNSURE or (place and not is_of_kin):
        return Examined(examiner=examiner, verdict=said.verdict, said=said, place=place)
    why = _OF_KIN if place else _NOT_THERE[anchor.anchoring] if anchor else "it quotes no code"
    cause = f"{said.verdict}, which does not count: {why}"
    return Examined(examiner=examiner, verdict=Examination.UNSURE, said=said, place=place, cause=cause)


_OF_KIN = "who answered in its place is of the family that found it"
_NOT_THERE = {
    Anchoring.NO_FILE: "there is no such file as it quotes",
    Anchoring.NO_QUOTE: "what it quotes is not there",
}


def cause_of(attempt: Attempt[Any]) -> str:
    """Why there is no usable answer, within a sentence."""
    if attempt.turn.failure:
        return attempt.turn.failure.cause
    return one_line(f"parse: {attempt.problem}", DETAIL_LIMIT).rstrip(".")


def state_of(families: Sequence[str], place: object, examination: Examined | None) -> FindingState:
    """What is made of a finding, by rule; see ``FindingState``."""
    if place is None:
        return FindingState.STRUCK
    verdict = examination.verdict if examination else None
    if len(families) > 1 or verdict is Examination.CONFIRMED:
        return FindingState.CONFIRMED
    return FindingState.REFUTED if verdict is Examination.REFUTED else FindingState.CONTESTED


def as_found(defect: JoinedFinding, examination: Examined | None, dismissed: Mapping[str, str]) -> ReviewFinding:
    """A finding as it stands at the end."""
    reporters = tuple(each.reporter for each in defect.sightings)
    return ReviewFinding(
        id=defect.id,
        state=state_of(defect.families, defect.place, examination),
        defect=defect.said.defect,
        severity=defect.severity,
        title=defect.said.title,
        place=defect.place,
        is_outside=bool(defect.place) and all(each.anchoring is Anchoring.OUTSIDE for each in reporters),
        reporters=reporters,
        families=defect.families,
        examined=examination,
        dismissed=dismissed.get(defect.id, ""),
    )
