"""What a number or date is about: the words around it, each weighing less the further away; or whether it is a name."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sparring.checks.claims.lexicon import Lexicon, concepts, lexicon
from sparring.checks.claims.tokens import DASHES, Language, Text, is_digits

NEAR = 0.5
"""The weight from which on a word stands so near to a mention that it tells of it."""

# Found by trying on half of the development pages (bench/claims).
_PER_WORD = 0.9
_PER_COMMA = 0.75
_PER_NUMBER = 0.6
_PER_SENTENCE = 0.35
_REACH = 25
_EXCLUDED_REACH = 8
_ENDINGS = ("ing", "ed", "es", "s")
_S_FOR_Z = re.compile(r"is(?=(?:e|ed|es|ing|ation|ations)$)")  # institutionalised, institutionalized
_SHORTEST_STEM = 4
_HOME, _OUTSIDE = "#home", "outside"
_ENDS = frozenset(".;")
_COMMAS = frozenset(",()")
_LIMIT_REACH = 3
_SENTENCE_STARTS = frozenset(".:;")


@lru_cache(maxsize=1 << 14)
def concept(word: str) -> str:
    """One name for all words of the same meaning, or the word without its ending."""
    if name := concepts().names.get(word):
        return name
    word = _S_FOR_Z.sub("iz", word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def nearest_of(about: Mapping[str, float], names: Sequence[str]) -> str:
    """Which of some concepts stands nearest, of what stands ``about`` a mention; nothing where none is near."""
    near = {name: weight for name in names if (weight := about.get(name, 0.0)) >= NEAR}
    return max(near, key=lambda name: near[name], default="")


def are_apart(one: str, other: str) -> bool:
    """Whether two mentions have one of some concepts beside them, and not the same: one tells of a birth, one not."""
    return bool(one and other) and one != other


def likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How much two surroundings have in common, from 0."""
    return sum(weight * other[name] for name, weight in one.items() if name in other)


@lru_cache(maxsize=1 << 14)
def _weighed(word: str, language: Language) -> tuple[str, float]:
    """The concept of a word, which is none for a mark and a small word; how much less what is behind it weighs."""
    words = lexicon(language)
    if word in _ENDS:
        return "", _PER_SENTENCE
    if word in _COMMAS or word in words.turns:
        return "", _PER_COMMA
    if is_digits(word):
        return "", _PER_NUMBER
    return ("", 1.0) if not word[0].isalpha() or word in words.small else (concept(word), _PER_WORD)


def surroundings(text: Text, begin: int, end: int) -> dict[str, float]:
    """The concepts around the tokens from ``begin`` to before ``end`` with their weights, from 0 to 1."""
    found: dict[str, float] = {}
    before, behind = range(begin - 1, max(-1, begin - 1 - _REACH), -1), range(end, min(len(text.lowered), end + _REACH))
    for places in (before, behind):
        weight = 1.0
        for place in places:
            name, factor = _weighed(text.lowered[place], text.language)
            if name == _HOME and _is_excluded(text, place):
                continue  # "outside the United States and Canada" is not about them
            if name and weight > found.get(name, 0.0):
                found[name] = weight
            weight *= factor
    return found


def _is_excluded(text: Text, place: int) -> bool:
    for before in reversed(text.lowered[max(0, place - _EXCLUDED_REACH) : place]):
        if is_digits(before):
            return False
        if before == _OUTSIDE:
            return True
    return False


def is_label(text: Text, place: int, words: Lexicon) -> bool:
    """Whether the number at ``place`` is a part of a name; False where no number stands."""
    word, before, after = text.word(place), text.word(place - 1), text.word(place + 1)
    if not is_digits(word) and word.lower() not in words.numerals:
        return False
    joined = _joined_word(text, place)
    if joined and joined not in words.numerals and joined not in words.currencies:
        return True
    if before.lower() in words.labels or _is_confidence(text, place, words):
        return True
    if not is_digits(word):
        return word[0].isupper() and place > 0 and before not in _SENTENCE_STARTS
    belongs = before.lower() in words.currencies or after in concepts().measures
    if belongs or not word.isdecimal() or _is_limit(text, place, words):
        return False  # names hold no points and commas; "less than 4 Romanian citizens"
    return _follows_name(before, after, words) or _precedes_name(before, after, words)


def is_whole(text: Text, place: int, words: Lexicon) -> bool:
    """Whether only so many are told of: "three of the five tests"."""
    while text.lower(place - 1) in words.determiners:
        place -= 1
    lengths = range(_LIMIT_REACH, 0, -1)
    of = next((length for length in lengths if tuple(text.lowered[max(0, place - length) : place]) in words.wholes), 0)
    before, first = text.lower(place - of - 1), text.lower(place - of - 2)
    is_so_many = is_digits(before) or before in words.number_words or before in words.parts
    return of > 0 and is_so_many and first not in words.universals  # "each one of the three tests"


def _is_limit(text: Text, place: int, words: Lexicon) -> bool:
    before = (tuple(text.lowered[max(0, place - length) : place]) for length in range(1, _LIMIT_REACH + 1))
    return any(words.bounds.get(phrase, "~") != "~" for phrase in before)


def _joined_word(text: Text, place: int) -> str:
    """The word that stands before the number without a space, or with a hyphen: the "covid" of COVID-19."""
    at = place - 2 if text.word(place - 1) in DASHES else place - 1
    if not text.word(at)[:1].isalpha() or not text.is_glued(at + 1):
        return ""
    return text.lower(at)


def _is_confidence(text: Text, place: int, words: Lexicon) -> bool:
    """Whether it tells how sure a range is: "95% CI"."""
    return (text.lower(place + 1),) in words.percent and text.lower(place + 2) in words.confidences


def _is_name(word: str, words: Lexicon) -> bool:
    return word[:1].isupper() and word.lower() not in words.plain_capitals and word.lower() not in words.months


def _follows_name(before: str, after: str, words: Lexicon) -> bool:
    if not _is_name(before, words):
        return False
    has_noun = after[:1].islower() and after not in words.no_nouns and after not in words.auxiliaries
    return not has_noun and after not in {"%", "percent"}


def _precedes_name(before: str, after: str, words: Lexicon) -> bool:
    follows = after.lower()
    if not after[:1].isupper() or follows in words.scales or follows in words.currencies:
        return False
    is_plain = follows in words.plain_capitals or follows in words.countable_names
    return not is_plain and before not in words.currencies
