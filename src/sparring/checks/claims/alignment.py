"""Align: find the sentence that a claim repeats, and their differences, item by item.

This module does not evaluate the differences: ``comparison`` determines their meaning.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from heapq import nlargest

from msgspec import Struct
from msgspec.structs import replace

from sparring.checks.claims.document import ParsedText, Sentence
from sparring.checks.claims.items import Item
from sparring.checks.claims.parsing.tokens import MARKS

_NEARLY = 0.6
"""Share of the claim's distinct words that a sentence must have before their order is compared."""

_MOST_TOKENIZED, _LONG = 4, 5
_MOST_NEAR = 3
_LONGEST = 120
"""Items of a stretch that is aligned item by item; comparing two takes the product of their lengths."""

_LONGEST_MOVED = 4


class ItemDifference(Struct, frozen=True):
    """Items of the claim and the items of the sentence at the same place; either may be empty."""

    claim: tuple[int, int]
    evidence: tuple[int, int]


class Alignment(Struct, frozen=True):
    """A claim's sentence and a similar one of the evidence.

    Attributes:
        is_moved: Whether the claim has the same items with one clause moved from one end to the other.
        exchanged: Two stretches of the claim that have each other's place in the evidence.
        differences: The other differences, in order; empty if the claim repeats the sentence.
    """

    claim: Sentence
    evidence: Sentence
    index: int
    claim_items: Sequence[Item]
    evidence_items: Sequence[Item]
    differences: tuple[ItemDifference, ...] = ()
    is_moved: bool = False
    exchanged: tuple[ItemDifference, ...] = ()


class NearSentence(Struct, frozen=True):
    """A sentence of the evidence, its source, and the number of distinct words that it shares with the claim."""

    sentence: Sentence
    index: int
    shared: int


def nearest(claim: Sentence, sources: Sequence[ParsedText]) -> list[NearSentence]:
    """Return the sentences that share most words with ``claim``, at most three, the nearest first."""
    candidates = [(sentence, index) for index, source in enumerate(sources) for sentence in source.sentences]
    if len(candidates) > _MOST_TOKENIZED:
        # Substrings are fast to count. Only the best sentences are cut into tokens.
        long = [word for word in claim.words if len(word) >= _LONG] or list(claim.words)

        def shared_long(candidate: tuple[Sentence, int]) -> int:
            lowered = candidate[0].lowered
            return sum(word in lowered for word in long)

        candidates = nlargest(_MOST_TOKENIZED, candidates, key=shared_long)
    near = [NearSentence(sentence, index, len(claim.words & sentence.words)) for sentence, index in candidates]
    near = [each for each in near if each.shared]
    near.sort(key=lambda each: (-each.shared, len(each.sentence.words)))
    return near[:_MOST_NEAR]


def may_repeat(claim: Sentence, near: NearSentence, most: int) -> bool:
    """Report whether the claim may be that sentence with at most ``most`` distinct words changed on either side."""
    ours, theirs = len(claim.words), len(near.sentence.words)
    return near.shared >= max(_NEARLY * ours, ours - most, theirs - most)


def align(claim: Sentence, near: NearSentence) -> Alignment:
    """Return the differences between a claim and a sentence that it nearly repeats."""
    evidence = near.sentence
    if claim.keys == evidence.keys and _is_written_alike(claim.tokens.written, evidence.tokens.written):
        return Alignment(claim, evidence, near.index, (), ())  # the usual case, without items
    ours, theirs = claim.items, evidence.items
    our_keys, their_keys = [item.key for item in ours], [item.key for item in theirs]
    first, last = _common_ends(our_keys, their_keys)
    left, right = our_keys[first : len(our_keys) - last], their_keys[first : len(their_keys) - last]
    alignment = Alignment(claim, evidence, near.index, ours, theirs)
    if len(left) == len(right) > 1 and sorted(left) == sorted(right):  # the same items in another order
        if _is_moved(alignment):
            return replace(alignment, is_moved=True)
        if exchanged := _exchanged(left, right, first):
            return replace(alignment, exchanged=exchanged)
    return replace(alignment, differences=tuple(_differences(left, right, first)))


def _is_written_alike(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Report whether two sentences of the same words are equal but for the case of a first letter outside of code."""
    our_words = [word for word in ours if word not in MARKS]
    their_words = [word for word in theirs if word not in MARKS]
    if our_words == their_words:
        return True
    if not our_words or our_words[1:] != their_words[1:] or our_words[0][1:] != their_words[0][1:]:
        return False
    begins_with_code = "`" in ours[:2] or "`" in theirs[:2]
    return not begins_with_code


def _common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many items both have in common at the beginning, and how many of the others at the end."""
    shorter = min(len(one), len(other))
    first = 0
    while first < shorter and one[first] == other[first]:
        first += 1
    last = 0
    while last < shorter - first and one[-1 - last] == other[-1 - last]:
        last += 1
    return first, last


def _differences(left: Sequence[str], right: Sequence[str], first: int) -> Iterator[ItemDifference]:
    """Yield the differences of two stretches that begin at the item ``first``; very long ones are one difference."""
    if not left and not right:
        return
    if not left or not right or len(left) > _LONGEST or len(right) > _LONGEST:
        yield ItemDifference((first, first + len(left)), (first, first + len(right)))
        return
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for operation, begin, end, other_begin, other_end in matcher.get_opcodes():
        if operation != "equal":
            yield ItemDifference((first + begin, first + end), (first + other_begin, first + other_end))


def _is_moved(alignment: Alignment) -> bool:
    """Report whether a clause that begins with a subordinator was moved from one end to the other.

    "If it fails, it stops" is "It stops if it fails". The clause in front has to end with a comma. On the unread third,
    this adds 3.2 points of SUPPORTED.
    """
    subordinators = alignment.claim.lexicon.subordinators
    ours, theirs = [item.key for item in alignment.claim_items], [item.key for item in alignment.evidence_items]
    if ours[0] in subordinators and (length := _rotation(ours, theirs)):
        return _has_comma(alignment.claim, alignment.claim_items, length)
    if theirs[0] in subordinators and (length := _rotation(theirs, ours)):
        return _has_comma(alignment.evidence, alignment.evidence_items, length)
    return False


def _rotation(keys: Sequence[str], others: Sequence[str]) -> int:
    """Return the length of the beginning of ``keys`` that is the end of ``others``, if the rest is equal; else 0."""
    size = len(keys)
    for length in range(1, size):
        if keys[:length] == others[size - length :] and keys[length:] == others[: size - length]:
            return length
    return 0


def _has_comma(sentence: Sentence, items: Sequence[Item], at: int) -> bool:
    """Report whether a comma stands before the item ``at``."""
    return "," in sentence.tokens.written[items[at - 1].end : items[at].begin]


def _exchanged(left: Sequence[str], right: Sequence[str], first: int) -> tuple[ItemDifference, ...]:
    """Return the two stretches that changed places: "X did Y", "Y did X".

    On the unread third, this adds 2.7 points of REFUTED.
    """
    size = len(left)
    last = first + size
    for begin in range(1, min(_LONGEST_MOVED, size - 1) + 1):
        for end in range(1, min(_LONGEST_MOVED, size - begin - 1) + 1):
            are_ends_exchanged = left[:begin] == right[size - begin :] and left[size - end :] == right[:end]
            if are_ends_exchanged and left[begin : size - end] == right[end : size - begin]:
                return (
                    ItemDifference((first, first + begin), (first, first + end)),
                    ItemDifference((last - end, last), (last - begin, last)),
                )
    return ()
