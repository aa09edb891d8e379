"""The case: a truth and a claim, where words stand in them, and what code finds when it compares them."""

import re
from collections.abc import Sequence
from functools import cached_property

from sparring.checks.claims import check_claim
from sparring.checks.quotes import Evidence
from sparring.schema.claims import ClaimCheck
from sparring.schema.jury import Phrase, TextName
from sparring.schema.quotes import QuoteVerdict, TextSpan

_QUOTED = re.compile(r'(?<!\w)"(?=\S)([^"]+)(?<=\S)"(?!\w)|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»')
"""A straight mark is a quotation mark only at the edge of words: behind a digit it is one of inches."""

_MOST_PHRASES = 60
"""Phrases of one text that are looked up. Five reasons have room for a third of that."""


def quoted_phrases(said: str) -> tuple[str, ...]:
    """What stands between double quotes in ``said``, each phrase once, the first ones if there are very many.

    A comma or semicolon at the end belongs to whoever quotes, as English puts it inside the quotation marks.
    """
    phrases = ("".join(groups).strip().rstrip(",;:") for groups in _QUOTED.findall(said))
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))[:_MOST_PHRASES]


class Case:
    """The two texts of one request. Each is prepared for searching once, when that is first needed."""

    def __init__(self, truth: str, claim: str) -> None:
        self._texts = {TextName.TRUTH: truth, TextName.CLAIM: claim}

    @cached_property
    def check(self) -> ClaimCheck:
        """What code finds in the claim, with the truth for its only evidence."""
        return check_claim(self._texts[TextName.CLAIM], [self._texts[TextName.TRUTH]])

    def phrase(self, words: str, source: TextName) -> Phrase:
        """``words`` as they are said to stand in ``source``, with the first place where they do."""
        span = self._evidence[source].find(words).span
        there = TextSpan(text=span.text, start=span.start, end=span.end) if span else None
        return Phrase(text=words, source=source, span=there)

    def places(self, words: str) -> tuple[Phrase, ...]:
        """``words`` in each text in which they stand; empty if they stand in neither."""
        return tuple(phrase for source in TextName if (phrase := self.phrase(words, source)).span)

    def cited(self, said: str) -> tuple[Phrase, ...]:
        """Every quoted phrase of ``said``: in the truth if it stands there, else in the claim, else in neither."""
        return tuple((self.places(words) or (self._unfounded(words),))[0] for words in quoted_phrases(said))

    def anchors(self, said: str) -> tuple[Phrase, ...]:
        """Every place that ``said`` points at by quoting it, in both texts."""
        return tuple(place for words in quoted_phrases(said) for place in self.places(words))

    @cached_property
    def _evidence(self) -> dict[TextName, Evidence]:
        return {name: Evidence([text]) for name, text in self._texts.items()}

    def _unfounded(self, words: str) -> Phrase:
        """``words`` that stand nowhere, given to the claim where only that has something like them."""
        verdicts = [self._evidence[source].find(words).verdict for source in (TextName.TRUTH, TextName.CLAIM)]
        is_like_claim = verdicts == [QuoteVerdict.NOT_FOUND, QuoteVerdict.ALTERED]
        return Phrase(text=words, source=TextName.CLAIM if is_like_claim else TextName.TRUTH)


def overlap(one: Sequence[Phrase], other: Sequence[Phrase]) -> bool:
    """Whether two sets of phrases share a place in one of the texts."""
    return any(_share_a_place(first, second) for first in one for second in other)


def _share_a_place(one: Phrase, other: Phrase) -> bool:
    if one.source is not other.source or one.span is None or other.span is None:
        return False
    return one.span.start < other.span.end and other.span.start < one.span.end
