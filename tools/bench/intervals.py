"""Accuracy of labels, with its interval for other pages of the same kind."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from sparring.text.intervals import resampled

Confusion = Counter[tuple[str, str]]
"""Number of rows by expected and given label."""


class Judged(Struct, frozen=True):
    """A row: the page that it is from, its label, and the one that it was given."""

    page: str
    label: str
    given: str


class Estimate(Struct, frozen=True):
    """A figure in per cent, and the bounds within which it lies in 95 of 100 resamples."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:5.1f} [{self.low:4.1f}-{self.high:5.1f}]"


class Agreement:
    """Judged rows, and the figures that they make."""

    def __init__(self, rows: Iterable[Judged]) -> None:
        self.rows = tuple(rows)

    @cached_property
    def confusion(self) -> Confusion:
        """All rows by label and by what they were given."""
        return Counter((row.label, row.given) for row in self.rows)

    def estimate(self, figure: Callable[[Confusion], float]) -> Estimate:
        """``figure`` with its interval: a percentile bootstrap over pages, since rows of one page are alike."""
        return Estimate(figure(self.confusion), *resampled(self._pages, lambda drawn: figure(_sum(drawn))))

    @cached_property
    def _pages(self) -> Sequence[Confusion]:
        pages: Mapping[str, Confusion] = defaultdict(Counter)
        for row in self.rows:
            pages[row.page][row.label, row.given] += 1
        return list(pages.values())


def accuracy(confusion: Confusion) -> float:
    """Per cent of the rows that were given their label."""
    return 100 * sum(count for (label, given), count in confusion.items() if label == given) / confusion.total()


def macro_f1(confusion: Confusion) -> float:
    """The mean F1 of the labels that occur, in per cent."""
    labels = {label for label, _ in confusion}
    return 100 * sum(_f1(confusion, label) for label in labels) / len(labels)


def always_the_most_frequent(rows: Sequence[Judged]) -> "Agreement":
    """Return the accuracy of giving every row the most frequent label."""
    most, _ = Counter(row.label for row in rows).most_common(1)[0]
    return Agreement(Judged(row.page, row.label, most) for row in rows)


def _f1(confusion: Confusion, label: str) -> float:
    labelled = sum(count for (each, _), count in confusion.items() if each == label)
    given = sum(count for (_, each), count in confusion.items() if each == label)
    return 2 * confusion[label, label] / (labelled + given)


def _sum(confusions: Iterable[Confusion]) -> Confusion:
    total: Confusion = Counter()
    for confusion in confusions:
        for pair, count in confusion.items():
            total[pair] += count
    return total
