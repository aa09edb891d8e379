"""What follows from a transcript, found out where it can be ended: rules read what models wrote.

Where little was said that is a thread, which all runs of an event loop share: nearly all that rules do takes less time
than it takes to hand it over, and a table has thousands of rows. Nobody decides in the loop's own thread. There are
texts of 4 KB over which rules can sit for ten seconds (numbers, all of which are compared with all others), and then
neither the run's own deadline nor any other run's would be kept.
"""

import math
from contextlib import suppress
from functools import partial

import anyio

from sparring.engine.course import Asks
from sparring.engine.format import Rules
from sparring.errors import DeliberationError, WorkerEndedError
from sparring.providers.shared_thread import SharedThread
from sparring.providers.worker import PLENTY, SHORT, in_worker
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
    with suppress(WorkerEndedError), anyio.move_on_after(min(left_s, PLENTY.wall_s)):
        return await _decided(rules, transcript)
    raise DeliberationError(
        "What was said takes longer to check than it may.",
        hint="Nothing is lost; resume the run to check it again.",
    )


async def _decided(rules: Rules, transcript: Transcript) -> Asks | Outcome:
    lengths = [len(text) for text in transcript.responses]
    if sum(lengths) > SHORT or max(lengths, default=0) > _LONGEST_SPEECH:
        return await in_worker(rules.next, transcript)
    return await SharedThread.here().run(partial(rules.next, transcript))
