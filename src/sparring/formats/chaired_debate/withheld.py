"""Words that the chair has taken out of the debate, so that nobody says or is shown them again.

They are known by their runs of words: eight in a row, folded, are a repetition; of a shorter text all of it. Runs that
somebody else had said before, such as the topic's own words, stay everybody's.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from sparring.checks.quotes.folding import fold
from sparring.schema.chaired_debate import REDACTED

RUN = 8
"""Words in a row that are a repetition."""

_SHORTEST_RUN = 6
"""A text of fewer words cannot be told from what anybody may say: a debater could silence the other one with it."""

_WORD = re.compile(r"[^\W_]+")
_SCHEME = re.compile(r"\A\s*(?:https?://)?(?:www\.)?", re.IGNORECASE)


@dataclass(frozen=True)
class Withheld:
    """What is not to be repeated.

    Attributes:
        runs: Words in a row, folded, with one space between two of them.
        addresses: Addresses of made-up sources, without scheme and fragment.
    """

    runs: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()

    def extended(self, texts: Iterable[str], urls: Iterable[str], public: Iterable[str]) -> "Withheld":
        """This and the words of ``texts``, but for those that are ``public``; and ``urls``, wherever they stand."""
        runs = {run for text in texts for run in _own_runs(text)}
        lengths = {run.count(" ") + 1 for run in runs}
        known = {run for text in public for length in lengths for run, _ in _runs(text, length)}
        addresses = (address for url in urls if (address := _address(url)))
        return Withheld(self.runs | (runs - known), self.addresses.union(addresses))

    def is_repeated_in(self, *texts: str) -> bool:
        """Whether any of ``texts`` says again what was taken out."""
        return any(self._places(text) for text in texts)

    def masked(self, text: str) -> str:
        """``text`` without what was taken out; a label stands in each such place."""
        kept, position = list[str](), 0
        for start, end in _merged(self._places(text)):
            kept += [text[position:start], REDACTED]
            position = end
        return "".join((*kept, text[position:]))

    def _places(self, text: str) -> list[tuple[int, int]]:
        lengths = {run.count(" ") + 1 for run in self.runs}
        said = [place for length in sorted(lengths) for run, place in _runs(text, length) if run in self.runs]
        addresses = (match.span() for address in self.addresses for match in _mentions(address).finditer(text))
        return [*said, *addresses]


@dataclass(frozen=True)
class _Word:
    """A word, folded, and where it stands in the text."""

    text: str
    start: int
    end: int


# A debate is held anew for every turn, and what was said in it is compared each time.
@lru_cache(maxsize=128)
def _words(text: str) -> tuple[_Word, ...]:
    folded = fold(text)
    return tuple(
        _Word(match[0].casefold(), *folded.original(match.start(), match.end()))
        for match in _WORD.finditer(folded.text)
    )


def _own_runs(text: str) -> Iterator[str]:
    """The runs that ``text`` is known by."""
    length = min(RUN, len(_words(text)))
    return (run for run, _ in _runs(text, length)) if length >= _SHORTEST_RUN else iter(())


def _runs(text: str, length: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Every run of ``length`` words of ``text``, and where it stands."""
    words = _words(text)
    for first in range(len(words) - length + 1):
        run = words[first : first + length]
        yield " ".join(word.text for word in run), (run[0].start, run[-1].end)


def _address(url: str) -> str:
    """What is searched for of ``url``; nothing where it has no host with a dot, which could be any word."""
    address = _SCHEME.sub("", url).partition("#")[0].strip().rstrip("/").casefold()
    return address if "." in address.partition("/")[0].strip(".") else ""


def _mentions(address: str) -> re.Pattern[str]:
    """Where an address stands by itself, not as the beginning or the end of another one."""
    before, behind = r"(?:https?://)?(?<![\w-])(?:www\.)?", r"/?(?:#[^\s()\[\]<>]*)?(?![\w/?&=%-]|\.\w)"
    return re.compile(before + re.escape(address) + behind, re.IGNORECASE)


def _merged(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """``places`` in order, those that overlap made one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
