"""What the claims check is worth on the development rows, page by page in two halves: one to tune on, one unseen."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparring.checks.claims import check_claim
from sparring.schema.claims import Label

_HARD = {"number", "date", "quantifier", "window", "unit"}


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    @property
    def percent(self) -> float:
        """As a percentage; nan of nothing."""
        return 100 * self.part / self.whole if self.whole else float("nan")

    def __str__(self) -> str:
        return f"{self.percent:5.1f}" if self.whole else "    -"


@dataclass(frozen=True)
class Scored:
    """A row, and what the check said of its claim."""

    row: Mapping[str, Any]
    told: Label

    @property
    def is_refuted(self) -> bool:
        """Whether the check refuted the claim."""
        return self.told is Label.REFUTED

    @property
    def label(self) -> str:
        """What the row really is."""
        return self.row["label"]

    @property
    def half(self) -> int:
        """Which half its page is in: 0 to tune on, 1 unseen."""
        page = str(self.row["meta"].get("page", self.row["id"]))
        return int(hashlib.sha256(page.encode()).hexdigest(), 16) % 2

    @property
    def dims(self) -> Sequence[frozenset[str]]:
        """Each set of dimensions that tells a refuted row from a supported sibling."""
        flips = (self.row["meta"].get(name) for name in ("claim_flip", "evidence_flip"))
        return [frozenset(flip["dims"]) for flip in flips if flip and flip["from_label"] == "SUPPORTED"]


class Scores:
    """The figures of some scored rows."""

    def __init__(self, rows: Iterable[Scored]) -> None:
        self._rows = list(rows)

    def half(self, half: int) -> "Scores":
        """The figures of the pages of one half."""
        return Scores(each for each in self._rows if each.half == half)

    @property
    def precision(self) -> Share:
        """Of the SUPPORTED and REFUTED rows that were refuted, the REFUTED."""
        refuted = self._labels(Label.REFUTED).part
        return Share(refuted, refuted + self.false_alarms.part)

    @property
    def precision_of_all(self) -> Share:
        """The same, with a refuted NEI row as an error."""
        return Share(self.precision.part, self.precision.whole + self.nei_flagged.part)

    @property
    def false_alarms(self) -> Share:
        """Of the SUPPORTED rows, those refuted."""
        return self._labels(Label.SUPPORTED)

    @property
    def nei_flagged(self) -> Share:
        """Of the NEI rows, those refuted."""
        return self._labels(Label.NEI)

    @property
    def supported(self) -> Share:
        """Of the rows that were called supported, the SUPPORTED."""
        called = [each.label == Label.SUPPORTED for each in self._rows if each.told is Label.SUPPORTED]
        return Share(sum(called), len(called))

    @property
    def supported_found(self) -> Share:
        """Of the SUPPORTED rows, those that were called so."""
        called = [each.told is Label.SUPPORTED for each in self._rows if each.label == Label.SUPPORTED]
        return Share(sum(called), len(called))

    @property
    def refuted_found(self) -> Share:
        """Of the REFUTED rows, those that were refuted."""
        return self._labels(Label.REFUTED)

    @property
    def hard(self) -> Share:
        """Of the hard set (the data's README), those refuted."""
        return _share(each for each in self._refuted() if any(dims <= _HARD for dims in each.dims))

    @property
    def windows(self) -> Share:
        """The same for what differs in a window."""
        return _share(each for each in self._refuted() if any("window" in dims <= _HARD for dims in each.dims))

    def kind(self, kind: str) -> Share:
        """Recall of one kind of synthetic edit."""
        return _share(each for each in self._refuted() if each.row["meta"].get("kind") == kind)

    def _labels(self, label: Label) -> Share:
        return _share(each for each in self._rows if each.label == label)

    def _refuted(self) -> Iterable[Scored]:
        return (each for each in self._rows if each.label == Label.REFUTED)


def score(rows: Iterable[Mapping[str, Any]]) -> Scores:
    """Check every row."""
    return Scores(Scored(row, check_claim(row["claim"], row["evidence"]).label) for row in rows)


def _share(rows: Iterable[Scored]) -> Share:
    refuted = [each.is_refuted for each in rows]
    return Share(sum(refuted), len(refuted))
