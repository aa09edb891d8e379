"""A text as words, numbers and marks, each with its place in the original."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from sparring.schema.lookups import Span, TextSpan

_TOKEN = re.compile(
    r"""
      [^\W\d_]+(?:'[^\W\d_]+)?                            # words first: most tokens are
    | (?<![0-9.,])[0-9]{1,3}(?:\ [0-9]{3})+(?![0-9.,-])      # 394 054
    | (?<![\w.,])[0-9]{1,3}(?:_[0-9]{3})+(?!\w|[.,][0-9])     # 30_000
    | (?<![\w.])[.][0-9]+                                     # .500, a share of one: no number of anything
    | [0-9]+(?:[.,][0-9]+)*(?:st|nd|rd|th)(?![^\W\d_])       # 21st
    | [0-9]+(?:[.,][0-9]+)*
    | \d+                                                    # other scripts' digits are marks
    | [^\w\s]
    """,
    re.VERBOSE,
)
_VIETNAMESE = re.compile("[ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]", re.IGNORECASE)
_ENOUGH_VIETNAMESE = 2  # letters; a name in an English sentence may hold one
# Small words that the other language does not have.
_ONLY_VIETNAMESE = frozenset({"và", "là", "có", "các", "này", "vào", "không", "khoảng", "ngày", "tháng", "trước"})
_ONLY_ENGLISH = frozenset({"the", "of", "and", "was", "were", "is", "are", "had", "has", "by", "from", "that", "which"})
# Spaces that were lost, do not break or are narrow; digits as wide as Chinese characters; dashes and quotation marks.
_ALIKE = (("\ufffd\xa0\u2007\u2009\u202f", " "), ("‐‑‒–—―−", "-"), ("‘’ʼ", "'"), ("“”„", '"'))
_PLAIN = {ord(mark): plain for marks, plain in _ALIKE for mark in marks} | str.maketrans(
    "０１２３４５６７８９，．％", "0123456789,.%"
)
_SENTENCE_ENDS = frozenset(".!?;")
DASHES = frozenset("-")
_CLUSTER = re.compile("[^\u0300-\u036f]?[\u0300-\u036f]*", re.DOTALL)


class Language(StrEnum):
    """Whose numerals, months and small words a text uses."""

    ENGLISH = "en"
    VIETNAMESE = "vi"


def is_digits(word: str) -> bool:
    """Whether a token is written in digits."""
    return "0" <= word[:1] <= "9"


class Token(NamedTuple):
    """One word, number or mark, as it is written and in small letters."""

    text: str
    lower: str

    @property
    def is_digits(self) -> bool:
        """Whether it is written in digits."""
        return is_digits(self.text)

    @property
    def is_word(self) -> bool:
        """Whether it begins with a letter."""
        return self.text[0].isalpha()

    @property
    def is_capitalised(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[0].isupper()


class Text:
    """A text that is read once; its spaces, dashes and quotation marks are plain, its letters composed.

    Attributes:
        composed: The text with plain spaces and marks.
        written: Every token as it is written.
        lowered: The same in small letters, and in English without accents: who writes of São Tomé may leave them out.
        language: Where no word tells, that of what stands ``beside`` it: "năm 1751" is a piece of a sentence.
    """

    def __init__(self, original: str, beside: Language = Language.ENGLISH) -> None:
        self.original = original
        self._starts: list[int] = []
        self._origins: list[int] = []
        spaced = original if original.isascii() else original.translate(_PLAIN)
        is_composed = unicodedata.is_normalized("NFC", spaced)
        self.composed = spaced if is_composed else "".join(self._composed_pieces(spaced))
        self.written: list[str] = _TOKEN.findall(self.composed)
        self.lowered = [word.lower() for word in self.written]
        self.language = _language(self.composed, self.lowered, beside)
        if self.language is Language.ENGLISH and not original.isascii():
            self.lowered = [without_accents(word) for word in self.lowered]

    @cached_property
    def tokens(self) -> Sequence[Token]:
        """Every token."""
        return [Token(*each) for each in zip(self.written, self.lowered, strict=True)]

    def span(self, start: int, end: int) -> TextSpan:
        """Where the characters of ``composed`` from ``start`` to before ``end`` stand in the original; at least one."""
        if self._starts:
            first, last = (bisect_right(self._starts, place) - 1 for place in (start, end - 1))
            start, end = self._origins[first], self._origins[last + 1]
        return TextSpan(text=self.original[start:end], start=start, end=end)

    def span_of(self, begin: int, end: int) -> TextSpan:
        """The tokens from ``begin`` to before ``end`` as they stand in the original; there must be at least one."""
        return self.span(*self.offsets(begin, end))

    def _composed_pieces(self, spaced: str) -> Iterator[str]:
        """The original in NFC, piece by piece; where each begins is kept."""
        length = 0
        for match in _CLUSTER.finditer(spaced):
            piece = unicodedata.normalize("NFC", match[0])
            self._starts.append(length)
            self._origins.append(match.start())
            length += len(piece)
            yield piece

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return [match.span() for match in _TOKEN.finditer(self.composed)]

    def offsets(self, begin: int, end: int) -> tuple[int, int]:
        """Where the tokens from ``begin`` to before ``end`` stand in ``composed``; there must be at least one."""
        return self._spans[begin][0], self._spans[end - 1][1]

    @cached_property
    def words(self) -> frozenset[str]:
        """Every token as it is written, once."""
        return frozenset(self.written)

    @cached_property
    def lowered_words(self) -> frozenset[str]:
        """Every token in small letters, once."""
        return frozenset(self.lowered)

    @cached_property
    def sentence_ends(self) -> tuple[int, ...]:
        """The place behind each token that ends a sentence, and that behind the last token."""
        ends = [place + 1 for place in self._ends]
        return tuple(ends) if ends[-1:] == [len(self.written)] else (*ends, len(self.written))

    @cached_property
    def _ends(self) -> Sequence[int]:
        return [
            place for place, word in enumerate(self.written) if word in _SENTENCE_ENDS and self.ends_sentence(place)
        ]

    def places_of(self, words: Set[str]) -> list[int]:
        """Where digits stand, or one of ``words``, which are in small letters."""
        there = words & self.lowered_words
        return [place for place, word in enumerate(self.lowered) if word in there or "0" <= word[0] <= "9"]

    def word(self, place: int) -> str:
        """The token at ``place`` as it is written; empty outside of the text."""
        return self.written[place] if 0 <= place < len(self.written) else ""

    def lower(self, place: int) -> str:
        """The token at ``place`` in small letters; empty outside of the text."""
        return self.lowered[place] if 0 <= place < len(self.lowered) else ""

    def is_glued(self, place: int) -> bool:
        """Whether no space stands before the token at ``place``."""
        return 0 < place < len(self._spans) and self._spans[place][0] == self._spans[place - 1][1]

    def sentence_at(self, place: int) -> int:
        """The number of the sentence of a token."""
        return bisect_left(self._ends, place)

    def is_one_sentence(self, one: int, other: int) -> bool:
        """Whether no sentence ends between two tokens."""
        return self.sentence_at(one) == self.sentence_at(other)

    def ends_sentence(self, place: int) -> bool:
        """Whether the token at ``place`` ends a sentence: a full stop before a small letter does not."""
        return self.written[place] in _SENTENCE_ENDS and not self.word(place + 1)[:1].islower()


def in_source(index: int, place: TextSpan) -> Span:
    """A place in the text that is source ``index``."""
    return Span(index=index, **dict(place))


def without_accents(word: str) -> str:
    """A word as who has no such keys writes it: "Sao Tome"."""
    if word.isascii():
        return word
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter)) or word


def _language(text: str, words: Sequence[str], beside: Language) -> Language:
    if text.isascii():
        return Language.ENGLISH
    english = sum(word in _ONLY_ENGLISH for word in words)
    letters = sum(1 for _ in _VIETNAMESE.finditer(text)) + sum(word in _ONLY_VIETNAMESE for word in words)
    if letters < _ENOUGH_VIETNAMESE:
        return Language.ENGLISH if english else beside
    vietnamese = sum(1 for word in words if word in _ONLY_VIETNAMESE or _VIETNAMESE.search(word))
    return Language.VIETNAMESE if vietnamese > english else Language.ENGLISH
