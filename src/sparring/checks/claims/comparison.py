"""Compare: determine the meaning of each difference between a claim and the sentence that it repeats.

A difference is *typed* if code can identify the change: a value, a negation, an opposite word, a name after a verb or
preposition for names or places, or two things that changed places. All other differences (words added, left out or
replaced) are undecided.
"""

from collections.abc import Iterator, Sequence
from itertools import starmap

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
    return tuple(meant or _of_letter_case(alignment))


def _of_letter_case(alignment: Alignment) -> Iterator[SentenceChange]:
    """Yield words that differ only in letter case: US and us, `True` and true; a first letter may differ."""
    if alignment.is_moved:
        return  # the items of both sides are not in the same places
    for at, (one, other) in enumerate(zip(alignment.claim_items, alignment.evidence_items, strict=False)):
        ours, theirs = alignment.claim.tokens.written[one.begin], alignment.evidence.tokens.written[other.begin]
        if ours == theirs or ours.lower() != theirs.lower() or one.value:
            continue
        if one.is_code or other.is_code or ours[1:] != theirs[1:]:
            yield SentenceChange(ItemDifference((at, at + 1), (at, at + 1)))


class _Pair:
    """A difference, with the items on both sides and the keys by which they are compared."""

    def __init__(self, difference: ItemDifference, alignment: Alignment) -> None:
        self._difference, self._alignment, self._words = difference, alignment, alignment.claim.lexicon
        self._claim_items = alignment.claim_items[slice(*difference.claim)]
        self._evidence_items = alignment.evidence_items[slice(*difference.evidence)]
        self._our_keys = tuple(item.key for item in self._claim_items)
        self._their_keys = tuple(item.key for item in self._evidence_items)

    def changes(self, sources: Sequence[ParsedText]) -> Iterator[SentenceChange]:
        """Yield the changes; nothing if both sides have the same meaning."""
        ours, theirs, difference = self._claim_items, self._evidence_items, self._difference
        if len(ours) == len(theirs) == 1 and (ours[0].value or theirs[0].value):
            yield from self._of_value()
        elif len(ours) == len(theirs) > 1 and all(starmap(self._are_comparable, zip(ours, theirs, strict=True))):
            # Several values or auxiliaries in a row: "was 5" and "is 6" are two changes.
            begin, their_begin = difference.claim[0], difference.evidence[0]
            for offset in range(len(ours)):
                at, there = begin + offset, their_begin + offset
                yield from _Pair(ItemDifference((at, at + 1), (there, there + 1)), self._alignment).changes(sources)
        elif self._is_denied():
            yield SentenceChange(difference, Dimension.NEGATION, is_typed=self._is_of_main_clause())
        elif (self._our_keys, self._their_keys) in self._words.opposites:
            yield SentenceChange(difference, Dimension.QUALIFIER, is_typed=not self._is_of_subject())
        elif self._is_foreign_name(sources):
            is_typed = self._is_in_slot()
            yield SentenceChange(difference, Dimension.ENTITY, is_typed, is_other_name=self._are_plain_names())
        else:
            is_slight = not ours or self._is_tense(*self._our_keys, *self._their_keys)
            yield SentenceChange(difference, is_slight=is_slight)

    def _are_comparable(self, one: Item, other: Item) -> bool:
        return bool(one.value and other.value) or self._is_tense(one.key, other.key)

    def _is_tense(self, *keys: str) -> bool:
        """Report whether the words are auxiliaries and no negation: the two sides then differ in tense, not in fact."""
        return self._words.auxiliaries.issuperset(keys) and self._words.negations.isdisjoint(keys)

    # -- values

    def _of_value(self) -> Iterator[SentenceChange]:
        one, other = self._claim_items[0].value, self._evidence_items[0].value
        if one and other:
            how = relation(one, other)
            if how is not ValueRelation.SAME:
                is_time = {one.kind, other.kind} & {DATE, DAY}
                dimension = Dimension.TIME if is_time else Dimension.QUANTITY
                yield SentenceChange(self._difference, dimension, is_typed=how is ValueRelation.APART)
            return
        # A value opposite a word. A numeral alone may be the word: "one" is mostly a pronoun, and no value.
        value, word = (one, self._their_keys[0]) if one else (other, self._our_keys[0])
        if value and value.kind == COUNT and not value.sign and self._words.numerals.get(word) == value.amount:
            return
        yield SentenceChange(self._difference, Dimension.QUANTITY if is_digits(word) else None)

    # -- negations

    def _is_denied(self) -> bool:
        """Report whether one side is the negation of the other, without any other difference.

        On the unread third, this adds 5.6 points of REFUTED; pairs of opposites ("enabled", "disabled") add 6.6.
        """
        negations = self._words.negations
        if negations.isdisjoint(self._our_keys) is negations.isdisjoint(self._their_keys):
            return False
        # Do-support changes the verb as well: "starts" is the affirmation of "does not start".
        empty = negations | self._words.auxiliaries
        ours = [stem(key)[:_STEM] for key in self._our_keys if key not in empty]
        theirs = [stem(key)[:_STEM] for key in self._their_keys if key not in empty]
        return ours == theirs

    def _is_of_main_clause(self) -> bool:
        """Report whether the negation belongs to the main clause, and not to a clause that "if" or "that" begins."""
        alignment, difference = self._alignment, self._difference
        if not self._is_in_main_clause(alignment.claim, alignment.claim_items, difference.claim[0]):
            return False
        return self._is_in_main_clause(alignment.evidence, alignment.evidence_items, difference.evidence[0])

    def _is_in_main_clause(self, sentence: Sentence, items: Sequence[Item], begin: int) -> bool:
        """Report the same for one side, whose difference begins at the item ``begin``."""
        if begin < len(items) and sentence.tokens.word(items[begin].end) == ":":
            return False  # "Don't: ..." is a heading
        # Backwards to the comma or the subordinator that begins the clause.
        following = len(sentence.tokens.written)
        for at in range(min(begin, len(items)) - 1, -1, -1):
            if at + 1 < len(items):
                following = items[at + 1].begin
            if "," in sentence.tokens.written[items[at].end : following]:
                return True
            if items[at].key in self._words.clause_words:
                return False
        return True

    def _is_of_subject(self) -> bool:
        """Report whether the difference only identifies the subject: "the old parser is fast"."""
        before = self._alignment.claim_items[: self._difference.claim[0]]
        return all(item.key in self._words.determiners for item in before)

    # -- names

    def _is_foreign_name(self, sources: Sequence[ParsedText]) -> bool:
        """Report whether the evidence has a name, and the claim one that occurs nowhere in the evidence.

        If the evidence has a name of code there, any single word counts. It adds 2.1 points of REFUTED (unread third).
        """
        ours, theirs, claim = self._claim_items, self._evidence_items, self._alignment.claim
        if not (0 < len(ours) <= _LONGEST_NAME and 0 < len(theirs) <= _LONGEST_NAME):
            return False
        if not self._is_name(theirs, self._alignment.evidence):
            return False
        is_word_for_code = (
            len(ours) == len(theirs) == 1
            and theirs[0].is_code
            and not ours[0].value
            and ours[0].key not in self._words.functional
        )
        if not is_word_for_code and not self._is_name(ours, claim):
            return False
        begin, end = claim.tokens.place(ours[0].begin, ours[-1].end)
        name = claim.text.plain[begin:end].strip("`'\"").lower()
        return all(name not in source.plain.plain.lower() for source in sources)

    def _are_plain_names(self) -> bool:
        """Report whether both are names of people, places and the like: a name of code may be an example."""
        is_code = any(item.is_code for item in (*self._claim_items, *self._evidence_items))
        return not is_code and self._is_name(self._claim_items, self._alignment.claim)

    def _is_name(self, items: Sequence[Item], sentence: Sentence) -> bool:
        """Report whether all items but function words are code, or capitalised within a sentence: "Bank of Ulm"."""
        proper = [item for item in items if item.key not in self._words.functional]
        for item in proper:
            # At the beginning of a sentence, every word has a capital.
            is_capitalised = item.begin > 0 and sentence.tokens.written[item.begin][0].isupper()
            if item.value or not (item.is_code or is_capitalised):
                return False
        return bool(proper)

    def _is_in_slot(self) -> bool:
        """Report whether the name is what the sentence states: after "is", "named", "in", "returns" and the like."""
        items, at = self._alignment.claim_items, self._difference.claim[0] - 1
        while at > 0 and items[at].key in self._words.determiners:
            at -= 1
        if at <= 0:
            return False
        last, last_two = items[at].key, f"{items[at - 1].key}_{items[at].key}"
        return last in self._words.slots or last_two in self._words.slots


def _is_exchange(alignment: Alignment) -> bool:
    """Report whether the order of the two matters: not in "A and B", "A is B", or a list."""
    first, second = alignment.exchanged
    begin, end = first.claim[1], second.claim[0]
    words = alignment.claim.lexicon
    between = {item.key for item in alignment.claim_items[begin:end]} - words.determiners
    if not between - words.either_way:
        return False
    written = alignment.claim.tokens.written[alignment.claim_items[begin - 1].end : alignment.claim_items[end].begin]
    is_listed = "," in written or not between.isdisjoint(words.either_way)
    # "X stops, because Y" has a comma, but its subordinator gives it an order.
    return not is_listed or not between.isdisjoint(words.subordinators)
