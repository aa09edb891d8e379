"""What a run says to people, as Markdown: the whole report, and the part that carries the decision.

The one place that knows which kind of run is shown how.
"""

from sparring.reports import consultations, debates, unfinished
from sparring.schema.runs import Run, RunKind

DECISION_LIMIT = 9_000
"""Characters of a decision: a tool's result must stay below 10,000, and carries a little more than this text."""


def report(run: Run) -> str:
    """``report.md``: all of a finished run; of an unfinished one where it stands."""
    if run.outcome is None:
        return progress_text(run)
    if run.header.kind is RunKind.DEBATE:
        return debates.debate_report(run)
    return consultations.consult_report(run)


def decision(run: Run, *, limit: int = DECISION_LIMIT) -> str:
    """What carries the decision, in fewer than ``limit`` characters; of an unfinished run where it stands.

    Long sections are cut to the same length and say so; ``limit`` should be 2,000 at the least.
    """
    if run.outcome is None:
        return progress_text(run, limit=limit)
    if run.header.kind is RunKind.DEBATE:
        return debates.debate_decision(run, limit=limit)
    return consultations.consult_decision(run, limit=limit)


def progress_text(run: Run, *, limit: int = DECISION_LIMIT) -> str:
    """Who has spoken in an unfinished run, what is missing, how to go on."""
    return unfinished.progress_text(run, limit=limit)
