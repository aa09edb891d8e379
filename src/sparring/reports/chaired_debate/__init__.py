"""A chaired debate as it is shown."""

from sparring.reports.chaired_debate.markdown import decision, report
from sparring.reports.chaired_debate.state import last, result
from sparring.reports.chaired_debate.summaries import summary
from sparring.reports.chaired_debate.unfinished import remaining

__all__ = ["decision", "last", "remaining", "report", "result", "summary"]
