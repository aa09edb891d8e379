"""The terms by which a text is found, and the blocks in which it is shown.

Terms are words of prose and the parts of identifiers, English endings cut. Deliberately small: no dictionary, no
language model. Words of other languages (Vietnamese among them) are kept whole.

Blocks are whole functions and sections where these are small, by the look of the lines alone, since no parser knows all
languages: what begins behind an empty line, or further to the left than the line before, begins something; the further
to the left, the more.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from sparring.text.words import PART, WORD

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDINGS = ("ing", "ed", "es", "s", "e")
_DOUBLING = ("ing", "ed")
_SHORTEST_STEM = 3

_STOP_TEXT = """
    a about above after again all already also an and another any are aren as at be because been before being below
    better between both but by can could did do does doing don down each either else even every few first for from
    further get gets got had has have having he her here how however i if in instead into is isn it its just keep let
    like long made make makes many may me might more most much must my need needs neither never no nor not now of off on
    once one only or other our out over own per put rather same shall she should since so some still such than that
    the their them then there these they this those through to too two under until up us use used uses using very was
    we well were what when where whether which while who why will with within without would yet you your
    best choose consider current currently debate enough good opinion project question repository repo thing
    bị bởi các cái cho có của cũng để đã đang đến được hay hoặc không là làm lại lên mà một nên nếu những như này nữa
    ở phải ra rằng rất sau sẽ tại thì theo tôi trên trong trước từ và vào vẫn vì với
"""
_STOP_WORDS = frozenset(_STOP_TEXT.split())


def terms(text: str) -> list[str]:
    """Return the terms of ``text`` in order, repeated as often as they occur; stop words are left out."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return [term for word in PART.findall(text) for term in _terms_of(word)]


def keywords(text: str) -> dict[str, str]:
    """Return each term of ``text`` once, in order, with the word that it first stood for."""
    names: dict[str, str] = {}
    for word in PART.findall(unicodedata.normalize("NFC", text)):
        for part in _HUMP.split(word):
            for term in _terms_of(part):
                names.setdefault(term, part if part.isupper() else part.lower())
    return names


@lru_cache(maxsize=200_000)
def _terms_of(word: str) -> tuple[str, ...]:
    parts = _HUMP.split(word) if not (word.islower() or word.isupper()) else [word]
    lowered = (part.lower() for part in parts)
    return tuple(stem(part) for part in lowered if len(part) > 1 and part not in _STOP_WORDS)


def stem(word: str) -> str:
    """``word`` without one English ending: "write" meets "writing", "retry" meets "retries", "process" stays whole."""
    if not word.isascii() or word.endswith("ss"):
        return word
    for ending in _ENDINGS:
        shortest = _SHORTEST_STEM + (ending == "ing")
        if word.endswith(ending) and len(word) - len(ending) >= shortest:
            word = word.removesuffix(ending)
            if ending in _DOUBLING and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]  # "planning" meets "plan"
            break
    return word[:-1] if word[-1] in "iy" and len(word) > _SHORTEST_STEM else word


_LONGEST_TERM = 40
"""Characters; longer terms are hashes or encoded data, which no query contains."""

_LONGEST_NUMBER = 4
_WHOLE = "="
"""Before all of an identifier, which is no form of another word."""


