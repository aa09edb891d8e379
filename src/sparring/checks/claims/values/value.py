"""A value in a text, as an interval of its kind, and the relation of two values."""

import math
from enum import Enum

from msgspec import Struct
from msgspec.structs import force_setattr

from sparring.checks.claims.parsing.lexicon import Sign

COUNT, PERCENT, MONEY, ORDINAL, VERSION, TIMES = "count", "percent", "money", "ordinal", "version", "times"
DATE, DAY = "date", "day"
"""Days counted in a calendar of equal months; DAY has no year."""

DAYS_A_MONTH, DAYS_A_YEAR = 31, 372

_ABOUT = 0.1
"""Share of the larger by which two numbers may differ when one of them is approximate."""

_CLOSE = 0.06
"""The share for a number that may be the other one rounded."""

_UP, _DOWN = frozenset({">", ">=", "since"}), frozenset({"<", "<=", "to"})
_STATED = frozenset({"<=", ">="})
_SMALLEST_ROUNDED = 1_000


class ValueRelation(Enum):
    """SAME: both are equal. APART: both cannot be true of one thing. OPEN: neither is certain."""

    SAME = "same"
    APART = "apart"
    OPEN = "open"


class Value(Struct, frozen=True):
    """A value at its tokens.

    Attributes:
        begin: The first token with its bound and currency; ``end`` is the token after its unit.
        core: The first token of the number or date itself.
        until: The token after the number or date with its unit, without a bound after it.
        kind: COUNT, PERCENT, ``money usd``, ORDINAL, VERSION, TIMES, DATE, DAY, the quantity of its unit (``time``),
            ``/10`` for a rating out of ten, ``?x`` for an unknown suffix. Different kinds are not compared.
        low: The smallest possible value in the smallest unit of its kind; ``high`` is the largest.
        amount: The written number in the smallest unit; ``written`` is its text.
        key: Equal for two equal values in the same kind of words.
    """

    begin: int
    end: int
    core: int
    until: int
    kind: str
    low: float
    high: float
    sign: Sign
    amount: float
    written: str = ""
    key: str = ""

    def __post_init__(self) -> None:
        force_setattr(self, "key", f"\0{self.kind} {self.sign} {self.low:.12g} {self.high:.12g}")


def interval(low: float, high: float, sign: Sign) -> tuple[float, float]:
    """Return the interval of a number, or of a first and last day, with its bound."""
    match sign:
        case ">":
            return math.nextafter(high, math.inf), math.inf
        case ">=" | "since":
            return low, math.inf
        case "<":
            return -math.inf, math.nextafter(low, -math.inf)
        case "<=" | "to":
            return -math.inf, high
        case _:
            return low, high


def relation(claim: Value, evidence: Value) -> ValueRelation:
    """Return the relation of ``claim`` to ``evidence``, which is at its place in the same sentence."""
    if claim.key == evidence.key:
        return ValueRelation.SAME
    if claim.kind != evidence.kind:
        return _across_kinds(claim, evidence)
    if (claim.low, claim.high) == (evidence.low, evidence.high):
        are_exact = {claim.sign, evidence.sign} <= {"", "="}
        return ValueRelation.SAME if are_exact else ValueRelation.OPEN
    return ValueRelation.APART if _are_apart(claim, evidence) else ValueRelation.OPEN


def _are_apart(claim: Value, evidence: Value) -> bool:
    """Report whether two intervals of one kind cannot both be true of one thing, or state another limit of it."""
    if "~" in {claim.sign, evidence.sign}:  # "about 500"
        tolerance = _ABOUT * max(abs(claim.amount), abs(evidence.amount))
        return claim.kind != DATE and abs(claim.amount - evidence.amount) > tolerance
    if claim.high < evidence.low or evidence.high < claim.low:
        return not _may_be_rounded(claim, evidence)
    are_opposite = (claim.sign in _UP and evidence.sign in _DOWN) or (claim.sign in _DOWN and evidence.sign in _UP)
    if are_opposite:
        return claim.amount == evidence.amount  # "at least 3", "at most 3"
    if claim.sign != evidence.sign:
        return False
    if claim.kind == VERSION or claim.sign in _STATED:
        return True  # a limit of 150 is not a limit of 160
    # "over 5 million" is true of more than 8 million, and not the other way round.
    is_wider = claim.low <= evidence.low and evidence.high <= claim.high
    return bool(claim.sign) and not is_wider


def _across_kinds(claim: Value, evidence: Value) -> ValueRelation:
    if {claim.kind, evidence.kind} == {DATE, DAY}:
        return _of_days(claim, evidence)
    are_written_alike = (claim.written, claim.sign) == (evidence.written, evidence.sign)
    if {claim.kind, evidence.kind} == {COUNT, VERSION} and are_written_alike:  # "3.11", "Python 3.11"
        return ValueRelation.SAME
    are_money = claim.kind.startswith(MONEY) and evidence.kind.startswith(MONEY)  # in two currencies
    return ValueRelation.APART if are_money else ValueRelation.OPEN


def _of_days(claim: Value, evidence: Value) -> ValueRelation:
    """Return the relation of a date with a year to one without: "5 March 2020" and "6 March" are apart."""
    if claim.sign or evidence.sign:
        return ValueRelation.OPEN
    first, last = claim.low % DAYS_A_YEAR, claim.high % DAYS_A_YEAR
    other_first, other_last = evidence.low % DAYS_A_YEAR, evidence.high % DAYS_A_YEAR
    # A year alone has every day.
    are_short = last - first < DAYS_A_MONTH and other_last - other_first < DAYS_A_MONTH
    are_disjoint = last < other_first or other_last < first
    return ValueRelation.APART if are_short and are_disjoint else ValueRelation.OPEN


def _may_be_rounded(claim: Value, evidence: Value) -> bool:
    """Report whether one is the other with fewer digits; versions and dates are never rounded."""
    if claim.kind in {VERSION, DATE, DAY, ORDINAL} or claim.sign or evidence.sign:
        return False
    one, other = claim.amount, evidence.amount
    largest = max(abs(one), abs(other))
    if abs(one - other) > _CLOSE * largest:
        return False
    are_whole = one % 1 == other % 1 == 0
    if are_whole and largest < _SMALLEST_ROUNDED:
        return False  # 148 people are counted, and not rounded to 150
    coarse, fine = sorted((one, other), key=_digits)
    if not coarse or _digits(coarse) >= _digits(fine):
        return False
    leading = math.floor(math.log10(abs(coarse)))  # the power of ten of its first digit
    return round(fine, _digits(coarse) - 1 - leading) == coarse


def _digits(value: float) -> int:
    """Return how many digits it takes to write a number, without zeros at either end."""
    mantissa, _, _ = f"{abs(value):.9e}".partition("e")
    digits = mantissa.replace(".", "").rstrip("0")
    return len(digits) or 1
