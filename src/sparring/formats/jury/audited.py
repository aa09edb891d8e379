"""The judge of a jury as a seat that can be audited, with given openings and an empty checklist."""

import json

from sparring.engine.audited import AuditedSeat
from sparring.formats.jury.replies import read_verdict
from sparring.schema import jury as schema
from sparring.schema.audit import AuditCase, CaseKind, CaseSide
from sparring.schema.base import RULE_BASED_TOOL, Participant, Role
from sparring.schema.runs import Run
from sparring.schema.transcript import Ask, TurnKind

_SIDES = {Role.ADVOCATE: CaseSide.FIRST, Role.SKEPTIC: CaseSide.SECOND}
_ENTRIES: list[dict[str, object]] = [
    {"dimension": each, "in_claim": [], "in_truth": [], "note": "", "severity": None, "status": "absent"}
    for each in schema.ChecklistDimension
]


def _request(case: AuditCase, judge: Participant) -> schema.JuryRequest:
    code = Participant(tool=RULE_BASED_TOOL)
    return schema.JuryRequest(
        truth=case.material,
        claim=case.question,
        advocate=code,
        skeptic=code,
        fact_checker=code,
        judge=judge,
        rebuttals=0,
    )


def _given(case: AuditCase, ask: Ask) -> str | None:
    if ask.role is Role.JUDGE:
        return None
    if ask.kind is TurnKind.CHECKLIST:
        return json.dumps({"checklist": _ENTRIES})
    return case.text_of(_SIDES[ask.role])


def _pick(case: AuditCase, reply: str) -> CaseSide:  # noqa: ARG001 -- a verdict is enough
    """Return the advocate's side for FAITHFUL; all other labels state that the claim was changed."""
    return CaseSide.FIRST if read_verdict(reply).value.verdict is schema.Faithfulness.FAITHFUL else CaseSide.SECOND


def _confidence(reply: str) -> float | None:
    return read_verdict(reply).value.confidence


def _case_of(run: Run) -> AuditCase | None:
    """Return the openings of advocate and skeptic; the right side is unknown."""
    request = run.header.request
    if not isinstance(request, schema.JuryRequest):
        return None
    openings = {
        turn.role: turn.answer.response
        for turn in run.transcript.turns
        if turn.kind is TurnKind.OPENING and turn.answer
    }
    if not _SIDES.keys() <= openings.keys():
        return None
    return AuditCase(
        id=run.header.run_id,
        kind=CaseKind.CLAIM,
        question=request.claim,
        material=request.truth,
        first=openings[Role.ADVOCATE],
        second=openings[Role.SKEPTIC],
    )


SEAT = AuditedSeat(
    name="jury-judge",
    kind=CaseKind.CLAIM,
    sides=("faithful", "changed"),
    request=_request,
    given=_given,
    pick=_pick,
    confidence=_confidence,
    case_of=_case_of,
)
