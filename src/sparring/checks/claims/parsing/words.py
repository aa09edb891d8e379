"""Words without their inflection: to find the nearest sentence, and to name the uncovered words."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sparring.checks.claims.parsing.language import Language, recognise
from sparring.checks.claims.parsing.lexicon import lexicon
from sparring.checks.claims.parsing.tokens import without_accents

_TERM = re.compile(r"(?:[^\s`\"|()\[\]{},;!?]++|(?<=[0-9]),(?=[0-9]{3}(?![0-9])))++")
_CODE = re.compile(r"`[^`\n]+`")
_EDGES = ".:'*…"
_TECHNICAL = re.compile(
    r"[_/@$<>=\\~]|(?<=\w)[.:](?=\w)|^--?[a-z]|[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z][0-9]|[0-9][A-Za-z]"
)
_PENN = frozenset({"-LRB-", "-RRB-", "-LSB-", "-RSB-", "s"})
_ENDINGS = (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_VOWELS = frozenset("aeiouy")
_NEVER_DOUBLED = frozenset("aeiousl")
_SHORTEST = 3

_REMEMBERED = 1 << 12
"""Words to cache: frequent ones, and not every word of a large table."""


class Word(NamedTuple):
    """A word, number or piece of code of a text.

    Attributes:
        key: Equal for every inflection and letter case; for code, the written text.
        is_code: Whether only the same spelling is equal.
        is_content: Whether the evidence must cover it.
        is_negation: Whether it reverses the meaning.
    """

    text: str
    key: str
    is_code: bool
    is_content: bool
    is_negation: bool


def split_words(text: str, context: str = "") -> list[Word]:
    """Return the words of ``text`` in order, in the language recognised in it, or else in ``context``."""
    language = _language(text)
    if context and language is Language.OTHER:
        language = _language(context)
    spans = [match.span() for match in _CODE.finditer(text)] if "`" in text else []
    result: list[Word] = []
    passed = 0  # code spans that end before the current word
    for match in _TERM.finditer(text):
        while passed < len(spans) and spans[passed][1] <= match.start():
            passed += 1
        is_code = passed < len(spans) and spans[passed][0] <= match.start()
        if word := _word(match[0], language, is_code=is_code):
            result.append(word)
    return result


def _language(text: str) -> Language:
    return recognise(text, {*re.findall(r"\w+", text.lower())})


@lru_cache(maxsize=_REMEMBERED)
def _word(whole: str, language: Language, *, is_code: bool) -> Word | None:
    """Return the word that is written as ``whole``; None for mere marks."""
    text = whole.strip("'") if is_code else whole.lstrip(_EDGES[1:]).rstrip(_EDGES)
    if not any(map(str.isalnum, text)) or text in _PENN:
        return None
    is_code = is_code or bool(_TECHNICAL.search(text))
    words = lexicon(language)
    lower = text.lower()
    is_negation = lower in words.negations or lower.endswith("n't")
    is_content = is_code or (lower not in words.functional and not is_negation)
    key = text if is_code else fold(text, language)
    return Word(text, key, is_code, is_content, is_negation)


@lru_cache(maxsize=_REMEMBERED)
def fold(word: str, language: Language) -> str:
    """Return a word without letter case, hyphens and inflection; digits without group separators."""
    lower = word.lower()
    if word[0].isdigit():
        return lower.replace(",", "") if language is Language.ENGLISH else lower
    if language is not Language.ENGLISH:
        return lower
    lower = without_accents(lower).removesuffix("'s").removesuffix("'")
    lower = lower.replace("-", "") or lower
    words = lexicon(language)
    if lower in words.numerals:
        return str(words.numerals[lower])
    return stem(words.irregular.get(lower, lower))


def stem(word: str) -> str:
    """Return an English word in lower case without its ending; at least three letters stay."""
    if len(word) <= _SHORTEST or not word.isalpha():
        return word
    stemmed = _without_ending(word)
    is_doubled = stemmed[-1] == stemmed[-2] and stemmed[-1] not in _NEVER_DOUBLED
    if len(stemmed) > _SHORTEST and is_doubled:  # "stopp" of "stopped"
        stemmed = stemmed[:-1]
    return stemmed.removesuffix("e") if len(stemmed) > _SHORTEST else stemmed


def _without_ending(word: str) -> str:
    """Return ``word`` without its first ending that leaves three letters with a vowel: "string" keeps its "ing"."""
    if word.endswith("ss"):
        return word
    for ending, replacement in _ENDINGS:
        if word.endswith(ending):
            shortened = word[: -len(ending)] + replacement
            if len(shortened) >= _SHORTEST and not _VOWELS.isdisjoint(shortened):
                return shortened
    return word


def missing_from(wanted: Sequence[Word], words: Sequence[Word]) -> tuple[str, ...]:
    """Return those of ``wanted`` that are not among ``words``, each once; code only as it is written."""
    written = {word.text for word in words} | {word.text.lower() for word in words}
    keys = {word.key for word in words}
    missing: dict[str, None] = {}
    for word in wanted:
        is_there = word.text in written
        if not is_there and not word.is_code:
            is_there = word.key in keys or word.text.lower() in written
        if not is_there:
            missing[word.text] = None
    return tuple(missing)
