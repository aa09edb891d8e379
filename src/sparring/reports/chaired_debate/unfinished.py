"""Where an unfinished chaired debate stands. What was said so far is not shown: some of it may have been taken out."""

from collections.abc import Iterator

from sparring.reports.runs import request_of
from sparring.schema.base import Role
from sparring.schema.chaired_debate import ChairedDebateRequest
from sparring.schema.chaired_debate.request import DEBATERS
from sparring.schema.runs import Run


def remaining(run: Run) -> tuple[str, ...]:
    """Whose words are missing. Rounds after the least that were asked for may turn out not to be needed.

    Raises:
        DeliberationError: The run is not a chaired debate.
    """
    request = request_of(run, ChairedDebateRequest)
    asked = tuple(turn.ask_id for turn in run.transcript.turns)
    is_closing = any(ask_id.startswith("closing.") for ask_id in asked)
    return tuple(
        f"{stage}, {role.spoken} ({seat.tool})"
        for stage, place, role in _course(request, rounds=0 if is_closing else request.max_rounds)
        if (seat := request.participant(role)) and not any(_is_at(ask_id, place) for ask_id in asked)
    )


def _course(request: ChairedDebateRequest, *, rounds: int) -> Iterator[tuple[str, str, Role]]:
    """Each stage in its order, with what the ids of its asks begin with, and who speaks."""
    yield from (("ready", f"ready.{role}", role) for role in DEBATERS)
    yield from (("opening", f"opening.{role}", role) for role in DEBATERS)
    for number in range(1, rounds + 1):
        stage = f"round {number}" if number <= request.min_rounds else f"round {number} (if it is held)"
        yield from ((stage, f"r{number}.{role}", role) for role in (*DEBATERS, Role.AUDIENCE))
    yield from (("closing", f"closing.{role}", role) for role in reversed(DEBATERS))
    yield "conclusion", "conclusion", Role.CHAIR
    yield "summary", "report", Role.REPORTER


def _is_at(ask_id: str, place: str) -> bool:
    return ask_id == place or ask_id.startswith(f"{place}.")
