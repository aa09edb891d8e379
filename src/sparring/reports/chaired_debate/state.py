"""The record that a finished chaired debate leaves: ``metadata.json``, and its result."""

from sparring.reports.chaired_debate.debated import FinishedChairedDebate
from sparring.reports.runs import ended_at
from sparring.schema.chaired_debate import ChairedDebateResult
from sparring.schema.runs import Run


def result(run: Run) -> ChairedDebateResult:
    """``metadata.json`` and the ``result.json`` of a finished chaired debate. What was said stands in the log.

    Raises:
        DeliberationError: The run is not a finished chaired debate.
    """
    debate = FinishedChairedDebate.of(run)
    request, outcome = debate.request, debate.outcome
    return ChairedDebateResult(
        id=run.header.run_id,
        topic=request.topic,
        status=outcome.status,
        decision=outcome.decision,
        decided_by=outcome.decided_by,
        reasoning=outcome.reasoning,
        decisive=outcome.decisive,
        ended=outcome.ended,
        rounds_completed=outcome.rounds_completed,
        min_rounds=request.min_rounds,
        max_rounds=request.max_rounds,
        time_budget_s=request.time_budget_s,
        seats=debate.seats,
        disqualified=outcome.disqualified,
        entries=len(outcome.log),
        sources=outcome.sources,
        effort=request.effort,
        spent=run.spent,
        timestamp=ended_at(run),
        notices=debate.notices,
    )


def last(run: Run) -> None:
    """Nothing: a chaired debate leaves no ``last-*.json``.

    Raises:
        DeliberationError: The run is not a finished chaired debate.
    """
    FinishedChairedDebate.of(run)
