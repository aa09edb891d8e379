"""A jury as it is shown."""

from sparring.reports.jury.markdown import decision, report
from sparring.reports.jury.state import last, result
from sparring.reports.jury.unfinished import remaining

__all__ = ["decision", "last", "remaining", "report", "result"]
