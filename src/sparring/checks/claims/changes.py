"""A claim that is a sentence of the evidence but for a few words: what do these words change?

A number or a name put in another's place, a negation put in or taken out, a word turned into its opposite. Only claims
that repeat a sentence nearly word for word are looked at, so that nothing has to be guessed: where a number stands
tells what it is compared with.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

from sparring.checks.claims.alignment import Aligned, Dates, InEvidence, Mention, Quantities, is_close, same_date
from sparring.checks.claims.comparison import date_holds, quantity_holds
from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.lexicon import Lexicon, bounding_words, concepts, lexicon
from sparring.checks.claims.numerals import digits_value
from sparring.checks.claims.quantities import Quantity
from sparring.checks.claims.terms import fold
from sparring.checks.claims.tokens import Language, Text, Token, is_digits
from sparring.schema.claims import Status

ChangeKind = Literal["negation", "opposite", "scope", "certainty", "causality", "number", "entity", "place"]

_NEARLY = 0.72
"""Share of the claim's words that must stand in the sentence, in order."""

_FEWEST_WORDS = 4
_LONGEST_SENTENCE = 300  # tokens; comparing two sentences takes the product of their lengths
_LONGEST_CHANGE = 4
_STEM = 4

_ALIKE = 0.6
"""From which likeness of letters on two names may be spellings of one: Faroes, Faeroes."""

_LONGEST = 40
"""Letters; comparing two names takes the product of their lengths."""

_NOTHING_ELSE = 0.9
"""Share of kept words from which on a number is meant as exactly as the one that it replaces."""

_LITTLE_ELSE = 0.8
"""Share from which on it is surely another number for the same: "$40 million in Ohio", "$90 million outside Ohio"."""

_COMMAS = frozenset(",;")

_STATUS = {True: Status.MATCH, False: Status.MISMATCH, None: Status.MISSING}


@dataclass(frozen=True)
class WordChange:
    """Words of the claim against words of the evidence, as token ranges; either may be empty.

    Attributes:
        source: Which source the sentence stands in.
        kept: Share of the claim's words that the sentence has too, in order.
        is_only: Whether the sentence has every other word of the claim.
    """

    kind: ChangeKind
    source: int
    claim: tuple[int, int]
    evidence: tuple[int, int]
    kept: float
    is_only: bool


@dataclass(frozen=True)
class _Sentence:
    source: int
    begin: int
    end: int


def find_changes(claim: Text, sources: Sequence[Text]) -> tuple[WordChange, ...]:
    """What the claim has changed in the sentence that it nearly repeats; nothing when there is no such sentence."""
    sentence = _nearest_sentence(claim, sources)
    if sentence is None or is_word_for_word(claim, sources[sentence.source]):
        return ()
    return tuple(_changes(claim, sources, sentence))


def is_word_for_word(claim: Text, source: Text) -> bool:
    """Whether the claim stands in the source as it is, in however many sentences."""
    return repeated_at(claim, source) is not None


def repeated_at(claim: Text, source: Text) -> int | None:
    """The token from which on the claim stands in the source as it is; None where it does not."""
    if not claim.lowered_words <= source.lowered_words:
        return None
    said, there = ("\n".join(("", *text.lowered, "")) for text in (claim, source))
    at = there.find(said)
    if at < 0:
        return None
    begin = there.count("\n", 0, at)
    return begin if _has_the_same_units(claim, source.written[begin : begin + len(claim.written)]) else None


def _has_the_same_units(claim: Text, there: Sequence[str]) -> bool:
    """Whether what stands behind a number is spelled the same in every letter: 5 MB are not 5 Mb."""
    behind = (at for at, word in enumerate(claim.written[:-1], start=1) if is_digits(word))
    return all(claim.written[at] == there[at] for at in behind)


def _nearest_sentence(claim: Text, sources: Sequence[Text]) -> _Sentence | None:
    words = claim.lowered_words
    if len(words) < _FEWEST_WORDS or len(claim.lowered) > _LONGEST_SENTENCE:
        return None
    most, nearest = _NEARLY * len(words), None
    for index, source in enumerate(sources):
        if source.language is not claim.language or len(words & source.lowered_words) < most:
            continue
        for sentence in _sentences(index, source):
            common = len(words.intersection(source.lowered[sentence.begin : sentence.end]))
            if common > most or (common == most and nearest is None):
                most, nearest = common, sentence
    return nearest


