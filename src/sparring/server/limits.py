"""Limits of time: how long a call waits and how often it reports, and how many runs a host may have."""

import math
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Self

from msgspec import Struct

from sparring.errors import SettingsError

CALL_BUDGET_VARIABLE = "SPARRING_CALL_BUDGET_S"
RUNS_VARIABLE = "SPARRING_MAX_RUNS"

LONGEST_CALL_S = 44.0
"""A call takes 45 s at most (design: The MCP surface), and a second of it is for everything but waiting.

OpenCode gives up on a call after 60 s, the shortest limit of all hosts that were measured.
"""

BEAT_S = 4.0
"""Progress is sent every 5 s at least, also on a busy machine. It extends calls of OpenCode and Copilot CLI."""

PATIENCE_S = 30 * 60.0
"""A run that asks its host keeps a lock, and may keep others waiting. Half an hour is a talk with a user, or a lunch;
after that a host has more likely been closed or has lost its thread, and the run can be resumed whenever it comes back.
"""

_MOST_RUNS = 1_000
_SECONDS, _COUNT = "a number of seconds", "a whole number"

MOST_RUNS = 8
"""A debate keeps two programs busy, each with a few hundred MiB. A model in a loop begins one after the other."""


class CallArrival(Struct, frozen=True):
    """When a request reached this process, by ``time.monotonic``: it may have waited for the SDK to be imported."""

    at: float


ReportProgress = Callable[[str], Awaitable[None]]
"""Gives the host a message of progress."""


class Caller(Struct, frozen=True):
    """Caller that waits for an answer, with the time since when (see ``CallArrival``)."""

    report_progress: ReportProgress
    received_at: float


class ServerLimits(Struct, frozen=True):
    """Waiting time of a call, silence limit of its host, and greatest number of runs.

    Attributes:
        call_s: Seconds that a call waits for its run.
        beat_s: Seconds between two messages of progress at most.
        silence_limit_s: Seconds that a run waits for a sign of the host after it has asked it something.
        most_runs: Most runs under way at once in this server.
    """

    call_s: float = LONGEST_CALL_S
    beat_s: float = BEAT_S
    silence_limit_s: float = PATIENCE_S
    most_runs: float = MOST_RUNS

    @classmethod
    def of(cls, environment: Mapping[str, str], most_runs: float = MOST_RUNS) -> Self:
        """The limits that the environment sets, e.g. for a host with shorter limits.

        Raises:
            SettingsError: One of the variables is not a number from its range.
        """
        asked = partial(_asked, environment)
        return cls(
            call_s=asked(CALL_BUDGET_VARIABLE, LONGEST_CALL_S, (1, LONGEST_CALL_S), _SECONDS),
            most_runs=asked(RUNS_VARIABLE, most_runs, (1, _MOST_RUNS), _COUNT),
        )


def _asked(
    environment: Mapping[str, str], variable: str, usual: float, bounds: tuple[float, float], kind: str
) -> float:
    text = environment.get(variable, "").strip()
    if not text:
        return usual
    least, most = bounds
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not least <= number <= most or (kind == _COUNT and not number.is_integer()):
        raise SettingsError(f"{variable} must be {kind} from {least:g} to {most:g}, it is {text!r}.")
    return number
