"""Waits that a server asks for, and which responses are worth another try."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_AGAIN = frozenset({408, 409, 429})
"""Besides 5xx: took too long, collided with another request, too many of them."""


def may_retry(status: int, headers: Mapping[str, str]) -> bool:
    """Return whether the same request may succeed later; ``x-should-retry`` of the server takes precedence."""
    header = headers.get("x-should-retry")
    return header == "true" if header in {"true", "false"} else status in _AGAIN or status >= 500


def announced_wait_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that ``retry-after-ms`` or ``retry-after`` demand; a past date demands none.

    Where neither is there, the seconds until exhausted limits are renewed; None when nothing can be understood.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    wait_s = _until(text, now) if seconds is None else seconds
    return _until_renewed(headers, now) if wait_s is None else wait_s


_LEFT = re.compile(r"(?:anthropic-ratelimit-(?P<kind>[a-z-]+)-remaining|x-ratelimit-remaining-(?P<of>[a-z]+))")
_PERIOD = re.compile(r"(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6}(?:\.\d{1,6})?)s)?(?:(\d{1,6})ms)?")


def _until_renewed(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds until all exhausted limits are renewed, in the headers of Anthropic and OpenAI."""
    used_up = [match for name, left in headers.items() if left == "0" and (match := _LEFT.fullmatch(name))]
    resets = [
        _moment(headers.get(f"anthropic-ratelimit-{match['kind']}-reset", ""), now)
        if match["kind"]
        else _period(headers.get(f"x-ratelimit-reset-{match['of']}", ""))
        for match in used_up
    ]
    return max((seconds for seconds in resets if seconds is not None), default=None)


def _moment(text: str, now: datetime) -> float | None:
    try:
        return _seconds_to(datetime.fromisoformat(text), now)
    except ValueError:
        return None


def _period(text: str) -> float | None:
    """Seconds of e.g. ``6m0s`` or ``20ms``."""
    match = _PERIOD.fullmatch(text) if text else None
    if match is None:
        return None
    return sum(float(part) * unit for part, unit in zip(match.groups(default="0"), (3600, 60, 1, 0.001), strict=True))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return _seconds_to(moment, now)


def _seconds_to(moment: datetime, now: datetime) -> float:
    # The zone "-0000" is read as none at all; it means UTC.
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds())
