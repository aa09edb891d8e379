"""How long a call waits, and how often it says that it does."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from sparring.errors import SettingsError

CALL_BUDGET_VARIABLE = "SPARRING_CALL_BUDGET_S"

LONGEST_CALL_S = 44.0
"""A call takes 45 s at most (design: The MCP surface), and a second of it is for everything but waiting.

OpenCode gives up on a call after 60 s, the shortest limit of all hosts that were measured.
"""

BEAT_S = 4.0
"""Progress is told every 5 s at least, also on a busy machine. OpenCode and Copilot CLI prolong a call that tells."""

PATIENCE_S = 30 * 60.0
"""A run that asks its host keeps a lock, and may keep others waiting. Half an hour is a talk with a user, or a lunch;
after that a host has more likely been closed or has lost its thread, and the run can be resumed whenever it comes back.
"""


@dataclass(frozen=True)
class Pace:
    """How long a call waits, and how patient a run is.

    Attributes:
        call_s: Seconds that a call waits for its run.
        beat_s: Seconds between two messages of progress at most.
        patience_s: Seconds that a run waits for a sign of the host after it has asked it something.
    """

    call_s: float = LONGEST_CALL_S
    beat_s: float = BEAT_S
    patience_s: float = PATIENCE_S

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """The pace that a host with shorter limits asks for by ``SPARRING_CALL_BUDGET_S``.

        Raises:
            SettingsError: It is not a number from 1 to 44.
        """
        asked = environment.get(CALL_BUDGET_VARIABLE, "").strip() or LONGEST_CALL_S
        try:
            call_s = float(asked)
        except ValueError:
            call_s = 0.0
        if not 1 <= call_s <= LONGEST_CALL_S:
            raise SettingsError(f"{CALL_BUDGET_VARIABLE} must be a number of seconds from 1 to 44, it is {asked!r}.")
        return cls(call_s=call_s)
