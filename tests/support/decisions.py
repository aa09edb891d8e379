"""A decision as agents read it: what came of a run, and what carries it."""

from sparring.formats import views
from sparring.reports.markdown import fitted
from sparring.schema.runs import Run


def decision(run: Run) -> str:
    """Both, where the run has ended; else where it stands."""
    first = f"{views.RunView(run).summary()}\n" if run.outcome else ""
    return first + details(run)


def details(run: Run, *, limit: int = views.DECISION_LIMIT) -> str:
    """Return the grounds in fewer than ``limit`` characters; the state of an unfinished run."""
    return fitted(views.RunView(run).decision(), limit=limit) if run.outcome else views.progress_text(run, limit=limit)
