"""The second reader of a fact-check as a seat that can be audited: one agent quotes the passage for the statement."""

import json

from sparring.engine.audited import AuditedSeat
from sparring.formats.fact_check.replies import read_readings
from sparring.schema.audit import AuditCase, CaseKind, CaseSide
from sparring.schema.base import RULE_BASED_TOOL, Participant
from sparring.schema.claims import Label, Relation
from sparring.schema.consultation import ContextPart
from sparring.schema.fact_check import FactCheckRequest
from sparring.schema.transcript import Ask, TurnKind


def _request(case: AuditCase, judge: Participant) -> FactCheckRequest:
    evidence = ContextPart(name="evidence 1", size_bytes=len(_passage(case).encode()), text=_passage(case))
    code = Participant(tool=RULE_BASED_TOOL)
    return FactCheckRequest(
        claim=case.question,
        evidence=(evidence,),
        agents=(code, judge, judge),
        families=("code", judge.tool, judge.tool),
    )


def _passage(case: AuditCase) -> str:
    """Return the passage followed by the planted text, which supports the first side."""
    return f"{case.material} {case.first}".strip()


def _given(case: AuditCase, ask: Ask) -> str | None:
    if ask.kind is TurnKind.READING:
        return None
    is_giver = ask.question.brief.name.endswith("1")
    quote = _passage(case) if is_giver else None
    status, verdict = ("COVERED", Label.SUPPORTED) if is_giver else ("MISSING", Label.NEI)
    part = {"part": case.question, "quote": quote, "status": status}
    return json.dumps({"parts": [part], "reasoning": "", "verdict": verdict})


def _pick(case: AuditCase, reply: str) -> CaseSide:  # noqa: ARG001 -- a reading is enough
    """Return the first side for SAYS; CONTRADICTS and NEITHER both refuse the quote."""
    reading = read_readings(reply, 1).value.of(1)
    return CaseSide.FIRST if reading and reading.relation is Relation.CARRIES else CaseSide.SECOND


SEAT = AuditedSeat(
    name="reader",
    kind=CaseKind.PASSAGE,
    sides=("says so", "does not"),
    request=_request,
    given=_given,
    pick=_pick,
    plants=(CaseSide.FIRST,),
    speaks=False,
)
