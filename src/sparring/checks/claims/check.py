"""Hold a claim against its evidence: every quantity, date and changed word of the claim becomes a finding."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from sparring.checks.claims.alignment import Aligned, InEvidence, align_date, align_quantity, dates_of_names, same_date
from sparring.checks.claims.changes import Change, find_changes, is_word_for_word, replaced_date, replaced_quantity
from sparring.checks.claims.dates import DateMention, find_dates
from sparring.checks.claims.findings import change_finding, label_of, mention_finding
from sparring.checks.claims.foreign import ForeignSource, ForeignSources
from sparring.checks.claims.lexicon import bounding_words
from sparring.checks.claims.quantities import Quantity, find_quantities
from sparring.checks.claims.snapshots import Snapshots, of_the_time
from sparring.checks.claims.tokens import Text
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Status

_TELLING_DIGITS = 3
_LONGEST_KEPT = 8_000
"""Characters; only shorter texts stay in memory, for the next claim about them."""


_Quantities = list[tuple[Quantity, Aligned]]
_Dates = list[tuple[DateMention, Aligned]]


class _Reading:
    """What stands in one text; its numbers are read when they are first asked for."""

    def __init__(self, text: str) -> None:
        self.text = Text(text)

    @cached_property
    def dates(self) -> tuple[DateMention, ...]:
        return find_dates(self.text)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        taken = frozenset(place for date in self.dates for place in range(date.begin, date.end))
        return find_quantities(self.text, taken)


class ClaimEvidence:
    """Sources, read once, that any number of claims can be held against."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = tuple(_read(source) for source in sources)

    def check(self, claim: str) -> ClaimCheck:
        """See ``check_claim``."""
        said = _read(claim)
        findings = tuple(_Check(said, self._sources).findings())
        foreign = {index for index, each in enumerate(self._sources) if each.text.language is not said.text.language}
        return ClaimCheck(label=label_of(findings, foreign), findings=findings)


def check_claim(claim: str, evidence: Sequence[str]) -> ClaimCheck:
    """What ``evidence`` says about the quantities, dates and changed words of ``claim``.

    A critical mismatch is meant to be almost never wrong; whatever is doubtful is MISSING. Offsets are those of the
    texts as given. The time grows with the length of the evidence, times the numbers in the claim.
    """
    return ClaimEvidence(evidence).check(claim)


class _Check:
    def __init__(self, claim: _Reading, sources: Sequence[_Reading]) -> None:
        self._claim = claim
        self._sources = sources
        self._texts = [source.text for source in sources]
        self._said = (*claim.quantities, *claim.dates)
        # Where a claim has no number, those of the evidence need not be read.
        numbered = list(enumerate(sources)) if self._said else []
        near = [(index, each) for index, each in numbered if each.text.language is claim.text.language]
        self._quantities = [InEvidence(index, each) for index, source in near for each in source.quantities]
        self._dates = [InEvidence(index, each) for index, source in near for each in source.dates]
        far = [
            ForeignSource(index, each.text, (*each.quantities, *each.dates))
            for index, each in numbered
            if each.text.language is not claim.text.language
        ]
        self._foreign = ForeignSources(claim.text, self._said, far)
        self._changes = find_changes(claim.text, self._texts)
        self._timely = self._quantities
        if len(claim.dates) == 1:
            self._timely = of_the_time(claim.dates[0], self._texts, self._quantities, self._dates)

    def findings(self) -> Iterator[Finding]:
        """Every finding: quantities, then dates, then other changed words, each in the claim's order."""
        text = self._claim.text
        quantities, dates = self._aligned()
        for quantity, found in quantities:
            yield mention_finding(Dimension.QUANTITY, text, quantity, self._or_foreign(quantity, found), self._texts)
        for date, found in dates:
            yield mention_finding(Dimension.TIME, text, date, self._or_foreign(date, found), self._texts)
        for change in self._changes:
            if not self._is_told(change):
                yield change_finding(change, text, self._texts)

    def _or_foreign(self, mention: Quantity | DateMention, found: Aligned) -> Aligned:
        """What was ``found``; where nothing was, what sources in another language tell."""
        if found.status is not Status.MISSING:
            return found
        foreign = self._foreign.align(mention)
        return found if foreign.status is Status.MISSING else foreign

    def _aligned(self) -> tuple[_Quantities, _Dates]:
        quantities = [(each, self._aligned_quantity(each)) for each in self._claim.quantities]
        dates = [(each, self._aligned_date(each)) for each in self._claim.dates]
        snapshots = Snapshots(self._texts, self._dates, quantities)
        is_other_day = any(snapshots.is_other_day(date, found) for date, found in dates)
        dates = [(date, snapshots.settle(date, found)) for date, found in dates]
        is_repeated = any(is_word_for_word(self._claim.text, text) for text in self._texts)
        if is_other_day or is_repeated:
            quantities = [(each, _doubted(found)) for each, found in quantities]
        return quantities, [(each, _doubted(found)) for each, found in dates] if is_repeated else dates

    def _aligned_date(self, date: DateMention) -> Aligned:
        named = dates_of_names(date, self._dates) if len(self._claim.dates) == 1 else ()
        found = replaced_date(date, self._changes, self._dates, self._quantities)
        found = found or same_date(date, named or self._dates)
        if found or named:
            return found or align_date(date, named)
        return self._unless_written(date, align_date(date, self._dates))

    def _aligned_quantity(self, quantity: Quantity) -> Aligned:
        found = replaced_quantity(quantity, self._changes, self._quantities, self._dates)
        return found or self._unless_written(quantity, align_quantity(quantity, self._claim.quantities, self._timely))

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
        return any(mention.begin - 3 <= begin < mention.end and mention.begin <= end + 2 for mention in self._said)


def _doubted(found: Aligned) -> Aligned:
    return replace(found, status=Status.MISSING) if found.status is Status.MISMATCH else found


def _read(text: str) -> _Reading:
    return _read_and_kept(text) if len(text) <= _LONGEST_KEPT else _Reading(text)


@lru_cache(maxsize=256)
def _read_and_kept(text: str) -> _Reading:
    return _Reading(text)
