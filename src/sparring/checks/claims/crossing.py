"""Numbers across languages: words cannot be aligned, so what is equal goes first, and what is left over is compared.

A number of the claim that stands nowhere in the evidence is a mismatch only where the evidence plainly speaks of the
same thing (it shares names or other numbers with the claim, or words that are known to mean the same) and has a
number of that kind to spare.
"""

from collections.abc import Sequence
from dataclasses import replace

from sparring.checks.claims.alignment import Aligned, InEvidence, orders_apart
from sparring.checks.claims.comparison import date_holds
from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.lexicon import lexicon, translations
from sparring.checks.claims.quantities import COUNT, ORDINAL, Quantity
from sparring.checks.claims.tokens import Text, Token
from sparring.schema.claims import Status

_ENOUGH_NAMES = 1
_ENOUGH_SYLLABLES = 2
_SHORTEST_NAME = 3
_SPELLED_BELOW = 11  # a translation may spell these
_SAME_ORDER = 1.5
_YEAR_DIGITS = 4


class Crossing:
    """A claim and its evidence in another language."""

    def __init__(self, claim: Text, sources: Sequence[Text]) -> None:
        self._claim = claim
        self._sources = sources
        self._is_same_subject = any(_is_same_subject(claim, source) for source in sources)

    def align_quantity(
        self,
        claim: Quantity,
        others: Sequence[Quantity],
        evidence: Sequence[InEvidence[Quantity]],
        dates: Sequence[InEvidence[DateMention]],
    ) -> Aligned:
        """What the numbers of the evidence say about ``claim``; ``others`` are all quantities of the claim."""
        if claim.kind == ORDINAL:
            return Aligned(Status.MISSING)
        for each in evidence:
            if claim.value in {each.mention.value, each.mention.high}:
                return Aligned(Status.MATCH, each)
        if self._may_be_spelled(claim) or self._is_written(claim) or not self._is_same_subject:
            return Aligned(Status.MISSING)
        said = {quantity.value for quantity in others}
        spare = [
            each
            for each in evidence
            if each.mention.kind == claim.kind
            and each.mention.value not in said
            and orders_apart(claim, each.mention) < _SAME_ORDER
        ]
        if spare:
            return Aligned(Status.MISMATCH, min(spare, key=lambda each: abs(each.mention.value - claim.value)))
        if len(self._claim.word(claim.begin)) == _YEAR_DIGITS and claim.kind == COUNT and dates:
            return Aligned(Status.MISMATCH, date=dates[0])  # "after 7769" is no year that we know
        return Aligned(Status.MISSING)

    def align_date(
        self, claim: DateMention, others: Sequence[DateMention], evidence: Sequence[InEvidence[DateMention]]
    ) -> Aligned:
        """The same for dates; a window counts as the day that it names, and a period as its two ends."""
        there = [InEvidence(each.index, end) for each in evidence for end in _ends(each.mention)]
        same = [next((each for each in there if _is_same(end, each.mention)), None) for end in _ends(claim)]
        if same[0] and same[-1]:
            return Aligned(Status.MATCH, date=same[0])
        said = [end for date in others for end in _ends(date)]
        spare = [
            each
            for each in there
            if (each.mention.month is None) == (claim.month is None)
            and not any(_is_same(date, each.mention) for date in said)
        ]
        if not spare or self._is_written(claim) or not self._is_same_subject:
            return Aligned(Status.MISSING)
        return Aligned(Status.MISMATCH, date=spare[0])

    def _is_written(self, claim: Quantity | DateMention) -> bool:
        """Whether the evidence has the same digits, whatever they were taken for."""
        digits = [each.text for each in self._claim.tokens[claim.begin : claim.end] if len(each.text) >= _YEAR_DIGITS]
        return bool(digits) and all(any(text in source.words for source in self._sources) for text in digits)

    def _may_be_spelled(self, claim: Quantity) -> bool:
        """Whether the number is spelled out here or, for all we can read, in the evidence."""
        if not self._claim.tokens[claim.begin].is_digits:
            return claim.value < _SPELLED_BELOW
        return claim.value < _SPELLED_BELOW and any(_spells(source, claim.value) for source in self._sources)


def _spells(source: Text, value: float) -> bool:
    numerals = lexicon(source.language).numerals
    return any(numerals.get(word.lower()) == value for word in source.words)


def _ends(date: DateMention) -> tuple[DateMention, ...]:
    return (replace(date, through=None), date.through) if date.through else (date,)


def _is_same(one: DateMention, other: DateMention) -> bool:
    return bool(date_holds(replace(one, window=""), replace(other, window="")))


def _is_same_subject(claim: Text, source: Text) -> bool:
    if len(_anchors(claim) & _anchors(source)) >= _ENOUGH_NAMES:
        return True
    there = " ".join(token.lower for token in source.tokens)
    translated = {translations().get(token.lower) for token in claim.tokens}
    return sum(len(words.split()) for words in translated if words and words in there) >= _ENOUGH_SYLLABLES


def _anchors(text: Text) -> frozenset[str]:
    """The names and numbers of a text, which a translation leaves as they are."""
    return frozenset(token.text for token in text.tokens if _is_anchor(token))


def _is_anchor(token: Token) -> bool:
    return token.is_digits or (token.is_capitalised and len(token.text) >= _SHORTEST_NAME)
