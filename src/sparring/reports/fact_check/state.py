"""The record that a finished fact-check leaves: its state file, and its result."""

from sparring.reports.runs import ended_at, notices_of, outcome_of, redactions_in, request_of
from sparring.schema.fact_check import FactCheckOutcome, FactCheckRequest, FactCheckStatus, LastFactCheck
from sparring.schema.runs import Run


def result(run: Run) -> LastFactCheck:
    """``fact-check/last-fact-check.json`` and the ``result.json`` of a finished fact-check.

    Raises:
        DeliberationError: The run is not a finished fact-check.
    """
    request, outcome = request_of(run, FactCheckRequest), outcome_of(run, FactCheckOutcome)
    return LastFactCheck(
        id=run.header.run_id,
        claim=request.claim,
        evidence=tuple(part.size for part in request.evidence),
        status=outcome.status,
        label=outcome.label,
        decision=outcome.decision,
        stop_reason=outcome.stop_reason,
        rounds_completed=outcome.rounds_completed,
        max_rounds=request.max_rounds,
        escalation=request.escalation,
        language=request.language,
        effort=request.effort,
        blind=outcome.blind,
        debated=outcome.debated,
        agents=outcome.agents,
        check=outcome.check,
        is_contested=outcome.is_contested,
        spent=run.spent,
        redactions=request.redactions + redactions_in(run.transcript),
        timestamp=ended_at(run),
        notices=notices_of(run),
    )


def last(run: Run) -> LastFactCheck | None:
    """``fact-check/last-fact-check.json``; None for a fact-check without one vote.

    Raises:
        DeliberationError: The run is not a finished fact-check.
    """
    failed = outcome_of(run, FactCheckOutcome).status is FactCheckStatus.FAILED
    return None if failed else result(run)
