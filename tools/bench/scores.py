"""Shares of the claims check: what it says rightly, and what it finds."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from sparring.checks.claims import check_claim
from sparring.schema.claims import Label


class Share(Struct, frozen=True):
    """A part of a whole."""

    part: int
    whole: int

    @property
    def ratio(self) -> float:
        """The part over the whole; nan of nothing."""
        return self.part / self.whole if self.whole else float("nan")

    def __str__(self) -> str:
        return f"{self.part:,} of {self.whole:,}"


class Scores:
    """The shares of some rows, given as pairs of the right label and that of the check."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._count = Counter(pairs)

    def right(self, label: Label) -> Share:
        """Of the rows that the check gives ``label``, those that have it; one of NEI counts as wrong."""
        return Share(self._count[label, label], sum(n for (_, given), n in self._count.items() if given == label))

    def found(self, label: Label) -> Share:
        """Of the rows that have ``label``, those that the check gives it."""
        return Share(self._count[label, label], sum(n for (real, _), n in self._count.items() if real == label))

    @property
    def all_right(self) -> Share:
        """Of all rows, those that the check gives their label."""
        return Share(sum(n for (real, given), n in self._count.items() if real == given), self._count.total())


def score(rows: Iterable[Mapping[str, Any]], *, belong_together: bool = False) -> Scores:
    """Check every row; ``belong_together`` as in a jury."""
    return Scores(
        (row["label"], check_claim(row["claim"], row["evidence"], belong_together=belong_together).label)
        for row in rows
    )
