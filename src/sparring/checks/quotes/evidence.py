"""Sources that quotes are searched in."""

import re
from collections.abc import Iterator, Sequence

from sparring.checks.quotes.boundaries import is_whole
from sparring.checks.quotes.folding import Folded, fold
from sparring.checks.quotes.likeness import Likeness
from sparring.schema.quotes import QuoteFinding, QuoteVerdict
from sparring.schema.spans import Span

# A minus or a "greater than" before a digit is no bullet, and a mark of feet or inches behind one no quotation mark.
_OPENING = re.compile(r"^(?:(?:[\"'*_•]|[->](?![->]*\d))+|\[|\()")
_CLOSING = re.compile(r"(?:[\"'*_]+|\]|\))$")
_CLOSING_ALONE = re.compile(r"(?<![\d\"'*_])(?:[\"'*_]+|\]|\))$")
_EDGE_ELLIPSIS = re.compile(r"^(?:\[\.{3,}\]|\(\.{3,}\)|\.{3,})|(?:\[\.{3,}\]|\(\.{3,}\)|\.{3,})$")
_INNER_ELLIPSIS = re.compile(r"\[\.{3,}\]|\(\.{3,}\)|\.{3,}")
_WORDS = re.compile(r"\w+")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|nobody|nothing|without|cannot|không|chưa|chẳng|chả|đừng)\b|n't\b",
    re.IGNORECASE,
)
_FEWEST_WORDS_OF_A_PART = 2
_MOST_WRAPPINGS = 8
"""Marks within marks that are taken off a quote; each layer costs a search."""


class Evidence:
    """Sources, prepared once; each is searched by itself, so that no quote spans two of them."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = tuple(sources)
        self._folded = tuple(fold(source) for source in self._sources)
        self._likeness = Likeness(self._sources)

    def find(self, quote: str) -> QuoteFinding:
        """What becomes of ``quote``: where it stands, else what it resembles, else nothing.

        An empty quote, or one without a letter or digit, is never found: it would support any claim. Offsets are
        those of the original sources.
        """
        for wording in _wordings(fold(quote).text):
            for index, source in enumerate(self._folded):
                if parts := _located(source, wording):
                    return self._verbatim(index, [source.original(*part) for part in parts])
        nearest = self._likeness.nearest(quote) if _WORDS.search(quote) else None
        return QuoteFinding(verdict=QuoteVerdict.ALTERED, nearest=nearest) if nearest else _NOT_FOUND

    def _verbatim(self, index: int, places: list[tuple[int, int]]) -> QuoteFinding:
        whole = self._span(index, places[0][0], places[-1][1])
        parts = tuple(self._span(index, start, end) for start, end in places)
        return QuoteFinding(verdict=QuoteVerdict.VERBATIM, span=whole, parts=parts)

    def _span(self, index: int, start: int, end: int) -> Span:
        return Span(index=index, start=start, end=end, text=self._sources[index][start:end])


_NOT_FOUND = QuoteFinding(verdict=QuoteVerdict.NOT_FOUND)


def _wordings(quote: str) -> Iterator[str]:
    """The quote as it is, then without what a writer puts around a quote; only those that say something."""
    seen: set[str] = set()
    for _ in range(_MOST_WRAPPINGS):
        if quote in seen or not _WORDS.search(quote):
            break
        seen.add(quote)
        yield quote
        bare = _EDGE_ELLIPSIS.sub("", quote)
        quote = bare if bare != quote else _unwrapped(quote)
    if quote.endswith(".") and _WORDS.search(quote):
        yield quote[:-1]


def _unwrapped(quote: str) -> str:
    opened = _OPENING.sub("", quote)
    return (_CLOSING if opened != quote else _CLOSING_ALONE).sub("", opened)


def _located(source: Folded, wording: str) -> list[tuple[int, int]]:
    """Where the parts of ``wording`` stand, in order; nothing unless all do."""
    if found := _first(source.text, wording, 0):
        return [found]
    parts = _INNER_ELLIPSIS.split(wording)
    if len(parts) == 1 or any(len(_WORDS.findall(part)) < _FEWEST_WORDS_OF_A_PART for part in parts):
        return []
    places: list[tuple[int, int]] = []
    for part in parts:
        place = _first(source.text, part, places[-1][1] if places else 0)
        if place is None or (places and _NEGATION.search(source.text, places[-1][1], place[0])):
            return []
        places.append(place)
    return places


def _first(text: str, wording: str, begin: int) -> tuple[int, int] | None:
    start = text.find(wording, begin)
    while start >= 0:
        if is_whole(text, start, start + len(wording)):
            return start, start + len(wording)
        start = text.find(wording, start + 1)
    return None
