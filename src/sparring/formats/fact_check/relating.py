"""Whether a quote says anything of what it is given for: one word of content or one number in common is enough.

Lenient on purpose, since this only has to catch a quote that has nothing to do with the matter. Where two texts are
in different languages or scripts, or words are not told apart by spaces, nothing is concluded; nor where a text points
back to what was named before it.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sparring.checks.claims.context import concept
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.tokens import Language, Text, Token

_POSSESSIVE = re.compile("['’]s$")
_ALPHABETS = frozenset({"LATIN", "CYRILLIC", "GREEK"})
_STEM = 5
"""Letters that inflected forms of one word have in common; shorter words must be equal."""

_ENGLISH_ONLY = frozenset(("the", "of", "and", "is", "are", "were", "has", "have", "had", "with", "from", "by", "that"))
_SURELY_SOME = 8
"""An English text of that many words has at least one of these."""

_POINTING_BACK = {
    Language.ENGLISH: frozenset(("it", "its", "he", "his", "she", "her", "they", "their", "this", "these", "those")),
    Language.VIETNAMESE: frozenset(("nó", "ông", "bà", "họ", "này", "đó", "đây")),
}
"""They may stand for anything that was named before."""

_SOME_NUMBER = frozenset(("all", "both", "no", "none", "half", "double", "twice", "triple", "tất", "cả", "nửa"))
"""They say how many without a numeral."""


@dataclass(frozen=True)
class _Matter:
    """What a text is about, and how it is written.

    Attributes:
        language: ``other`` for a longer text that is neither English nor Vietnamese; empty where that is open.
        has_number: Whether it has one, in figures or in words.
        points_back: Whether it speaks of something that another sentence names.
        is_plain: Whether all of its letters are plain ones: a name may be written with marks and without.
    """

    keys: frozenset[str]
    language: str
    script: str
    has_number: bool
    points_back: bool
    is_plain: bool


def says_nothing_of(text: str, *subjects: str) -> bool:
    """Whether ``text`` shares no word of content and no number with any of ``subjects``.

    True for a text that has neither; False where it cannot be told.
    """
    matter = _matter(text)
    if not matter.keys:
        return True
    if matter.points_back:
        return False
    others = [_matter(subject) for subject in subjects]
    return all(_is_comparable(matter, other) and matter.keys.isdisjoint(other.keys) for other in others)


def has_no_number(text: str) -> bool:
    """Whether ``text`` has no number in figures or in words; False where its numerals are not known."""
    matter = _matter(text)
    return not matter.has_number and matter.script == "LATIN" and matter.language != "other"


def _is_comparable(one: _Matter, other: _Matter) -> bool:
    if one.script != other.script or one.script not in _ALPHABETS:
        return False
    if one.language and other.language:
        return one.language == other.language
    return one.is_plain == other.is_plain


@lru_cache(maxsize=512)
def _matter(text: str) -> _Matter:
    read = Text(text)
    words = [token for token in read.tokens if token.is_word]
    letters = "".join(word.text for word in words)
    return _Matter(
        keys=frozenset(key for token in read.tokens for key in _keys(token, read.language)),
        language=_language(read, words),
        script=unicodedata.name(letters[0], "").partition(" ")[0] if letters else "LATIN",
        has_number=any(_is_number(token, read.language) for token in read.tokens),
        points_back=not read.lowered_words.isdisjoint(_POINTING_BACK[read.language]),
        is_plain=letters.isascii(),
    )


def _language(text: Text, words: list[Token]) -> str:
    if text.language is Language.VIETNAMESE:
        return "vi"
    if any(word.lower in _ENGLISH_ONLY for word in words):
        return "en"
    return "other" if len(words) >= _SURELY_SOME else ""


def _is_number(token: Token, language: Language) -> bool:
    words, word = lexicon(language), token.lower
    is_numeral = word in words.numerals or word in words.ordinals or word in words.scales
    return token.is_digits or is_numeral or word in _SOME_NUMBER


def _keys(token: Token, language: Language) -> Iterator[str]:
    """What has to be equal in two texts for the token to be in both; nothing for small words and marks."""
    words = lexicon(language)
    if token.is_digits:
        yield token.lower.rstrip("stndrh").replace(",", "").replace(".", "").replace(" ", "")
    elif token.is_word and token.lower not in words.small and (len(token.text) > 1 or token.is_capitalised):
        word = _POSSESSIVE.sub("", token.lower)
        yield from (concept(word), token.text.lower())  # a short text's language is open, and with it its accents
        if len(word) >= _STEM:
            yield word[:_STEM]
        if word in words.numerals:
            yield str(words.numerals[word])
