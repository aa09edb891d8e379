"""Make texts comparable without losing any meaning, and map places back to the original.

Folded away, on both sides alike: Unicode composition, invisible characters, the kind of quotation marks, dashes and
white space, and the spaces that a Penn-style tokeniser puts around punctuation. Kept: letters with their
case and diacritics, digits, punctuation, and the boundaries of words. Compatibility forms (NFKC) are
kept apart, since ``10²`` is not ``102``.
"""

import re
from bisect import bisect_right
from unicodedata import category, normalize

from msgspec import Struct

from sparring.text.words import UNSPACED

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_DOUBLE = '"“”„‟«»〝〞＂'
_SINGLE = "'‘’‚‛‹›′`´ʼ＇"
DASHES = "-" + "".join(
    chr(code) for code in (*range(0x2010, 0x2016), 0x2043, 0x2212, 0x2E3A, 0x2E3B, 0xFE58, 0xFE63, 0xFF0D)
)
"""Everything that is set for a hyphen, a dash or a minus; each is folded, and each can be a sign."""

_INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a"
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0c56\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dca\u0dcf\u0ddf\u0e47-\u0e4e"
    "\u102e\u1160-\u11ff\u1ab0-\u1aff\u1b35\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
)
"""Marks that combine with the letter before them, so that both are composed together."""

# A lost no-break space (U+FFFD) after a digit is a space; anywhere else it may have been a letter.
_SPACE = r"(?:\s|(?<=[0-9])\ufffd(?=\w))"

_UNSEEN = re.compile(f"[{_INVISIBLE}]")
_GAP = f"[{_INVISIBLE}]*"
_WORD = rf"[A-Za-z0-9]+(?!{_GAP}[{_MARKS}])"
_WHOLE_WORD = rf"[A-Za-z0-9]++(?!{_GAP}[{_MARKS}])"
_PIECE = re.compile(
    rf"""
      (?P<plain>{_WORD}(?:\ (?:{_WHOLE_WORD})(?![`'’ʼ]))*+)  # words, and the spaces that surely tell them apart
    | (?P<space>{_SPACE}(?:{_SPACE}|[{_INVISIBLE}])*)
    | (?P<nothing>[{_INVISIBLE}]+)
    | (?P<bracket>-(?:LRB|RRB|LSB|RSB|LCB|RCB)-)
    | (?P<double>`{_GAP}`|'{_GAP}'|’{_GAP}’|‘{_GAP}‘|[{_DOUBLE}])
    | (?P<single>[{_SINGLE}])
    | (?P<dash>[{DASHES}](?:{_GAP}[{DASHES}])*)
    | (?P<ellipsis>…)
    | (?P<cluster>.(?:{_GAP}[{_MARKS}])*)
    """,
    re.VERBOSE | re.DOTALL,
)
_FOLDED = {"double": '"', "single": "'", "dash": "-", "ellipsis": "..."}
_NEGATED = re.compile(r"[nN][`'’ʼ][tT](?!\w)")


_BOTH_SIDES, _DECIMAL = re.compile(r"\w\w"), re.compile(r"\d\.\d")


class Folded(Struct, frozen=True):
    """A folded text.

    Attributes:
        starts: For each piece of ``text``, where it begins there; ascending.
        origins: For each piece, where it begins and ends in the original. Within a piece of equal length, places
            correspond one to one.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[tuple[int, int], ...]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of the non-empty ``text[start:end]``."""
        return self._place(start)[0], self._place(end - 1)[1]

    def _place(self, position: int) -> tuple[int, int]:
        piece = bisect_right(self.starts, position) - 1
        piece_start = self.starts[piece]
        piece_end = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        begin, end = self.origins[piece]
        if end - begin != piece_end - piece_start:  # places within it do not correspond
            return begin, end
        offset = position - piece_start
        return begin + offset, begin + offset + 1


_AS_IT_IS = re.compile(r"(?:[!#-&(-,./-_a-~]|(?<=[A-Za-z0-9]) (?=[A-Za-z0-9]))++")
"""Letters, digits and marks that fold into themselves, with single spaces between words."""


def fold(text: str) -> Folded:
    """``text`` in its comparable form. Linear in its length."""
    if _AS_IT_IS.fullmatch(text):
        return Folded(text, (0,), ((0, len(text)),))
    folding = _Folding(text)
    for match in _PIECE.finditer(text):
        folding.take(match)
    return folding.done()


def is_mark(character: str) -> bool:
    """Return whether it combines with the letter before it: an accent, or a vowel of an Indian script."""
    return not character.isascii() and category(character).startswith("M")


def is_dash(character: str) -> bool:
    """Report whether ``character`` is a dash, or can be a minus."""
    return bool(character) and character in DASHES


def is_sign(character: str) -> bool:
    """Return whether ``character`` before a number makes it another one, as a bound or a currency does."""
    if not character or character in "=|":
        return False
    return category(character) in {"Sm", "Sc"}


def is_unit(character: str) -> bool:
    """Return whether ``character`` behind a number belongs to it: a currency, a share, a degree."""
    if not character:
        return False
    return character in "%‰‱°′″٪﹪％" or category(character) in {"Sc", "No"}


def without_invisible(text: str) -> str:
    """Return ``text`` without invisible characters."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def is_inside_word(text: str, place: int) -> bool:
    """Return whether a word, name or decimal stands on both sides of ``place``; not in scripts without spaces."""
    around = text[max(0, place - 1) : place + 1]
    if _BOTH_SIDES.fullmatch(around):
        return not UNSPACED.search(around)
    # The place may be behind the point of a decimal, or before it.
    behind_point, before_point = text[max(0, place - 2) : place + 1], text[max(0, place - 1) : place + 2]
    return bool(_DECIMAL.fullmatch(behind_point) or _DECIMAL.fullmatch(before_point))


class _Folding:
    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._origins: list[tuple[int, int]] = []
        self._length = 0
        self._last = ""
        self._before_last = ""
        self._space: tuple[int, int] | None = None

    def take(self, match: re.Match[str]) -> None:
        kind, text = match.lastgroup or "", match[0]
        if kind == "nothing":
            return
        if kind == "space":
            self._space = self._space or match.span()
            return
        folded = _FOLDED.get(kind) or _BRACKETS.get(text) or _composed(text)
        # A space is kept or dropped when the character after it is known.
        if self._space is not None:
            if self._keeps_space(folded[0], match.start()):
                self._add(" ", self._space)
            self._space = None
        self._add(folded, match.span())

    def done(self) -> Folded:
        return Folded("".join(self._pieces), tuple(self._starts), tuple(self._origins))

    def _keeps_space(self, following: str, place: int) -> bool:
        """Return whether the white space before ``following`` separates words, and is not only typography."""
        last = self._last
        if not following.isalnum() or not last:
            return False
        if last.isalnum() or is_mark(last):
            is_contraction = last.isalpha() and _NEGATED.match(self._text, place)  # "does n't" is one word
            return not is_contraction
        # "in 1999, 20 people" must not become the number 1999,20.
        return last in ".,:" and self._before_last.isdigit() and following.isdigit()

    def _add(self, folded: str, origin: tuple[int, int]) -> None:
        self._pieces.append(folded)
        self._starts.append(self._length)
        self._origins.append(origin)
        self._length += len(folded)
        self._before_last = folded[-2] if len(folded) > 1 else self._last
        self._last = folded[-1]


def _composed(text: str) -> str:
    return text if text.isascii() else normalize("NFC", _UNSEEN.sub("", text))
