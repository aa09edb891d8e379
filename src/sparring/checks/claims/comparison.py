"""What one quantity or date says about another: that it is so, that it is not so, or nothing."""

import math
from dataclasses import replace

from sparring.checks.claims.dates import DateMention, period
from sparring.checks.claims.lexicon import Window
from sparring.checks.claims.quantities import COUNT, EXACT, PERCENT, Quantity

_ABOUT = 0.1
"""How far apart, as a share of the larger, two numbers may be when one of them is said to be approximate."""

_CONVERTED = 0.05
"""The same for two units: who converts, rounds."""

_CONVERTED_EXACTLY = 0.001
_EXACT_UNITS = frozenset({"time", "size"})

_ROUNDED_AT_MOST = 0.06
_SAFE = 0.03
_BOUNDS = frozenset({"<", "<=", ">", ">="})
_BOUNDED = frozenset({*_BOUNDS, "range"})
_LIMITS = frozenset({"<=", ">="})
_UP_TO, _FROM = frozenset({"<", "<=", "to"}), frozenset({">", ">=", "since"})
_ROUND_COUNT, _ROUND = 1000, 100
"""From which on things counted, and things measured, are rounded without a word."""

_WHOLE = 100  # percent
_SOME_YEAR = 2000
_AROUND = 5
"""By how often its own length a date may be wrong that is said to be approximate."""

Days = tuple[int, int]
"""The first and the last, as ``dates.period`` counts them."""


def quantity_holds(claim: Quantity, evidence: Quantity) -> bool | None:
    """Whether ``evidence`` makes ``claim`` true (True) or false (False); None when it does neither."""
    holds = _holds(claim, evidence)
    return None if holds and evidence.is_relative and not claim.is_relative else holds  # 10 per user are not 10


def are_whole(one: Quantity, other: Quantity) -> bool:
    """Whether they are shares that make a whole: where 60% are for it, 40% are against it."""
    return one.kind == other.kind == PERCENT and not one.bound and math.isclose(one.value + other.value, _WHOLE)


def may_be_told_for(one: Quantity | DateMention, other: Quantity | DateMention) -> bool:
    """Whether who looks for the second may find the first: two dates, or numbers of one kind and of the same nouns."""
    if not isinstance(one, Quantity) or not isinstance(other, Quantity):
        return type(one) is type(other)
    is_alike = (one.kind, one.changed) == (other.kind, other.changed)
    return is_alike and (one.nouns == other.nouns or not one.nouns or not other.nouns)


def _holds(claim: Quantity, evidence: Quantity) -> bool | None:
    if _are_told_otherwise(claim, evidence):
        return True if _is_an_end(claim, evidence) else None
    if claim.kind in EXACT:
        return _exactly_holds(claim, evidence)
    if evidence.bound == "~" and claim.bound in _BOUNDED:  # nearly 12 are not at least 12
        away = _ABOUT * abs(evidence.amount)
        evidence = replace(evidence, low=evidence.low - away, high=evidence.high + away)
    if _BOUNDS & {claim.bound, evidence.bound}:
        if claim.bound not in _BOUNDS:
            return _against_bound(claim, evidence)
        said, there = ((each.bound, each.amount, each.distance) for each in (claim, evidence))
        holds = _within_bound(claim, evidence)
        return None if holds and claim.distance and said != there else holds
    if "range" in {claim.bound, evidence.bound}:
        return _within_range(claim, evidence)
    return _equals(claim, evidence)


def _are_told_otherwise(claim: Quantity, evidence: Quantity) -> bool:
    """Whether only one has a minus (a rise of -5 % is a fall of 5 %), or they tell different parts of a change.

    These are by how much something has changed, what it was and what it has become; "from 10 to 20" is of the last
    two. Nor is what comes "every" 10 minutes told of 10 minutes.
    """
    if (claim.value < 0) != (evidence.value < 0):
        return True
    if "every" in {claim.changed, evidence.changed} and claim.changed != evidence.changed:
        return True
    is_one_of_both = (claim.bound == "range") != (evidence.bound == "range")
    return bool(claim.changed and evidence.changed) and (claim.changed != evidence.changed or is_one_of_both)


def _is_an_end(claim: Quantity, evidence: Quantity) -> bool:
    """Whether something was, or has become, what the claim says: "rose to 20" where it "rose from 10 to 20"."""
    if evidence.bound != "range" or evidence.changed != "from" or claim.bound:
        return False
    is_end = claim.changed == "to" and claim.high == evidence.high
    return is_end or (claim.changed == "from" and claim.low == evidence.low)


