"""When to ask a model API once more, and how long to wait before. Knows nothing of clocks and connections."""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_AGAIN = frozenset({408, 409, 429})
"""Besides 5xx: took too long, collided with another request, too many of them."""


@dataclass(frozen=True)
class Retries:
    """How often and how patiently.

    The wait is drawn evenly from nothing to a bound that doubles ("full jitter"), so that those who failed together do
    not come back together. A wait that the provider asks for is kept to, and the draw comes on top.

    Attributes:
        tries: The first one included.
        first_s: Bound of the first wait.
        longest_s: What the bound does not grow beyond.
        draw: Gives a number from 0 to 1.
    """

    tries: int = 5
    first_s: float = 0.5
    longest_s: float = 20.0
    draw: Callable[[], float] = random.random

    def wait_s(self, tried: int, told_s: float | None = None) -> float | None:
        """Seconds to wait when ``tried`` tries have failed; None when that was enough of them."""
        if tried >= self.tries:
            return None
        return (told_s or 0.0) + self.draw() * min(self.longest_s, self.first_s * 2 ** (tried - 1))


def is_worth_a_retry(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the same request may succeed later; a server that knows better says so in ``x-should-retry``."""
    said = headers.get("x-should-retry")
    return said == "true" if said in {"true", "false"} else status in _AGAIN or status >= 500


def told_wait_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that ``retry-after-ms`` or ``retry-after`` ask for; a date that is past asks for none.

    None when neither is there or can be understood.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    return _until(text, now) if seconds is None else seconds


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    # The zone "-0000" is read as none at all; it means UTC.
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds())
