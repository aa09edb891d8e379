"""What is asked of a run whatever its kind."""

from datetime import datetime
from typing import TypeVar

from sparring.errors import DeliberationError
from sparring.reports.foreign import inline
from sparring.reports.phrases import estimated, overspent, spending
from sparring.schema.runs import Outcome, Request, Run
from sparring.schema.transcript import Transcript

AnyRequest = TypeVar("AnyRequest", bound=Request)
AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)


def request_of(run: Run, kind: type[AnyRequest]) -> AnyRequest:
    """The request of ``run``, which is one of ``kind``.

    Raises:
        DeliberationError: It is another kind of run.
    """
    request = run.header.request
    if not isinstance(request, kind):
        raise DeliberationError(f"Run {run.header.run_id} is another kind of run.")
    return request


def outcome_of(run: Run, kind: type[AnyOutcome]) -> AnyOutcome:
    """The end of ``run``, which is one of ``kind``.

    Raises:
        DeliberationError: It is another kind of run, or it has not ended.
    """
    outcome = run.outcome
    if not isinstance(outcome, kind):
        raise DeliberationError(f"Run {run.header.run_id} is another kind of run, or has not finished.")
    return outcome


def notices_of(run: Run) -> tuple[str, ...]:
    """What the reader must know, each line once."""
    ended = run.outcome.notices if run.outcome else ()
    spent = overspent(run.header.limits, run.spent)
    return tuple(dict.fromkeys((*run.header.request.notices, *ended, *run.notices, *spent)))


def ended_at(run: Run) -> datetime:
    """When the last turn was taken; without one, when the run began."""
    turns = run.transcript.turns
    return turns[-1].at if turns else run.header.created_at


def about_the_run(run: Run, asked: dict[str, str]) -> str:
    """How it was asked for, when it was, what it used and was thought to use; a fact a line."""
    facts = asked | {"Run": f"`{run.header.run_id}`, {run.header.created_at:%Y-%m-%d %H:%M} UTC"}
    facts |= {"Used": spending(run.spent)}
    facts |= {"Expected": estimated(run.header.estimate)} if run.header.estimate else {}
    return "  \n".join(f"{name}: {inline(fact)}" for name, fact in facts.items())


def redactions_in(transcript: Transcript) -> int:
    """Secrets that were taken out of what was said."""
    return sum(turn.reply.redactions for turn in transcript.turns)
