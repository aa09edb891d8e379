"""A text in plain marks, and any stretch of it as words, numbers and marks with their places in the original."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property

from sparring.schema.lookups import Span, TextSpan

_PATTERN = r"""
      [^\W\d_]+(?:'[^\W\d_]+)?                               # words first: most tokens are
    | (?<![0-9.,])[0-9]{1,3}(?:\ [0-9]{3})+(?![0-9.,-])      # 394 054
    | (?<![\w.,])[0-9]{1,3}(?:_[0-9]{3})+(?!\w|[.,][0-9])    # 30_000
    | [0-9]+(?:[.,][0-9]+)*(?:st|nd|rd|th)(?![^\W\d_])       # 21st
    | [0-9]+(?:[.,][0-9]+)*
    | \d+                                                    # digits of other scripts are marks
    | -[LR][RSC]B-                                           # a bracket, as some corpora write it
    | [^\w\s]|_
"""
_TOKEN = re.compile(_PATTERN, re.VERBOSE)
_TOKEN_OF_ASCII = re.compile(_PATTERN.replace(r"[^\W\d_]", "[A-Za-z]"), re.VERBOSE | re.ASCII)
"""The same for text in ASCII, in less time."""

# Lost, non-breaking and narrow spaces; full-width digits; dashes and quotation marks.
_ALIKE = (("\ufffd\xa0\u2007\u2009\u202f\u3000", " "), ("‐‑‒–—―−", "-"), ("‘’ʼ", "'"), ("“”„«»「」『』", '"'))
_PLAIN = {ord(mark): plain for marks, plain in _ALIKE for mark in marks} | str.maketrans(
    "０１２３４５６７８９，．％", "0123456789,.%"
)
_CLUSTER = re.compile("[^\u0300-\u036f]?[\u0300-\u036f]*", re.DOTALL)

DASHES = frozenset("-")

MARKS = frozenset("\"'`,()[]*.!?;:…“”{}") | {"-LRB-", "-RRB-", "-lrb-", "-rrb-"}
"""Marks without meaning when sentences are compared word by word."""


def is_digits(token: str) -> bool:
    """Report whether a token is written in digits."""
    return "0" <= token[:1] <= "9"


def without_accents(word: str) -> str:
    """Return ``word`` without accents, as on a plain keyboard: "Sao Tome"."""
    if word.isascii():
        return word
    letters = [letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter)]
    return "".join(letters) or word


class PlainText:
    """A text with plain spaces, dashes and quotation marks, its letters composed (NFC).

    Attributes:
        original: The text as given; all spans refer to it.
        plain: The text that is compared.
    """

    def __init__(self, original: str) -> None:
        self.original = original
        self._starts: list[int] = []
        self._origins: list[int] = []
        spaced = original if original.isascii() else original.translate(_PLAIN)
        is_composed = unicodedata.is_normalized("NFC", spaced)
        self.plain = spaced if is_composed else "".join(self._composed(spaced))

    def span(self, start: int, end: int) -> TextSpan:
        """Return the place of ``plain[start:end]``, of at least one character, in the original."""
        if self._starts:  # composing letters has moved places
            first = bisect_right(self._starts, start) - 1
            following = bisect_right(self._starts, end - 1)
            start = self._origins[first]
            end = self._origins[following] if following < len(self._origins) else len(self.original)
        return TextSpan(text=self.original[start:end], start=start, end=end)

    def span_in(self, index: int, start: int, end: int) -> Span:
        """Return the same place, as one in source number ``index``."""
        there = self.span(start, end)
        return Span(index=index, text=there.text, start=there.start, end=there.end)

    def _composed(self, spaced: str) -> Iterator[str]:
        length = 0
        for match in _CLUSTER.finditer(spaced):
            piece = unicodedata.normalize("NFC", match[0])
            self._starts.append(length)
            self._origins.append(match.start())
            length += len(piece)
            yield piece


class Tokens:
    """The tokens of one stretch of a plain text.

    Attributes:
        start: Beginning of the stretch in the plain text.
        written: Every token as it is written; ``lowered`` the same in lower case, without accents that English drops.
        words: Every token in lower case except marks.
    """

    def __init__(self, plain: str, start: int, end: int, *, keeps_accents: bool = False) -> None:
        self.start = start
        self.text = plain[start:end]
        pattern = _TOKEN_OF_ASCII if self.text.isascii() else _TOKEN
        self.written: list[str] = pattern.findall(self.text)
        self.lowered = [word.lower() for word in self.written]
        if not keeps_accents and not self.text.isascii():
            self.lowered = [without_accents(word) for word in self.lowered]
        self.words = frozenset(self.lowered) - MARKS

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        find = self.text.find
        spans: list[tuple[int, int]] = []
        end = 0
        for word in self.written:
            start = find(word, end)
            end = start + len(word)
            spans.append((start, end))
        return spans

    def place(self, begin: int, end: int) -> tuple[int, int]:
        """Return the place in the plain text of the tokens ``begin`` to before ``end``, at least one."""
        return self.start + self._spans[begin][0], self.start + self._spans[end - 1][1]

    def within(self, start: int, end: int) -> tuple[int, int]:
        """Return the tokens that begin in ``text[start:end]``: the first, and the one after the last."""
        starts = [first for first, _ in self._spans]
        return bisect_left(starts, start), bisect_left(starts, end)

    def word(self, at: int) -> str:
        """Return the token at ``at`` as it is written; empty outside of the stretch."""
        return self.written[at] if 0 <= at < len(self.written) else ""

    def lower(self, at: int) -> str:
        """Return the token at ``at`` in lower case; empty outside of the stretch."""
        return self.lowered[at] if 0 <= at < len(self.lowered) else ""

    def is_glued(self, at: int) -> bool:
        """Report whether the token at ``at`` follows without a space."""
        return 0 < at < len(self._spans) and self._spans[at][0] == self._spans[at - 1][1]
