"""Words of prose and of identifiers, reduced to the terms that retrieval compares.

Deliberately small: no dictionary and no language model. English endings are cut, words of other languages (Vietnamese
among them) are kept whole.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+")
_WORD_AS_WRITTEN = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f])*")
"""A word in a text whose accents may stand by themselves (NFD)."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDINGS = ("ing", "ed", "es", "s", "e")
_SHORTEST_STEM = 3

_STOP_TEXT = """
    a about above after again all already also an and another any are aren as at be because been before being below
    better between both but by can could did do does doing don down each either else even every few first for from
    further get gets got had has have having he her here how however i if in instead into is isn it its just keep let
    like made make makes many may me might more most much must my need needs neither never no nor not now of off on
    once one only or other our out over own per put rather same shall she should since so some still such than that
    the their them then there these they this those through to too two under until up us use used uses using very was
    we well were what when where whether which while who why will with within without would yet you your
    best choose consider current currently debate enough good opinion project question repository repo thing
    bị bởi các cái cho có của cũng để đã đang đến được hay hoặc không là làm lại lên mà một nên nếu những như này nữa
    ở phải ra rằng rất sau sẽ tại thì theo tôi trên trong trước từ và vào vẫn vì với
"""
_STOP_WORDS = frozenset(_STOP_TEXT.split())


def terms(text: str) -> list[str]:
    """The terms of ``text`` in order, repeated as often as they occur; stop words are left out."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return [term for word in _WORD.findall(text) for term in _terms_of(word)]


class Word(NamedTuple):
    """A word of a text: ``text[start:end]``, its letters composed; without terms if it says nothing by itself."""

    written: str
    terms: tuple[str, ...]
    start: int
    end: int

    @property
    def is_capitalised(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.written[0].isupper()


def words(text: str) -> Iterator[Word]:
    """Every word of ``text`` in order, with its place in it as it is given."""
    for match in _WORD_AS_WRITTEN.finditer(text):
        written = unicodedata.normalize("NFC", match[0])
        yield Word(written, _terms_of(written), *match.span())


def keywords(text: str) -> dict[str, str]:
    """Each term of ``text`` once, in order, with the word that it first stood for."""
    found: dict[str, str] = {}
    for word in _WORD.findall(unicodedata.normalize("NFC", text)):
        for part in _HUMP.split(word):
            for term in _terms_of(part):
                found.setdefault(term, part if part.isupper() else part.lower())
    return found


@lru_cache(maxsize=200_000)
def _terms_of(word: str) -> tuple[str, ...]:
    parts = _HUMP.split(word) if not (word.islower() or word.isupper()) else [word]
    lowered = (part.lower() for part in parts)
    return tuple(_stem(part) for part in lowered if len(part) > 1 and part not in _STOP_WORDS)


def _stem(word: str) -> str:
    """``word`` without one English ending: "write" meets "writing", "retry" meets "retries", "process" stays whole."""
    if not word.isascii() or word.endswith("ss"):
        return word
    for ending in _ENDINGS:
        shortest = _SHORTEST_STEM + (ending == "ing")
        if word.endswith(ending) and len(word) - len(ending) >= shortest:
            word = word.removesuffix(ending)
            break
    return word[:-1] if word[-1] in "iy" and len(word) > _SHORTEST_STEM else word
