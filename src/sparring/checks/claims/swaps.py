"""Where a passage says the opposite of a claim: in other roles, without its "not", or with one word's opposite."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache

from sparring.checks.claims.lexicon import bounding_words, lexicon
from sparring.checks.claims.terms import Terms, Word, fold
from sparring.checks.claims.tokens import Language

_LONGEST_EXCHANGED = 8
_EITHER_WAY = frozenset({"and", "or", "nor", "be", "equal", "the", "a", "an"})
"""Around them, two things may change places: "A is B"."""

_FEWEST_SAME = 2
_NOT = frozenset({"not", "never", "cannot", "n't", "no", "không", "chưa"})


@dataclass(frozen=True)
class SwappedTerms:
    """Terms from ``begin`` to before ``end``, the first and last of which stand in each other's place over there.

    With ``is_opposite`` they say the opposite of what stands there.
    """

    begin: int
    end: int
    source: int
    there_begin: int
    there_end: int
    is_opposite: bool = False


def opposite_in(claim: Terms, source: Terms, index: int, begin: int, end: int) -> SwappedTerms | None:
    """Where a sentence says the opposite of the claim: the same words, but for a "not" or one that is the opposite."""
    apart_from = Counter(word.polarity for word in source.words[begin:end] if word.polarity)
    apart_from.subtract(word.polarity for word in claim.words if word.polarity)
    if sum(map(abs, apart_from.values())) > 1:
        return None
    ours, theirs = _contents(claim, 0, len(claim.words)), _contents(source, begin, end)
    if len(ours) != len(theirs) or len(ours) < _FEWEST_SAME:
        return None
    apart = [
        (one, other) for one, other in zip(ours, theirs, strict=True) if claim.words[one].key != source.words[other].key
    ]
    said, told = any(map(_is_not, claim.words)), any(map(_is_not, source.words[begin:end]))
    if not apart and said != told:
        return SwappedTerms(0, len(claim.words), index, begin, end, is_opposite=True)
    if len(apart) != 1 or said or told:
        return None
    one, other = apart[0]
    is_told = claim.words[one].key in opposites(claim.text.language).get(source.words[other].key, ())
    if not is_told or (one == ours[0] and other == theirs[0] and claim.words[one + 1].is_content):
        return None  # what the old one is, the new one may be, too
    return SwappedTerms(one, one + 1, index, other, other + 1, is_opposite=True)


def exchange_in(claim: Terms, source: Terms, index: int, begin: int, end: int) -> SwappedTerms | None:
    """Two things of the claim that have changed places in a passage which has the same words else, in their order."""
    ours = [word.key for word in claim.words]
    theirs = [word.key for word in source.words[begin : min(end, begin + len(ours))]]
    if len(theirs) < len(ours):
        return None
    apart = [at for at, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other]
    if not apart or not _is_exchanged(ours[apart[0] : apart[-1] + 1], theirs[apart[0] : apart[-1] + 1]):
        return None
    return SwappedTerms(apart[0], apart[-1] + 1, index, begin + apart[0], begin + apart[-1] + 1)


def _is_exchanged(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    size = len(ours)
    for first in range(1, min(_LONGEST_EXCHANGED, size - 2) + 1):
        for last in range(1, min(_LONGEST_EXCHANGED, size - first - 1) + 1):
            between = ours[first : size - last]
            if [*theirs] == [*ours[size - last :], *between, *ours[:first]]:
                return not set(between) <= _EITHER_WAY
    return False


def _contents(terms: Terms, begin: int, end: int) -> Sequence[int]:
    return [at for at in range(begin, end) if terms.words[at].is_content and not _is_not(terms.words[at])]


def _is_not(word: Word) -> bool:
    return word.is_negation and word.lower in _NOT


@cache
def opposites(language: Language) -> Mapping[str, Set[str]]:
    """For the key of each word those of what says the opposite; what bounds a number or date is told by that."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for pair in lexicon(language).opposites:
        if bounding_words(language).isdisjoint(pair):
            found[fold(pair[0], language)].add(fold(pair[1], language))
    return {**found}
