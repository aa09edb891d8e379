"""The sentences of some sources, each with its place, ready to be searched."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from sparring.consult.offline.terms import Word, words

# No end: an initial ("J. Smith"), a title ("Dr. Smith"), or a full stop that goes on in small letters.
_END = re.compile(r"""(?<=[.!?…])(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)(["'’”)\]]*)\s+(?![a-z\s])|\n\s*+""")

_OPENERS_TEXT = """
    about after and are as at be because before but by did do does during for from had has have in into is on or over
    since that through under until was were when where which while who will with
    bị bởi cho có của đã để được khi là mà nhưng như ở tại trong từ và vào với
"""
OPENERS = frozenset(_OPENERS_TEXT.split())
"""Words with which something new begins inside of a sentence: a predicate, a circumstance, a clause."""

_REST_OF_WORD = re.compile(r"\S*")
_AROUND = " \t\r\n,;:("
_IN_NAMES = frozenset({"and", "de", "of", "the"})


@dataclass(frozen=True)
class Sentence:
    """``text`` is ``sources[source][start:end]``."""

    source: int
    start: int
    text: str

    @property
    def searched(self) -> str:
        """See ``Searchable``."""
        return self.text

    @property
    def end(self) -> int:
        """Where it ends in its source."""
        return self.start + len(self.text)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Its words that say something, with their places in ``text``."""
        return tuple(word for word in words(self.text) if word.terms)

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its terms, each once."""
        return frozenset(term for word in self.words for term in word.terms)

    @property
    def names(self) -> tuple[Word, ...]:
        """Its words with a capital letter, without the first one, which has one anyway."""
        return tuple(word for word in self.words if word.is_capitalised and word.start)

    @property
    def opening(self) -> tuple[Word, ...]:
        """Those of them that say whom or what it is about."""
        end = opening_end(self.text)
        return tuple(word for word in self.words if word.start < end)


def whole_words(text: str, start: int, end: int) -> str:
    """``text[start:end]`` with what is written together with it, so that no word and no number is cut."""
    begin = text.rfind(" ", 0, start + 1) + 1
    following = _REST_OF_WORD.match(text, end)
    return text[begin : following.end() if following else end].strip(_AROUND)


def word_after_name(text: str) -> str | None:
    """What follows on the capitalised words with which ``text`` begins; None if it does not begin so, or so ends."""
    said = list(words(text))
    names = list(takewhile(lambda word: word.is_capitalised or word.written in _IN_NAMES, said))
    return said[len(names)].written if names and len(names) < len(said) else None


def opening_end(text: str) -> int:
    """Where a sentence has said whom or what it is about, and begins to say what."""
    return next((word.start for word in words(text) if word.written in OPENERS), len(text))


def sentences(sources: Sequence[str]) -> tuple[Sentence, ...]:
    """All sentences of ``sources``, in their order, without the white space around them."""
    return tuple(sentence for number, source in enumerate(sources) for sentence in _cut(number, source))


def _cut(number: int, source: str) -> Iterator[Sentence]:
    begin = 0
    ends = [(match.start() + len(match[1] or ""), match.end()) for match in _END.finditer(source)]
    for end, following in [*ends, (len(source), len(source))]:
        text = source[begin:end]
        if stripped := text.strip():
            yield Sentence(number, begin + len(text) - len(text.lstrip()), stripped)
        begin = following
