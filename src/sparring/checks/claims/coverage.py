"""Whether one passage of the evidence accounts for every content word of a claim, in its order and with its polarity.

A passage is a sentence; a name of the claim may stand anywhere in the same source. A number or date is accounted for
where it was found to match; every other word where the passage has it, without regard to inflection, and code where it
is written the same.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from sparring.checks.claims.claim_words import ClaimWords
from sparring.checks.claims.clauses import Match
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.swaps import SwappedTerms, exchange_in, opposite_in
from sparring.checks.claims.terms import Terms, Word
from sparring.checks.claims.tokens import in_source
from sparring.schema.lookups import Span

# Found by trying on half of the development pages (bench/claims).
_MOST_BREAKS = 1
"""How often the order may turn back: a clause may have been moved."""

_MOST_TURNS = 2  # "A did B", "B was done by A"
_BY = "by"

_MOST_SPREAD, _SPREAD = 3, 4
"""How many terms of the passage there may be for one of the claim, from the first matched to the last."""

_MOST_PASSAGES = 40
_MORE_THAN_NUMBER = re.compile("[^\\W\\d_]+-")
"""A word that a hyphen joins to a number says more than that: "mid-1994", "sub-100"."""

_VERDICT_REACH = 4
"""How many words a verdict on what stands before them may have: "has long been disproved"."""

_CUT_BEFORE, _CUT_BEHIND = re.compile(r"\w[-./:@]?\Z"), re.compile(r"[-./:@]?\w")


class MatchedValue(NamedTuple):
    """A number or date that matches, with its unit and what bounds it, and where it stands in the evidence.

    In ``bounds``, and over there in ``bounds_there``, stand words that bound it, and deny and doubt nothing; each ends
    where the number or date itself begins. At ``other`` stands the last number before it that may be told of the same;
    -1 where there is none.
    """

    start: int
    end: int
    source: int
    bounds: tuple[int, int]
    bounds_there: tuple[int, int]
    other: int

    @property
    def at(self) -> int:
        """Where it begins in the evidence, without what bounds it."""
        return self.bounds_there[1]


@dataclass(frozen=True)
class Coverage:
    """What the best passage leaves uncovered; ``passage`` where that is nothing, and order and polarity agree."""

    uncovered: tuple[str, ...] = ()
    passage: Span | None = None
    exchange: SwappedTerms | None = None


def cover(claim: Terms, sources: Sequence[tuple[int, Terms]], told: Sequence[MatchedValue]) -> Coverage:
    """What the best passage of ``sources``, each with its index, makes of ``claim``."""
    wanted = _Wanted(claim, told)
    best: Sequence[int] | None = None
    opposite: SwappedTerms | None = None
    for index, source in sources:
        for passage in _Source(wanted, index, source).passages():
            if (
                passage.is_moved
                and not passage.left
                and (exchange := exchange_in(claim, source, index, passage.begin, passage.end))
            ):
                return Coverage(exchange=exchange)
            if passage.is_full:
                return Coverage(passage=in_source(index, source.span(passage.begin, passage.end)))
            if best is None or len(passage.left) < len(best):
                best = passage.left
            if len(passage.left) <= 1:
                opposite = opposite or opposite_in(claim, source, index, passage.begin, passage.end)
    if opposite:
        return Coverage(exchange=opposite)
    left = [place for place in wanted.places if place not in wanted.told] if best is None else best
    return Coverage(tuple(dict.fromkeys(claim.words[place].text for place in left)))


class _Wanted:
    """The terms of a claim that have to be accounted for."""

    def __init__(self, claim: Terms, told: Sequence[MatchedValue]) -> None:
        self.claim = claim
        self.told = {
            place: each
            for each in reversed(told)
            for place in range(bisect_right(claim.ends, each.start), bisect_left(claim.starts, each.end))
            if not _MORE_THAN_NUMBER.match(claim.words[place].text)
            or (each.start <= claim.starts[place] and claim.ends[place] <= each.end)
        }
        self.places = [
            at for at, word in enumerate(claim.words) if at in self.told or word.is_content or self._is_told(at)
        ]
        self.known = ClaimWords(claim, self.places)
        bounding = claim.places_in(each.bounds for each in told)
        self.polarities = _polarities(word for at, word in enumerate(claim.words) if at not in bounding)

    def _is_told(self, place: int) -> bool:
        """Whether it is a particle that is told of the subject: "is on" is more than "is there"."""
        if place == 0 or not self.claim.is_particle(place):
            return False
        auxiliaries = lexicon(self.claim.text.language).auxiliaries
        return place + 1 == len(self.claim.words) or self.claim.words[place - 1].lower in auxiliaries

    @cached_property
    def words(self) -> Mapping[int, int]:
        """The place of each word that is none of a number, and the first place of the same word."""
        first: dict[Word, int] = {}
        return {at: first.setdefault(self.claim.words[at], at) for at in self.places if at not in self.told}


class _Passage(NamedTuple):
    begin: int
    end: int
    left: Sequence[int]
    is_full: bool
    is_moved: bool


class _Source:
    """One source, and where the words of the claim stand in it."""

    def __init__(self, wanted: _Wanted, index: int, source: Terms) -> None:
        self._wanted = wanted
        self._source = source
        self._there = {at: source.places_of(wanted.claim.words[at]) for at in {*wanted.words.values()}}
        self._told = {place: source.place_at(each.at) for place, each in wanted.told.items() if each.source == index}
        self._others = {at: source.place_at(each.other) if each.other >= 0 else -1 for at, each in wanted.told.items()}
        there = (each.bounds_there for each in wanted.told.values() if each.source == index)
        self._bounding = source.places_in(there)

    def passages(self) -> Iterator[_Passage]:
        """The sentences that have most of the claim's words."""
        hits: Counter[int] = Counter()
        sentences = self._source.sentences
        for places in self._there.values():
            hits.update({sentences[place] for place in places})
        hits.update(sentences[place] for place in self._told.values() if place >= 0)
        most = max(hits.values(), default=0)
        for number in sorted(each for each, count in hits.items() if count >= most - self._names)[:_MOST_PASSAGES]:
            yield self._passage(*self._source.extents[number])

    @cached_property
    def _names(self) -> int:
        words = self._wanted.claim.words
        return sum(bool(places) and words[at].text[0].isupper() for at, places in self._there.items())

    def _passage(self, begin: int, end: int) -> _Passage:
        left: list[int] = []
        path: list[tuple[int, int]] = []
        used: Counter[int] = Counter()
        last, elsewhere = begin - 1, False
        for place in self._wanted.places:
            if place in self._wanted.told:
                at = self._told.get(place, -1)
                is_here = begin <= at < end
            else:
                first = self._wanted.words[place]
                at = self._next(first, begin, end, last, used)
                is_here = at >= 0
                if not is_here and self._is_named(first, begin, end):
                    elsewhere = True
                    continue
            if is_here:
                path.append((place, at))
                last = at
            else:
                left.append(place)
        is_moved = any(other < one for (_, one), (_, other) in pairwise(path))
        is_full = not left and bool(path) and self._is_in_order(path) and self._agrees(begin, path)
        is_full = is_full and not (elsewhere and self._is_of_another(begin, min(at for _, at in path)))
        return _Passage(begin, end, left, is_full, is_moved)

    def _is_in_order(self, path: Sequence[tuple[int, int]]) -> bool:
        """Whether the claim has the words of the passage in their order; who does a thing may stand behind it, too.

        A phrase may have been moved, if the preposition that tells what it is to the others was moved with it.
        """
        turns = [at for at, ((_, one), (_, other)) in enumerate(pairwise(path), start=1) if other < one]
        if len(turns) <= _MOST_BREAKS:
            there = {at for _, at in path}
            if not self._has_the_same_doers(path) or any(self._is_swapped(path, at) for at in turns):
                return False
            return all(
                self._keeps_preposition(*path[at]) or there.issuperset(range(path[at][1], path[at - 1][1]))
                for at in turns  # "cases of flu" are "flu cases"
            )
        core = [pair for phrase in self._phrases(path) if not self._is_movable(phrase) for pair in phrase]
        turns = [at for at, ((_, one), (_, other)) in enumerate(pairwise(core), start=1) if other < one]
        return 0 < len(turns) <= _MOST_TURNS and self._is_passive(core, turns)

    def _is_swapped(self, path: Sequence[tuple[int, int]], turn: int) -> bool:
        """Whether it stands right before the other and nothing is of the other: "sued Bolt" is not "Bolt sued"."""
        (_, one), (place, other) = path[turn - 1 : turn + 1]
        is_of = self._source.preposition(one) or self._wanted.claim.preposition(place)
        return other + 1 == one and place not in self._wanted.told and not is_of

    def _has_the_same_doers(self, path: Sequence[tuple[int, int]]) -> bool:
        """Whether what stands behind "by" does so in both: "A did B" is not "A was done by B"."""
        there = {at for _, at in path}
        first = min(there)
        words = ((place, at) for place, at in path if place not in self._wanted.told and at > first)
        return all(
            self._is_done_by(at, there, first)
            if self._wanted.claim.preposition(place) == _BY
            else self._source.preposition(at) != _BY
            for place, at in words
        )

    def _is_done_by(self, at: int, there: Set[int], first: int) -> bool:
        """Whether a "by" stands before the term at ``at``; what the claim leaves out may stand between."""
        while self._source.preposition(at) != _BY and at - 1 not in there:
            at -= 1
            if not self._source.words[at].is_content or at - 1 < first:
                return False
        return self._source.preposition(at) == _BY

    def _keeps_preposition(self, place: int, at: int) -> bool:
        before = self._wanted.claim.preposition(place)
        return place in self._wanted.told or not before or before == self._source.preposition(at)

    def _phrases(self, path: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
        """The path in pieces, each of which begins with a number or date, or behind a preposition."""
        phrase: list[tuple[int, int]] = []
        for place, at in path:
            is_next = place in self._wanted.told and (not phrase or phrase[-1][0] not in self._wanted.told)
            if phrase and (is_next or self._wanted.claim.preposition(place)):
                yield phrase
                phrase = []
            phrase.append((place, at))
        yield phrase

    def _is_movable(self, phrase: Sequence[tuple[int, int]]) -> bool:
        place, at = phrase[0]
        before = self._wanted.claim.preposition(place)
        return place in self._wanted.told or (bool(before) and before == self._source.preposition(at))

    def _is_passive(self, core: Sequence[tuple[int, int]], turns: Sequence[int]) -> bool:
        """Whether the thing and who does it have changed places around what is done, with a "by" on one side."""
        claim, source = self._wanted.claim, self._source
        first, last = core[0], core[turns[-1]]
        if source.preposition(first[1]) == _BY and not claim.preposition(first[0]):
            done = max((at for _, at in core if at < first[1]), default=first[1])
            return sum(word.text == _BY for word in source.words[done : first[1]]) == 1
        return claim.preposition(last[0]) == _BY and not source.preposition(last[1])

    def _next(self, first: int, begin: int, end: int, last: int, used: Counter[int]) -> int:
        """Where the word at ``first`` of the claim stands behind ``last``, or else anywhere in the passage.

        -1 where it stands no more.
        """
        places = self._there[first]
        if not places:
            return -1
        low, high = bisect_left(places, begin), bisect_left(places, end)
        if used[first] >= high - low:
            return -1
        used[first] += 1
        at = bisect_right(places, last, low, high)
        return places[at] if at < high else places[low]

    def _is_named(self, first: int, begin: int, end: int) -> bool:
        """Whether it is a name that the source has in another sentence alone."""
        places, word = self._there[first], self._wanted.claim.words[first]
        is_name = word.text[0].isupper() and not word.is_code
        return is_name and bool(places) and bisect_left(places, begin) == bisect_left(places, end)

    def _is_of_another(self, begin: int, first: int) -> bool:
        """Whether the passage, before its term at ``first``, names somebody else than the claim."""
        ours = {word.key for word in self._wanted.claim.words}
        before = self._source.words[begin:first]
        return any(word.is_content and word.text[0].isupper() and word.key not in ours for word in before)

    def _agrees(self, begin: int, path: Sequence[tuple[int, int]]) -> bool:
        """Whether what is matched stands together, is told of one thing, and is denied as often as in the claim."""
        source = self._source
        low, high = min(at for _, at in path), max(at for _, at in path)
        most = _MOST_SPREAD * len(path) + _SPREAD
        if high - low > most and len(source.outside_brackets(low, high)) >= most:
            return False
        first = {at: place for place, at in reversed(path)}
        if any(self._only_was(place, at) for at, place in first.items()):
            return False
        if any(self._only_names(place, at) for place, at in path if place not in self._wanted.told):
            return False
        if not Match(self._wanted.known, source, path, self._others).is_of_one_thing():
            return False
        words = [source.words[at] for at in range(begin, high + 1) if at not in self._bounding]
        return _polarities([*words, *said_behind(source, high + 1)]) == self._wanted.polarities

    def _only_was(self, place: int, at: int) -> bool:
        """Whether something was so that the claim tells to be so."""
        words, there = lexicon(self._source.text.language), _tense(self._source, at)
        said = _tense(self._wanted.claim, place)
        return (there in words.past and said in words.present) or (there in words.future and said not in words.future)

    def _only_names(self, place: int, at: int) -> bool:
        """Whether a verb stands behind a "to" that the claim has not: who plans to do a thing need not do it."""
        word, marks = self._source.words[at], lexicon(self._source.text.language).infinitives
        if word.is_code or not word.text[0].islower() or _before(self._source, at) not in marks:
            return False
        return _before(self._wanted.claim, place).rpartition(" ")[2] not in marks  # "is used to" is one term


def _tense(terms: Terms, place: int) -> str:
    """The auxiliary right before the term at ``place``, but for articles; empty where there is none."""
    being, before = lexicon(terms.text.language).being, terms.place_before(place)
    while before >= 0 and terms.words[before].lower in being:
        before -= 1
    return terms.words[before].lower if before >= 0 else ""


def _before(terms: Terms, place: int) -> str:
    """The term before the one at ``place`` and its auxiliaries, in small letters; empty where there is none."""
    auxiliaries = lexicon(terms.text.language).auxiliaries
    while (place := place - 1) >= 0 and terms.words[place].lower in auxiliaries:
        pass
    return terms.words[place].lower if place >= 0 else ""


def _polarities(words: Iterable[Word]) -> Counter[str]:
    """How often it is denied, and how often doubted in which way: who refused has not, who is alleged may have."""
    return Counter(word.polarity for word in words if word.polarity)


def said_behind(source: Terms, at: int) -> Iterator[Word]:
    """What the sentence goes on with behind the term before ``at`` that takes it back: "if asked", "is a myth"."""
    words, (_, stop) = lexicon(source.text.language), source.sentence_of(at - 1)
    yield from (word for word in source.words[at:stop] if word.lower in words.pairings)
    behind = source.words[at : min(stop, at + _VERDICT_REACH)]
    if not behind:
        return
    first = behind[0].lower
    if first in words.conditions:
        yield behind[0]._replace(polarity=behind[0].polarity or behind[0].key)
    elif first in words.auxiliaries:
        yield from (word for word in behind[1:] if word.is_negation)
    else:  # "in no case"
        near = behind[: 2 if first in words.prepositions else 1]
        yield from (word for word in near if word.polarity == "not")


def is_said_alone(claim: Terms, source: Terms, start: int, end: int) -> bool:
    """Whether where the claim stands in the composed text its sentence neither denies it nor tells it of a part.

    Nor may it be cut off from a name: "max_retries are counted" does not say that retries are.
    """
    at, text = bisect_left(source.starts, start), source.text.composed
    if at == len(source.words) or _CUT_BEFORE.search(text, max(0, start - 2), start) or _CUT_BEHIND.match(text, end):
        return False
    begin, _ = source.sentence_of(at)
    if any(word.is_negation for word in source.words[begin:at]):
        return False
    if source.preposition(at) or source.is_part(at) or (claim.begins_sentence and source.is_kind(at)):
        return False
    behind = bisect_left(source.starts, end)
    is_one_of_two = any(word.lower in lexicon(source.text.language).alternatives for word in source.words[behind:][:1])
    return not is_one_of_two and not any(said_behind(source, behind))
