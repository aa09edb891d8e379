"""The records that a finished consultation leaves: its sessions, and its result."""

from sparring.reports.consultation.answered import FinishedConsult, NumberedTurn
from sparring.reports.runs import ended_at
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
from sparring.schema.runs import Run


def last(run: Run) -> LastSession | LastMultiSession | None:
    """``consult/last-session.json`` of one answer, ``consult/last-multi-session.json`` of several.

    None when nothing in it is worth taking an earlier one's place: one answer without a session, or none at all.

    Raises:
        DeliberationError: The run is not a finished consultation.
    """
    consultation = FinishedConsult.of(run)
    question, timestamp = consultation.request.question, ended_at(run)
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


def result(run: Run) -> ConsultResult | ConsultResults:
    """``result.json`` of a finished consultation, of one answer or of several.

    Raises:
        DeliberationError: The run is not a finished consultation.
    """
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
            timestamp=ended_at(run),
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
        timestamp=ended_at(run),
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
