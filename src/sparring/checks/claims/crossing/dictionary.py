"""English and Vietnamese words that mean the same."""

from collections import defaultdict
from functools import cache

from sparring.checks.claims.crossing.phrasebook import Phrasebook, plain
from sparring.checks.claims.lexicon import translations
from sparring.checks.claims.tokens import Language


class Dictionary:
    """Vietnamese phrases of one or more syllables, and the English words for them.

    Attributes:
        phrases: Each Vietnamese phrase, standing for itself.
    """

    def __init__(self) -> None:
        self._of_words: defaultdict[str, set[str]] = defaultdict(set)
        self.phrases = Phrasebook({self._add(phrase, words): phrase for phrase, words in translations().items()})

    def in_vietnamese(self, word: str) -> frozenset[str]:
        """Every phrase for an English word in small letters; nothing when it is not known."""
        return frozenset(self._of_words.get(plain(word, Language.ENGLISH), ()))

    def _add(self, phrase: str, words: str) -> tuple[str, ...]:
        for word in words.split():
            self._of_words[plain(word, Language.ENGLISH)].add(phrase)
        return tuple(plain(syllable, Language.VIETNAMESE) for syllable in phrase.split())


@cache
def dictionary() -> Dictionary:
    """All words that we know in both languages."""
    return Dictionary()
