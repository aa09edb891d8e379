"""Which place in the sources is most like a quote. For showing only: similarity never decides."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from sparring.schema.quotes import Nearest
from sparring.schema.spans import Span

_WORD = re.compile(r"\w+|[^\w\s]")
_ENOUGH = 0.6
"""Share of words in common from which on a place is worth showing."""

_MOST_PLACES = 64
"""A word that stands in more places says too little about where to look."""

_QUOTE_LIMIT = 400
"""Words of a quote that are compared: comparing is quadratic, and a longer one is recognised by its beginning."""


@dataclass(frozen=True)
class _Word:
    text: str
    start: int
    end: int


class Likeness:
    """The words of the sources, indexed when first asked for."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = sources

    def nearest(self, quote: str) -> Nearest | None:
        """The place most like ``quote``, if any is like it."""
        said = [_key(word.text) for word in _words(quote)][:_QUOTE_LIMIT]
        if not said or not (votes := self._votes(said)):
            return None
        (index, offset), _ = max(votes.items(), key=lambda vote: (vote[1], -vote[0][0], -vote[0][1]))
        words = self._words[index]
        slack = len(said) // 4 + 2
        begin, end = max(0, offset - slack), min(len(words), offset + len(said) + slack)
        there = [_key(word.text) for word in words[begin:end]]
        matcher = SequenceMatcher(None, said, there, autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
        in_common = sum(block.size for block in blocks)
        if not blocks or in_common < _ENOUGH * len(said):
            return None
        first = max(begin, begin + blocks[0].b - blocks[0].a)
        last = min(end, begin + blocks[-1].b + blocks[-1].size + len(said) - blocks[-1].a - blocks[-1].size)
        start, stop = words[first].start, words[last - 1].end
        span = Span(index=index, start=start, end=stop, text=self._sources[index][start:stop])
        return Nearest(span=span, difference=_difference(quote, span.text))

    def _votes(self, said: list[str]) -> Counter[tuple[int, int]]:
        votes: Counter[tuple[int, int]] = Counter()
        for position, word in enumerate(said):
            for index, place in self._places.get(word, ())[:_MOST_PLACES]:
                votes[index, max(0, place - position)] += 1
        return votes

    @cached_property
    def _words(self) -> list[list[_Word]]:
        return [list(_words(source)) for source in self._sources]

    @cached_property
    def _places(self) -> dict[str, list[tuple[int, int]]]:
        places: dict[str, list[tuple[int, int]]] = {}
        for index, words in enumerate(self._words):
            for place, word in enumerate(words):
                places.setdefault(_key(word.text), []).append((index, place))
        return places


def _words(text: str) -> Iterator[_Word]:
    return (_Word(match[0], *match.span()) for match in _WORD.finditer(text))


def _key(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold()


def _difference(quote: str, place: str) -> str:
    said, there = ([word.text for word in _words(text)] for text in (quote, place))
    pieces: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, said, there, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces += said[a:b]
            continue
        if a < b:
            pieces.append(f"[-{' '.join(said[a:b])}-]")
        if c < d:
            pieces.append(f"{{+{' '.join(there[c:d])}+}}")
    return " ".join(pieces)
