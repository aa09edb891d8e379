"""A decision as agents read it: what came of a run, and what carries it."""

from sparring.formats.reports import details, in_short
from sparring.schema.runs import Run


def decision(run: Run) -> str:
    """Both, where the run has ended; else where it stands."""
    first = f"{in_short(run)}\n" if run.outcome else ""
    return first + details(run)
