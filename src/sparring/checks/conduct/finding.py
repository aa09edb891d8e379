"""The sentences of one speech in which its speaker gives something up, takes it back, agrees or applauds."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from sparring.checks.conduct.linking import content_words
from sparring.checks.conduct.meaning import says
from sparring.checks.conduct.passages import Passage, Sentence, passages, span
from sparring.checks.conduct.praising import PRAISE
from sparring.checks.conduct.sections import entries
from sparring.checks.conduct.wording import AGREEMENT, CONCESSION, WITHDRAWAL
from sparring.schema.spans import TextSpan

_CONTRAST = re.compile(r"\W*(?:however|but|still|yet|nevertheless|nonetheless|that said)\b", re.IGNORECASE)

_BEGINNING = 2
"""Sentences of a speech that are its beginning."""

_FEWEST_WORDS = 2
"""Words of content below which a sentence does not say what it is about, as in "Conceded."."""


@dataclass(frozen=True)
class Found:
    """A place of the speech, and the passage it is from."""

    span: TextSpan
    passage: Passage


class ReadSpeech:
    """One speech, read for its speaker's conduct."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.passages = passages(text)
        self._known: dict[int, list[tuple[int, int]]] = {}

    @cached_property
    def moves(self) -> tuple[tuple[Found, bool], ...]:
        """Its concessions and withdrawals (True) in the order in which they are made.

        What is conceded again in the same words counts once, unless something was taken back in between.
        """
        made = [(found, True) for found in self.withdrawals]
        made += [
            (Found(span(self.text, *place), passage), False)
            for passage in self.passages
            for place in self._given_up(passage)
        ]
        return tuple(_without_repetitions(sorted(made, key=lambda move: (move[0].span.start, move[1]))))

    @cached_property
    def concessions(self) -> tuple[Found, ...]:
        """Where the speaker gives something up: in so many words, or as an entry under a heading that says so."""
        return tuple(found for found, is_withdrawal in self.moves if not is_withdrawal)

    @cached_property
    def withdrawals(self) -> tuple[Found, ...]:
        """Where the speaker takes back an earlier concession."""
        return tuple(
            Found(span(self.text, *_with_its_subject(passage, position)), passage)
            for passage in self.passages
            for position, sentence in enumerate(passage.sentences)
            if _withdraws(sentence)
        )

    @cached_property
    def agreements(self) -> tuple[Found, ...]:
        """Where the speaker agrees, is convinced, or gives way; a concession is an agreement."""
        return tuple(
            Found(span(self.text, *place), passage)
            for passage in self.passages
            for place in sorted([*self._given_up(passage), *self._agreed(passage)])
        )

    @cached_property
    def praise(self) -> tuple[TextSpan, ...]:
        """The sentences at the beginning that applaud the other side."""
        own = [
            sentence
            for passage in self.passages
            if not (passage.is_heading or passage.is_aside)
            for sentence in passage.sentences
        ]
        return tuple(
            span(self.text, sentence.start, sentence.end)
            for sentence in own[:_BEGINNING]
            if says(PRAISE, sentence.words)
        )

    @cached_property
    def _entries(self) -> frozenset[int]:
        return frozenset(entry.start for entry in entries(self.passages))

    def _given_up(self, passage: Passage) -> list[tuple[int, int]]:
        if passage.start not in self._known:
            self._known[passage.start] = self._find_given_up(passage)
        return self._known[passage.start]

    def _find_given_up(self, passage: Passage) -> list[tuple[int, int]]:
        if passage.is_heading:
            return []
        said = [position for position, sentence in enumerate(passage.sentences) if _concedes(sentence)]
        if not said and passage.start in self._entries and passage.sentences:
            return [(passage.sentences[0].start, passage.sentences[0].end)]
        return [_with_its_subject(passage, position) for position in said]

    def _agreed(self, passage: Passage) -> Iterator[tuple[int, int]]:
        """Where it agrees otherwise, outside what is given as a concession already."""
        given_up = self._given_up(passage)
        for sentence in passage.sentences:
            before = bisect_right(given_up, (sentence.start, len(self.text)))
            is_told = before and sentence.start < given_up[before - 1][1]
            if not is_told and says(AGREEMENT, sentence.words):
                yield sentence.start, sentence.end


def concessions(text: str) -> tuple[TextSpan, ...]:
    """The sentences, verbatim, in which the speaker of ``text`` gives something up, in their order.

    One that does not say what ("You are right.") is given with the sentence that does. One that is repeated word for
    word counts once, as it does in ``conduct``, unless something was taken back in between.
    """
    return tuple(found.span for found in ReadSpeech(text).concessions)


def withdrawals(text: str) -> tuple[TextSpan, ...]:
    """The sentences, verbatim, in which the speaker of ``text`` takes an earlier concession back."""
    return tuple(found.span for found in ReadSpeech(text).withdrawals)


def _without_repetitions(moves: Iterable[tuple[Found, bool]]) -> Iterator[tuple[Found, bool]]:
    conceded: set[str] = set()
    for found, is_withdrawal in moves:
        if is_withdrawal:
            conceded.clear()
        elif found.span.text in conceded:
            continue
        else:
            conceded.add(found.span.text)
        yield found, is_withdrawal


def _concedes(sentence: Sentence) -> bool:
    return says(CONCESSION, sentence.words) and not _withdraws(sentence)


def _withdraws(sentence: Sentence) -> bool:
    return says(WITHDRAWAL, sentence.words)


def _is_move(sentence: Sentence) -> bool:
    return _concedes(sentence) or _withdraws(sentence)


def _with_its_subject(passage: Passage, position: int) -> tuple[int, int]:
    """Where a sentence stands, with the one after or before it when it does not say what it is about."""
    sentence = passage.sentences[position]
    if len(content_words(sentence.words)) >= _FEWEST_WORDS:
        return sentence.start, sentence.end
    following = passage.sentences[position + 1 : position + 2]
    if following and not (_is_move(following[0]) or _CONTRAST.match(following[0].words)):
        return sentence.start, following[0].end
    before = passage.sentences[position - 1] if position else sentence
    return sentence.start if _is_move(before) else before.start, sentence.end
