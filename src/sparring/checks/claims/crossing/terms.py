"""What a translation keeps of a text: names and numbers as they are, and the words that the dictionary knows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring.checks.claims.crossing.dictionary import dictionary
from sparring.checks.claims.crossing.figures import Figure
from sparring.checks.claims.crossing.phrasebook import plain
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.tokens import Language, Text

_FULL, _LITTLE = 1.0, 0.4
"""What a name, a number or a phrase is worth, and what a single syllable or digit is, which stands everywhere."""

_LOST_NAME = 0.4  # names are translated too: Genghis Khan is Thành Cát Tư Hãn
_SHORTEST_NAME = 3
_NAME_BEGINS = 4  # letters
_SYLLABLE = re.compile("(?:ngh?|[nct]h|tr|[pk]h|gh|gi|qu|[bcdghklmnpqrstvx])?[aeiouy]{1,3}(?:n[gh]|ch|[cmnpt])?")
_LARGEST_DIGIT = 9


@dataclass(frozen=True)
class Term:
    """A name, number or word of a text.

    Attributes:
        keys: Its translation has one of them too.
        worth: How much it tells that another text has it.
        loss: How much it tells that another text has not.
        name: How a name begins that both languages write nearly alike: "Sicilian" and "Sicilia".
    """

    place: int
    keys: frozenset[str]
    worth: float
    loss: float
    name: str = ""


def find_terms(text: Text, figures: Sequence[Figure]) -> tuple[Term, ...]:
    """Every term of ``text``, in its order; ``figures`` are its numbers."""
    numbers = (Term(each.begin, frozenset({f"{each.value:g}"}), _worth(each), 0.0) for each in figures)
    return tuple(sorted((*_word_terms(text), *numbers), key=lambda term: term.place))


def _worth(figure: Figure) -> float:
    return _FULL if figure.is_sure and figure.value > _LARGEST_DIGIT else _LITTLE


@lru_cache(maxsize=16)  # several claims are held against one text
def _word_terms(text: Text) -> tuple[Term, ...]:
    return tuple(_english(text) if text.language is Language.ENGLISH else _vietnamese(text))


def _english(text: Text) -> Iterator[Term]:
    words = lexicon(text.language)
    for place, word in enumerate(text.lowered):
        if not word[0].isalpha() or word in words.small or word in words.scales:
            continue
        if phrases := dictionary().in_vietnamese(word):
            worth = _FULL if any(" " in phrase for phrase in phrases) else _LITTLE
            yield Term(place, phrases | _letters(text, place), worth, worth)
        elif len(word) >= _SHORTEST_NAME:
            yield _unknown(text, place)


def _vietnamese(text: Text) -> Iterator[Term]:
    syllables = [plain(word, text.language) for word in text.lowered]
    for found in dictionary().phrases.find(syllables):
        worth = _FULL if found.end > found.begin + 1 else _LITTLE
        yield Term(found.begin, frozenset({found.meaning}), worth, worth)
    for place, word in enumerate(text.lowered):
        if len(word) >= _SHORTEST_NAME and word[0].isalpha():
            yield _unknown(text, place)


def _unknown(text: Text, place: int) -> Term:
    """A word that is known by its letters alone, as most names are, and terms of a science."""
    word = text.word(place)
    if not word[0].isupper():
        return Term(place, _letters(text, place), _FULL, 0.0)
    if text.language is Language.ENGLISH:
        return Term(place, _letters(text, place), _FULL, _LOST_NAME, word[:_NAME_BEGINS])
    is_borrowed = _is_borrowed(word)
    loss = _FULL if is_borrowed else _LOST_NAME
    return Term(place, _letters(text, place), _FULL, loss, word[:_NAME_BEGINS] if is_borrowed else "")


def _is_borrowed(word: str) -> bool:
    """Whether it can be no Vietnamese name: the original must have it."""
    return word.isascii() and not _SYLLABLE.fullmatch(word.lower())


def _letters(text: Text, place: int) -> frozenset[str]:
    # As it is written: without its accents, a Vietnamese syllable is like any other word.
    word = text.word(place).lower().removesuffix("'s").removesuffix("’s")
    singular = word.removesuffix("s") if text.language is Language.ENGLISH else word
    return frozenset({f"={word}", f"={singular}"})
