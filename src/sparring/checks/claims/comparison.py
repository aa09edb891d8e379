"""Compare: determine the meaning of each difference between a claim and the sentence that it repeats.

A difference is *typed* if code can identify the change: a value, a negation, an opposite word, a name after a verb or
preposition for names or places, or two things that changed places. All other differences (words added, left out or
replaced) are undecided.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sparring.checks.claims.alignment import Alignment, ItemDifference
from sparring.checks.claims.document import ParsedText, Sentence
from sparring.checks.claims.items import Item
from sparring.checks.claims.parsing.tokens import is_digits
from sparring.checks.claims.parsing.words import stem
from sparring.checks.claims.values.value import COUNT, DATE, DAY, ValueRelation, relation
from sparring.schema.claims import Dimension

_LONGEST_NAME = 4
_STEM = 4


class SentenceChange(Struct, frozen=True):
    """The meaning of a difference.

    Attributes:
        dimension: The kind of change; None if code cannot identify it.
        is_typed: Whether the sentence contradicts the claim by it.
        is_other_name: Whether the claim has another name there: also typed if both texts have the same topic.
        is_slight: Whether the claim only leaves words out, or has another tense: it does not matter next to a typed
            change of texts with the same topic.
    """

    difference: ItemDifference
    dimension: Dimension | None = None
    is_typed: bool = False
    is_other_name: bool = False
    is_slight: bool = False


def changes(alignment: Alignment, sources: Sequence[ParsedText]) -> tuple[SentenceChange, ...]:
    """Return the meanings of the differences of ``alignment``, in order; equal values are not included."""
    if alignment.exchanged:
        return (SentenceChange(alignment.exchanged[0], Dimension.ENTITY, is_typed=_is_exchange(alignment)),)
    meant: list[SentenceChange] = []
    for difference in alignment.differences:
        meant += _Pair(difference, alignment).changes(sources)
    return tuple(meant) or tuple(_of_letter_case(alignment))


def _of_letter_case(alignment: Alignment) -> Iterator[SentenceChange]:
    """Yield words that differ only in letter case: US and us, `True` and true; a first letter may differ."""
    if alignment.is_moved:
        return
    for at, (one, other) in enumerate(zip(alignment.ours, alignment.theirs, strict=False)):
        ours = alignment.claim.tokens.written[one.begin]
        theirs = alignment.evidence.tokens.written[other.begin]
        if ours == theirs or ours.lower() != theirs.lower() or one.value:
            continue
        if one.is_code or other.is_code or ours[1:] != theirs[1:]:
            yield SentenceChange(ItemDifference((at, at + 1), (at, at + 1)))


class _Pair:
    """A difference, with the items on both sides and the keys by which they are compared."""

    def __init__(self, difference: ItemDifference, alignment: Alignment) -> None:
        self._difference = difference
        self._alignment = alignment
        self._words = alignment.claim.lexicon
        self._ours = alignment.ours[slice(*difference.claim)]
        self._theirs = alignment.theirs[slice(*difference.evidence)]
        self._keys = [item.key for item in self._ours], [item.key for item in self._theirs]

    def changes(self, sources: Sequence[ParsedText]) -> Iterator[SentenceChange]:
        """Yield the changes; nothing if both sides have the same meaning."""
        ours, theirs = self._ours, self._theirs
        is_one_to_one = len(ours) == len(theirs)
        if is_one_to_one and len(ours) == 1 and (ours[0].value or theirs[0].value):
            yield from self._of_value()
        elif is_one_to_one and len(ours) > 1 and all(map(self._are_comparable, ours, theirs)):
            # Each item is compared with the one at its place: "5 to 7" with "5 to 8".
            begin, other_begin = self._difference.claim[0], self._difference.evidence[0]
            for at in range(len(ours)):
                place = (begin + at, begin + at + 1)
                other_place = (other_begin + at, other_begin + at + 1)
                yield from _Pair(ItemDifference(place, other_place), self._alignment).changes(sources)
        elif self._is_denied():
            yield SentenceChange(self._difference, Dimension.NEGATION, is_typed=self._is_of_main_clause())
        elif (tuple(self._keys[0]), tuple(self._keys[1])) in self._words.opposites:
            yield SentenceChange(self._difference, Dimension.QUALIFIER, is_typed=not self._is_of_subject())
        elif self._is_foreign_name(sources):
            is_typed = self._stands_in_slot()
            yield SentenceChange(self._difference, Dimension.ENTITY, is_typed, is_other_name=self._are_plain_names())
        else:
            yield SentenceChange(self._difference, is_slight=not ours or self._is_tense(*self._keys[0], *self._keys[1]))

    def _are_comparable(self, one: Item, other: Item) -> bool:
        return bool(one.value and other.value) or self._is_tense(one.key, other.key)

    def _is_tense(self, *keys: str) -> bool:
        return self._words.auxiliaries.issuperset(keys) and self._words.negations.isdisjoint(keys)

    # -- values

    def _of_value(self) -> Iterator[SentenceChange]:
        one, other = self._ours[0].value, self._theirs[0].value
        if one and other:
            what = relation(one, other)
            if what is not ValueRelation.SAME:
                dimension = Dimension.TIME if {one.kind, other.kind} & {DATE, DAY} else Dimension.QUANTITY
                yield SentenceChange(self._difference, dimension, is_typed=what is ValueRelation.APART)
            return
        # A value against a word. The word may be a numeral: "one", which is mostly a pronoun, is no value.
        value, word = (one, self._theirs[0].key) if one else (other, self._ours[0].key)
        is_count = value is not None and value.kind == COUNT and not value.sign
        if is_count and value and self._words.numerals.get(word) == value.amount:
            return
        yield SentenceChange(self._difference, Dimension.QUANTITY if is_digits(word) else None)

    # -- negations

    def _is_denied(self) -> bool:
        """Report whether one side is the negation of the other, without any other difference.

        On the unread third, this adds 5.6 points of REFUTED; pairs of opposites ("enabled", "disabled") add 6.6.
        """
        words = self._words
        if words.negations.isdisjoint(self._keys[0]) is words.negations.isdisjoint(self._keys[1]):
            return False
        empty = words.negations | words.auxiliaries
        one, other = ([stem(key)[:_STEM] for key in keys if key not in empty] for keys in self._keys)
        return one == other

    def _is_of_main_clause(self) -> bool:
        """Report whether the negation belongs to the main clause, and not to a clause that "if" or "that" begins."""
        alignment, difference = self._alignment, self._difference
        for sentence, items, (begin, _) in (
            (alignment.claim, alignment.ours, difference.claim),
            (alignment.evidence, alignment.theirs, difference.evidence),
        ):
            following = len(sentence.tokens.written)
            if begin < len(items) and sentence.tokens.word(items[begin].end) == ":":
                return False  # "Don't: ..."
            for at in range(min(begin, len(items)) - 1, -1, -1):
                following = items[at + 1].begin if at + 1 < len(items) else following
                if "," in sentence.tokens.written[items[at].end : following]:
                    break
                if items[at].key in self._words.clause_words:
                    return False
        return True

    def _is_of_subject(self) -> bool:
        """Report whether the difference only identifies the subject: "the old parser is fast"."""
        before = self._alignment.ours[: self._difference.claim[0]]
        return all(item.key in self._words.determiners for item in before)

    # -- names

    def _is_foreign_name(self, sources: Sequence[ParsedText]) -> bool:
        """Report whether the evidence has a name, and the claim one that occurs nowhere in the evidence.

        If the evidence has a name of code there, any single word counts. It adds 2.1 points of REFUTED (unread third).
        """
        ours, theirs, claim = self._ours, self._theirs, self._alignment.claim
        if not (0 < len(ours) <= _LONGEST_NAME and 0 < len(theirs) <= _LONGEST_NAME):
            return False
        if not self._is_name(theirs, self._alignment.evidence):
            return False
        replaces_code = len(ours) == len(theirs) == 1 and theirs[0].is_code
        is_word = replaces_code and not ours[0].value and ours[0].key not in self._words.functional
        if not is_word and not self._is_name(ours, claim):
            return False
        begin, end = claim.tokens.place(ours[0].begin, ours[-1].end)
        name = claim.text.plain[begin:end].strip("`'\"").lower()
        return not any(name in source.plain.plain.lower() for source in sources)

    def _are_plain_names(self) -> bool:
        """Report whether both are names of people, places and the like: a name of code may be an example."""
        is_code = any(item.is_code for item in (*self._ours, *self._theirs))
        return not is_code and self._is_name(self._ours, self._alignment.claim)

    def _is_name(self, items: Sequence[Item], sentence: Sentence) -> bool:
        """Report whether all items but function words are code, or begin with a capital within the sentence."""
        proper = [item for item in items if item.key not in self._words.functional]
        for item in proper:
            has_capital = item.begin > 0 and sentence.tokens.written[item.begin][0].isupper()
            if item.value or not (item.is_code or has_capital):
                return False
        return bool(proper)

    def _stands_in_slot(self) -> bool:
        """Report whether the name is what the sentence states: after "is", "named", "in", "returns" and the like."""
        items, at = self._alignment.ours, self._difference.claim[0] - 1
        while at > 0 and items[at].key in self._words.determiners:
            at -= 1
        slots = self._words.slots
        return at > 0 and (items[at].key in slots or f"{items[at - 1].key}_{items[at].key}" in slots)


def _is_exchange(alignment: Alignment) -> bool:
    """Report whether the order of the two matters: not in "A and B", "A is B", or a list."""
    first, second = alignment.exchanged
    words = alignment.claim.lexicon
    begin, end = first.claim[1], second.claim[0]
    between = {item.key for item in alignment.ours[begin:end]} - words.determiners
    stretch = alignment.claim.tokens.written[alignment.ours[begin - 1].end : alignment.ours[end].begin]
    is_listed = "," in stretch or not between.isdisjoint(words.either_way)
    return bool(between - words.either_way) and not (is_listed and between.isdisjoint(words.subordinators))
