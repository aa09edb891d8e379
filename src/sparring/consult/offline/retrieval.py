"""Find the passages that say most about some terms: BM25 over an inverted index.

S. Robertson, H. Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), section 3; ``K1`` and ``B``
as in K. Spärck Jones, S. Walker, S. Robertson, *A probabilistic model of information retrieval* (2000). The inverse
document frequency has one added inside the logarithm, so that a term in most passages weighs little instead of less
than nothing.
"""

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from sparring.consult.offline.terms import terms

K1 = 1.2
B = 0.75


class Searchable(Protocol):
    """Some text that can be found."""

    @property
    def searched(self) -> str:
        """The words by which it is found."""
        ...


Found = TypeVar("Found", bound=Searchable)


@dataclass(frozen=True)
class Hit(Generic[Found]):
    """A passage, how well it fits, and which of the terms asked for it holds."""

    passage: Found
    score: float
    matched: frozenset[str]


class Index(Generic[Found]):
    """An inverted index of passages; built once, linear in their length."""

    def __init__(self, passages: Sequence[Found]) -> None:
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

    def weight(self, term: str) -> float:
        """How much a term tells: the rarer, the more."""
        frequency = self.frequency(term)
        return math.log(1 + (len(self._passages) - frequency + 0.5) / (frequency + 0.5))

    def search(self, query: Mapping[str, float], *, limit: int) -> tuple[Hit[Found], ...]:
        """The best passages for the terms of ``query``, each with its own importance; ties in their order."""
        scores: dict[int, float] = {}
        matched: dict[int, set[str]] = {}
        for term, importance in query.items():
            postings = self._postings.get(term, array("I"))
            weight = importance * self.weight(term)
            for position, count in zip(postings[::2], postings[1::2], strict=True):
                norm = K1 * (1 - B + B * self._lengths[position] / self._average)
                scores[position] = scores.get(position, 0.0) + weight * count * (K1 + 1) / (count + norm)
                matched.setdefault(position, set()).add(term)
        best = sorted(scores, key=lambda position: (-scores[position], position))[:limit]
        return tuple(Hit(self._passages[position], scores[position], frozenset(matched[position])) for position in best)
