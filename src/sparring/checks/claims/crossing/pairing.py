"""Which number of a sentence stands where its translation has another one."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.checks.claims.crossing.figures import YEARS, Figure, Sort

_ORDERS = 1.5
_LARGEST_PLACE = 100
"""Below it stand the days, centuries and ranks that one language counts and the other one orders."""

_MOST_REPLACED = 8


@dataclass(frozen=True)
class Pair:
    """A number of the claim and the one that the evidence has in its place.

    Attributes:
        is_new: Whether neither stands anywhere in the other sentence; else one of them only stands there less often.
    """

    claim: Figure
    evidence: Figure
    is_new: bool


@dataclass(frozen=True)
class _Side:
    """The numbers in digits that one sentence has more often than the other one, and how often it does."""

    figures: Sequence[Figure]
    surplus: Counter[float]

    def places(self) -> Iterator[tuple[float, Figure]]:
        """Each with where it stands among all numbers, from 0 to 1."""
        for place, figure in enumerate(self.figures):
            if figure.is_sure and self.surplus[figure.value]:
                yield place / len(self.figures), figure


def replaced_figures(claim: Sequence[Figure], evidence: Sequence[Figure]) -> tuple[Pair, ...]:
    """Each number in digits that the claim has more often, with the one that the evidence has in its place.

    Nothing, where most of the numbers differ: then the sentences tell of different things.
    """
    said, there = (Counter(each.value for each in figures) for figures in (claim, evidence))
    ours, theirs = _Side(claim, said - there), _Side(evidence, there - said)
    replaced = {figure.value for _, figure in ours.places()}
    count = sum(ours.surplus[value] for value in replaced)
    if not 0 < count <= min(_MOST_REPLACED, sum(each.is_sure for each in claim) - count + 1):
        return ()
    return tuple(
        Pair(one, other, is_new=not there[one.value] and not said[other.value]) for one, other in _taken(ours, theirs)
    )


def _taken(ours: _Side, theirs: _Side) -> Iterator[tuple[Figure, Figure]]:
    fitting = [
        (one.sort is not other.sort, abs(place - there), one, other)
        for place, one in ours.places()
        for there, other in theirs.places()
        if _fits(one, other)
    ]
    left, there_left = ours.surplus.copy(), theirs.surplus.copy()
    taken: set[int] = set()
    for _, _, one, other in sorted(fitting, key=lambda each: each[:2]):
        if left[one.value] and there_left[other.value] and not {one.begin, ~other.begin} & taken:
            left[one.value] -= 1
            there_left[other.value] -= 1
            taken |= {one.begin, ~other.begin}
            yield one, other


def _fits(one: Figure, other: Figure) -> bool:
    """Whether a number could have been written for another one."""
    sorts = {one.sort, other.sort}
    if Sort.YEAR in sorts:
        return sorts <= {Sort.YEAR, Sort.COUNT} and one.value in YEARS and other.value in YEARS
    if sorts & {Sort.CALENDAR, Sort.ORDINAL}:
        is_place = max(one.value, other.value) < _LARGEST_PLACE
        return is_place and sorts <= {Sort.CALENDAR, Sort.ORDINAL, Sort.COUNT}
    if Sort.PERCENT in sorts and len(sorts) > 1:
        return False
    return abs(math.log10((one.value + 1) / (other.value + 1))) < _ORDERS
