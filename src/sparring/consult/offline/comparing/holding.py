"""What some sources hold of a part of a claim, and the shortest words in them that show it."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sparring.checks.quotes import Evidence
from sparring.consult.offline.comparing.negation import is_negated, with_negation
from sparring.consult.offline.comparing.parts import Part
from sparring.consult.offline.comparing.sentences import Sentence, sentences, whole_words
from sparring.consult.offline.retrieval import Index
from sparring.schema.claims import Finding, Status
from sparring.schema.spans import Span

# Found by trying on half of the development pages (bench/fact_check).
_ENOUGH = 0.5
_SENTENCES_TRIED = 3
_Place = tuple[int, int]


@dataclass(frozen=True)
class Held:
    """How much of a part one sentence holds.

    Attributes:
        share: Of its terms and of what the claims check found in it, from 0 to 1.
        quote: The shortest stretch of the sentence with all of that; empty where there is nothing.
    """

    sentence: Sentence
    share: float
    quote: str

    @property
    def is_enough(self) -> bool:
        """Whether the part counts as covered."""
        return self.share >= _ENOUGH


class Sources:
    """Texts to look things up in, cut and indexed once; linear in their length."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = tuple(texts)
        self.sentences = sentences(texts)
        self._begins = [(each.source, each.start) for each in self.sentences]
        self._index = Index(self.sentences)

    def has(self, terms: Collection[str]) -> bool:
        """Whether one of ``terms`` stands anywhere."""
        return any(self._index.frequency(term) for term in terms)

    def sentence_of(self, span: Span) -> str:
        """The sentence, or the sentences, that a place in the sources is in."""
        first, last = self._sentence_at(span.index, span.start), self._sentence_at(span.index, span.end - 1)
        return self.texts[span.index][first.start : last.end] if first and last else span.text

    def nearest(self, terms: Collection[str]) -> tuple[Sentence, ...]:
        """The few sentences that say most about ``terms``, best first."""
        hits = self._index.search(dict.fromkeys(sorted(terms), 1.0), limit=_SENTENCES_TRIED)
        return tuple(hit.passage for hit in hits)

    def best(self, part: Part, near: Sequence[Sentence] = ()) -> Held | None:
        """The sentence that holds most of ``part``, one of ``near`` among equals; None if no sentence is about it.

        A part without a word that says something has to be there as it is.
        """
        if not part.terms and not part.findings:
            return self._word_for_word(part.span.text)
        places = (found.evidence for found in part.findings if found.evidence)
        found = [each for place in places if (each := self._sentence_at(place.index, place.start))]
        tried = dict.fromkeys((*near, *found, *self.nearest(part.terms)))
        held = [self._held(part, sentence) for sentence in tried]
        return max(held, key=lambda each: each.share, default=None)

    def _sentence_at(self, source: int, place: int) -> Sentence | None:
        position = bisect_right(self._begins, (source, place)) - 1
        nearest = self.sentences[position] if position >= 0 else None
        return nearest if nearest and nearest.source == source and place < nearest.end else None

    def _word_for_word(self, text: str) -> Held | None:
        place = Evidence(self.texts).find(text).span
        sentence = self._sentence_at(place.index, place.start) if place else None
        return Held(sentence, 1.0, place.text) if place and sentence else None

    def _held(self, part: Part, sentence: Sentence) -> Held:
        shared = part.terms & sentence.terms
        matched = [each for each in part.findings if _is_matched_in(each, sentence)]
        places = {(each.evidence.start, each.evidence.end) for each in matched if each.evidence}
        quote = _shortest(sentence, shared, {(begin - sentence.start, end - sentence.start) for begin, end in places})
        said = part.span.text
        # "does not cause" and "causes" have their words in common.
        is_opposite = not is_negated(sentence.text) if is_negated(said) else is_negated(quote)
        if not quote or is_opposite:
            return Held(sentence, 0.0, "")
        return Held(sentence, (len(shared) + len(matched)) / (len(part.terms) + len(part.findings)), quote)


def _is_matched_in(finding: Finding, sentence: Sentence) -> bool:
    place = finding.evidence
    if finding.status is not Status.MATCH or place is None or place.index != sentence.source:
        return False
    return sentence.start <= place.start and place.end <= sentence.end


def _shortest(sentence: Sentence, terms: Collection[str], places: Collection[_Place]) -> str:
    """The shortest stretch of whole words of ``sentence`` with all ``terms`` and ``places``; empty without any."""
    marks: list[tuple[str | _Place, _Place]] = [
        (term, (word.start, word.end)) for word in sentence.words for term in word.terms if term in terms
    ]
    marks += [(place, place) for place in places]
    marks.sort(key=lambda mark: mark[1])
    latest: dict[str | _Place, _Place] = {}
    windows: list[_Place] = []
    for mark, place in marks:
        latest[mark] = place
        if len(latest) == len(terms) + len(places):
            windows.append((min(latest.values())[0], max(end for _, end in latest.values())))
    if not windows:
        return ""
    start, end = min(windows, key=lambda window: window[1] - window[0])
    return whole_words(sentence.text, with_negation(sentence.text, start), end)
