"""A run's events as plain lines, for where there is no terminal."""

from sparring.reports.phrases import cause, seconds
from sparring.schema.base import Role
from sparring.schema.consult import answer_number
from sparring.schema.runs import AskStarted, RunEvent
from sparring.schema.transcript import TurnKind


def progress_line(event: RunEvent, rounds: int) -> str:
    """One line without its end, e.g. ``round 1/2  proposer  claude  asked``."""
    return f"{speaker(event, rounds)}  {_happened(event)}"


def speaker(event: RunEvent, rounds: int) -> str:
    """Whose event it is, e.g. ``round 1/2  proposer  claude``."""
    if event.role is Role.VERIFIER:
        return _stage(event, rounds)  # it is no speaker but code
    return "  ".join(part for part in (_stage(event, rounds), event.role.value, event.tool) if part)


def _stage(event: RunEvent, rounds: int) -> str:
    if event.role is Role.CONSULTANT:
        number = answer_number(event.ask_id)
        return f"answer {number}" if number else ""
    stages = {
        TurnKind.CITATIONS: "citations",
        TurnKind.SUMMARY: f"summary for round {event.round}",
        TurnKind.SYNTHESIS: "verdict",
    }
    return stages.get(event.kind, f"round {event.round}/{rounds}")


def _happened(event: RunEvent) -> str:
    if isinstance(event, AskStarted):
        return "asked"
    if event.failure:
        return f"failed: {cause(event.failure, event.detail, event.duration_ms)}"
    return f"answered in {seconds(event.duration_ms)}"
