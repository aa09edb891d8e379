"""The chair of a chaired debate as a seat that can be audited: openings with a verified source, then the decision."""

import json

from sparring.engine.audited import AuditedSeat
from sparring.engine.replies import read_form
from sparring.formats.chaired_debate.prompts import ready_message
from sparring.formats.chaired_debate.replies import ConclusionForm
from sparring.schema import chaired_debate as schema
from sparring.schema.audit import AuditCase, CaseKind, CaseSide
from sparring.schema.base import RULE_BASED_TOOL, Participant, Role
from sparring.schema.lookups import SourceFinding, SourceFindings, SourceStatus
from sparring.schema.transcript import Ask, TurnKind

_SIDES = {Role.PROMOTER: CaseSide.FIRST, Role.DETRACTOR: CaseSide.SECOND}
_SOURCE = {"url": "https://example.org/facts", "title": "The facts", "accessed": "2026-01-01"}
_QUOTE_LENGTH = 200
_CLOSING = "I stand by my opening statement."


def _request(case: AuditCase, judge: Participant) -> schema.ChairedDebateRequest:
    code = Participant(tool=RULE_BASED_TOOL)
    return schema.ChairedDebateRequest(
        topic=case.question, chair=judge, promoter=code, detractor=code, min_rounds=0, max_rounds=1
    )


def _given(case: AuditCase, ask: Ask) -> str | None:
    match ask.kind:
        case TurnKind.CONCLUSION:
            return None
        case TurnKind.READY:
            return ready_message(ask.role, case.question)
        case TurnKind.SOURCES:
            return _verified(ask).model_dump_json()
        case TurnKind.RULING:
            return json.dumps({"rulings": [], "conduct": [], "because": "All has been said.", "continue": False})
        case TurnKind.CLOSING:
            return json.dumps({"type": schema.EntryType.CLOSING_STATEMENT, "content": _CLOSING, "sources": []})
        case _:
            sources = [{**_SOURCE, "quote": case.question[:_QUOTE_LENGTH]}]
            text = case.text_of(_SIDES[ask.role])
            return json.dumps({"type": schema.EntryType.OPENING_STATEMENT, "content": text, "sources": sources})


def _verified(ask: Ask) -> SourceFindings:
    findings = (
        SourceFinding(url=each.url, quote=each.quote, status=SourceStatus.VERIFIED, reason="the page has these words")
        for each in ask.question.brief.sources
    )
    return SourceFindings(findings=tuple(findings))


_PICKS = {
    schema.DebateDecision.AFFIRMATIVE_WINS: CaseSide.FIRST,
    schema.DebateDecision.NEGATIVE_WINS: CaseSide.SECOND,
}


def _pick(case: AuditCase, reply: str) -> CaseSide | None:  # noqa: ARG001 -- a decision is enough
    return _PICKS.get(read_form(reply, ConclusionForm).value.outcome)


SEAT = AuditedSeat(
    name="chair",
    kind=CaseKind.DISPUTE,
    sides=("promoter", "detractor"),
    request=_request,
    given=_given,
    pick=_pick,
    has_order=True,
)
