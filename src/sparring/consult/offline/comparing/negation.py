"""Words that turn a statement into its opposite, in English and Vietnamese."""

import re
import unicodedata

_NEGATION = re.compile(
    # An accent may stand by itself behind its letter: then "no" is the beginning of a Vietnamese word.
    r"\b(?:not|no|never|none|nor|neither|nobody|nothing|without|cannot|không|chưa|chẳng|chả|đừng)\b(?![\u0300-\u036f])|"
    r"n[’'`]t\b",
    re.IGNORECASE,
)
_RIGHT_BEFORE = re.compile(rf"(?:{_NEGATION.pattern})[^\S\n]+(?:\w+[^\S\n]+){{0,2}}$", re.IGNORECASE)
_REACH = 60
"""Characters that a negation and two words after it take up at most."""


def is_negated(text: str) -> bool:
    """Whether a negation is among the words of ``text``."""
    return _NEGATION.search(unicodedata.normalize("NFC", text)) is not None


def with_negation(text: str, place: int) -> int:
    """Where the negation begins that stands at most two words before ``place``; ``place`` where there is none."""
    found = _RIGHT_BEFORE.search(text, max(0, place - _REACH), place)
    return found.start() if found else place
