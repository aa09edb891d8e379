"""Phrases of one or more words, found in a text however its words are inflected or spelled."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from sparring.checks.claims.tokens import Language

_ENDINGS = ("ing", "ed", "es", "s", "ly", "e")
_SHORTEST_STEM = 3
_TONES = {
    "oà": "òa",
    "oá": "óa",
    "oả": "ỏa",
    "oã": "õa",
    "oạ": "ọa",
    "oè": "òe",
    "oé": "óe",
    "oẻ": "ỏe",
    "oẽ": "õe",
    "oẹ": "ọe",
    "uỳ": "ùy",
    "uý": "úy",
    "uỷ": "ủy",
    "uỹ": "ũy",
    "uỵ": "ụy",
}
_Y_TO_I = str.maketrans("yýỳỷỹỵ", "iíìỉĩị")
_OPEN_SYLLABLE = 3
_VOWELS = frozenset("aàáảãạăâeèéẻẽẹêioòóỏõọôơuùúủũụư")

Meaning = TypeVar("Meaning")


class Found(NamedTuple, Generic[Meaning]):
    """A phrase in a text, as a range of words, and what it stands for."""

    begin: int
    end: int
    meaning: Meaning


class Phrasebook(Generic[Meaning]):
    """What phrases stand for; words are given and looked up in their plain form."""

    def __init__(self, meanings: Mapping[tuple[str, ...], Meaning]) -> None:
        self._meanings = meanings
        self._lengths: dict[str, tuple[int, ...]] = {}
        for phrase in meanings:
            lengths = {*self._lengths.get(phrase[0], ()), len(phrase)}
            self._lengths[phrase[0]] = tuple(sorted(lengths, reverse=True))

    def find(self, words: Sequence[str]) -> Iterator[Found[Meaning]]:
        """Every known phrase, the longest where several begin; none begins within another one."""
        begin = 0
        while begin < len(words):
            found = next(self._at(words, begin), None)
            if found:
                yield found
            begin = found.end if found else begin + 1

    def _at(self, words: Sequence[str], begin: int) -> Iterator[Found[Meaning]]:
        for length in self._lengths.get(words[begin], ()):
            phrase = tuple(words[begin : begin + length])
            if phrase in self._meanings:
                yield Found(begin, begin + len(phrase), self._meanings[phrase])


@lru_cache(maxsize=1 << 14)
def plain(word: str, language: Language) -> str:
    """A word in small letters as others of its kind are written; only good for comparing with another one."""
    return _without_ending(word) if language is Language.ENGLISH else _as_most_spell(word)


def _without_ending(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    if word.endswith(("ies", "ied")) and len(word) > _SHORTEST_STEM + 2:
        return word[:-3] + "y"
    ending = next((each for each in _ENDINGS if word.endswith(each) and len(word) - len(each) >= _SHORTEST_STEM), "")
    stem = word.removesuffix(ending)
    return stem[:-1] if stem[-2:-1] == stem[-1:] else stem


def _as_most_spell(syllable: str) -> str:
    """With the tone where most put it and the i that some write as y: "hoá" is "hóa", and "tỷ" is "tỉ"."""
    syllable = syllable[:-2] + _TONES.get(syllable[-2:], syllable[-2:])
    is_open = 1 < len(syllable) <= _OPEN_SYLLABLE and _VOWELS.isdisjoint(syllable[:-1])
    return syllable.translate(_Y_TO_I) if is_open else syllable
