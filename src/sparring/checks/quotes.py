"""VERIFY quotes: look a quote up in the evidence, and return its place (design: Checks, Quotes).

Only an occurrence, word for word, makes a quote verbatim. Similarity only points to the probable source. The
policy for debatable cases is in ``docs/checks.md``.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import islice

from sparring.checks.folding import DASHES, Folded, fold, is_dash, is_mark, is_sign, is_unit, without_invisible
from sparring.schema.lookups import Nearest, QuoteFinding, QuoteVerdict, Span, TextSpan
from sparring.text.words import MARK_OR_WORD, UNSPACED, WORD, words

_IN_A_NAME = re.compile(r"[^\W_]_[^\W_]")


def _begins(text: str, start: int) -> bool:
    """Report whether the first word is whole before ``start``, with its marks; ``_ends`` does the same of the end."""
    return start == 0 or not _joined(text[start - 1], text[start])


def _ends(text: str, end: int) -> bool:
    if end == len(text):
        return True
    last = text[end - 1]
    return not (_joined(last, text[end]) or (last in "nN" and text[end : end + 2].lower() == "'t"))


def _joined(one: str, other: str) -> bool:
    """Report whether two characters belong to one word: letters or digits of a script with spaces, with their marks."""
    if not (one.isalnum() or is_mark(one)) or not (other.isalnum() or is_mark(other)):
        return False
    if is_mark(other):
        return True
    return not UNSPACED.match(one) and not UNSPACED.match(other)


_ENOUGH = 0.6
"""Share of words in common from which on a place is worth showing."""

_MOST_PLACES = 64
"""A word with more places is too frequent to limit the search."""

_QUOTE_LIMIT = 400
"""Words of a quote that are compared: comparing is quadratic, and a longer one is recognised by its beginning."""


class _Likeness:
    """The words of the sources, indexed on first use."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = sources

    def nearest(self, quote: str) -> Nearest | None:
        """The place most like ``quote``, if any is like it, and how it differs."""
        span = self.place(quote)
        return Nearest(span=span, difference=_difference(quote, span.text)) if span else None

    def place(self, quote: str) -> Span | None:
        """The place most like ``quote``, if any is like it."""
        quoted = [_key(word[0]) for word in islice(MARK_OR_WORD.finditer(quote), _QUOTE_LIMIT)]
        votes = self._votes(quoted)
        if not votes:
            return None
        # The earliest of the places with most votes.
        (index, offset), _ = max(votes.items(), key=lambda vote: (vote[1], -vote[0][0], -vote[0][1]))
        words = self._words[index]
        slack = len(quoted) // 4 + 2
        begin, end = max(0, offset - slack), min(len(words), offset + len(quoted) + slack)
        window = [_key(word[0]) for word in words[begin:end]]
        matcher = SequenceMatcher(None, quoted, window, autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
        in_common = sum(block.size for block in blocks)
        if not blocks or in_common < _ENOUGH * len(quoted):
            return None
        # The words that the quote has before the first common block and after the last one have their place, too.
        first_block, last_block = blocks[0], blocks[-1]
        first = max(begin, begin + first_block.b - first_block.a)
        after_last_block = len(quoted) - last_block.a - last_block.size
        last = min(end, begin + last_block.b + last_block.size + after_last_block)
        start, stop = words[first].start(), words[last - 1].end()
        return Span(index=index, start=start, end=stop, text=self._sources[index][start:stop])

    def _votes(self, quoted: list[str]) -> Counter[tuple[int, int]]:
        """Count for each place at which the quote may begin how many of its words stand where they then should."""
        votes: Counter[tuple[int, int]] = Counter()
        for position, word in enumerate(quoted):
            for index, place in self._places.get(word, ())[:_MOST_PLACES]:
                votes[index, max(0, place - position)] += 1
        return votes

    @cached_property
    def _words(self) -> list[list[re.Match[str]]]:
        return [list(MARK_OR_WORD.finditer(source)) for source in self._sources]

    @cached_property
    def _places(self) -> dict[str, list[tuple[int, int]]]:
        places: dict[str, list[tuple[int, int]]] = {}
        for index, source_words in enumerate(self._words):
            for place, word in enumerate(source_words):
                places.setdefault(_key(word[0]), []).append((index, place))
        return places


def _key(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold()


def _difference(quote: str, place: str) -> str:
    """Return the words of both, those of the quote alone as ``[-…-]`` and those of the place alone as ``{+…+}``."""
    quoted = [word[0] for word in islice(MARK_OR_WORD.finditer(quote), _QUOTE_LIMIT)]
    there = [word[0] for word in islice(MARK_OR_WORD.finditer(place), _QUOTE_LIMIT)]
    matcher = SequenceMatcher(None, quoted, there, autojunk=False)
    pieces: list[str] = []
    for operation, begin, end, there_begin, there_end in matcher.get_opcodes():
        if operation == "equal":
            pieces += quoted[begin:end]
            continue
        if begin < end:
            pieces.append(f"[-{' '.join(quoted[begin:end])}-]")
        if there_begin < there_end:
            pieces.append(f"{{+{' '.join(there[there_begin:there_end])}+}}")
    return " ".join(pieces)


_MARKS = "\"'*_"
_BULLETS = "->"
"""Signs of list items; a minus or a "greater than" before a digit is none."""

_BRACKETS = {"[": "]", "(": ")"}
_FEWEST_DOTS = 3
_INNER_ELLIPSIS = re.compile(r"\[\.{3,}\]|\(\.{3,}\)|\.{3,}")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|nobody|nothing|without|cannot|không|chưa|chẳng|chả|đừng)\b|n't\b",
    re.IGNORECASE,
)
_FEWEST_WORDS_OF_A_PART = 2
_MOST_WRAPPINGS = 8
"""Marks within marks that are taken off a quote; each layer costs a search."""


