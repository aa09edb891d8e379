"""Numbers and dates of a claim against sources in another language, whose words are not compared.

A number that the sources have is a match. One that they have not is a mismatch only in the one sentence that shares
most names and numbers with the claim, and only if that has just one other number of its kind to stand in its place.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.checks.claims.alignment import Aligned, InEvidence, same_date
from sparring.checks.claims.comparison import date_holds, quantity_holds
from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.numerals import digits_value
from sparring.checks.claims.quantities import Quantity
from sparring.checks.claims.tokens import Text, is_digits, without_accents
from sparring.schema.claims import Status

_FEWEST_SHARED = 2
_SHORTEST_NAME = 3  # letters
_LARGEST_DIGIT = 9  # single digits stand everywhere

Mention = Quantity | DateMention


@dataclass(frozen=True)
class ForeignSource:
    """A source in another language, with its quantities and dates."""

    index: int
    text: Text
    mentions: Sequence[Mention]


class _ForeignSentence:
    """A sentence, with what other languages write in the same way.

    Attributes:
        names: Its words with a capital letter.
        shareable: These and its numbers.
    """

    def __init__(self, source: ForeignSource, begin: int, end: int) -> None:
        self.source = source
        self._begin, self._end = begin, end
        self.names = frozenset(_names(source.text, begin, end))
        self.shareable = self.names | frozenset(_numbers(source.text, begin, end))

    @cached_property
    def mentions(self) -> Sequence[Mention]:
        """Its quantities and dates in digits: number words, decades and centuries are words of one language."""
        there = (each for each in self.source.mentions if self._begin <= each.begin < self._end)
        return [each for each in there if self._digits(each) and not (isinstance(each, DateMention) and each.last_year)]

    def _digits(self, mention: Mention) -> Sequence[str]:
        return [word for word in self.source.text.written[mention.begin : mention.end] if is_digits(word)]

    def only_here(self, other: "_ForeignSentence") -> Mapping[str, Sequence[Mention]]:
        """By kind, its mentions that ``other`` has not, and whose source has not these digits."""
        words = other.source.text.words
        found: defaultdict[str, list[Mention]] = defaultdict(list)
        for each in self.mentions:
            digits = self._digits(each)
            is_written = len(digits) == 1 and digits[0] in words  # whatever it was taken for
            if not is_written and not any(_is_same(each, there) for there in other.mentions):
                found[_kind(each)].append(each)
        return found


class ForeignSources:
    """What sources in another language say about the quantities and dates of a claim, which are ``said``."""

    def __init__(self, claim: Text, said: Sequence[Mention], sources: Sequence[ForeignSource]) -> None:
        self._text, self._said = claim, said
        self._sources = sources

    @cached_property
    def _claim(self) -> _ForeignSentence:
        return _ForeignSentence(ForeignSource(-1, self._text, self._said), 0, len(self._text.written))

    def align(self, mention: Mention) -> Aligned:
        """What became of ``mention``; missing where nothing surely tells."""
        for source in self._sources:
            if same := next((each for each in source.mentions if _is_same(mention, each)), None):
                return _aligned(Status.MATCH, source.index, same)
        return next((found for said, found in self._mismatches if said is mention), Aligned(Status.MISSING))

    @cached_property
    def _mismatches(self) -> Sequence[tuple[Mention, Aligned]]:
        """Each mention of the claim that is the only one of its kind to be replaced, with what replaces it."""
        told = self._nearest_sentence()
        if told is None:
            return ()
        said, there = self._claim.only_here(told), told.only_here(self._claim)
        pairs = [(said[kind][0], there[kind][0]) for kind in said if len(said[kind]) == len(there.get(kind, ())) == 1]
        index = told.source.index
        return [(one, _aligned(Status.MISMATCH, index, other)) for one, other in pairs if _holds(one, other) is False]

    def _nearest_sentence(self) -> _ForeignSentence | None:
        """The sentence that surely tells what the claim tells; None where there is none."""
        sentences = [each for source in self._sources for each in _sentences(source)]
        shared = [len(each.shareable & self._claim.shareable) for each in sentences]
        most = max(shared, default=0)
        if most < _FEWEST_SHARED or shared.count(most) > 1:
            return None
        nearest, names = sentences[shared.index(most)], self._claim.names
        return nearest if 2 * len(names & nearest.names) >= len(names) else None


def _names(text: Text, begin: int, end: int) -> Iterator[str]:
    words = lexicon(text.language)
    for place in range(begin, end):
        word, lowered = text.written[place], text.lowered[place]
        is_name = word[0].isupper() and len(word) >= _SHORTEST_NAME
        if is_name and lowered not in words.small and lowered not in words.months:
            yield without_accents(lowered.removesuffix("'s"))


def _numbers(text: Text, begin: int, end: int) -> Iterator[float]:
    for word in text.written[begin:end]:
        value = digits_value(word, text.language) if is_digits(word) else None
        if value and value > _LARGEST_DIGIT:
            yield value


def _sentences(source: ForeignSource) -> Iterator[_ForeignSentence]:
    begin = 0
    for end in source.text.sentence_ends:
        yield _ForeignSentence(source, begin, end)
        begin = end


def _kind(mention: Mention) -> str:
    """What it may be compared with: dates only with those of the same shape."""
    if isinstance(mention, Quantity):
        return mention.kind
    parts = {"month": mention.month, "day": mention.day, "through": mention.through}
    return " ".join(("date", *(name for name, part in parts.items() if part)))


def _is_same(one: Mention, other: Mention) -> bool:
    if isinstance(one, DateMention):
        return isinstance(other, DateMention) and same_date(one, [InEvidence(0, other)]) is not None
    if not isinstance(other, Quantity) or one.value != other.value:
        return False
    is_written_so = one.bound == other.bound and one.high / one.unit == other.high / other.unit
    return is_written_so or quantity_holds(one, other) is True


def _holds(claim: Mention, evidence: Mention) -> bool | None:
    if isinstance(claim, DateMention):
        return isinstance(evidence, DateMention) and date_holds(claim, evidence)
    return isinstance(evidence, Quantity) and quantity_holds(claim, evidence)


def _aligned(status: Status, index: int, mention: Mention) -> Aligned:
    if isinstance(mention, DateMention):
        return Aligned(status, date=InEvidence(index, mention))
    return Aligned(status, InEvidence(index, mention))
