"""The record that a finished debate leaves: its state file, and its result."""

from sparring.reports.debate.finished import FinishedDebate
from sparring.reports.runs import ended_at
from sparring.schema.base import Role
from sparring.schema.debate import DebateStatus, LastDebate, StateVerdict, Verdict
from sparring.schema.participants import StateParticipant
from sparring.schema.runs import Run


def result(run: Run) -> LastDebate:
    """``debate/last-debate.json`` and the ``result.json`` of a finished debate.

    Raises:
        DeliberationError: The run is not a finished debate.
    """
    debate = FinishedDebate.of(run)
    request, outcome = debate.request, debate.outcome
    judge, *panel = _judges(debate)
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
        timestamp=ended_at(run),
        judge=judge,
        panel=tuple(panel),
        blind_openings=request.blind_openings,
        devil=request.devil,
        judgement=outcome.judgement,
        ledgers=outcome.ledgers,
        conduct=outcome.conduct,
        incomplete_round=outcome.incomplete_round,
        notices=debate.notices,
    )


def last(run: Run) -> LastDebate | None:
    """``debate/last-debate.json``; None for a debate in which nobody said anything.

    Raises:
        DeliberationError: The run is not a finished debate.
    """
    failed = FinishedDebate.of(run).outcome.status is DebateStatus.FAILED
    return None if failed else result(run)


def _participant(debate: FinishedDebate, role: Role) -> StateParticipant:
    return StateParticipant(tool=debate.request.participant(role).tool, model=debate.model(role))


def _judges(debate: FinishedDebate) -> tuple[StateParticipant, ...]:
    return tuple(
        StateParticipant(tool=judge.tool, model=debate.judge_model(number))
        for number, judge in enumerate(debate.request.judges, start=1)
    )


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
        scores=verdict.scores,
    )
