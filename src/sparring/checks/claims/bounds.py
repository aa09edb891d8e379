"""What bounds a number, and the interval that it makes of it."""

import math

from sparring.checks.claims.lexicon import Bound, Lexicon
from sparring.checks.claims.tokens import Text

FILLING_MARKS = frozenset("$£€₹(")
"""They may stand between a bound and its number."""

_REACH = 4
_FILLERS_REACH = 8


def read_bound(text: Text, begin: int, end: int, words: Lexicon) -> Bound:
    """What the words before or behind a number, the tokens from ``begin`` to before ``end``, make of it."""
    before = text.lowered[max(0, begin - _FILLERS_REACH) : begin]
    while True:
        for length in range(_REACH, 0, -1):
            if sign := words.bounds.get(tuple(before[-length:])):
                return sign
        if not before or before[-1] not in words.fillers | FILLING_MARKS:
            break
        before.pop()
    after = (text.lower(end), text.lower(end + 1))
    return words.bounds_after.get(after) or words.bounds_after.get(after[:1]) or ""


def is_relative(text: Text, begin: int, words: Lexicon) -> bool:
    """Whether an ordinal is only what something else is held against: "before the fifth" is not the fifth."""
    before = text.lower(begin - 1)
    return (text.lower(begin - 2) if before in words.fillers else before) in words.relations


def interval(low: float, high: float, bound: Bound) -> tuple[float, float]:
    """The least and the most that a number from ``low`` to ``high`` can be."""
    match bound:
        case ">":
            return math.nextafter(low, math.inf), math.inf
        case ">=":
            return low, math.inf
        case "<":
            return -math.inf, math.nextafter(low, -math.inf)
        case "<=":
            return -math.inf, low
        case _:
            return low, high
