"""A run's events as plain lines, for where there is no terminal."""

from sparring.reports.phrases import cause, seconds
from sparring.reports.places import place
from sparring.schema.debate import DebateRequest
from sparring.schema.runs import AskStarted, Request, RunEvent


def progress_line(event: RunEvent, rounds: int) -> str:
    """One line without its end, e.g. ``round 1/2  proposer  claude  asked``."""
    return f"{speaker(event, rounds)}  {_happened(event)}"


def rounds_of(request: Request) -> int:
    """The rounds to tell of a run; they count in a debate, and only there."""
    return request.rounds if isinstance(request, DebateRequest) else 1


def speaker(event: RunEvent, rounds: int) -> str:
    """Whose event it is, e.g. ``round 1/2  proposer  claude``. ``rounds`` counts in a debate, and only there."""
    where = place(event, rounds)
    return "  ".join(part for part in (where.stage, where.voice, where.tool) if part)


def _happened(event: RunEvent) -> str:
    if isinstance(event, AskStarted):
        return "asked"
    if event.failure:
        return f"failed: {cause(event.failure, event.detail, event.duration_ms)}"
    return f"answered in {seconds(event.duration_ms)}"
