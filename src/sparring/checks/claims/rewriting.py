"""A claim that is a sentence of the evidence but for a few words: what do these words change?

A number put in another's place, a negation put in or taken out, a word turned into its opposite. Only claims that
repeat a sentence nearly word for word are looked at, so that nothing has to be guessed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from sparring.checks.claims.lexicon import Lexicon, lexicon
from sparring.checks.claims.naming import is_another_name
from sparring.checks.claims.tokens import Text, Token

ChangeKind = Literal["negation", "opposite", "scope", "certainty", "causality", "number", "entity", "place"]

_NEARLY = 0.72
"""Share of the claim's words that must stand in the sentence, in order."""

_FEWEST_WORDS = 4
_LONGEST_SENTENCE = 300  # tokens; comparing two sentences takes the product of their lengths
_LONGEST_CHANGE = 4
_STEM = 4


@dataclass(frozen=True)
class Change:
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


def find_changes(claim: Text, sources: Sequence[Text]) -> tuple[Change, ...]:
    """What the claim has changed in the sentence that it nearly repeats; nothing when there is no such sentence."""
    sentence = _nearest_sentence(claim, sources)
    if sentence is None or is_word_for_word(claim, sources[sentence.source]):
        return ()
    return tuple(_changes(claim, sources, sentence))


def is_word_for_word(claim: Text, source: Text) -> bool:
    """Whether the claim stands in the source as it is, in however many sentences."""
    if not claim.lowered_words <= source.lowered_words:
        return False
    return f" {' '.join(claim.lowered)} " in f" {' '.join(source.lowered)} "


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


def _changes(claim: Text, sources: Sequence[Text], sentence: _Sentence) -> Iterator[Change]:
    source = sources[sentence.source]
    said, there = claim.tokens, source.tokens[sentence.begin : sentence.end]
    sentence_words = source.lowered[sentence.begin : sentence.end]
    matcher = SequenceMatcher(None, claim.lowered, sentence_words, autojunk=False)
    operations = matcher.get_opcodes()
    equal = sum(end - begin for operation, begin, end, _, _ in operations if operation == "equal")
    kept = equal / len(said)
    if kept < _NEARLY:
        return
    words = lexicon(claim.language)
    for operation, begin, end, other_begin, other_end in operations:
        if operation == "equal" or max(end - begin, other_end - other_begin) > _LONGEST_CHANGE:
            continue
        kind = _kind(said[begin:end], there[other_begin:other_end], words)
        if kind is None and begin and is_another_name(said[begin:end], there[other_begin:other_end], sources, words):
            kind = "place" if claim.lower(begin - 1) in words.places_after else "entity"
        if kind:
            place = (sentence.begin + other_begin, sentence.begin + other_end)
            is_only = equal + end - begin == len(said)
            yield Change(kind, sentence.source, (begin, end), place, kept, is_only)


def _kind(said: Sequence[Token], there: Sequence[Token], words: Lexicon) -> ChangeKind | None:
    ours, theirs = _words(said), _words(there)
    negations = words.negations
    if ours.isdisjoint(negations) != theirs.isdisjoint(negations):
        rest = (ours | theirs) - negations - words.auxiliaries
        is_same = not rest or _stems(ours - negations, words) == _stems(theirs - negations, words)
        return "negation" if is_same else None
    if len(said) == len(there) == 1 and said[0].is_digits and there[0].is_digits:
        return "number"
    if kind := _phrase_kind(_phrase(said), _phrase(there), words):
        return kind
    is_shifted = _is_hedged(said, words) != _is_hedged(there, words)
    return "certainty" if is_shifted else None


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
    return frozenset(word[:_STEM] for word in words - language.auxiliaries)