def counted(text: str) -> Counter[str]:
    """Count the terms in ``text``; an identifier of several words counts as a whole, too."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    counts: Counter[str] = Counter()
    for word, count in Counter(WORD.findall(text)).items():
        for term in searched_by(word):
            counts[term] += count
    return counts


@lru_cache(maxsize=200_000)
def searched_by(identifier: str) -> tuple[str, ...]:
    """Return the terms of one identifier: its words, and all of it where it has several."""
    if len(identifier) > _LONGEST_TERM:
        return ()
    parts = PART.findall(identifier)
    terms = list[str]()
    for part in parts:
        terms += [term for term in _terms_of(part) if not term.isdigit() or len(term) <= _LONGEST_NUMBER]
    is_compound = len(parts) > 1 or (len(parts) == 1 and len(_HUMP.split(parts[0])) > 1)
    if is_compound:
        terms.append(f"{_WHOLE}{''.join(parts).lower()}")
    return tuple(terms)


class TermWeight(Struct, frozen=True):
    """Weight of a term in a query.

    Attributes:
        group: The term of the question that it represents; of one group only the best counts.
        value: Its weight: the rarer, the higher.
    """

    group: int
    value: float


Query = Mapping[str, TermWeight]
"""Terms of a query with their weights."""

K1 = 1.2
B = 0.75


def rarity(count: int, total: int) -> float:
    """Return the inverse document frequency of a term that ``count`` of ``total`` texts have: the rarer, the higher.

    One is added inside the logarithm, so that a term in most texts weighs little instead of less than nothing.
    """
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def score(query: Query, counts: Mapping[str, int], length: float) -> float:
    """Return the BM25 score of a text with these terms; ``length`` is relative to the average length."""
    norm = K1 * (1 - B + B * length)
    best: dict[int, float] = {}
    for term, weight in query.items():
        if count := counts.get(term, 0):
            value = weight.value * count * (K1 + 1) / (count + norm)
            best[weight.group] = max(best.get(weight.group, 0.0), value)
    return sum(best.values())


_MOST_LINES, _FEW_LINES = 40, 28
"""Lines of a block, and of blocks that are merged from small neighbours."""

_DEEPEST, _PARAGRAPH = 12, 8
_GOES_ON = re.compile(r"[)\]}>]|(?:else|elif|except|finally|catch|end|fi|done|esac|then|do)\b")
_HEADING = re.compile(r"#{1,6}(?=\s)")


def blocks(lines: Sequence[str], *, is_prose: bool) -> list[tuple[int, int]]:
    """Return the first and the last line of each block, from 1 on; no block begins or ends with an empty line."""
    levels = list(_levels(lines, is_prose=is_prose))
    spans = list[tuple[int, int]]()
    for start, end in _cut(levels, 0, len(lines)):
        first, last = _trimmed(lines, start, end)
        if first <= last:
            spans.append((first, last))
    return spans


def _levels(lines: Sequence[str], *, is_prose: bool) -> Iterator[int]:
    """Yield the depth of the block that begins in each line: 0 is the outermost, ``_DEEPEST`` means no block."""
    indent_before, follows_empty = 0, True
    for line in lines:
        text = line.strip()
        if not text:
            yield _DEEPEST
            follows_empty = True
            continue
        white_space = line[: len(line) - len(line.lstrip(" \t"))]
        indent = min(len(white_space.expandtabs(4)) // 2, _DEEPEST - 1)
        heading = _HEADING.match(line) if is_prose else None
        if heading:
            yield len(heading[0]) - 1
        elif (follows_empty or indent < indent_before) and not _GOES_ON.match(text):
            yield indent + (_PARAGRAPH if is_prose else 0)  # paragraphs lie below all headings
        else:
            yield _DEEPEST
        indent_before, follows_empty = indent, False


def _cut(levels: Sequence[int], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts from ``start`` to before ``end``, cut at the outermost blocks, and again where too long."""
    if end - start <= _MOST_LINES:
        yield start, end
        return
    level = min(levels[start + 1 : end])
    if level >= _DEEPEST:  # no block begins within: it is cut by length
        for first in range(start, end, _MOST_LINES):
            yield first, min(first + _MOST_LINES, end)
        return
    cuts = [start, *(number for number in range(start + 1, end) if levels[number] == level), end]
    for first, last in _together(cuts):
        yield from _cut(levels, first, last)


def _together(cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the parts between ``cuts``, small neighbours together."""
    start = cuts[0]
    for cut, following in zip(cuts[1:], (*cuts[2:], cuts[-1]), strict=True):
        if following - start > _FEW_LINES or cut == cuts[-1]:
            yield start, cut
            start = cut


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while start < end and not lines[start].strip():
        start += 1
    while start < end and not lines[end - 1].strip():
        end -= 1
    return start + 1, end
