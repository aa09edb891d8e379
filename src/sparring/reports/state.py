"""The state files that a finished run leaves for others to read, as records. Where they are written is not known here.

Text is kept as it was said: the files are JSON, which escapes whatever would act on a terminal.
"""

from datetime import datetime

from sparring.errors import DeliberationError
from sparring.reports.answered import FinishedConsult, NumberedTurn
from sparring.reports.finished import FinishedDebate
from sparring.schema.base import Role
from sparring.schema.consult import (
    ConsultAnswer,
    ConsultResult,
    ConsultResults,
    ConsultStatus,
    LastMultiSession,
    LastSession,
    NumberedAnswer,
    NumberedSession,
    SavedSession,
)
from sparring.schema.consultation import Usage
from sparring.schema.debate import LastDebate, StateParticipant, StateVerdict, Verdict
from sparring.schema.runs import Run, RunKind


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


def last_sessions(run: Run) -> LastSession | LastMultiSession | None:
    """``consult/last-session.json`` of one answer, ``consult/last-multi-session.json`` of several.

    None when the run is not a finished consultation, or has nothing worth taking an earlier one's place: one answer
    without a session, or none at all.
    """
    try:
        consultation = FinishedConsult.of(run)
    except DeliberationError:
        return None
    question, timestamp = consultation.request.question, _ended_at(run)
    saved = [(each.number, _session(each, consultation)) for each in consultation.answers if each.turn.answer]
    if consultation.is_single:
        session = saved[0][1] if saved else None
        if session is None or session.session_id is None:
            return None
        return LastSession(**dict(session), question=question, timestamp=timestamp)
    if not saved:
        return None
    sessions = tuple(NumberedSession(**dict(session), number=number) for number, session in saved)
    return LastMultiSession(question=question, sessions=sessions, timestamp=timestamp)


def result(run: Run) -> LastDebate | ConsultResult | ConsultResults:
    """``result.json`` of a finished run: for a debate what its state file holds, until the next debate replaces that.

    Raises:
        DeliberationError: The run has not finished.
    """
    if run.header.kind is RunKind.DEBATE:
        return last_debate(run)
    consultation = FinishedConsult.of(run)
    request = consultation.request
    sizes = tuple(part.size for part in request.context)
    if consultation.is_single:
        answer = _answer(consultation.answers[0], consultation)
        counted = answer.model_copy(update={"redactions": request.redactions + answer.redactions})
        return ConsultResult(
            **dict(counted),
            id=run.header.run_id,
            question=request.question,
            context=sizes,
            repo_access=request.repo_access,
            timestamp=_ended_at(run),
            notices=consultation.notices,
        )
    return ConsultResults(
        id=run.header.run_id,
        status=consultation.outcome.status,
        question=request.question,
        context=sizes,
        repo_access=request.repo_access,
        answers=tuple(
            NumberedAnswer(**dict(_answer(each, consultation)), number=each.number) for each in consultation.answers
        ),
        citations=consultation.citations.sources,
        spent=run.spent,
        redactions=request.redactions,
        timestamp=_ended_at(run),
        notices=consultation.notices,
    )


def _session(each: NumberedTurn, consultation: FinishedConsult) -> SavedSession:
    answer = each.turn.answer
    return SavedSession(
        tool=each.consulted.tool,
        transport=each.consulted.transport,
        model=(answer and answer.model) or each.consulted.model,
        model_asked=each.consulted.model,
        effort=(answer and answer.effort) or consultation.request.effort,
        session_id=answer and answer.session_id,
        continuable=bool(answer and answer.continuable),
    )


def _answer(each: NumberedTurn, consultation: FinishedConsult) -> ConsultAnswer:
    reply, answer = each.turn.reply, each.turn.answer
    return ConsultAnswer(
        status=ConsultStatus.COMPLETED if answer else ConsultStatus.FAILED,
        tool=each.consulted.tool,
        transport=each.consulted.transport,
        model=(answer and answer.model) or each.consulted.model,
        effort=consultation.request.effort,
        response=answer and answer.response,
        session_id=answer and answer.session_id,
        continuable=bool(answer and answer.continuable),
        duration_ms=reply.duration_ms,
        usage=answer.usage if answer else Usage(),
        redactions=reply.redactions,
        warnings=answer.warnings if answer else (),
        failure=each.turn.failure,
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
