"""What a run says to people, as Markdown: the whole report, and the part that carries the decision."""

from sparring.reports import unfinished
from sparring.reports.kinds import presentation
from sparring.schema.runs import Run

DECISION_LIMIT = 9_000
"""Characters of a decision: a tool's result must stay below 10,000, and carries a little more than this text."""


def report(run: Run) -> str:
    """``report.md``: all of a finished run; of an unfinished one where it stands."""
    return progress_text(run) if run.outcome is None else presentation(run).report(run)


def decision(run: Run, *, limit: int = DECISION_LIMIT) -> str:
    """What carries the decision, in fewer than ``limit`` characters; of an unfinished run where it stands.

    Long sections are cut to the same length and say so; ``limit`` should be 2,000 at the least.
    """
    return progress_text(run, limit=limit) if run.outcome is None else presentation(run).decision(run, limit=limit)


def progress_text(run: Run, *, limit: int = DECISION_LIMIT) -> str:
    """Who has spoken in an unfinished run, what is missing, how to go on."""
    return unfinished.progress_text(run, presentation(run).remaining(run), limit=limit)
