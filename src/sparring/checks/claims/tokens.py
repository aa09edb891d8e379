"""A text as words, numbers and marks, each with its place in the original."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      (?<![0-9.,])[0-9]{1,3}(?:\ [0-9]{3})+(?![0-9.,-])      # 394 054
    | (?<![\w.])[.][0-9]+                                     # .500, a share of one: no number of anything
    | [0-9]+(?:[.,][0-9]+)*(?:st|nd|rd|th)(?![^\W\d_])       # 21st
    | [0-9]+(?:[.,][0-9]+)*
    | [^\W\d_]+(?:['’][^\W\d_]+)?
    | \d+                                                    # other scripts' digits are marks
    | [^\w\s]
    """,
    re.VERBOSE,
)
_VIETNAMESE = re.compile("[ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]", re.IGNORECASE)
_ENOUGH_VIETNAMESE = 2  # letters; a name in an English sentence may hold one
_SENTENCE_ENDS = frozenset(".!?;")
_CLUSTER = re.compile("[^\u0300-\u036f]?[\u0300-\u036f]*", re.DOTALL)


class Language(StrEnum):
    """Whose numerals, months and small words a text uses."""

    ENGLISH = "en"
    VIETNAMESE = "vi"


class Token(NamedTuple):
    """One word, number or mark, and its place in the original text.

    Attributes:
        is_digits: Whether it is written in digits.
        is_word: Whether it begins with a letter.
    """

    text: str
    lower: str
    start: int
    end: int
    is_digits: bool
    is_word: bool

    @property
    def is_capitalised(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[0].isupper()


class Text:
    """A text that is read once. Spaces that were lost or do not break are spaces; how letters are composed, nothing."""

    def __init__(self, original: str) -> None:
        self.original = original
        composed = _Composed(original)
        self.tokens = tuple(_tokens(composed))
        letters = sum(1 for _ in _VIETNAMESE.finditer(composed.text))
        self.language = Language.VIETNAMESE if letters >= _ENOUGH_VIETNAMESE else Language.ENGLISH

    @cached_property
    def words(self) -> frozenset[str]:
        """Every token as it is written."""
        return frozenset(token.text for token in self.tokens)

    def word(self, place: int) -> str:
        """The token at ``place`` as it is written; empty outside of the text."""
        return self.tokens[place].text if 0 <= place < len(self.tokens) else ""

    def lower(self, place: int) -> str:
        """The token at ``place`` in small letters; empty outside of the text."""
        return self.tokens[place].lower if 0 <= place < len(self.tokens) else ""

    def is_glued(self, place: int) -> bool:
        """Whether no space stands before the token at ``place``."""
        return 0 < place < len(self.tokens) and self.tokens[place].start == self.tokens[place - 1].end

    def is_one_sentence(self, one: int, other: int) -> bool:
        """Whether no sentence ends between two tokens."""
        begin, end = sorted((one, other))
        return not any(self.ends_sentence(place) for place in range(begin, end))

    def ends_sentence(self, place: int) -> bool:
        """Whether the token at ``place`` ends a sentence: a full stop before a small letter does not."""
        return self.tokens[place].text in _SENTENCE_ENDS and not self.word(place + 1)[:1].islower()

    def offsets(self, begin: int, end: int) -> tuple[int, int]:
        """Where the tokens from ``begin`` to before ``end`` stand in the original; there must be at least one."""
        return self.tokens[begin].start, self.tokens[end - 1].end


class _Composed:
    """A text in NFC with plain spaces, and the way back to the original."""

    def __init__(self, original: str) -> None:
        spaced = original.replace("\ufffd", " ").replace("\xa0", " ")
        self._starts: list[int] = []
        self._origins: list[int] = []
        if unicodedata.is_normalized("NFC", spaced):
            self.text = spaced
        else:
            self.text = "".join(self._pieces(spaced))

    def original_place(self, place: int) -> int:
        """Where the character at ``place`` begins in the original."""
        if not self._starts:
            return place
        piece = bisect_right(self._starts, place) - 1
        return self._origins[piece]

    def original_end(self, place: int) -> int:
        """Where the character before ``place`` ends in the original."""
        if not self._starts:
            return place
        piece = bisect_right(self._starts, place - 1) - 1
        return self._origins[piece + 1]

    def _pieces(self, spaced: str) -> Iterator[str]:
        length = 0
        for match in _CLUSTER.finditer(spaced):
            piece = unicodedata.normalize("NFC", match[0])
            self._starts.append(length)
            self._origins.append(match.start())
            length += len(piece)
            yield piece


def _tokens(composed: _Composed) -> Iterator[Token]:
    for match in _TOKEN.finditer(composed.text):
        start, end = composed.original_place(match.start()), composed.original_end(match.end())
        text = match[0]
        yield Token(text, text.lower(), start, end, is_digits="0" <= text[0] <= "9", is_word=text[0].isalpha())
