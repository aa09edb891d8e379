"""Tokens of a text, estimated without the tokenizer of any model.

Tokenizers differ by a third for prose, and by more for code and for scripts other than Latin. So there are two numbers:
one that is about right, for plans, and one that hardly any tokenizer goes below, for saying that something is wrong.
"""

import re

_BLANKS = re.compile(r"\s{3,}|([^\w\s])\1{3,}")
"""Runs that a tokenizer may take for one token."""

_ASCII_PER_TOKEN = 4.0
_OTHERS_PER_TOKEN = 1.6

_LEAST = re.compile(r"[A-Za-z]+|\d{1,3}")
"""Words and groups of digits: each is at least one token."""


def tokens_about(text: str) -> int:
    """Return the approximate number of tokens of ``text`` for a usual tokenizer."""
    ascii_ = _ascii_in(text)
    return round(ascii_ / _ASCII_PER_TOKEN + (len(text) - ascii_) / _OTHERS_PER_TOKEN)


def tokens_at_least(text: str) -> int:
    """A number of tokens that hardly any tokenizer goes below for ``text``."""
    plain = _BLANKS.sub("  ", text)
    letters = _ascii_in(plain)
    words = sum(1 for _ in _LEAST.finditer(plain))
    return round(min(words + (len(plain) - letters) / 4, 0.9 * tokens_about(plain)))


def _ascii_in(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("ascii", "ignore"))  # a loop takes twenty times as long
