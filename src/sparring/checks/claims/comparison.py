"""What one quantity or date says about another: that it is so, that it is not so, or nothing."""

import math

from sparring.checks.claims.dates import DateMention, period
from sparring.checks.claims.lexicon import Window
from sparring.checks.claims.quantities import COUNT, MONEY, Quantity

_ABOUT = 0.1
"""How far apart, as a share of the larger, two numbers may be when one of them is said to be approximate."""

_ROUNDED_AT_MOST = 0.06
_BEYOND = 1.0
_SAFE_BELOW, _SAFE_ABOVE = 0.97, 1.03
_BOUNDS = frozenset({"<", "<=", ">", ">="})
_SURELY_ROUND = 100
_SOME_YEAR = 2000


def quantity_holds(claim: Quantity, evidence: Quantity) -> bool | None:
    """Whether ``evidence`` makes ``claim`` true (True) or false (False); None when it does neither."""
    if claim.bound in _BOUNDS:
        return _within_bound(claim, evidence)
    if evidence.bound in _BOUNDS:
        return _against_bound(claim, evidence)
    if claim.bound == evidence.bound == "range" and (claim.low == evidence.low) != (claim.high == evidence.high):
        return False
    if "range" in {claim.bound, evidence.bound}:
        return max(claim.low, evidence.low) <= min(claim.high, evidence.high)
    if claim.kind in {COUNT, MONEY} and (rounded := _rounded(claim.value, evidence.value)) is not False:
        return rounded
    tolerance = _ABOUT if "~" in {claim.bound, evidence.bound} else 0.0
    return abs(claim.value - evidence.value) <= tolerance * max(abs(claim.value), abs(evidence.value)) + 1e-9


def date_holds(claim: DateMention, evidence: DateMention) -> bool | None:
    """Whether the day of ``evidence`` makes the window of ``claim`` true (True) or false (False), or neither (None)."""
    if (claim.year is None) != (evidence.year is None) and (claim.month is None or evidence.month is None):
        return None
    year = claim.year or evidence.year or _SOME_YEAR
    said, there = period(claim, year), period(evidence, year)
    if not {claim.window, evidence.window} - {"", "="} and _is_span(claim) and _is_span(evidence):
        return _same_span(said, there)
    if claim.window in {"", "="}:
        return _on_the_day(said, there, evidence.window)
    return _within(said, there, claim.window, evidence.window)


def _is_span(date: DateMention) -> bool:
    """Whether it names a period by both its ends."""
    return date.through is not None or date.last_year is not None


def _same_span(said: tuple[int, int], there: tuple[int, int]) -> bool | None:
    if said == there:
        return True
    ends = (said[0] == there[0]) + (said[1] == there[1])
    is_as_long = said[1] - said[0] == there[1] - there[0]
    if ends == 1 or is_as_long:
        return False  # from the same day to another; one season and the next
    return None if said[0] <= there[1] and there[0] <= said[1] else False


def _on_the_day(said: tuple[int, int], there: tuple[int, int], window: Window) -> bool | None:
    if window == ">":
        return None if said[0] > there[1] else False
    if window == "<":
        return None if said[1] < there[0] else False
    return said[0] <= there[1] and there[0] <= said[1]


def _within(said: tuple[int, int], there: tuple[int, int], window: Window, other: Window) -> bool | None:
    if window in {"<", "<="}:
        last = said[0] - 1 if window == "<" else said[1]
        is_so, is_not_so, is_open = there[1] <= last, there[0] > last, other in {"<", "<="}
    else:
        first = said[1] + 1 if window == ">" else said[0]
        is_so = there[0] >= first
        is_not_so, is_open = there[1] < first, other in {">", ">="}
    if is_so:
        return True
    # What began on a day may have been otherwise before it.
    is_turn = (window, other) in {("<", ">="), (">", "<=")}
    return False if is_not_so and not is_open and not is_turn else None


def _within_bound(claim: Quantity, evidence: Quantity) -> bool | None:
    if claim.low <= evidence.low and evidence.high <= claim.high:
        return True
    is_outside = evidence.high < claim.low or evidence.low > claim.high
    return False if is_outside or _goes_beyond(claim, evidence) else None


def _goes_beyond(claim: Quantity, evidence: Quantity) -> bool:
    """Whether both give a bound to the same side, and the claim's is the stronger one: over 8 against over 5.

    Who writes "over 5 million" of more than 8 million has the wrong number, whatever logic says.
    """
    if claim.bound in {">", ">="}:
        return evidence.bound in {">", ">="} and claim.value > evidence.value * _BEYOND
    return evidence.bound in {"<", "<="} and claim.value * _BEYOND < evidence.value


def _against_bound(claim: Quantity, evidence: Quantity) -> bool | None:
    if evidence.bound in {">", ">="}:
        return False if claim.value < evidence.value * _SAFE_BELOW else None
    return False if claim.value > evidence.value * _SAFE_ABOVE else None


def _rounded(one: float, other: float) -> bool | None:
    """Whether one is the other with fewer digits; None where that cannot be told from another number."""
    if abs(one - other) > _ROUNDED_AT_MOST * max(abs(one), abs(other)):
        return False
    coarse, fine = sorted((one, other), key=significant_digits)
    if not coarse or significant_digits(coarse) >= significant_digits(fine):
        return False
    place = significant_digits(coarse) - 1 - math.floor(math.log10(abs(coarse)))
    if round(fine, place) != coarse:
        return False
    return True if abs(coarse) >= _SURELY_ROUND else None


def significant_digits(value: float) -> int:
    """How many digits it takes to write the number, without zeros at either end."""
    return len(f"{value:.9e}".partition("e")[0].replace(".", "").rstrip("0")) or 1