def _equals(claim: Quantity, evidence: Quantity) -> bool | None:
    """The same for two plain numbers: equal, rounded, or as near as the claim itself says that it is."""
    may_be_rounded = (claim.is_counted or claim.is_money) and claim.unit == evidence.unit
    tolerance = _ABOUT if claim.bound == "~" else 0.0
    if claim.unit != evidence.unit:
        tolerance = max(tolerance, _CONVERTED_EXACTLY if claim.kind in _EXACT_UNITS else _CONVERTED)
    if _are_near(claim.amount, evidence.amount, tolerance):
        return True
    if may_be_rounded and _is_rounded(
        claim.value, evidence.value, least=_ROUND_COUNT if claim.kind == COUNT else _ROUND
    ):
        return True
    return None if evidence.bound == "~" and _are_near(claim.amount, evidence.amount, _ABOUT) else False


def _are_near(one: float, other: float, tolerance: float) -> bool:
    return abs(one - other) <= tolerance * max(abs(one), abs(other)) + 1e-9


def _exactly_holds(claim: Quantity, evidence: Quantity) -> bool | None:
    """The same for what nobody rounds; two different bounds are two different demands.

    What needs 3.8 or later need not be 3.9, though it may run on that: code leaves open which of them is meant.
    """
    if claim.bound and evidence.bound and (claim.low, claim.high) != (evidence.low, evidence.high):
        return False
    if evidence.low <= claim.low and claim.high <= evidence.high:
        is_open = evidence.bound in _BOUNDED and claim.bound not in _BOUNDED
        return None if is_open else True
    return False if _are_apart(claim, evidence) else None


def _within_range(claim: Quantity, evidence: Quantity) -> bool | None:
    """The same where one of them is a range: 15 are "10 to 20", but where there are 10 to 20 nobody knows of 15."""
    if claim.bound == evidence.bound and (claim.low == evidence.low) != (claim.high == evidence.high):
        return False
    if claim.low <= evidence.low and evidence.high <= claim.high:
        return True
    return False if _are_apart(claim, evidence) else None


def _are_apart(claim: Quantity, evidence: Quantity) -> bool:
    return claim.high < evidence.low or evidence.high < claim.low


def date_holds(claim: DateMention, evidence: DateMention) -> bool | None:
    """Whether the day of ``evidence`` makes the window of ``claim`` true (True) or false (False), or neither (None)."""
    if (claim.year is None) != (evidence.year is None) and (claim.month is None or evidence.month is None):
        return None
    year = claim.year or evidence.year or _SOME_YEAR
    said, there = period(claim, year), period(evidence, year)
    if claim.window == "~":
        return _is_around(said, there, evidence.window)
    if evidence.window == "~":
        there = _around(there)
    if (end := _shared_end(claim, evidence)) is not None:
        return said[end] == there[end]
    if not {claim.window, evidence.window} - {"", "="} and _are_spans(claim, evidence):
        return _same_span(said, there)
    if claim.window in {"", "="}:
        holds = _on_the_day(said, there, evidence.window)
        is_finer = said[0] > there[0] or there[1] > said[1]
        is_one_day = evidence.is_within or not evidence.through
        return None if holds and is_finer and is_one_day else holds  # in 2019 is not yet in May 2019
    is_period = evidence.through is not None and not evidence.is_within
    touches = is_period and _touches_limit(said, there, claim.window)
    holds = False if touches else _within(said, there, claim.window, evidence.window)
    is_as_far = (claim.window, said, claim.distance) == (evidence.window, there, evidence.distance)
    return None if holds and claim.distance and not is_as_far else holds


def _around(days: Days) -> Days:
    """The days that may be meant by those "around" which something was: some days, some months or some years."""
    away = _AROUND * (days[1] - days[0] + 1)
    return days[0] - away, days[1] + away


def _is_around(said: Days, there: Days, window: Window) -> bool | None:
    """Whether "around 1994" holds: by the very date, around which it may be, too; what lies near to it is left open."""
    if window in {"", "=", "~"} and said[0] <= there[0] and there[1] <= said[1]:
        return True
    at_most = _around(there) if window == "~" else there
    return False if _on_the_day(_around(said), at_most, window) is False else None


def _shared_end(claim: DateMention, evidence: DateMention) -> int | None:
    """Which day of both has to be the same, the first or the last: "since 1990", "until 1990"; None for neither."""
    if claim.window == "to" and (evidence.window == "to" or (evidence.through and not evidence.is_within)):
        return 1
    return 0 if claim.window == evidence.window == "since" else None


