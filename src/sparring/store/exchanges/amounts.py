"""Amounts that limits count: calls, tokens and money, in whole numbers."""

from typing import Self

from msgspec import Struct

MICRO = 1_000_000
"""Millionths of a dollar in a dollar."""

UNLIMITED = 1 << 50
"""Allotment of a quantity that has no limit; far below the largest integer of a database."""


class Amounts(Struct, frozen=True):
    """Amounts of calls, tokens, and millionths of a dollar."""

    calls: int = 0
    tokens: int = 0
    cost: int = 0

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(self.calls + other.calls, self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: "Amounts") -> "Amounts":
        return Amounts(self.calls - other.calls, self.tokens - other.tokens, self.cost - other.cost)

    def times(self, count: int) -> "Amounts":
        """Return the sum of ``count`` equal amounts."""
        return Amounts(self.calls * count, self.tokens * count, self.cost * count)

    def at_least(self, other: "Amounts") -> "Amounts":
        """Return the larger of both, for each of the three."""
        return Amounts(max(self.calls, other.calls), max(self.tokens, other.tokens), max(self.cost, other.cost))

    def at_most(self, other: "Amounts") -> "Amounts":
        """Return the smaller of both, for each of the three."""
        return Amounts(min(self.calls, other.calls), min(self.tokens, other.tokens), min(self.cost, other.cost))

    def covers(self, other: "Amounts") -> bool:
        """Return whether ``other`` is larger in none of the three."""
        return self.calls >= other.calls and self.tokens >= other.tokens and self.cost >= other.cost

    @property
    def each(self) -> tuple[int, int, int]:
        """Return the three in their order."""
        return self.calls, self.tokens, self.cost


NOTHING = Amounts()


class Maximum(Struct, frozen=True):
    """Limits of a batch for each of the three; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    cost: int | None = None

    @property
    def each(self) -> tuple[int | None, int | None, int | None]:
        """Return the three in their order."""
        return self.calls, self.tokens, self.cost

    @property
    def is_none(self) -> bool:
        """Return whether nothing is limited."""
        return self.each == (None, None, None)

    @classmethod
    def of(cls, calls: int | None, tokens: int | None, cost_usd: float | None) -> Self:
        """Return the limits with dollars in millionths."""
        return cls(calls, tokens, None if cost_usd is None else micros(cost_usd))


def micros(cost_usd: float) -> int:
    """Return dollars in millionths."""
    return round(cost_usd * MICRO)


class Used(Struct, frozen=True):
    """Usage of an exchange.

    Attributes:
        calls: 0 if the provider does not charge for the exchange.
        tokens, cost: None if unknown; then the reserved amount counts as used.
    """

    calls: int = 1
    tokens: int | None = None
    cost: int | None = None


FREE = Used(0, 0, 0)
