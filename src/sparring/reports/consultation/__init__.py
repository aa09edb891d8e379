"""A consultation as it is shown."""

from sparring.reports.consultation.markdown import decision, report
from sparring.reports.consultation.state import last, result
from sparring.reports.consultation.unfinished import remaining

__all__ = ["decision", "last", "remaining", "report", "result"]
