"""What follows from a transcript, found out where it can be ended: rules read what models wrote."""

import math
from contextlib import suppress

import anyio

from sparring.engine.course import Asks
from sparring.engine.format import Rules
from sparring.errors import DeliberationError, WorkerEndedError
from sparring.providers.worker import in_worker, run_pure
from sparring.schema.runs import Outcome
from sparring.schema.transcript import Transcript

_GRACE_S = 1.5
"""For the outcome of a run whose time is over."""

_LONGEST_SPEECH = 32 << 10
"""Characters; nobody was asked for so much, and rules may look at one answer many times."""


async def decide(rules: Rules, transcript: Transcript, deadline: float | None) -> Asks | Outcome:
    """What ``rules`` say after ``transcript``; the run's time is over at ``deadline``.

    Raises:
        DeliberationError: They take longer than they may; the run can be resumed.
    """
    left_s = math.inf if deadline is None else max(0.0, deadline - anyio.current_time()) + _GRACE_S
    # The wait for a worker counts.
    with suppress(WorkerEndedError), anyio.move_on_after(left_s):
        return await _decided(rules, transcript)
    raise DeliberationError(
        "What was said takes longer to check than it may.",
        hint="Nothing is lost; resume the run to check it again.",
    )


async def _decided(rules: Rules, transcript: Transcript) -> Asks | Outcome:
    texts = transcript.responses
    if any(len(text) > _LONGEST_SPEECH for text in texts):
        return await in_worker(rules.next, transcript)
    return await run_pure(rules.next, transcript, texts=texts)