class Evidence:
    """Sources, prepared once; each is searched separately, so that no quote spans two of them."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = tuple(sources)
        self._folded = tuple(fold(source) for source in self._sources)
        self._likeness = _Likeness(self._sources)

    def find(self, quote: str) -> QuoteFinding:
        """Search the sources for ``quote``: return its places, else the nearest passage, else neither.

        An empty quote, or one without a letter or digit, is never found: it would support any claim. Offsets are
        those of the original sources.
        """
        if places := self._places(quote):
            return self._verbatim(*places)
        nearest = self._likeness.nearest(quote) if WORD.search(quote) else None
        return QuoteFinding(verdict=QuoteVerdict.ALTERED, nearest=nearest) if nearest else _NOT_FOUND

    def locate(self, quote: str) -> TextSpan | None:
        """Return the span of ``quote``, found as in ``find``; None if it does not occur. Costs less than that."""
        located = self._places(quote)
        if located is None:
            return None
        index, places = located
        start, end = places[0][0], places[-1][1]
        return TextSpan(text=self._sources[index][start:end], start=start, end=end)

    def is_like(self, quote: str) -> bool:
        """Return whether ``find`` would call ``quote``, which stands nowhere, altered."""
        return WORD.search(quote) is not None and self._likeness.place(quote) is not None

    def _places(self, quote: str) -> tuple[int, list[tuple[int, int]]] | None:
        """In which source ``quote`` stands, and where there its parts do."""
        for wording in _wordings(fold(quote).text):
            for index, source in enumerate(self._folded):
                parts = _located(source, self._sources[index], wording)
                if parts:
                    return index, [source.original(start, end) for start, end in parts]
        return None

    def _verbatim(self, index: int, places: list[tuple[int, int]]) -> QuoteFinding:
        whole = self._span(index, places[0][0], places[-1][1])
        parts = tuple(self._span(index, start, end) for start, end in places)
        return QuoteFinding(verdict=QuoteVerdict.VERBATIM, span=whole, parts=parts)

    def _span(self, index: int, start: int, end: int) -> Span:
        return Span(index=index, start=start, end=end, text=self._sources[index][start:end])


_NOT_FOUND = QuoteFinding(verdict=QuoteVerdict.NOT_FOUND)


def _wordings(quote: str) -> Iterator[str]:
    """Yield the quote unchanged, then without characters that writers put around quotes; only forms with content."""
    seen: set[str] = set()
    for _ in range(_MOST_WRAPPINGS):
        if quote in seen or not WORD.search(quote):
            break
        seen.add(quote)
        yield quote
        bare = _without_ellipses(quote)
        quote = bare if bare != quote else _unwrapped(quote)
    if quote.endswith(".") and WORD.search(quote):
        yield quote[:-1]


# Both ends are read by hand: a pattern anchored at the end of the text would start again at each mark.
def _without_ellipses(quote: str) -> str:
    """Return the quote without the ellipsis at either end, which may stand in brackets."""
    if opening := _INNER_ELLIPSIS.match(quote):
        quote = quote[opening.end() :]
    bare = quote[:-1] if quote[-1:] in _BRACKETS.values() else quote
    left = bare.rstrip(".")
    if len(bare) - len(left) < _FEWEST_DOTS:
        return quote
    if bare is quote:
        return left
    return left[:-1] if _BRACKETS.get(left[-1:]) == quote[-1] else quote


def _unwrapped(quote: str) -> str:
    """The quote without the marks around it; behind a digit, one that was not opened stands for feet or inches."""
    begin = len(quote) - len(quote.lstrip(_MARKS + _BULLETS + "•"))
    if quote[begin : begin + 1].isdecimal():  # "-5": the sign belongs to the number
        begin = len(quote[:begin].rstrip(_BULLETS))
    if begin == 0 and quote[:1] in _BRACKETS:
        begin = 1
    opened = quote[begin:]
    closed = opened[:-1] if opened[-1:] in _BRACKETS.values() else opened.rstrip(_MARKS)
    is_unopened = begin == 0
    ends_in_measure = closed[-1:].isdecimal() or closed[-1:] in tuple(_MARKS)
    return opened if is_unopened and ends_in_measure else closed


def _located(source: Folded, original: str, wording: str) -> list[tuple[int, int]]:
    """Return the places of the parts of ``wording``, in order; empty unless all occur."""
    if whole := _first(source, original, wording, 0):
        return [whole]
    parts = _INNER_ELLIPSIS.split(wording)
    if len(parts) == 1 or any(len(words(part)) < _FEWEST_WORDS_OF_A_PART for part in parts):
        return []
    places: list[tuple[int, int]] = []
    for part in parts:
        place = _first(source, original, part, places[-1][1] if places else 0)
        # An ellipsis must not hide a negation.
        if place is None or (places and _NEGATION.search(source.text, places[-1][1], place[0])):
            return []
        places.append(place)
    return places


def _first(source: Folded, original: str, wording: str, begin: int) -> tuple[int, int] | None:
    start = source.text.find(wording, begin)
    while start >= 0:
        end = start + len(wording)
        is_whole = _begins(source.text, start) and _ends(source.text, end)
        if is_whole and not _is_cut(original, *source.original(start, end)):
            return start, end
        start = source.text.find(wording, start + 1)
    return None


def _is_cut(original: str, start: int, end: int) -> bool:
    """Return whether the quote omits something at either end that changes the meaning of the rest.

    Decided by the original, because folding unifies dashes and spaces.
    """
    first_edge, last_edge = original[max(0, start - 2) : start + 1], original[end - 1 : end + 2]
    if _IN_A_NAME.fullmatch(first_edge) or _IN_A_NAME.fullmatch(last_edge):
        return True
    before = without_invisible(original[max(0, start - _REACH) : start])
    behind = without_invisible(original[end : end + _REACH])
    return _is_cut_before(before, original[start : start + 4]) or _is_cut_after(original[end - 1], behind)


def _is_cut_before(before: str, begun: str) -> bool:
    """Report whether a part of the first word or number stands in ``before``; ``begun`` is the quote's beginning."""
    if not begun[0].isdecimal():
        return begun[0].isalpha() and _HALF_BEFORE.search(before) is not None  # "ex-" of "ex-president"
    is_in_group = _GROUP_BEFORE.search(before) and _GROUP.match(begun)  # "1 " of "1 000"
    if is_in_group or _NUMBER_BEFORE.search(before):
        return True
    sign = before[-1:]
    if is_dash(sign):  # in "words—5 words" the dash separates words; after anything else it may be a minus
        return not (sign in _BETWEEN_WORDS and before[-2:-1].isalpha())
    is_first_in_line = before[:-1].rpartition("\n")[2].strip() == ""
    is_mark_of_line = sign in _MARKS_OF_LINES and is_first_in_line  # of a quotation or a diff
    return is_sign(sign) and not is_mark_of_line


