"""The record that a finished jury leaves: its state file, and its result."""

from sparring.reports.jury.seats import jurors
from sparring.reports.runs import ended_at, notices_of, outcome_of, redactions_in, request_of
from sparring.schema.jury import JuryOutcome, JuryRequest, JuryStatus, LastVerdict
from sparring.schema.runs import Run


def result(run: Run) -> LastVerdict:
    """``jury/last-verdict.json`` and the ``result.json`` of a finished jury.

    Raises:
        DeliberationError: The run is not a finished jury.
    """
    request, outcome = request_of(run, JuryRequest), outcome_of(run, JuryOutcome)
    return LastVerdict(
        id=run.header.run_id,
        row_id=request.row_id,
        dataset=request.dataset,
        truth=request.truth,
        claim=request.claim,
        status=outcome.status,
        verdict=outcome.verdict,
        contested=outcome.contested,
        mutations=outcome.mutations,
        differences=outcome.differences,
        check=outcome.check,
        checklist=outcome.checklist,
        statements=outcome.statements,
        minority_view=outcome.minority_view,
        jurors=jurors(run),
        rebuttals=request.rebuttals,
        rebuttals_completed=outcome.rebuttals_completed,
        language=request.language,
        effort=request.effort,
        spent=run.spent,
        redactions=request.redactions + redactions_in(run.transcript),
        timestamp=ended_at(run),
        notices=notices_of(run),
    )


def last(run: Run) -> LastVerdict | None:
    """``jury/last-verdict.json``; None for a jury in which nobody gave anything usable.

    Raises:
        DeliberationError: The run is not a finished jury.
    """
    failed = outcome_of(run, JuryOutcome).status is JuryStatus.FAILED
    return None if failed else result(run)
