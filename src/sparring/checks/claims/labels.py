"""Numbers that name something and count nothing: COVID-19, 127 Hours, season 2, number one."""

from sparring.checks.claims.lexicon import Lexicon
from sparring.checks.claims.tokens import Text

DASHES = frozenset("–-—")
_HYPHENS = DASHES | {"‑"}
_SENTENCE_STARTS = frozenset(".:;")


def is_label(text: Text, place: int, words: Lexicon) -> bool:
    """Whether the number at ``place`` is a part of a name; False where no number stands."""
    token = text.tokens[place]
    is_spelled = token.lower in words.numerals
    if not token.is_digits and not is_spelled:
        return False
    if (joined := _joined_word(text, place)) and joined not in words.numerals:
        return True
    before, after = text.word(place - 1), text.word(place + 1)
    if before.lower() in words.labels or before == "#":
        return True
    if is_spelled:
        return token.is_capitalised and place > 0 and before not in _SENTENCE_STARTS
    if not token.text.isdecimal():
        return False  # names hold no points and commas
    return _follows_name(before, after, words) or _precedes_name(before, after, words)


def _joined_word(text: Text, place: int) -> str:
    """The word that a hyphen joins to the number: the "covid" of COVID-19."""
    if text.word(place - 1) not in _HYPHENS or place < 2 or not text.is_glued(place - 1):
        return ""
    return text.lower(place - 2) if text.tokens[place - 2].is_word else ""


def _follows_name(before: str, after: str, words: Lexicon) -> bool:
    if not before[:1].isupper() or before.lower() in words.plain_capitals or before.lower() in words.months:
        return False
    has_noun = after[:1].islower() and after.lower() not in words.no_nouns
    return not has_noun and after not in {"%", "percent"}


def _precedes_name(before: str, after: str, words: Lexicon) -> bool:
    follows = after.lower()
    if not after[:1].isupper() or follows in words.scales or follows in words.currencies:
        return False
    return follows not in words.plain_capitals | words.countable_names and before not in words.currencies
