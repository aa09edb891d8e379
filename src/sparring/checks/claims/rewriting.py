"""A claim that is a sentence of the evidence but for a few words: what do these words change?

A number put in another's place, a negation put in or taken out, a word turned into its opposite. Only claims that
repeat a sentence nearly word for word are looked at, so that nothing has to be guessed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from sparring.checks.claims.lexicon import Lexicon, lexicon
from sparring.checks.claims.tokens import Text, Token

ChangeKind = Literal["negation", "opposite", "scope", "certainty", "causality", "number"]

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
    """

    kind: ChangeKind
    source: int
    claim: tuple[int, int]
    evidence: tuple[int, int]
    kept: float


@dataclass(frozen=True)
class _Sentence:
    source: int
    begin: int
    end: int


def find_changes(claim: Text, sources: Sequence[Text]) -> tuple[Change, ...]:
    """What the claim has changed in the sentence that it nearly repeats; nothing when there is no such sentence."""
    sentence = _nearest_sentence(claim, sources)
    return () if sentence is None else tuple(_changes(claim, sources[sentence.source], sentence))


def _nearest_sentence(claim: Text, sources: Sequence[Text]) -> _Sentence | None:
    words = {token.lower for token in claim.tokens}
    if len(words) < _FEWEST_WORDS or len(claim.tokens) > _LONGEST_SENTENCE:
        return None
    most, nearest = _NEARLY * len(words), None
    for index, source in enumerate(sources):
        if source.language is not claim.language:
            continue
        for sentence in _sentences(index, source):
            common = len(words.intersection(token.lower for token in source.tokens[sentence.begin : sentence.end]))
            if common > most or (common == most and nearest is None):
                most, nearest = common, sentence
    return nearest


def _sentences(index: int, source: Text) -> Iterator[_Sentence]:
    """Every sentence, alone and with the one before it: what ends a sentence is not always plain."""
    before = begin = 0
    for end in range(1, len(source.tokens) + 1):
        if end == len(source.tokens) or source.ends_sentence(end - 1):
            for first in (begin, before) if before < begin else (begin,):
                if end - first <= _LONGEST_SENTENCE:
                    yield _Sentence(index, first, end)
            before, begin = begin, end


def _changes(claim: Text, source: Text, sentence: _Sentence) -> Iterator[Change]:
    said, there = claim.tokens, source.tokens[sentence.begin : sentence.end]
    matcher = SequenceMatcher(None, [token.lower for token in said], [token.lower for token in there], autojunk=False)
    operations = matcher.get_opcodes()
    kept = sum(end - begin for operation, begin, end, _, _ in operations if operation == "equal") / len(said)
    if kept < _NEARLY:
        return
    words = lexicon(claim.language)
    for operation, begin, end, other_begin, other_end in operations:
        if operation == "equal" or max(end - begin, other_end - other_begin) > _LONGEST_CHANGE:
            continue
        if kind := _kind(said[begin:end], there[other_begin:other_end], words):
            place = (sentence.begin + other_begin, sentence.begin + other_end)
            yield Change(kind, sentence.source, (begin, end), place, kept)


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
    return "certainty" if ours.isdisjoint(words.hedges) != theirs.isdisjoint(words.hedges) else None


def _phrase_kind(said: str, there: str, words: Lexicon) -> ChangeKind | None:
    if (said, there) in words.opposites:
        return "opposite"
    if (said, there) in words.scopes:
        return "scope"
    is_shifted = {_is_causal(said, words), _is_causal(there, words)} == {True, False}
    return "causality" if is_shifted else None


def _phrase(tokens: Sequence[Token]) -> str:
    return " ".join(token.lower for token in tokens if token.is_word)


def _is_causal(phrase: str, words: Lexicon) -> bool | None:
    """Whether it says that one thing brings about another (True) or only comes with it (False)."""
    return True if phrase in words.causes else False if phrase in words.associations else None


def _words(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.lower for token in tokens if token.is_word)


def _stems(words: frozenset[str], language: Lexicon) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in words - language.auxiliaries)