def _is_cut_after(last: str, behind: str) -> bool:
    """Report whether a part of the word or number that ends with ``last`` stands in ``behind``."""
    if not last.isdecimal():
        return last.isalpha() and _HALF_BEHIND.match(behind) is not None
    return bool(_NUMBER_BEHIND.match(behind)) or is_unit(behind[:1])


_REACH = 12
"""Characters on either side of a quote that may contain such an omission."""

_BETWEEN_WORDS = "–—―"
_MARKS_OF_LINES = ">+"
_HYPHEN = rf"[{DASHES.replace('—', '').replace('―', '')}]"
_HALF_BEFORE = re.compile(rf"\w{_HYPHEN}(?:\s*\n\s*)?\Z")
_HALF_BEHIND = re.compile(rf"{_HYPHEN}(?:\s*\n\s*)?\w")
_IN_NUMBER = rf"(?:[.,'’:/·٫٬⁄*^]|{_HYPHEN}|[\u00a0\u2007\u2009\u202f])"
"""Characters between the digits of one number, time, date, share or range."""

_NUMBER_BEFORE = re.compile(rf"\d{_IN_NUMBER}\Z")
_NUMBER_BEHIND = re.compile(rf"{_IN_NUMBER}\d|[ ]\d{{3}}(?!\d)")
_GROUP = re.compile(r"\d{3}(?!\d)")
_GROUP_BEFORE = re.compile(r"(?<!\d)\d{1,3} \Z")
