"""Numbers that name something and count nothing: COVID-19, 127 Hours, season 2, number one."""

from sparring.checks.claims.lexicon import Lexicon
from sparring.checks.claims.tokens import Text, is_digits

DASHES = frozenset("-")
_LIMIT_REACH = 3
_SENTENCE_STARTS = frozenset(".:;")


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
    if not word.isdecimal() or _is_limit(text, place, words):
        return False  # names hold no points and commas; "less than 4 Romanian citizens"
    return _follows_name(before, after, words) or _precedes_name(before, after, words)


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


def _follows_name(before: str, after: str, words: Lexicon) -> bool:
    if not before[:1].isupper() or before.lower() in words.plain_capitals or before.lower() in words.months:
        return False
    has_noun = after[:1].islower() and after not in words.no_nouns | words.auxiliaries
    return not has_noun and after not in {"%", "percent"}


def _precedes_name(before: str, after: str, words: Lexicon) -> bool:
    follows = after.lower()
    if not after[:1].isupper() or follows in words.scales or follows in words.currencies:
        return False
    return follows not in words.plain_capitals | words.countable_names and before not in words.currencies
