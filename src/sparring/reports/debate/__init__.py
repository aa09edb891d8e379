"""A debate as it is shown."""

from sparring.reports.debate.markdown import decision, report
from sparring.reports.debate.state import last, result
from sparring.reports.debate.unfinished import remaining

__all__ = ["decision", "last", "remaining", "report", "result"]
