"""Which sentence tells what a claim in another language tells: the one that shares most terms with it."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparring.checks.claims.crossing.terms import Term
from sparring.checks.claims.tokens import Text

# Found by trying on half of the development pages (bench/claims).
_NEAREST = 3
_PER_LIKENESS = 2.0
_ALIKE, _ALIKE_GAIN = 0.45, 2.0
_SURE, _SURE_LEAD = 0.6, 0.2


@dataclass(frozen=True)
class Passage:
    """A sentence of the evidence, as a token range.

    Attributes:
        index: Which source it stands in.
        terms: What stands in it, by its place in the source.
        gain: What the terms that it shares with the claim are worth.
        likeness: How much of each the other one has too, from 0 to 1.
        lead: How far the claim is nearer to it than to any other sentence.
        is_elsewhere: Whether it has names, and the claim has, but none of them in common.
    """

    index: int
    begin: int
    end: int
    terms: Sequence[Term]
    gain: float
    likeness: float
    lead: float
    is_elsewhere: bool

    @property
    def is_alike(self) -> bool:
        """Whether it tells of the same as the claim."""
        return self.likeness >= _ALIKE and self.gain >= _ALIKE_GAIN and not self.is_elsewhere

    @property
    def is_translation(self) -> bool:
        """Whether it surely tells the same, and hardly anything else."""
        return self.is_alike and self.likeness >= _SURE and self.lead >= _SURE_LEAD


@dataclass(frozen=True)
class _Sentence:
    """A sentence with its terms, and the places of the claim's terms that it has too."""

    index: int
    begin: int
    end: int
    terms: Sequence[Term]
    shared: Collection[int]


def find_passage(claim: Sequence[Term], sources: Sequence[tuple[Text, Sequence[Term]]]) -> Passage | None:
    """The sentence of ``sources``, each with its terms, that is most like ``claim``; None when nothing is shared."""
    terms = _once(claim)
    places = _places(terms)
    sentences = [
        sentence
        for index, (text, found) in enumerate(sources)
        for sentence in _sentences(index, text, found, places)
        if sentence.shared
    ]
    common = Counter(place for sentence in sentences for place in sentence.shared)
    # What many sentences share tells little about each.
    gains = [sum(terms[place].worth / math.sqrt(common[place]) for place in each.shared) for each in sentences]
    nearest = sorted(range(len(sentences)), key=gains.__getitem__, reverse=True)[:_NEAREST]
    ranked = sorted(
        ((gains[place] + _PER_LIKENESS * _likeness(terms, sentences[place], common), place) for place in nearest),
        reverse=True,
    )
    if not ranked:
        return None
    (score, place), *others = ranked
    best = sentences[place]
    gain = sum(terms[each].worth for each in best.shared)
    lead = score - others[0][0] if others else score
    likeness, is_elsewhere = _likeness(terms, best, common), _is_elsewhere(terms, best.terms)
    return Passage(best.index, best.begin, best.end, best.terms, gain, likeness, lead, is_elsewhere)


def _is_elsewhere(claim: Sequence[Term], sentence: Sequence[Term]) -> bool:
    ours, theirs = ({term.name for term in terms if term.name} for terms in (claim, sentence))
    return bool(ours and theirs) and ours.isdisjoint(theirs)


def _likeness(claim: Sequence[Term], sentence: _Sentence, common: Mapping[int, int]) -> float:
    """The mean of two shares: what the sentence has of the claim, and what the claim has of the sentence."""
    kept = sum(claim[place].worth for place in sentence.shared)
    left = ((place, term) for place, term in enumerate(claim) if place not in sentence.shared)
    # What another sentence has is missed here; what none has may only be said with other words.
    lost = sum(term.worth if common[place] else term.loss for place, term in left)
    keys = frozenset(key for term in claim for key in term.keys)
    theirs = [(term, not keys.isdisjoint(term.keys)) for term in _once(sentence.terms)]
    told = sum(term.worth for term, is_shared in theirs if is_shared)
    added = sum(term.loss for term, is_shared in theirs if not is_shared)
    return (kept / (kept + lost) + told / (told + added)) / 2


def _once(terms: Sequence[Term]) -> tuple[Term, ...]:
    return tuple({term.keys: term for term in terms}.values())


def _places(terms: Sequence[Term]) -> Mapping[str, Collection[int]]:
    places: defaultdict[str, set[int]] = defaultdict(set)
    for place, term in enumerate(terms):
        for key in term.keys:
            places[key].add(place)
    return places


def _sentences(
    index: int, text: Text, terms: Sequence[Term], places: Mapping[str, Collection[int]]
) -> Iterator[_Sentence]:
    begin = first = 0
    for end in text.sentence_ends:
        last = first
        shared: set[int] = set()
        while last < len(terms) and terms[last].place < end:
            for key in terms[last].keys:
                shared.update(places.get(key, ()))
            last += 1
        yield _Sentence(index, begin, end, terms[first:last], shared)
        begin, first = end, last