def _sentences(index: int, source: Text) -> Iterator[_Sentence]:
    """Every sentence, alone and with the one before it: what ends a sentence is not always plain."""
    before = begin = 0
    for end in source.sentence_ends:
        for first in (begin, before) if before < begin else (begin,):
            if end - first <= _LONGEST_SENTENCE:
                yield _Sentence(index, first, end)
        before, begin = begin, end


def _changes(claim: Text, sources: Sequence[Text], sentence: _Sentence) -> Iterator[WordChange]:
    source = sources[sentence.source]
    sentence_words = source.lowered[sentence.begin : sentence.end]
    matcher = SequenceMatcher(None, claim.lowered, sentence_words, autojunk=False)
    operations = matcher.get_opcodes()
    equal = sum(end - begin for operation, begin, end, _, _ in operations if operation == "equal")
    kept = equal / len(claim.written)
    if kept < _NEARLY:
        return
    words = lexicon(claim.language)
    added = [(sentence.begin + begin, sentence.begin + end) for name, *_, begin, end in operations if name != "equal"]
    for operation, begin, end, other_begin, other_end in operations:
        if operation == "equal" or max(end - begin, other_end - other_begin) > _LONGEST_CHANGE:
            continue
        place = (sentence.begin + other_begin, sentence.begin + other_end)
        said, there = claim.tokens[begin:end], source.tokens[slice(*place)]
        kind = _kind(said, there, claim.language)
        if kind == "opposite" and _is_of_subject(claim, begin, end) and _is_of_subject(source, *place, sentence.begin):
            continue
        if kind == "negation" and (
            _is_narrowed(claim, source, sentence, matcher) or _denies_more(source, place, added)
        ):
            continue
        is_code = _is_code(source, place[0])
        if is_code and kind != "number" and end > begin:
            continue
        if kind is None and begin and not is_code and _is_another_name(said, there, sources, words):
            kind = "place" if claim.lower(begin - 1) in words.places_after else "entity"
        if kind:
            is_only = equal + end - begin == len(claim.written)
            yield WordChange(kind, sentence.source, (begin, end), place, kept, is_only)


def _is_of_subject(text: Text, begin: int, end: int, first: int = 0) -> bool:
    """Whether it only tells which one a sentence is about, of which ``first`` is the first token: "the old parser"."""
    words = lexicon(text.language)
    before, behind = text.lowered[first:begin], text.lower(end)
    return words.determiners.issuperset(before) and behind.isalpha() and behind not in words.functional


def _is_narrowed(claim: Text, source: Text, sentence: _Sentence, matcher: "SequenceMatcher[str]") -> bool:
    """Whether what the claim ends with is told of more closely: who does not support Windows XP may support Windows."""
    last = max((at for at, word in enumerate(claim.lowered) if word.isalnum()), default=-1)
    for begin, other_begin, size in matcher.get_matching_blocks():
        place = sentence.begin + other_begin + last + 1 - begin
        if begin <= last < begin + size and place < sentence.end:
            words, behind = lexicon(source.language), source.lower(place)
            if behind in words.alternatives:
                return True
            return behind.isalpha() and behind not in words.functional | words.prepositions | words.negations
    return False


def _denies_more(source: Text, place: tuple[int, int], added: Sequence[tuple[int, int]]) -> bool:
    """Whether what is denied at ``place`` is more than the claim says: of the "old" API, "on Windows", or "if" it is.

    What follows behind a comma is of its own: "nor Linux".
    """
    words, denial = lexicon(source.language), source.lowered[slice(*place)]
    if words.negations.isdisjoint(denial):
        return False
    open_to = words.doubts | words.premises
    plain = (words.functional | words.auxiliaries | words.negations) - open_to
    others = (each for each in added if each != place and source.is_one_sentence(each[0], place[0]))
    said = (takewhile(lambda token: token not in _COMMAS, source.lowered[slice(*each)]) for each in others)
    is_more = any(token.isalpha() and token not in plain for tokens in said for token in tokens)
    return is_more or not open_to.isdisjoint(denial)


