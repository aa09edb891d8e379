"""Hold a claim against its evidence: every quantity, date and changed word of the claim becomes a finding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sparring.checks.claims.alignment import Aligned, InEvidence, align_date, align_quantity, same_date
from sparring.checks.claims.crossing import Crossing
from sparring.checks.claims.dates import DateMention, find_dates
from sparring.checks.claims.findings import change_finding, label_of, mention_finding
from sparring.checks.claims.lexicon import bounding_words
from sparring.checks.claims.quantities import Quantity, find_quantities
from sparring.checks.claims.replacing import replaced_date, replaced_quantity
from sparring.checks.claims.rewriting import Change, find_changes
from sparring.checks.claims.snapshots import Snapshots
from sparring.checks.claims.tokens import Text
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Status

_TELLING_DIGITS = 3
_LONGEST_KEPT = 20_000
"""Characters; only shorter texts stay in memory, for the next claim about them."""


_Quantities = list[tuple[Quantity, Aligned]]
_Dates = list[tuple[DateMention, Aligned]]


@dataclass(frozen=True)
class _Reading:
    """What stands in one text."""

    text: Text
    quantities: tuple[Quantity, ...]
    dates: tuple[DateMention, ...]


def check_claim(claim: str, evidence: Sequence[str]) -> ClaimCheck:
    """What ``evidence`` says about the quantities, dates and changed words of ``claim``.

    A critical mismatch is meant to be almost never wrong; whatever is doubtful is MISSING. Offsets are those of the
    texts as given. The time grows with the length of the evidence, times the numbers in the claim.
    """
    findings = tuple(_Check(_read(claim), [_read(source) for source in evidence]).findings())
    return ClaimCheck(label=label_of(findings), findings=findings)


class _Check:
    def __init__(self, claim: _Reading, sources: Sequence[_Reading]) -> None:
        self._claim = claim
        self._texts = [source.text for source in sources]
        self._quantities = [
            InEvidence(index, each) for index, source in enumerate(sources) for each in source.quantities
        ]
        self._dates = [InEvidence(index, each) for index, source in enumerate(sources) for each in source.dates]
        self._changes = find_changes(claim.text, self._texts)

    def findings(self) -> Iterator[Finding]:
        """Every finding: quantities, then dates, then other changed words, each in the claim's order."""
        is_crossing = bool(self._texts) and all(text.language is not self._claim.text.language for text in self._texts)
        quantities, dates = self._across() if is_crossing else self._aligned()
        text = self._claim.text
        for quantity, found in quantities:
            yield mention_finding(Dimension.QUANTITY, text, quantity, found, self._texts)
        for date, found in dates:
            yield mention_finding(Dimension.TIME, text, date, found, self._texts)
        for change in self._changes:
            if not self._is_told(change):
                yield change_finding(change, text, self._texts)

    def _across(self) -> tuple[_Quantities, _Dates]:
        crossing = Crossing(self._claim.text, self._texts)
        said, days = self._claim.quantities, self._claim.dates
        return (
            [(each, crossing.align_quantity(each, said, self._quantities, self._dates)) for each in said],
            [(each, crossing.align_date(each, days, self._dates)) for each in days],
        )

    def _aligned(self) -> tuple[_Quantities, _Dates]:
        quantities = [(each, self._aligned_quantity(each)) for each in self._claim.quantities]
        dates = [(each, self._aligned_date(each)) for each in self._claim.dates]
        snapshots = Snapshots(self._texts, self._dates, quantities)
        if any(snapshots.is_other_day(date, found) for date, found in dates):
            quantities = [(each, _doubted(found)) for each, found in quantities]
        return quantities, [(date, snapshots.settle(date, found)) for date, found in dates]

    def _aligned_date(self, date: DateMention) -> Aligned:
        found = same_date(date, self._dates)
        found = found or replaced_date(date, self._changes, self._dates, self._quantities)
        return found or self._unless_written(date, align_date(date, self._dates))

    def _aligned_quantity(self, quantity: Quantity) -> Aligned:
        found = replaced_quantity(quantity, self._changes, self._quantities, self._dates)
        return found or self._unless_written(
            quantity, align_quantity(quantity, self._claim.quantities, self._quantities)
        )

    def _unless_written(self, mention: Quantity | DateMention, found: Aligned) -> Aligned:
        """What was ``found``; in doubt where the evidence has the same digits, whatever they were taken for."""
        written = self._claim.text.word(mention.begin)
        is_plain = mention.end == mention.begin + 1 and len(written) >= _TELLING_DIGITS
        is_open = mention.bound if isinstance(mention, Quantity) else mention.window
        if is_plain and not is_open and any(written in text.words for text in self._texts):
            return _doubted(found)
        return found

    def _is_told(self, change: Change) -> bool:
        """Whether the changed words bound a quantity or a date, or are one, which have findings of their own."""
        begin, end = change.claim
        words = {token.lower for token in self._claim.text.tokens[begin:end]}
        is_bound = change.kind == "opposite" and words <= bounding_words(self._claim.text.language)
        if change.kind != "number" and not is_bound:
            return False
        mentions = (*self._claim.quantities, *self._claim.dates)
        return any(mention.begin - 3 <= begin < mention.end and mention.begin <= end + 2 for mention in mentions)


def _doubted(found: Aligned) -> Aligned:
    return replace(found, status=Status.MISSING) if found.status is Status.MISMATCH else found


def _read(text: str) -> _Reading:
    return _read_and_kept(text) if len(text) <= _LONGEST_KEPT else _read_anew(text)


def _read_anew(text: str) -> _Reading:
    read = Text(text)
    dates = find_dates(read)
    taken = frozenset(place for date in dates for place in range(date.begin, date.end))
    return _Reading(read, find_quantities(read, taken), dates)


@lru_cache(maxsize=256)
def _read_and_kept(text: str) -> _Reading:
    return _read_anew(text)
