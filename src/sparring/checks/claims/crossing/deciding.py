"""What the sentence that tells the same in another language makes of the numbers and directions of a claim.

Words cannot be aligned across languages, but a translation leaves numbers as they are: what both sentences have goes
first, and what is left over on either side was replaced. Without such a sentence nothing can mismatch.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from sparring.checks.claims.alignment import Aligned, InEvidence
from sparring.checks.claims.crossing.counted import count_other_things
from sparring.checks.claims.crossing.figures import Figure, Mention, find_figures
from sparring.checks.claims.crossing.pairing import Pair, replaced_figures
from sparring.checks.claims.crossing.passages import Passage, find_passage
from sparring.checks.claims.crossing.reversals import find_reversals
from sparring.checks.claims.crossing.terms import Term, find_terms
from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.findings import mention_finding, translated_finding
from sparring.checks.claims.tokens import Text
from sparring.schema.claims import Dimension, Finding, Status

_BELOW, _ABOVE = frozenset({"<", "<=", "to"}), frozenset({">", ">="})


class Crossing:
    """A claim and its evidence in another language; sources in its own language are left out.

    Its quantities and dates are ``said``; ``there`` are those of each source, or none where they were not read.
    """

    def __init__(
        self, claim: Text, said: Sequence[Mention], sources: Sequence[Text], there: Sequence[Sequence[Mention]]
    ) -> None:
        self._claim = claim
        self._said = said
        self._sources = sources
        self._figures = find_figures(claim, said)
        found: list[Sequence[Figure]] = []
        terms: list[tuple[Text, Sequence[Term]]] = []
        for text, mentions in zip(sources, there, strict=True):
            is_far = text.language is not claim.language
            found.append(find_figures(text, mentions) if is_far else ())
            terms.append((text, find_terms(text, found[-1]) if is_far else ()))
        self._terms = find_terms(claim, self._figures)
        passage = find_passage(self._terms, terms)
        self._passage = passage if passage and passage.is_alike else None
        self._told = _within(passage, found) if passage else ()
        self._places = _by_value(found, self._told, passage)

    def findings(self) -> Iterator[Finding]:
        """Every finding: quantities and dates, then numbers that are neither, then words with their opposites."""
        passage = self._passage
        pairs = self._replaced(passage) if passage else ()
        figures = _by_mention(self._figures)
        for mention in self._said:
            of_it = figures[id(mention)]
            found = self._mismatched(mention, of_it, passage, pairs) if passage else None
            dimension = Dimension.TIME if isinstance(mention, DateMention) else Dimension.QUANTITY
            yield mention_finding(dimension, self._claim, mention, found or self._matched(of_it), self._sources)
        if passage:
            yield from self._changes(passage, pairs)

    def _changes(self, passage: Passage, pairs: Sequence[Pair]) -> Iterator[Finding]:
        for pair in pairs:
            if not (pair.claim.mention and pair.evidence.mention):
                yield self._changed(Dimension.QUANTITY, _range(pair.claim), passage.index, _range(pair.evidence))
        if passage.is_translation:
            evidence = self._sources[passage.index]
            for reversal in find_reversals(self._claim, evidence, passage.begin, passage.end):
                yield self._changed(Dimension.QUALIFIER, reversal.claim, passage.index, reversal.evidence)

    def _changed(self, dimension: Dimension, claim: tuple[int, int], index: int, evidence: tuple[int, int]) -> Finding:
        return translated_finding(dimension, self._claim, claim, self._sources, (index, *evidence))

    def _replaced(self, passage: Passage) -> tuple[Pair, ...]:
        pairs = tuple(
            pair
            for pair in replaced_figures(self._figures, self._told)
            if not count_other_things(pair, self._terms, passage.terms, self._claim.language)
        )
        if passage.is_translation:
            return pairs
        return tuple(pair for pair in pairs if pair.is_new and not self._places[pair.claim.value])

    def _mismatched(
        self, mention: Mention, figures: Sequence[Figure], passage: Passage, pairs: Sequence[Pair]
    ) -> Aligned | None:
        """The number that stands in the place of one in ``mention``, or the same one with an opposite bound."""
        for pair in pairs:
            if pair.claim.mention is mention and pair.evidence.mention:
                return _aligned(Status.MISMATCH, passage.index, pair.evidence.mention)
        values = {each.value for each in figures}
        same = [each.mention for each in self._told if each.mention and each.value in values]
        if same and all(_is_opposite(mention, each) for each in same):
            return _aligned(Status.MISMATCH, passage.index, same[0])
        return None

    def _matched(self, figures: Sequence[Figure]) -> Aligned:
        """A quantity or date of the evidence, where the evidence has every number; of a date, that with the year."""
        places = [self._places[each.value] for each in figures]
        if all(places):
            for index, figure in chain.from_iterable(reversed(places)):
                if figure.mention:
                    return _aligned(Status.MATCH, index, figure.mention)
        return Aligned(Status.MISSING)


def _within(passage: Passage, found: Sequence[Sequence[Figure]]) -> tuple[Figure, ...]:
    return tuple(each for each in found[passage.index] if passage.begin <= each.begin < passage.end)


def _by_value(
    found: Sequence[Sequence[Figure]], told: Sequence[Figure], passage: Passage | None
) -> Mapping[float, Sequence[tuple[int, Figure]]]:
    """Where the evidence has each number, with the source; first where it tells what the claim tells."""
    places: defaultdict[float, list[tuple[int, Figure]]] = defaultdict(list)
    for figure in told:
        places[figure.value].append((passage.index if passage else 0, figure))
    for index, figures in enumerate(found):
        for figure in figures:
            places[figure.value].append((index, figure))
    return places


def _by_mention(figures: Sequence[Figure]) -> Mapping[int, Sequence[Figure]]:
    """The numbers of each quantity or date, by its identity: two may be equal."""
    found: defaultdict[int, list[Figure]] = defaultdict(list)
    for figure in figures:
        found[id(figure.mention)].append(figure)
    return found


def _range(figure: Figure) -> tuple[int, int]:
    return figure.begin, figure.end


def _aligned(status: Status, index: int, mention: Mention) -> Aligned:
    if isinstance(mention, DateMention):
        return Aligned(status, date=InEvidence(index, mention))
    return Aligned(status, InEvidence(index, mention))


def _is_opposite(one: Mention, other: Mention) -> bool:
    """Whether one gives the least and the other the most: "over 70" against "under 70", "after" against "before"."""
    first, second = (each.window if isinstance(each, DateMention) else each.bound for each in (one, other))
    return (first in _BELOW and second in _ABOVE) or (first in _ABOVE and second in _BELOW)
