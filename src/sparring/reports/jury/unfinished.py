"""Where an unfinished jury stands."""

from collections.abc import Iterator

from sparring.reports.runs import request_of
from sparring.schema.base import Role
from sparring.schema.jury import JuryRequest
from sparring.schema.runs import Run
from sparring.schema.transcript import TurnKind

_DEBATERS = (Role.ADVOCATE, Role.SKEPTIC)


def remaining(run: Run) -> tuple[str, ...]:
    """Whose words are missing.

    Raises:
        DeliberationError: The run is not a jury.
    """
    request = request_of(run, JuryRequest)
    turns = run.transcript.turns
    heard = {(turn.kind, turn.role, turn.round) for turn in turns}
    # Whoever fails in the opening is asked no more.
    silent = {turn.role for turn in turns if turn.kind is TurnKind.OPENING and turn.failure}
    missing = [
        f"{stage}, {role.spoken} ({request.participant(role).tool})"
        for stage, kind, role, round_ in _places(request)
        if (kind, role, round_) not in heard and role not in silent
    ]
    return (*missing, f"verdict, judge ({request.judge.tool})")


def _places(request: JuryRequest) -> Iterator[tuple[str, TurnKind, Role, int]]:
    """Everything that comes before the verdict: stage, kind, role and round of each turn."""
    yield from (("opening", TurnKind.OPENING, role, 1) for role in _DEBATERS)
    yield "checklist", TurnKind.CHECKLIST, Role.FACT_CHECKER, 1
    for number in range(1, request.rebuttals + 1):
        yield from ((f"rebuttal {number}", TurnKind.REBUTTAL, role, number + 1) for role in _DEBATERS)
