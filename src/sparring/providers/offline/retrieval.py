"""Find the passages that say most about some terms: BM25 over an inverted index, and the terms that it compares.

S. Robertson, H. Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), section 3; ``K1`` and ``B``
as in K. Spärck Jones, S. Walker, S. Robertson, *A probabilistic model of information retrieval* (2000). The inverse
document frequency has one added inside the logarithm, so that a term in most passages weighs little instead of less
than nothing.

Terms are words of prose and of identifiers. Deliberately small: no dictionary, no language model. English endings are
cut, words of other languages (Vietnamese among them) are kept whole.
"""

import math
import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring.providers.offline.corpus import Passage

K1 = 1.2
B = 0.75

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDINGS = ("ing", "ed", "es", "s", "e")
_SHORTEST_STEM = 3

_STOP_TEXT = """
    a about above after again all already also an and another any are aren as at be because been before being below
    better between both but by can could did do does doing don down each either else even every few first for from
    further get gets got had has have having he her here how however i if in instead into is isn it its just keep let
    like made make makes many may me might more most much must my need needs neither never no nor not now of off on
    once one only or other our out over own per put rather same shall she should since so some still such than that
    the their them then there these they this those through to too two under until up us use used uses using very was
    we well were what when where whether which while who why will with within without would yet you your
    best choose consider current currently debate enough good opinion project question repository repo thing
    bị bởi các cái cho có của cũng để đã đang đến được hay hoặc không là làm lại lên mà một nên nếu những như này nữa
    ở phải ra rằng rất sau sẽ tại thì theo tôi trên trong trước từ và vào vẫn vì với
"""
_STOP_WORDS = frozenset(_STOP_TEXT.split())


@dataclass(frozen=True)
class Hit:
    """A passage, and which of the terms asked for it holds."""

    passage: Passage
    matched: frozenset[str]


class Index:
    """An inverted index of passages; built once, linear in their length."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._lengths = array("I")
        self._postings: dict[str, array[int]] = {}
        for position, passage in enumerate(passages):
            counts = Counter(terms(passage.searched))
            self._lengths.append(counts.total())
            for term, count in counts.items():
                self._postings.setdefault(term, array("I")).extend((position, count))
        self._average = sum(self._lengths) / len(passages) if passages else 0.0

    def frequency(self, term: str) -> int:
        """How many passages hold ``term``."""
        return len(self._postings.get(term, ())) // 2

    def search(self, query: Iterable[str], *, limit: int) -> tuple[Hit, ...]:
        """The best passages for the terms of ``query``, of which each is there once; ties in their order."""
        scores: dict[int, float] = {}
        matched: dict[int, set[str]] = {}
        for term in query:
            postings = self._postings.get(term, array("I"))
            weight = self._weight(term)
            for position, count in zip(postings[::2], postings[1::2], strict=True):
                norm = K1 * (1 - B + B * self._lengths[position] / self._average)
                scores[position] = scores.get(position, 0.0) + weight * count * (K1 + 1) / (count + norm)
                matched.setdefault(position, set()).add(term)
        best = sorted(scores, key=lambda position: (-scores[position], position))[:limit]
        return tuple(Hit(self._passages[position], frozenset(matched[position])) for position in best)

    def _weight(self, term: str) -> float:
        """How much a term tells: the rarer, the more."""
        frequency = self.frequency(term)
        return math.log(1 + (len(self._passages) - frequency + 0.5) / (frequency + 0.5))


def terms(text: str) -> list[str]:
    """The terms of ``text`` in order, repeated as often as they occur; stop words are left out."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return [term for word in _WORD.findall(text) for term in _terms_of(word)]


def keywords(text: str) -> dict[str, str]:
    """Each term of ``text`` once, in order, with the word that it first stood for."""
    found: dict[str, str] = {}
    for word in _WORD.findall(unicodedata.normalize("NFC", text)):
        for part in _HUMP.split(word):
            for term in _terms_of(part):
                found.setdefault(term, part if part.isupper() else part.lower())
    return found


@lru_cache(maxsize=200_000)
def _terms_of(word: str) -> tuple[str, ...]:
    parts = _HUMP.split(word) if not (word.islower() or word.isupper()) else [word]
    lowered = (part.lower() for part in parts)
    return tuple(_stem(part) for part in lowered if len(part) > 1 and part not in _STOP_WORDS)


def _stem(word: str) -> str:
    """``word`` without one English ending: "write" meets "writing", "retry" meets "retries", "process" stays whole."""
    if not word.isascii() or word.endswith("ss"):
        return word
    for ending in _ENDINGS:
        shortest = _SHORTEST_STEM + (ending == "ing")
        if word.endswith(ending) and len(word) - len(ending) >= shortest:
            word = word.removesuffix(ending)
            break
    return word[:-1] if word[-1] in "iy" and len(word) > _SHORTEST_STEM else word
