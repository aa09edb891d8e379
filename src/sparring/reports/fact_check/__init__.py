"""A fact-check as it is shown."""

from sparring.reports.fact_check.markdown import decision, report
from sparring.reports.fact_check.state import last, result
from sparring.reports.fact_check.unfinished import remaining

__all__ = ["decision", "last", "remaining", "report", "result"]