def _is_code(source: Text, place: int) -> bool:
    """Whether the token at ``place`` is one of code: what is called so, another may be called, too."""
    if place >= len(source.written):
        return False
    start, end = source.offsets(place, place + 1)
    beside = (source.composed[max(0, start - 1) : start], source.composed[end : end + 1])
    return beside[0] == "`" or "_" in beside


def _kind(said: Sequence[Token], there: Sequence[Token], language: Language) -> ChangeKind | None:
    words = lexicon(language)
    ours, theirs = _words(said), _words(there)
    negations = words.negations
    if ours.isdisjoint(negations) != theirs.isdisjoint(negations):
        if _is_zero(said) or _is_zero(there):
            return None  # "no errors" are 0
        rest = (ours | theirs) - negations - words.auxiliaries
        is_same = not rest or _stems(ours - negations, words) == _stems(theirs - negations, words)
        return "negation" if is_same else None
    if _is_number(said, there, words, language):
        return "number"
    if kind := _phrase_kind(_phrase(said), _phrase(there), words):
        return kind
    is_shifted = _is_hedged(said, words) != _is_hedged(there, words)
    return "certainty" if is_shifted else None


def _is_zero(tokens: Sequence[Token]) -> bool:
    return bool(tokens) and tokens[0].is_digits and not tokens[0].text.strip("0")


def _is_number(said: Sequence[Token], there: Sequence[Token], words: Lexicon, language: Language) -> bool:
    """Whether a number replaces another with what belongs to it, a unit one of its kind, or a currency another."""
    if not said or not there:
        return False
    if said[0].is_digits and there[0].is_digits:
        are_read = _is_read(said[0], language) and _is_read(there[0], language)
        return are_read and all(_belongs(token, words, language) for token in (*said[1:], *there[1:]))
    if len(said) != 1 or len(there) != 1:
        return False
    one, other = said[0], there[0]
    if any(one.lower in table and other.lower in table for table in (words.currencies, words.scales)):
        return True
    if one.text in words.suffixes and other.text in words.suffixes:
        return True  # 650k, 650m
    measured = _measured(one)
    return measured is not None and measured == _measured(other)


def _is_read(token: Token, language: Language) -> bool:
    """Whether its commas mean what the language has them for: "1,5" may be what others write as 1.5."""
    return "," not in token.text or digits_value(token.text, language) is not None


def _belongs(token: Token, words: Lexicon, language: Language) -> bool:
    """Whether a token behind a number may be a part of it: a scale, a unit, or "or later"."""
    is_scale = token.lower in words.scales or token.text in words.suffixes or (token.lower,) in words.percent
    return is_scale or _measured(token) is not None or token.lower in bounding_words(language)


def _measured(token: Token) -> str | None:
    known = concepts()
    named = known.units.get(known.names.get(token.lower, ""))
    measured = known.measures.get(token.text) or known.measures.get(token.lower) or named
    return measured[0] if measured else None


def _phrase_kind(said: str, there: str, words: Lexicon) -> ChangeKind | None:
    if (said, there) in words.opposites:
        return "opposite"
    if (said, there) in words.scopes:
        return "scope"
    is_shifted = {_is_causal(said, words), _is_causal(there, words)} == {True, False}
    return "causality" if is_shifted else None


def _is_hedged(tokens: Sequence[Token], words: Lexicon) -> bool:
    return any(token.text in words.hedges for token in tokens)  # "May" is a month


def _phrase(tokens: Sequence[Token]) -> str:
    return " ".join(token.lower for token in tokens if token.is_word)


def _is_causal(phrase: str, words: Lexicon) -> bool | None:
    """Whether it says that one thing brings about another (True) or only comes with it (False)."""
    return True if phrase in words.causes else False if phrase in words.associations else None


def _words(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.lower for token in tokens if token.is_word)


def _stems(words: frozenset[str], language: Lexicon) -> frozenset[str]:
    return frozenset(fold(word, Language.ENGLISH)[:_STEM] for word in words - language.auxiliaries)


