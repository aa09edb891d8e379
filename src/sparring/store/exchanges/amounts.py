"""Amounts that limits count: calls, tokens and money, in whole numbers."""

from dataclasses import dataclass
from typing import Self

MICRO = 1_000_000
"""Millionths of a dollar in a dollar."""

UNLIMITED = 1 << 50
"""Stands for an allotment of something that has no limit; far below what a database can count."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """So many calls, tokens, and millionths of a dollar."""

    calls: int = 0
    tokens: int = 0
    cost: int = 0

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(self.calls + other.calls, self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: "Amounts") -> "Amounts":
        return Amounts(self.calls - other.calls, self.tokens - other.tokens, self.cost - other.cost)

    def times(self, count: int) -> "Amounts":
        """The amounts of ``count`` that are alike."""
        return Amounts(self.calls * count, self.tokens * count, self.cost * count)

    def at_least(self, other: "Amounts") -> "Amounts":
        """The larger of both, for each of the three."""
        return Amounts(max(self.calls, other.calls), max(self.tokens, other.tokens), max(self.cost, other.cost))

    def at_most(self, other: "Amounts") -> "Amounts":
        """The smaller of both, for each of the three."""
        return Amounts(min(self.calls, other.calls), min(self.tokens, other.tokens), min(self.cost, other.cost))

    def covers(self, other: "Amounts") -> bool:
        """Return whether nothing of ``other`` is more."""
        return self.calls >= other.calls and self.tokens >= other.tokens and self.cost >= other.cost

    @property
    def each(self) -> tuple[int, int, int]:
        """The three in their order."""
        return self.calls, self.tokens, self.cost


NOTHING = Amounts()


@dataclass(frozen=True, slots=True)
class Maximum:
    """Most of each that a batch may use; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    cost: int | None = None

    @property
    def each(self) -> tuple[int | None, int | None, int | None]:
        """The three in their order."""
        return self.calls, self.tokens, self.cost

    @property
    def is_none(self) -> bool:
        """True if nothing is limited."""
        return self.each == (None, None, None)

    @classmethod
    def of(cls, calls: int | None, tokens: int | None, cost_usd: float | None) -> Self:
        """The maximum with dollars in millionths."""
        return cls(calls, tokens, None if cost_usd is None else micros(cost_usd))


def micros(cost_usd: float) -> int:
    """Dollars in millionths."""
    return round(cost_usd * MICRO)


@dataclass(frozen=True, slots=True)
class Used:
    """Usage of an exchange.

    Attributes:
        calls: 0 where the provider charges nothing for what came of it.
        tokens, cost: None where they are unknown; then what was reserved counts as used.
    """

    calls: int = 1
    tokens: int | None = None
    cost: int | None = None


FREE = Used(0, 0, 0)
