"""A run's events as plain lines, for where there is no terminal."""

from sparring.reports.phrases import cause, seconds
from sparring.reports.places import who
from sparring.schema.runs import AskStarted, RunEvent


def progress_line(event: RunEvent) -> str:
    """One line without its end, e.g. ``round 1/2  proposer  claude  asked``."""
    return f"{who(event)}  {_happened(event)}"


def _happened(event: RunEvent) -> str:
    if isinstance(event, AskStarted):
        return "asked"
    if event.failure:
        return f"failed: {cause(event.failure, event.detail, event.duration_ms)}"
    return f"answered in {seconds(event.duration_ms)}"
