"""What follows from a transcript, found out where it can be ended: rules read what models wrote."""

import math

import anyio

from sparring.engine.course import Asks
from sparring.engine.format import Rules
from sparring.errors import DeliberationError, WorkerEndedError
from sparring.providers.worker import PLENTY, Allowance, run_pure
from sparring.schema.runs import Outcome
from sparring.schema.transcript import Transcript

_GRACE_S = 1.0
"""For the outcome of a run whose time is over."""


async def decide(rules: Rules, transcript: Transcript, deadline: float | None) -> Asks | Outcome:
    """What ``rules`` say after ``transcript``; the run's time is over at ``deadline``.

    Raises:
        DeliberationError: They take longer than they may; the run can be resumed.
    """
    texts = [turn.answer.response for turn in transcript.turns if turn.answer]
    left_s = math.inf if deadline is None else max(0.0, deadline - anyio.current_time()) + _GRACE_S
    try:
        return await run_pure(
            rules.next, transcript, texts=texts, allowance=Allowance(wall_s=min(left_s, PLENTY.wall_s))
        )
    except WorkerEndedError as error:
        raise DeliberationError(
            "What was said takes longer to check than it may.",
            hint="Nothing is lost; resume the run to check it again.",
        ) from error
