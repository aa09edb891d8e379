"""The cross-examiner of a review as a seat that can be audited: one reviewer of another family reports a defect."""

import json

from sparring.engine.audited import AuditedSeat
from sparring.engine.course import UnusableReplyError
from sparring.formats.review.places import PointedLines
from sparring.formats.review.replies import read_examination, read_findings
from sparring.schema import review as schema
from sparring.schema.audit import AuditCase, CaseKind, CaseSide
from sparring.schema.base import RULE_BASED_TOOL, Participant
from sparring.schema.changes import ChangeKind, FileChange, Hunk, LineMark, ReviewedChange, ReviewedFile
from sparring.schema.transcript import Ask, TurnKind


def _request(case: AuditCase, judge: Participant) -> schema.ReviewRequest:
    path, _ = _place(case)
    lines = tuple(LineMark.ADDED + line for line in case.material.splitlines())
    file = ReviewedFile(path=path, change=FileChange.ADDED, hunks=(Hunk(first=1, lines=lines),))
    change = ReviewedChange(kind=ChangeKind.DIFF, title=path, files=(file,), parts=((0,),))
    reviewers = (
        schema.Reviewer(tool=RULE_BASED_TOOL, family="another"),
        schema.Reviewer(tool=judge.tool, model=judge.model, family=judge.tool),
    )
    return schema.ReviewRequest(change=change, reviewers=reviewers)


def _place(case: AuditCase) -> tuple[str, int]:
    path, _, line = case.place.rpartition(":")
    return path, int(line)


def _given(case: AuditCase, ask: Ask) -> str | None:
    if ask.kind is TurnKind.EXAMINATION:
        return None
    return json.dumps({"findings": [_finding(case)] if ask.number == 1 else []})


def _finding(case: AuditCase) -> dict[str, object]:
    path, line = _place(case)
    return {
        "file": path,
        "line": line,
        "quote": case.material.splitlines()[line - 1],
        "title": case.question,
        "trigger": "",
        "consequence": case.first,
        "fix": "",
        "class": schema.DefectClass.BUG,
        "severity": schema.DefectSeverity.MAJOR,
        "confidence": 0.8,
    }


_PICKS = {schema.Examination.CONFIRMED: CaseSide.FIRST, schema.Examination.REFUTED: CaseSide.SECOND}


def _pick(case: AuditCase, reply: str) -> CaseSide | None:
    reported = read_findings(json.dumps({"findings": [_finding(case)]})).value.findings
    if not reported:
        raise UnusableReplyError("The case reports nothing.")
    return _PICKS.get(read_examination(reply, PointedLines.by(reported[0])).value.verdict)


SEAT = AuditedSeat(
    name="examiner",
    kind=CaseKind.FINDING,
    sides=("confirmed", "refuted"),
    request=_request,
    given=_given,
    pick=_pick,
    plants=(CaseSide.FIRST,),
)
