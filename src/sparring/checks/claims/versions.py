"""Versions as intervals: "3.11 or later", "^1.2", ">= 3", "before version 4"; "3.11" is every release of it."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sparring.checks.claims.lexicon import Bound, Lexicon
from sparring.checks.claims.tokens import Language, Text

_VERSION = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6}){0,3}")
_GROUPED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_SURELY = 2
"""Points that no number has."""

_PARTS, _PER_PART = 4, 10_000
_REACH = 4
_NONE_BEFORE = frozenset({"/", "%"})
_SAME_MAJOR = "^"
_MARKS = frozenset("<>=^")
_EARLIER = frozenset({"older", "earlier"})
_SIGNS: Mapping[str, Bound] = {">=": ">=", ">": ">", "<=": "<=", "<": "<", _SAME_MAJOR: "range"}


class Version(NamedTuple):
    """A version at a token; ``first`` is the token with the "v" of it, ``value`` its first release."""

    first: int
    value: float
    low: float
    high: float
    bound: Bound


def version_at(text: Text, place: int, words: Lexicon) -> Version | None:
    """The version at ``place``: of several parts, or told as one; None where there is none."""
    written = text.written[place]
    if not _VERSION.fullmatch(written) or text.word(place + 1) in _NONE_BEFORE:
        return None
    if text.language is Language.VIETNAMESE and _GROUPED.fullmatch(written):
        return None
    is_marked = text.lower(place - 1) == "v" and text.is_glued(place)
    is_said = is_marked or _is_called_one(text, place, words) or _is_release(text, place, words)
    if written.count(".") < _SURELY and not is_said:
        return None
    first = place - 1 if is_marked else place
    bound = _read_bound(text, first, place + 1, words)
    return Version(first, _releases(written)[0], *_interval(written, bound), bound)


def _is_called_one(text: Text, place: int, words: Lexicon) -> bool:
    before = place - 1
    while text.word(before) in _MARKS:
        before -= 1
    return text.lower(before) in words.versions


def _is_release(text: Text, place: int, words: Lexicon) -> bool:
    """Whether it is told like one: "3.11 or later", "Python 3.11"."""
    before, follows = text.word(place - 1), text.lower(place + 1)
    if (follows, text.lower(place + 2)) in words.releases:
        return True
    lower = before.lower()
    is_name = before[:1].isupper() and lower not in words.plain_capitals and lower not in words.months
    is_counted = follows in words.scales or follows in words.currencies
    is_noun = follows[:1].isalpha() and follows not in words.small
    return text.written[place].count(".") == 1 and is_name and not is_counted and not is_noun


def _read_bound(text: Text, begin: int, end: int, words: Lexicon) -> Bound:
    after = (text.lower(end), text.lower(end + 1))
    if after in words.releases and after[1] in _EARLIER:
        return "<="  # who is "17 or older" is no version
    if sign := words.bounds_after.get(after) or words.bounds_after.get(after[:1]):
        return sign
    before = tuple(text.lowered[max(0, begin - _REACH) : begin])
    while before and before[-1] in words.versions:
        before = before[:-1]
    if sign := _SIGNS.get("".join(before[-2:])) or _SIGNS.get("".join(before[-1:])):
        return sign
    return _bound_of(before, words)


def _bound_of(before: Sequence[str], words: Lexicon) -> Bound:
    for length in range(_REACH, 0, -1):
        phrase = tuple(before[-length:])
        if sign := words.bounds.get(phrase):
            return sign
        window = words.windows.get(phrase)
        if window == "<" or window == ">" or window == ">=":  # noqa: PLR1714 -- so that the type is narrowed
            return window
    return ""


def _releases(written: str) -> tuple[int, int]:
    """The first and the last release that a version names, as numbers in their order."""
    parts = [int(part) for part in written.split(".")]
    missing = _PARTS - len(parts)
    return _number([*parts, *[0] * missing]), _number([*parts, *[_PER_PART - 1] * missing])


def _number(parts: Sequence[int]) -> int:
    number = 0
    for part in parts:
        number = number * _PER_PART + min(part, _PER_PART - 1)
    return number


def _interval(written: str, bound: Bound) -> tuple[float, float]:
    low, high = _releases(written)
    match bound:
        case ">":
            return high + 1, math.inf
        case ">=":
            return low, math.inf
        case "<":
            return -math.inf, low - 1
        case "<=":
            return -math.inf, high
        case "range":
            return low, _releases(written.partition(".")[0])[1]
        case _:
            return low, high
