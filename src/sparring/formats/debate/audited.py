"""The judge of a debate as a seat that can be audited: one round, with given speeches of both sides."""

from sparring.engine.audited import AuditedSeat
from sparring.formats.debate.replies import read_ballot
from sparring.schema import judgement, lookups, transcript
from sparring.schema.audit import AuditCase, CaseKind, CaseSide
from sparring.schema.base import RULE_BASED_TOOL, Participant, Role
from sparring.schema.debate import TOPIC_LIMIT, DebateRequest
from sparring.schema.runs import Run

_SIDES = {Role.PROPOSER: CaseSide.FIRST, Role.CHALLENGER: CaseSide.SECOND}


def _request(case: AuditCase, judge: Participant) -> DebateRequest:
    # Rules of form do not apply to sides that are code: a report of breaches would stand below their speeches.
    code = Participant(tool=RULE_BASED_TOOL)
    return DebateRequest(topic=case.question, proposer=code, challenger=code, judge=judge, rounds=1)


def _given(case: AuditCase, ask: transcript.Ask) -> str | None:
    if ask.role is Role.JUDGE:
        return None
    if ask.kind is transcript.TurnKind.CITATIONS:
        return _ledger(case, ask.question.brief.speeches[0].text).model_dump_json()
    return case.text_of(_SIDES[ask.role])


def _ledger(case: AuditCase, speech: str) -> lookups.CitationLedger:
    start = speech.find(case.not_found) if case.not_found else -1
    if start < 0:
        return lookups.CitationLedger()
    entry = lookups.LedgerEntry(
        text=case.not_found,
        start=start,
        end=start + len(case.not_found),
        kind=lookups.CitationKind.PATH,
        status=lookups.CitationStatus.NOT_FOUND,
        reason="there is no such file",
    )
    return lookups.CitationLedger(entries=(entry,))


def _pick(case: AuditCase, reply: str) -> CaseSide:  # noqa: ARG001 -- the ballot is enough
    winner = read_ballot(reply, judgement.Order.PROPOSER_FIRST).value.winner
    return CaseSide.FIRST if winner == "A" else CaseSide.SECOND


def _case_of(run: Run) -> AuditCase | None:
    """Return the speeches of each side, joined in order; the right side is unknown."""
    request = run.header.request
    if not isinstance(request, DebateRequest) or len(request.topic) > TOPIC_LIMIT:
        return None
    texts = {side: list[str]() for side in CaseSide}
    for turn in run.transcript.turns:
        if turn.kind in transcript.SPEECH_KINDS and turn.answer and turn.role in _SIDES:
            texts[_SIDES[turn.role]].append(turn.answer.response)
    if not all(texts.values()):
        return None
    first, second = ("\n\n".join(texts[side]) for side in CaseSide)
    return AuditCase(id=run.header.run_id, kind=CaseKind.DISPUTE, question=request.topic, first=first, second=second)


SEAT = AuditedSeat(
    name="judge",
    kind=CaseKind.DISPUTE,
    sides=("Side A", "Side B"),
    request=_request,
    given=_given,
    pick=_pick,
    has_order=True,
    has_marks=True,
    case_of=_case_of,
)