def _touches_limit(said: Days, there: Days, window: Window) -> bool:
    """Whether a period ends on the day that it is said to lie before, or begins on the one that it lies after."""
    return (window == "<" and there[1] == said[1]) or (window == ">" and there[0] == said[0])


def _are_spans(claim: DateMention, evidence: DateMention) -> bool:
    """Whether both last, so that both ends can be held against each other: a day "between" is in no decade whole."""
    if claim.is_within or evidence.is_within:
        return claim.through is not None and evidence.through is not None
    return all(date.through is not None or date.last_year is not None for date in (claim, evidence))


def _same_span(said: Days, there: Days) -> bool | None:
    if said == there:
        return True
    ends = (said[0] == there[0]) + (said[1] == there[1])
    is_as_long = said[1] - said[0] == there[1] - there[0]
    if ends == 1 or is_as_long:
        return False  # from the same day to another; one season and the next
    return None if said[0] <= there[1] and there[0] <= said[1] else False


def _on_the_day(said: Days, there: Days, window: Window) -> bool | None:
    if window == ">":
        return None if said[1] > there[1] else False
    if window == "<":
        return None if said[0] < there[0] else False
    if window == "<=":
        return None if said[0] <= there[1] else False
    if window == ">=":
        return None if said[1] >= there[0] else False
    if (window == "since" and said[0] > there[1]) or (window == "to" and said[1] < there[0]):
        return None
    return said[0] <= there[1] and there[0] <= said[1]


def _within(said: Days, there: Days, window: Window, other: Window) -> bool | None:
    begin = there[1] + 1 if other == ">" else there[0]
    end = there[0] - 1 if other == "<" else there[1]
    if window in _UP_TO:
        last = said[0] - 1 if window == "<" else said[1]
        is_so, is_not_so, is_open = end <= last and other not in _FROM, begin > last, other in _UP_TO
    else:
        first = said[1] + 1 if window == ">" else said[0]
        is_so, is_not_so, is_open = begin >= first and other not in _UP_TO, end < first, other in _FROM
    if is_so:
        return True
    # What began on a day may have been otherwise before it.
    is_turn = (window, other) in {("<", "since"), (">", "<="), (">", "to")}
    return False if is_not_so and not is_open and not is_turn else None


def _within_bound(claim: Quantity, evidence: Quantity) -> bool | None:
    if evidence.bound in _BOUNDS and (claim.bound[0] != evidence.bound[0]) and claim.amount == evidence.amount:
        return False  # "at least 3" and "at most 3"
    if claim.low <= evidence.low and evidence.high <= claim.high:
        # What may have 100 may have 110, too; but who says "at most 110" of a limit of 100 has another limit.
        is_limit = claim.bound in _LIMITS and evidence.bound in {claim.bound, "range"}
        limit = evidence.high if claim.bound == "<=" else evidence.low
        return None if is_limit and limit not in {claim.low, claim.high} else True
    is_outside = evidence.high < claim.low or evidence.low > claim.high
    return False if is_outside or _goes_beyond(claim, evidence) else None


def _goes_beyond(claim: Quantity, evidence: Quantity) -> bool:
    """Whether both give a bound to the same side, and the claim's is the stronger one: over 8 against over 5.

    Who writes "over 5 million" of more than 8 million has the wrong number, whatever logic says.
    """
    if claim.bound in {">", ">="}:
        return evidence.bound in {">", ">="} and claim.amount > evidence.amount
    return evidence.bound in {"<", "<="} and claim.amount < evidence.amount


def _against_bound(claim: Quantity, evidence: Quantity) -> bool | None:
    away = _SAFE * abs(evidence.amount)
    if evidence.bound in {">", ">="}:
        return False if claim.high < evidence.amount - away else None
    return False if claim.low > evidence.amount + away else None


def _is_rounded(one: float, other: float, *, least: float) -> bool:
    """Whether one is the other with fewer digits; who counts to 51 does not write 50."""
    if abs(one - other) > _ROUNDED_AT_MOST * max(abs(one), abs(other)):
        return False
    coarse, fine = sorted((one, other), key=significant_digits)
    if not coarse or significant_digits(coarse) >= significant_digits(fine):
        return False
    place = significant_digits(coarse) - 1 - math.floor(math.log10(abs(coarse)))
    return round(fine, place) == coarse and (abs(coarse) >= least or coarse % 1 != 0)


def significant_digits(value: float) -> int:
    """How many digits it takes to write the number, without zeros at either end."""
    return len(f"{abs(value):.9e}".partition("e")[0].replace(".", "").rstrip("0")) or 1
