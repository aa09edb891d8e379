"""Whether a passage tells the words of a claim of one thing: of no part of it, and of no two that several clauses have.

Code sees where words stand and not what they are: where it cannot tell, it says no.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise, takewhile

from sparring.checks.claims.claim_words import ClaimWords
from sparring.checks.claims.coordination import Coordination
from sparring.checks.claims.swaps import opposites
from sparring.checks.claims.terms import Terms

_MOST_SMALL = 4
"""How many small words may stand between "and" and what it joins."""


@dataclass(frozen=True)
class Match:
    """Where a passage has the words of a claim.

    Attributes:
        path: The place of each word in the claim, and in the source.
        others: For each word of the claim that is one of a number or date, the place of the last number or date in the
            source that stands before that and may be told of the same; -1 where there is none.
    """

    words: ClaimWords
    source: Terms
    path: Sequence[tuple[int, int]]
    others: Mapping[int, int]

    def is_of_one_thing(self) -> bool:
        """Whether nothing in the passage shows that its words are told of a part, of another or of several things."""
        if any(self._is_of_another(place, at) for place, at in self.path) or self._is_head_of_another():
            return False
        if self._is_one_kind() or any(self._is_compound(place, at) for place, at in self.path):
            return False
        if Coordination(self.words, self.source, self.path, self.others.keys()).is_broken():
            return False
        if self._is_premise() or self._tells_opposite() or self._passes_another() or self._parts_what_is_joined():
            return False
        if any(self._is_of_another_than(one, other) for one, other in pairwise(self.path)):
            return False
        return not any(self._has_nearer(one, *other) for (_, one), other in pairwise(self.path))

    @cached_property
    def _matched(self) -> Set[int]:
        return {at for _, at in self.path}

    @cached_property
    def _is_turned(self) -> bool:
        return any(other < one for (_, one), (_, other) in pairwise(self.path))

    def _spelled(self, at: int) -> str:
        return self.source.words[at].lower

    def _is_new(self, at: int, words: Set[str]) -> bool:
        """Whether one of ``words`` stands there that the claim has not."""
        return self.words.lacks(self._spelled(at), words)

    def _is_else(self, at: int) -> bool:
        """Whether what stands there is no number, and nothing that the claim speaks of."""
        word = self.source.words[at]
        return word.is_content and not word.text[0].isdigit() and word.key not in self.words.keys

    def _is_left_out(self, at: int) -> bool:
        """Whether it is a word of content that is not matched."""
        return self.source.words[at].is_content and at not in self._matched

    def _is_of_another(self, place: int, at: int) -> bool:
        """Whether it is told of some only, of what somebody else has, or the other way: "Anna's father", "to Rome"."""
        claim, source = self.words.claim, self.source
        if source.is_owner(at) and not claim.is_owner(place):
            return True
        if place in self.others:
            return False
        if claim.is_particle(place) and self._has_object(place, at):
            return True
        if claim.is_part(place):
            return False
        if (claim.preposition(place), source.preposition(at)) in self.words.lexicon.directions:
            return True
        is_every = place > 0 and claim.words[place - 1].lower in self.words.lexicon.universals
        return source.is_part(at) or (is_every and at > 0 and self._is_left_out(at - 1))  # "every POST request"

    def _has_object(self, place: int, at: int) -> bool:
        """Whether there it tells where or what of: "is on the disk", "logs in the morning", and not "logs in daily"."""
        if self.source.is_particle(at):
            return False
        words, before = self.words.lexicon, self.words.claim.words[max(place - 1, 0)].lower
        behind = self.source.words[at + 1 : at + 2]
        return before in words.auxiliaries or any(word.lower in words.determiners for word in behind)

    def _is_one_kind(self) -> bool:
        """Whether what the claim says without an article of all such things is told of one kind: "guide dogs are"."""
        place, at = self.path[0]
        if place or place in self.others or not self.words.claim.begins_sentence:
            return False
        return self.source.is_kind(at) and self._is_left_out(at - 1)

    def _is_compound(self, place: int, at: int) -> bool:
        """Whether it only tells which thing is meant that stands between it and what is told: "the key name is"."""
        source, behind = self.source, self.words.claim.words[place + 1 : place + 2]
        if place in self.others or not behind or behind[0].lower not in self.words.lexicon.auxiliaries:
            return False
        if self._is_only_of(at + 1):
            return True
        if at + 2 >= len(source.words) or not source.is_beside(at) or not source.is_beside(at + 1):
            return False
        return self._is_left_out(at + 1) and source.words[at + 1].text[0].islower() and self._is_auxiliary(at + 2)

    def _is_only_of(self, place: int) -> bool:
        """Whether there is told of what else it is only said: "logs of access are"."""
        source, determiners = self.source, self.words.lexicon.determiners
        of = range(place + 1, source.sentence_of(place - 1)[1])
        thing = next((at for at in of if self._spelled(at) not in determiners), -1)
        return thing >= 0 and source.head_of(thing) == place - 1 and self._is_else(thing)

    def _is_head_of_another(self) -> bool:
        """Whether the claim's first word only tells whose another thing is: "the sister of Anna was born"."""
        place, at = self.path[0]
        head = self.source.head_of(at)
        if head < 0 or place in self.others or self.words.claim.preposition(place):
            return False
        if not self._is_left_out(head):  # "flu cases" are "cases of flu", and the end of a client ends no client
            behind = (there for number, (_, there) in enumerate(self.path) if there != at + number)
            return head in self._matched and next(behind, head) != head
        if at + 1 in self._matched and self.source.words[at + 1].text[0].islower():
            return True  # "the sister of Anna wrote"
        while at + 1 in self._matched:
            at += 1
        return at + 1 < len(self.source.words) and self._is_auxiliary(at + 1)

    def _is_premise(self) -> bool:
        """Whether the claim's first word begins what has to be so before something is: "when the server logs, ..."."""
        place, at = self.path[0]
        before = self.source.preposition(at)
        if place in self.others:
            return False
        is_beside = before in self.words.lexicon.beside and not self.words.claim.preposition(place)
        return is_beside or self.words.lacks(before, self.words.lexicon.premises)

    def _is_auxiliary(self, at: int) -> bool:
        """Whether an auxiliary stands there, behind no comma."""
        return self._spelled(at) in self.words.lexicon.auxiliaries and not self.source.has_comma_before(at)

    def _tells_opposite(self) -> bool:
        """Whether between the words stands the opposite of one, told of the first: "it is on, and caching is off"."""
        low, high = min(self._matched), max(self._matched)
        there = filter(self._is_opposed, self.source.outside_brackets(low, high))
        if not all(map(self._is_joined_to_opposite, there)):
            return True
        behind = range(high + 1, self.source.sentence_of(high)[1] if self._is_turned else high)
        return any(map(self._is_opposed, takewhile(lambda at: not self.source.may_begin_clause(at), behind)))

    def _is_opposed(self, at: int) -> bool:
        return self.source.words[at].key in self.words.opposed

    def _is_joined_to_opposite(self, at: int) -> bool:
        """Whether it and the opposite are told of the same: "it was opened in May and closed", "reads and writes"."""
        for key in opposites(self.source.text.language)[self.source.words[at].key]:
            places = self._places.get(key, ())
            behind = bisect_left(places, at)
            if any(self._shares(at, other) for other in places[max(0, behind - 1) : behind + 1]):
                return True
        return False

    def _shares(self, at: int, other: int) -> bool:
        """Whether an "and" joins them, and what stands behind is told of both: not of "won the match but lost" it."""
        has_its_own = any(map(self._is_left_out, range(other + 1, at)))
        return not has_its_own and self._is_joined(*sorted((at, other)))

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for at in sorted(self._matched):
            found[self.source.words[at].key].append(at)
        return found

    def _is_joined(self, one: int, other: int) -> bool:
        """Whether but for small words an "and" stands right before the second."""
        before = islice(range(other - 1, one, -1), _MOST_SMALL)
        small = takewhile(lambda at: not self.source.words[at].is_content, before)
        return any(map(self.source.may_begin_clause, small))

    def _passes_another(self) -> bool:
        """Whether before a number stands one of something else, or instead of it: "the cache holds 5, the queue 9"."""
        for (_, before), (place, at) in pairwise(self.path):
            other = self.others.get(place, -1)
            if not before < other < at or other in self._matched:
                continue
            if any(map(self._is_else, range(other + 1, at))):
                return True
        return False

    def _parts_what_is_joined(self) -> bool:
        """Whether more is told of one than that it is "one and other": "retries are on and caching is off"."""
        source, clauses = self.source, self.words.lexicon.clauses
        for (place, one), (next_place, other) in pairwise(self.path):
            between = self.words.claim.words[place + 1 : next_place]
            if place in self.others or clauses.isdisjoint(word.lower for word in between):
                continue
            there = source.outside_brackets(one, other)
            mark = next(filter(source.may_begin_clause, there), one)
            if any(self._is_else(at) for at in there if at < mark):
                return True
        return False

    def _is_of_another_than(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether what stands between two words shows that the second is not told of the first."""
        there = self.source.outside_brackets(one[1], other[1])
        return self._is_of_another_clause(one, other, there) or self._is_of_nearer(one, other, there)

    def _is_of_another_clause(self, one: tuple[int, int], other: tuple[int, int], there: Sequence[int]) -> bool:
        """Whether between two words a clause begins that is told of something else."""
        at = other[1]
        if any(map(self.source.is_divided, range(at + 1, one[1] + 1))):
            return True
        if self._begins_clause(one, at, there) or self._does_else(there) or self._is_of_subclause(there):
            return True
        return any(self._is_told_of_last(mark) or self._has_subject(number, there) for number, mark in enumerate(there))

    def _is_of_nearer(self, one: tuple[int, int], other: tuple[int, int], there: Sequence[int]) -> bool:
        """Whether between two words stands what the second is told of instead of the first."""
        (place, before), (next_place, at) = one, other
        if next_place in self.others or at < before:
            return False
        is_told = self._is_attribute(next_place, before, at) or self._is_done_by_another(before, at)
        is_named = self._is_only_named(range(place + 1, next_place), there)
        return is_told or is_named or self._is_part_of_another(one, other)

    def _is_attribute(self, place: int, before: int, at: int) -> bool:
        """Whether what the claim tells only says of which kind the next thing is: "passwords and encrypted files"."""
        source, words = self.source, self.words.lexicon
        if self.words.claim.words[place - 1].lower not in words.auxiliaries or at + 1 == len(source.words):
            return False
        first = self._spelled(max(source.place_before(at), before))
        is_next = first in words.clauses or first in words.prepositions
        is_of_the_next = self._is_left_out(at + 1) and source.words[at + 1].text[0].islower() and source.is_beside(at)
        return is_next and is_of_the_next

    def _is_done_by_another(self, before: int, at: int) -> bool:
        """Whether right before it stands another's name, behind a word: "Alice says Carol manages"."""
        if not self.source.words[at].text[0].islower():
            return False
        names = takewhile(
            lambda name: self._is_other_name(name) and self.source.is_beside(name), range(at - 1, before, -1)
        )
        first = min(names, default=at)
        says = self.source.words[first - 1]
        return before < first - 1 < at - 1 and says.is_content and says.text[0].islower()

    def _is_only_named(self, said: Iterable[int], there: Sequence[int]) -> bool:
        """Whether between the two begins what is to be done, and in the claim not: "won the right to enter the cup"."""
        source, marks = self.source, self.words.lexicon.infinitives
        if not marks.isdisjoint(self.words.claim.words[at].lower for at in said):
            return False
        for mark, verb in pairwise(there):
            if self._spelled(mark) in marks and self._is_left_out(verb):
                commas = map(source.has_comma_before, range(verb, there[-1] + 2))
                return source.words[verb].text[0].islower() and not any(commas)
        return False

    def _is_part_of_another(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether it only tells of what, or where, something is that stands between: "stores hashes of sessions"."""
        (place, before), (next_place, at) = one, other
        claim = self.words.claim
        if claim.place_before(next_place) != place or claim.preposition(next_place):
            return False
        head = self.source.place_before(at) - 1
        is_below = self.source.preposition(at) not in {"", *self.words.lexicon.infinitives}
        return is_below and head > before and self._is_left_out(head)

    def _begins_clause(self, one: tuple[int, int], at: int, there: Sequence[int]) -> bool:
        """Whether a clause begins there that has a subject of its own: "it is fast, and the queue is slow"."""
        source, words = self.source, self.words.lexicon
        last = next(filter(source.may_begin_clause, reversed(there)), at)
        clause = [place for place in there if place >= last and self._spelled(place) not in words.clauses]
        if not clause or source.is_divided(at) or (last == one[1] + 1 and self._joins_subjects(one[0])):
            return False
        if any(map(self._is_subject, clause)) or self._are_others(clause):
            return True
        if last > one[1] + 1 and all(map(self._is_other_name, clause)) and source.words[at].text[0].islower():
            return words.determiners.isdisjoint(map(self._spelled, there))  # "moves, and Redis stores"
        if self._is_gap(last, clause):
            return True
        first, *rest = clause
        return bool(rest) and self._spelled(first) in words.determiners and all(map(self._is_left_out, rest))

    def _is_of_subclause(self, there: Sequence[int]) -> bool:
        """Whether it stands in a clause that only tells when or why: "wrote it before she left in 2019"."""
        marks = self.words.lexicon.subclauses & self.words.lexicon.prepositions
        mark = next((at for at in reversed(there) if self._is_new(at, marks) and self._spelled(at) != "as"), -1)
        if mark < 0 or any(self.source.has_comma_before(at) for at in (*there, there[-1] + 1) if at > mark):
            return False
        return any(self._is_left_out(at) for at in there if at > mark)

    def _is_gap(self, last: int, clause: Sequence[int]) -> bool:
        """Whether another does to it what is said before: "wrote the lexer and Bob the parser"."""
        names = [*takewhile(self._is_other_name, clause)]
        rest = clause[len(names) :]
        is_thing = bool(rest) and all(self._spelled(at) in self.words.lexicon.determiners for at in rest)
        return bool(names) and is_thing and self._is_left_out(last - 1)

    def _are_others(self, clause: Sequence[int]) -> bool:
        """Whether they are numbers that are not matched: "12 were hurt and 5" died."""
        numbers = [at for at in clause if self.source.words[at].is_content]
        return bool(numbers) and all(
            self._is_left_out(at) and self.source.words[at].text[0].isdigit() for at in numbers
        )

    def _joins_subjects(self, place: int) -> bool:
        """Whether what stands behind the word at ``place`` of the claim is told of it and others: "A and B are".

        Not with a number, of which there may be one for each of them.
        """
        behind = () if self.others else self.words.claim.words[place + 1 : place + 2]
        return any(word.lower in self.words.lexicon.auxiliaries for word in behind)

    def _is_subject(self, place: int) -> bool:
        """Whether an auxiliary stands behind it or a word of the claim, and neither of the two is matched."""
        word, behind = self.source.words[place : place + 2]
        if not self._is_left_out(place) or word.text[0].isdigit() or self.source.has_comma_before(place + 1):
            return False
        is_again = behind.is_content and behind.key in self.words.keys and place + 1 not in self._matched
        return is_again or behind.lower in self.words.lexicon.auxiliaries

    def _does_else(self, there: Sequence[int]) -> bool:
        """Whether something else is done with what stands last: "it reads JSON and writes" XML."""
        marks = [at for at in there if self.source.may_begin_clause(at)]
        if len(marks) != 1 or self._spelled(marks[0]) not in self.words.lexicon.clauses:
            return False
        before, behind = [at for at in there if at < marks[0]], [at for at in there if at > marks[0]]
        if not before or len(behind) != 1 or not all(self.source.words[at].is_content for at in (*before, *behind)):
            return False
        return self.source.words[behind[0]].text[0].islower()

    def _is_told_of_last(self, mark: int) -> bool:
        """Whether there begins what tells which are meant ("users who"), or tells it of a name ("by Brazil, who")."""
        if not self._is_new(mark, self.words.lexicon.relatives):
            return False
        if not self.source.has_comma_before(mark):
            return mark - 1 in self._matched
        name = [*takewhile(self._is_other_name, range(mark - 1, -1, -1))]
        if name:
            return self._spelled(name[-1] - 1) not in self.words.lexicon.determiners
        things = [*takewhile(self._is_left_out, range(mark - 1, -1, -1))]
        return bool(things) and self._spelled(things[-1] - 1) in self.words.lexicon.definite

    def _is_other_name(self, at: int) -> bool:
        return self._is_left_out(at) and self.source.words[at].text[0].isupper()

    def _has_subject(self, number: int, there: Sequence[int]) -> bool:
        """Whether a clause with its own subject begins there: ", caching is", "when the cache is", "which Anna"."""
        words, mark = self.words.lexicon, there[number]
        is_relative = self._is_new(mark, words.relatives)
        is_word = is_relative or self._is_new(mark, words.subclauses)
        if not is_word and (self._is_turned or not self.source.has_comma_before(mark)):
            return False
        begin = subject = number + is_word
        while subject < len(there) and self._spelled(there[subject]) in words.determiners:
            subject += 1
        end = subject
        while (
            end < len(there)
            and self._is_left_out(there[end])
            and not (end > subject and self.source.has_comma_before(there[end]))
        ):
            end += 1
        if end == subject or self.source.words[there[begin]].text[0].isdigit():
            return False
        again = (self.source.words[at] for at in there[subject + 1 : end])
        if any(word.text[0].islower() and word.key in self.words.keys for word in again):
            return True  # "Anna leads sales, Bob leads the team"
        if end < len(there):
            return self._is_auxiliary(there[end])
        return is_relative and (subject > begin or self.source.words[there[begin]].text[0].isupper())

    def _has_nearer(self, one: int, place: int, other: int) -> bool:
        """Whether what a preposition tells of the first term is something else, and of another clause the second is.

        Of "she was born in Rome and died in Paris", that she died in Rome, or was born in Paris.
        """
        before = self.source.preposition(other)
        if not before:
            return False
        is_dated = other < one and place in self.others and self.words.claim.preposition(place) == before
        return (is_dated and self._has_number_behind(one, before)) or self._has_other_behind(one, other, before)

    def _has_number_behind(self, one: int, before: str) -> bool:
        """Whether right behind the term stands another number with that preposition: "found in 2.1, fixed in 2.2"."""
        behind = range(one + 1, self.source.sentence_of(one)[1])[:2]
        if len(behind) < 2 or self._spelled(behind[0]) != before or behind[1] in self._matched:
            return False
        return self.source.words[behind[1]].text[0].isdigit()

    def _has_other_behind(self, one: int, other: int, before: str) -> bool:
        source = self.source
        marks = [place for place in range(min(one, other) + 1, max(one, other)) if self._begins_another(place)]
        if not marks or (one < other and not any(map(self._is_else, range(marks[-1] + 1, other)))):
            return False
        for place in range(one + 1, len(source.words) - 1):
            if place == other or self._begins_another(place) or source.sentences[place] != source.sentences[one]:
                return False
            if self._spelled(place) == before:
                behind = range(place + 1, len(source.words))
                return next((at for at in behind if source.words[at].is_content), one) not in self._matched
        return False

    def _begins_another(self, place: int) -> bool:
        """Whether a clause may begin there, with a mark or word that the claim has not."""
        return self.source.is_divided(place) or self._is_new(place, self.words.lexicon.clauses)
