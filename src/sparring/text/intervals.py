"""Figures of samples, with the bounds within which they lie for others of the same kind."""

import math
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

RESAMPLES = 400
SEED = 20260301
"""A fixed seed, so that all runs get the same intervals."""

_Z = 1.959964
"""Quantile of the normal distribution: 95 of 100 lie within so many deviations of the middle."""

T = TypeVar("T")


def wilson(part: int, whole: int) -> tuple[float, float]:
    """The bounds of a share, ``part`` of ``whole``: Wilson's interval, which holds for few and for none as well."""
    if not whole:
        return 0.0, 1.0
    share, square = part / whole, _Z * _Z
    middle = share + square / (2 * whole)
    deviation = _Z * math.sqrt(share * (1 - share) / whole + square / (4 * whole * whole))
    below, above = ((middle + sign * deviation) / (1 + square / whole) for sign in (-1, 1))
    return max(0.0, below), min(1.0, above)


def resampled(groups: Sequence[T], figure: Callable[[Sequence[T]], float]) -> tuple[float, float]:
    """Return the bounds of ``figure`` of ``groups``: a percentile bootstrap that keeps each group together."""
    drawn = random.Random(SEED)  # noqa: S311 -- nothing secret
    values = sorted(figure(drawn.choices(groups, k=len(groups))) for _ in range(RESAMPLES))
    cut = round(0.025 * RESAMPLES)
    return values[cut], values[-cut - 1]


def exact_mcnemar(one: int, other: int) -> float:
    """Return the two-sided probability of a split at least as uneven as ``one`` to ``other``, at even odds.

    The exact, two-sided test on what two judges of the same rows differ in; 1 where they differ in nothing.
    """
    rows = one + other
    term = tail = 1
    for taken in range(min(one, other)):
        term = term * (rows - taken) // (taken + 1)
        tail += term
    return min(1.0, 2 * tail / (1 << rows)) if rows else 1.0
