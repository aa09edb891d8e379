"""The state files that a finished run leaves for others to read, as records. Where they are written is not known here.

Text is kept as it was said: the files are JSON, which escapes whatever would act on a terminal.
"""

from datetime import datetime

from sparring.reports.finished import FinishedDebate
from sparring.schema.base import Role
from sparring.schema.consult import ConsultOutcome, ConsultRequest, ConsultResult, LastSession
from sparring.schema.consultation import Answer, Failure, Usage
from sparring.schema.debate import LastDebate, StateParticipant, StateVerdict, Verdict
from sparring.schema.runs import Run


def last_debate(run: Run) -> LastDebate:
    """``debate/last-debate.json`` of a finished debate.

    Raises:
        DeliberationError: The run is not a finished debate.
    """
    debate = FinishedDebate.of(run)
    request, outcome = debate.request, debate.outcome
    return LastDebate(
        id=run.header.run_id,
        topic=request.topic,
        proposer=_participant(debate, Role.PROPOSER),
        challenger=_participant(debate, Role.CHALLENGER),
        effort=request.effort,
        rounds_completed=outcome.rounds_completed,
        max_rounds=request.rounds,
        status=outcome.status,
        exchanges=debate.exchanges,
        verdict=outcome.verdict and _verdict(debate, outcome.verdict),
        timestamp=_ended_at(run),
        judge=_participant(debate, Role.JUDGE),
        incomplete_round=outcome.incomplete_round,
        notices=debate.notices,
    )


def last_session(run: Run) -> LastSession | None:
    """``consult/last-session.json``; None when the run is not a finished consultation whose answer has a session."""
    request, outcome = run.header.request, run.outcome
    if not isinstance(request, ConsultRequest) or not isinstance(outcome, ConsultOutcome):
        return None
    reply = outcome.reply
    if not isinstance(reply, Answer) or reply.session_id is None:
        return None
    return LastSession(
        tool=reply.tool,
        model=reply.model or request.model,
        effort=reply.effort or request.effort,
        session_id=reply.session_id,
        continuable=reply.continuable,
        question=request.question,
        timestamp=_ended_at(run),
    )


def result(run: Run) -> LastDebate | ConsultResult:
    """``result.json`` of a finished run: for a debate what its state file holds, until the next debate replaces that.

    Raises:
        DeliberationError: The run has not finished.
    """
    request, outcome = run.header.request, run.outcome
    if not isinstance(request, ConsultRequest) or not isinstance(outcome, ConsultOutcome):
        return last_debate(run)
    reply = outcome.reply
    answer = reply if isinstance(reply, Answer) else None
    return ConsultResult(
        id=run.header.run_id,
        status=outcome.status,
        question=request.question,
        tool=request.tool,
        model=(answer and answer.model) or request.model,
        effort=request.effort,
        response=answer and answer.response,
        session_id=answer and answer.session_id,
        continuable=bool(answer and answer.continuable),
        duration_ms=reply.duration_ms,
        usage=answer.usage if answer else Usage(),
        redactions=reply.redactions,
        warnings=answer.warnings if answer else (),
        failure=reply if isinstance(reply, Failure) else None,
        timestamp=_ended_at(run),
        notices=tuple(dict.fromkeys(request.notices + outcome.notices + run.notices)),
    )


def _ended_at(run: Run) -> datetime:
    turns = run.transcript.turns
    return turns[-1].at if turns else run.header.created_at


def _participant(debate: FinishedDebate, role: Role) -> StateParticipant:
    return StateParticipant(tool=debate.request.participant(role).tool, model=debate.model(role))


def _verdict(debate: FinishedDebate, verdict: Verdict) -> StateVerdict:
    return StateVerdict(
        winner=debate.request.participant(verdict.winner).tool,
        reasoning=verdict.reasoning,
        agreements=debate.agreements,
        disagreements=debate.disagreements,
        recommendation=verdict.recommendation,
        winner_role=verdict.winner,
        quality=verdict.quality,
        unresolved_questions=verdict.unresolved_questions,
    )
