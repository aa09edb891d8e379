"""Words of a text: the one definition of a word, for every comparison of words.

Sentences are in ``text.prose``, terms for a search in ``text.terms``, tokens of models in ``text.tokens``.
"""

import re

WORD = re.compile(r"\w+")
"""A word or an identifier; digits and underscores belong to it."""

PART = re.compile(r"[^\W_]+")
"""A part of a name: as ``WORD``, but an underscore ends it."""

MARK_OR_WORD = re.compile(r"\w+|[^\w\s]")
"""A word, or a single character that is neither part of one nor white space."""

UNSPACED = re.compile(r"[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""Scripts that put no spaces between words: Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese."""

SPACED = rf"(?:(?!{UNSPACED.pattern})\w)"
"""Pattern of a word's continuation: a script without spaces next to a name does not continue it."""

UNIT = re.compile(rf"{UNSPACED.pattern}|(?:(?!{UNSPACED.pattern})[^\W_])+")
"""A part of a name; in a script without spaces, a character."""


def words(text: str) -> list[str]:
    """Return the words of ``text`` in their order, as they are written."""
    return WORD.findall(text)


def letters_in(text: str) -> int:
    """Return how many letters and digits ``text`` has; a character of a script without spaces counts as two."""
    return sum(map(str.isalnum, text)) + len(UNSPACED.findall(text))


def words_in(text: str) -> int:
    """Return how many words ``text`` has between white space; in a script without spaces two characters are one."""
    return len(text.split()) + len(UNSPACED.findall(text)) // 2