def _is_another_name(said: Sequence[Token], there: Sequence[Token], sources: Sequence[Text], words: Lexicon) -> bool:
    """Whether both are names, of different things, and the one that is ``said`` stands nowhere in ``sources``."""
    if not _is_name(said, words) or not _is_name(there, words):
        return False
    if all(any(token.lower in source.lowered_words for source in sources) for token in said):
        return False
    return not _may_be_the_same([token.lower for token in said], [token.lower for token in there])


def _is_name(tokens: Sequence[Token], words: Lexicon) -> bool:
    proper = [token for token in tokens if token.lower not in words.small]
    return bool(proper) and all(token.is_capitalised and token.lower not in words.months for token in proper)


def _may_be_the_same(one: Sequence[str], other: Sequence[str]) -> bool:
    initials = {"".join(word[0] for word in words) for words in (one, other)}
    if not initials.isdisjoint({"".join(one), "".join(other)}):
        return True
    return any(_is_spelled_alike(mine, theirs) for mine in one for theirs in other)


def _is_spelled_alike(one: str, other: str) -> bool:
    return max(len(one), len(other)) > _LONGEST or SequenceMatcher(None, one, other).ratio() >= _ALIKE


def replaced_quantity(
    claim: Quantity, changes: Sequence[WordChange], quantities: Quantities, dates: Dates
) -> Aligned | None:
    """What ``claim`` is worth against the quantity or date that it replaces; None where it replaces none."""
    for change in _numbers_in(claim, changes):
        if found := _standing_at(change, quantities):
            other = found.mention
            holds = quantity_holds(claim, other) if claim.kind == other.kind else False
            if claim.kind == other.kind and _is_same_interval(claim, other):
                return Aligned(Status.MATCH, found)
            is_exact = change.kept >= _NOTHING_ELSE and claim.bound == other.bound
            # "Over 1 billion" may stand for "over 1.1 billion", but not for "over 2 billion".
            if is_exact and not (claim.bound and holds and is_close(claim, other)):
                return Aligned(Status.MISMATCH, found)
            return Aligned(_STATUS[holds], found)
        if claim.bound in {"", "range"} and (date := _standing_at(change, dates)):
            return Aligned(_as_digits(claim, date.mention), date=date)
    return None


def replaced_date(
    claim: DateMention, changes: Sequence[WordChange], dates: Dates, quantities: Quantities
) -> Aligned | None:
    """What ``claim`` is worth against the date or quantity that it replaces; None where it replaces none."""
    for change in _numbers_in(claim, changes):
        if found := _standing_at(change, dates):
            if same := same_date(claim, [found]):
                return same  # "May 9th" for "May 9"
            if change.kept >= _NOTHING_ELSE and claim.window == found.mention.window:
                return Aligned(Status.MISMATCH, date=found)
            return Aligned(_STATUS[date_holds(claim, found.mention)], date=found)
        if not claim.window and (quantity := _standing_at(change, quantities)):
            return Aligned(_as_digits(quantity.mention, claim), quantity)
    return None


def _as_digits(quantity: Quantity, date: DateMention) -> Status:
    """What a number and a date are to each other: no mismatch where the same digits were taken for both."""
    return Status.MISSING if date.month is None and date.year == quantity.value else Status.MISMATCH


def _numbers_in(mention: Quantity | DateMention, changes: Sequence[WordChange]) -> list[WordChange]:
    there = (each for each in changes if each.kind == "number" and _first(mention) <= each.claim[0] < _until(mention))
    return [each for each in there if each.kept >= _LITTLE_ELSE]


def _standing_at(change: WordChange, evidence: Sequence[InEvidence[Mention]]) -> InEvidence[Mention] | None:
    place = change.evidence[0]
    there = (each for each in evidence if each.index == change.source)
    return next((each for each in there if _first(each.mention) <= place < _until(each.mention)), None)


def _is_same_interval(one: Quantity, other: Quantity) -> bool:
    ends = ((one.low, other.low), (one.high, other.high))
    return all(mine == theirs or math.isclose(mine, theirs, rel_tol=1e-9) for mine, theirs in ends)


def _first(mention: Quantity | DateMention) -> int:
    return mention.first if isinstance(mention, Quantity) else mention.begin


def _until(mention: Quantity | DateMention) -> int:
    """The place behind a mention and its unit."""
    return mention.until if isinstance(mention, Quantity) else mention.end
