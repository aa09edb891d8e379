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
    """Return the 95 % score interval of a share, ``part`` of ``whole`` (Wilson 1927); (0, 1) of nothing.

    It is valid for few rows as well, and for a share of 0 or 1.
    """
    if not whole:
        return 0.0, 1.0
    share, z_squared = part / whole, _Z * _Z
    # Centre and half of the width, both times the same divisor.
    centre = share + z_squared / (2 * whole)
    half_width = _Z * math.sqrt(share * (1 - share) / whole + z_squared / (4 * whole * whole))
    divisor = 1 + z_squared / whole
    return max(0.0, (centre - half_width) / divisor), min(1.0, (centre + half_width) / divisor)


def resampled(groups: Sequence[T], figure: Callable[[Sequence[T]], float]) -> tuple[float, float]:
    """Return the 95 % interval of ``figure`` of ``groups``: a percentile bootstrap that keeps each group together."""
    source = random.Random(SEED)  # noqa: S311 -- nothing secret
    values = sorted(figure(source.choices(groups, k=len(groups))) for _ in range(RESAMPLES))
    cut = round(0.025 * RESAMPLES)
    return values[cut], values[-cut - 1]


def exact_mcnemar(one: int, other: int) -> float:
    """Return the two-sided probability of a split at least as uneven as ``one`` to ``other``, at even odds.

    McNemar's exact test (1947) of two judges of the same rows: ``one`` and ``other`` are the rows that only one of them
    has right. 1 where they differ in no row.
    """
    rows = one + other
    if not rows:
        return 1.0
    # The lower tail of the binomial distribution, times 2 to the power of rows: whole numbers, so nothing is rounded.
    combinations = tail = 1
    for count in range(min(one, other)):
        combinations = combinations * (rows - count) // (count + 1)
        tail += combinations
    return min(1.0, 2 * tail / (1 << rows))
