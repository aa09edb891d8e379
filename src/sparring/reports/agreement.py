"""What the rows of a judged table come to: how often seats agree and gold labels are met, and what rows cost."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from sparring.schema.pairs import JudgedTable, RowResult

_MOST_SEATS = 8
"""As many as a fact-check has, and code; results from elsewhere may name any number."""


@dataclass(frozen=True)
class Agreement:
    """How often two seats said the same of the rows that both said something of.

    Attributes:
        kappa: Cohen's: the share of what chance leaves open; None where each of them only ever said the same.
    """

    seats: tuple[str, str]
    alike: int
    rows: int
    kappa: float | None

    @property
    def share(self) -> float:
        """Of the rows, those of which they said the same."""
        return self.alike / self.rows


def agreements(rows: Sequence[RowResult]) -> tuple[Agreement, ...]:
    """Of each two seats that have any row in common, what they said before they heard each other."""
    said = [{seat.seat: seat.blind for seat in row.seats if seat.blind} for row in rows]
    names = list(dict.fromkeys(name for row in said for name in row))[:_MOST_SEATS]
    found = (
        _agreement(pair, Counter((row[pair[0]], row[pair[1]]) for row in said if row.keys() >= set(pair)))
        for pair in combinations(names, 2)
    )
    return tuple(each for each in found if each.rows)


def _agreement(seats: tuple[str, str], said: Counter[tuple[str, str]]) -> Agreement:
    rows, alike = said.total(), sum(count for (one, other), count in said.items() if one == other)
    ones, others = Counter[str](), Counter[str]()
    for (one, other), count in said.items():
        ones[one] += count
        others[other] += count
    by_chance = sum(ones[label] * others[label] for label in ones)
    open_ = rows * rows - by_chance
    return Agreement(seats, alike, rows, (alike * rows - by_chance) / open_ if open_ else None)


@dataclass(frozen=True)
class Confusion:
    """What the rows with a gold label were called.

    Attributes:
        counts: By gold label and verdict.
        without: Rows with a gold label and no verdict: they are neither right nor wrong.
        unknown: Rows whose gold label is none that a verdict could be.
    """

    counts: Counter[tuple[str, str]]
    without: int
    unknown: int

    @property
    def rows(self) -> int:
        """Those that are right or wrong."""
        return self.counts.total()

    @property
    def right(self) -> int:
        """Those whose verdict is the gold label."""
        return sum(count for (gold, word), count in self.counts.items() if gold == word)


def confusion(table: JudgedTable) -> Confusion | None:
    """What became of the gold labels; None where no row has one that a verdict could be."""
    with_gold = [row for row in table.rows if row.gold]
    known = [row for row in with_gold if row.gold in table.labels]
    if not known:
        return None
    counts = Counter((row.gold or "", row.word) for row in known if row.word)
    return Confusion(counts, len(known) - counts.total(), len(with_gold) - len(known))


@dataclass(frozen=True)
class CostBin:
    """So many rows that cost at least ``low`` dollars, and less than ``high``; the last one includes that."""

    low: float
    high: float
    rows: int


def cost_bins(rows: Sequence[RowResult], most: int = 24) -> tuple[CostBin, ...]:
    """Rows by what they cost, in bins of one width; only of rows all of which has a price. Empty where all are free."""
    costs = [row.spent.cost_usd for row in rows if row.spent.calls and not row.spent.unpriced_calls]
    highest = max(costs, default=0.0)
    if not highest:
        return ()
    counts = Counter(min(most - 1, int(most * (cost / highest))) for cost in costs)
    return tuple(CostBin(highest * place / most, highest * (place + 1) / most, counts[place]) for place in range(most))
