"""Cut a claim into the few parts that can be looked up one by one: whom it is about first, then what it says."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from sparring.consult.offline.comparing.negation import with_negation
from sparring.consult.offline.comparing.sentences import OPENERS
from sparring.consult.offline.terms import Word, words
from sparring.schema.claims import Finding, Status
from sparring.schema.spans import TextSpan

FEWEST, MOST = 2, 5
"""Parts of a claim (specification: Round 1, step 1)."""

# Found by trying on half of the development pages (bench/fact_check).
_TERMS_PER_PART = 6

_MOST_OPENINGS = 60
"""A claim with more of them is no sentence; then only some of them are looked at."""

_MARK = re.compile(r"[,;:()—–]")
_CONJUNCTIONS = frozenset({"and", "but", "và", "nhưng"})
_EDGES = " \t\r\n,;:.()—–-\"'`“”‘’"

_Stretch = tuple[int, int]


@dataclass(frozen=True)
class Part:
    """A stretch of the claim.

    Attributes:
        words: Its words that say something, without those of the findings.
        findings: What the claims check has found in it.
    """

    span: TextSpan
    words: tuple[Word, ...]
    findings: tuple[Finding, ...]

    @cached_property
    def terms(self) -> frozenset[str]:
        """What it speaks of, besides its findings."""
        return frozenset(term for word in self.words for term in word.terms)

    @property
    def names(self) -> tuple[Word, ...]:
        """Its words with a capital letter; at the head of a claim that may be any word."""
        return tuple(word for word in self.words if word.is_capitalised)

    @property
    def is_open(self) -> bool:
        """Whether the claims check leaves something in it unanswered."""
        return any(each.status is not Status.MATCH for each in self.findings)

    @property
    def conflict(self) -> Finding | None:
        """The first critical mismatch in it."""
        return next((each for each in self.findings if each.is_critical_mismatch), None)


def parts(claim: str, findings: Sequence[Finding]) -> tuple[Part, ...]:
    """Up to five consecutive parts of ``claim``, and at least two unless it has only one thing to say.

    The first part is what the claim is about. No part begins inside of what a finding is about, or behind a negation.
    A claim without a word that says something is one part, without terms.
    """
    said = tuple(words(claim))
    openings = tuple(_openings(claim, said, findings))
    places = [0, *openings[:: 1 + len(openings) // _MOST_OPENINGS], len(claim)]
    stretches = _joined(list(pairwise(places)), said, findings)
    if len(stretches) < FEWEST and (begin := _predicate(claim, said, findings)):
        stretches = [(0, begin), (begin, len(claim))]
    return tuple(part_of(claim, stretch, said, findings) for stretch in stretches)


def part_of(claim: str, stretch: _Stretch, said: Sequence[Word], findings: Sequence[Finding]) -> Part:
    """The part of ``claim`` at ``stretch``, without what only joins it to its neighbours.

    Args:
        claim: The whole text.
        stretch: Where the part begins and ends.
        said: All words of ``claim``.
        findings: All findings about it.
    """
    begin, end = stretch
    inside = tuple(each for each in findings if begin <= each.claim.start < end)
    free = tuple(word for word in said if begin <= word.start < end and word.terms and not _is_found(word, inside))
    here = [word for word in said if begin <= word.start < end]
    start = here[1].start if len(here) > 1 and here[0].written in _CONJUNCTIONS else begin
    text = claim[start:end]
    start += len(text) - len(text.lstrip(_EDGES))
    text = text.strip(_EDGES) or text
    return Part(TextSpan(text=text, start=start, end=start + len(text)), free, inside)


def _openings(claim: str, said: Sequence[Word], findings: Sequence[Finding]) -> Iterator[int]:
    for before, word in pairwise(said):
        is_new = word.written in OPENERS or _MARK.search(claim, before.end, word.start)
        is_inside = any(each.claim.start < word.start < each.claim.end for each in findings)
        is_denied = with_negation(claim, word.start) < word.start
        if is_new and _stands_apart(word, claim) and not is_inside and not is_denied:
            yield word.start


def _stands_apart(word: Word, claim: str) -> bool:
    """Whether a space is before it, as there is none inside of a number."""
    return claim[word.start - 1].isspace()


def _joined(stretches: list[_Stretch], said: Sequence[Word], findings: Sequence[Finding]) -> list[_Stretch]:
    """Neighbours put together until each says something and there are not more than the claim has room for."""
    loads = [_load(stretch, said, findings) for stretch in stretches]
    whole = frozenset[str | int]().union(*loads)
    most = max(FEWEST, min(MOST, round(len(whole) / _TERMS_PER_PART)))
    while len(stretches) > 1:
        sizes = [len(load) for load in loads]
        if 0 in sizes:
            first = max(0, min(sizes.index(0), len(sizes) - 2))
        elif len(stretches) > most:
            first = min(range(len(sizes) - 1), key=lambda place: sizes[place] + sizes[place + 1])
        else:
            break
        stretches[first : first + 2] = [(stretches[first][0], stretches[first + 1][1])]
        loads[first : first + 2] = [loads[first] | loads[first + 1]]
    return stretches


def _load(stretch: _Stretch, said: Sequence[Word], findings: Sequence[Finding]) -> frozenset[str | int]:
    """What a stretch says: its terms, and the places of its findings."""
    begin, end = stretch
    terms = (term for word in said if begin <= word.start < end for term in word.terms)
    return frozenset((*terms, *(each.claim.start for each in findings if begin <= each.claim.start < end)))


def _predicate(claim: str, said: Sequence[Word], findings: Sequence[Finding]) -> int:
    """Where a claim without a plain seam goes on after its first words, which may be a name; 0 where it does not.

    Not before a number: what bounds it, such as "fewer than", would stay behind.
    """
    telling = [word for word in said if word.terms]
    lower = (word for word in telling[1:] if not word.is_capitalised and _stands_apart(word, claim))
    return next((word.start for word in lower if not _is_found(word, findings)), 0)


def _is_found(word: Word, findings: Sequence[Finding]) -> bool:
    return any(each.claim.start <= word.start < each.claim.end for each in findings)
