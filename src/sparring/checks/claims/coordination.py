"""What "and", "or" and a comma join in a passage: what is told of two in turn, or of one of them only.

Of "Acme and Bolt bought Cora", that Acme bought Bolt; of "reads take 5 ms, writes 20 ms", that writes take 5 ms; of
"bcrypt or argon2", that it is bcrypt. Code sees what stands beside the words that join, and no more.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import islice, pairwise

from sparring.checks.claims.claim_words import ClaimWords
from sparring.checks.claims.terms import Terms, Word

_MOST_SMALL = 4
"""How many small words may stand between what joins and what it joins."""


class Coordination:
    """What is joined in a passage.

    Args:
        words: Those of a claim.
        source: What the passage stands in.
        path: The place of each word in the claim, and in the source.
        numbers: The places in the claim that are of a number or date.
    """

    def __init__(self, words: ClaimWords, source: Terms, path: Sequence[tuple[int, int]], numbers: Set[int]) -> None:
        self._words = words
        self._source = source
        self._path = path
        self._numbers = numbers
        self._places: defaultdict[int, list[int]] = defaultdict(list)
        for place, at in path:
            self._places[at].append(place)

    def is_broken(self) -> bool:
        """Whether the claim makes something else of what is joined."""
        if any(map(self._parts, self._marks())):
            return True
        steps = enumerate(pairwise(self._path), start=1)
        return any(self._has_its_own(number, one, other) for number, ((_, one), (_, other)) in steps if other < one)

    def _marks(self) -> Iterator[int]:
        joining = self._words.lexicon.clauses | self._words.lexicon.alternatives
        begin, end = self._source.sentence_of(self._path[0][1])
        return (at for at in self._source.outside_brackets(begin, end - 1) if self._source.words[at].lower in joining)

    def _parts(self, mark: int) -> bool:
        """Whether the claim has both sides of it and does not join them, or one alone of two alternatives."""
        one = self._nearest(range(mark - 1, -1, -1), lambda at: self._source.has_comma_before(at + 1))
        other = self._nearest(range(mark + 1, len(self._source.words)), self._source.has_comma_before)
        if self._contrasts(mark, one):
            return True
        ours, theirs = self._places.get(one, ()), self._places.get(other, ())
        if ours and theirs:
            return not self._joins(ours[0], theirs[-1]) and not self._joins(ours[-1], theirs[0])
        if not (ours or theirs) or self._source.words[mark].lower not in self._words.lexicon.alternatives:
            return False
        left_out = other if ours else one
        return self._is_left_out(left_out) and self._is_one_of_two(mark, ours or theirs, left_out)

    def _contrasts(self, mark: int, one: int) -> bool:
        """Whether each side is told for something that the claim has not: "UTF-8 on Linux and cp1252 on Windows"."""
        source = self._source
        before = source.preposition(one) if self._is_left_out(one) else ""
        if not before:
            return False
        there = range(mark + 2, min(mark + 2 + _MOST_SMALL, len(source.words)))
        again = next((at for at in there if source.words[at].lower == before), -1)
        if again < 0 or not self._is_left_out(self._nearest(range(again + 1, len(source.words)), source.is_divided)):
            return False
        return self._is_ours(source.place_before(one) - 1) or self._is_ours(again - 1)

    def _is_ours(self, at: int) -> bool:
        """Whether the claim has what ends there, be it the unit of a number."""
        is_unit = not self._numbers.isdisjoint(self._places.get(at - 1, ()))
        return at in self._places or is_unit

    def _is_one_of_two(self, mark: int, places: Sequence[int], left_out: int) -> bool:
        """Whether nobody says which of the two it is; neither is it where a "not" stands before them."""
        if not self._numbers.isdisjoint(places) and not _is_number(self._source.words[left_out]):
            return False  # "3.9 or later"
        return self._first_denial > mark

    @cached_property
    def _first_denial(self) -> int:
        begin, end = self._source.sentence_of(self._path[0][1])
        return next((at for at in range(begin, end) if self._source.words[at].polarity == "not"), end)

    def _joins(self, one: int, other: int) -> bool:
        """Whether a word or a comma that joins stands between two words of the claim."""
        first, last = sorted((one, other))
        return bisect_right(self._words.joints, last) > bisect_right(self._words.joints, first)

    def _has_its_own(self, number: int, one: int, other: int) -> bool:
        """Whether ``one`` stands in a clause with a subject, or with something in place of ``other``, of its own."""
        source, place = self._source, self._path[number][0]
        mark = next((at for at in range(one, other, -1) if source.is_apart(at)), -1)
        if mark < 0 or source.preposition(other) == self._words.claim.preposition(place) != "":
            return self._is_of_the_first(mark, one, other)  # a phrase may have been moved
        if place in self._numbers or self._path[0][1] >= mark:
            return self._is_told_else(number, one)
        return self._is_left_out(self._nearest(range(mark, one + 1), source.is_divided))

    def _is_of_the_first(self, mark: int, one: int, other: int) -> bool:
        """Whether "and" joins ``one`` to what ``other`` is told of: "announced in May and released", not "in May …"."""
        source = self._source
        if source.words[mark].lower not in self._words.lexicon.clauses:
            return False
        is_next = self._nearest(range(mark + 1, one + 1), source.has_comma_before) == one
        return is_next and self._is_left_out(source.place_before(other) - 1)

    def _is_told_else(self, number: int, one: int) -> bool:
        """Whether right behind it stands a word alone, a number, or a preposition that the claim has for another."""
        source, (_, end) = self._source, self._source.sentence_of(one)
        if one + 1 >= end or source.is_apart(one + 1):
            return False
        begin = one + 1 + (source.words[one + 1].lower in self._words.lexicon.prepositions)
        behind = self._nearest(range(begin, end), source.is_apart)
        if not self._is_left_out(behind):
            return False
        if _is_number(source.words[behind]):
            return any(place in self._numbers for place, _ in self._path[number:])
        if before := source.preposition(behind):
            return self._prepositions.get(before, 0) >= number
        return behind + 1 == end or source.is_apart(behind + 1)

    @cached_property
    def _prepositions(self) -> Mapping[str, int]:
        """The prepositions of the claim, with the last step of the path that has each."""
        return {self._words.claim.preposition(place): number for number, (place, _) in enumerate(self._path)}

    def _is_left_out(self, at: int) -> bool:
        return at >= 0 and self._source.words[at].key not in self._words.keys

    def _nearest(self, places: Iterable[int], is_apart: Callable[[int], bool]) -> int:
        """The first word of content; -1 where none is near, or a mark stands before it."""
        for at in islice(places, _MOST_SMALL + 1):
            if is_apart(at):
                return -1
            if self._source.words[at].is_content or at in self._places:
                return at
        return -1


def _is_number(word: Word) -> bool:
    return any(letter.isdigit() for letter in word.text[:2])  # "$2"
