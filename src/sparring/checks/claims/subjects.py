"""What a number tells of: the nouns and places behind it, or a noun before it that is not repeated."""

from sparring.checks.claims.context import concept
from sparring.checks.claims.labels import DASHES
from sparring.checks.claims.lexicon import concepts, lexicon
from sparring.checks.claims.tokens import Text, is_digits

_NOUN_REACH, _MOST_NOUNS = 5, 3
_PLACE_REACH = 12
_IMPLIED_REACH = 25
_ENDS = frozenset(",.;()")


class Subjects:
    """Reads around the numbers of one text; places are those of tokens."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._words = lexicon(text.language)

    def nouns_behind(self, begin: int) -> list[str]:
        """The concepts of the first words from ``begin`` on, up to a mark or another number."""
        nouns: list[str] = []
        for place in range(begin, min(begin + _NOUN_REACH, len(self._text.lowered))):
            word = self._text.lowered[place]
            if is_digits(word) and self._text.word(place - 1) in DASHES:
                continue  # COVID-19 cases
            if is_digits(word) or word in _ENDS or word in self._words.turns:
                break
            if word[0].isalpha() and word not in self._words.small:
                nouns.append(concept(word))
        return nouns[:_MOST_NOUNS]

    def implied_nouns(self, begin: int, end: int) -> list[str]:
        """What is counted, where no noun stands behind the number: "90 cases, of which 30 were in Ohio"."""
        follows = self._text.lower(end)
        if follows.isalpha() and follows not in self._words.small:
            return []
        counted = concepts().counted
        for place in range(begin - 1, max(-1, begin - 1 - _IMPLIED_REACH), -1):
            if self._text.ends_sentence(place):
                break
            if (noun := concept(self._text.lowered[place])) in counted:
                return [noun]
        return []

    def places_behind(self, begin: int) -> frozenset[str]:
        """The concepts of the places named from ``begin`` on, up to a mark or another number."""
        found: set[str] = set()
        is_place = False
        for place in range(begin, min(begin + _PLACE_REACH, len(self._text.lowered))):
            word = self._text.written[place]
            if word in _ENDS or is_digits(word):
                break
            if is_place and word[0].isupper() and len(word) > 1 and word.lower() not in self._words.months:
                found.add(concept(word.lower()))
            is_place = is_place or word in self._words.places_after
        return frozenset(found)

    def names_before(self, begin: int) -> frozenset[str]:
        """The concepts of the names before ``begin``, down to a mark, another number or an "and"."""
        found: set[str] = set()
        for place in range(begin - 1, max(-1, begin - 1 - _PLACE_REACH), -1):
            word, lower = self._text.written[place], self._text.lowered[place]
            if word in _ENDS or is_digits(word) or lower in self._words.turns:
                break
            if word[0].isupper() and lower not in self._words.small and lower not in self._words.months:
                found.add(concept(lower))
        return frozenset(found)
