"""The case: the two texts, the places of quotes in them, and their comparison by code without any model.

The comparison covers the five patterns in which claims are mutated (specification: Why this works). A claim is
compared with its truth, and the sentences of the truth that support it with the claim. Text that only follows from the
other is not equivalent: "before March 26" follows from "as of March 25", and is one of the patterns. So code reports
*match* if both directions hold, *mismatch* for a shown opposite, and *not compared* otherwise; omissions of the claim
from those sentences are named, since code cannot tell whether they matter.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from sparring.checks.claims import check_claim
from sparring.checks.claims.parsing.words import split_words
from sparring.checks.quotes import Evidence
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Label, Severity, Status
from sparring.schema.jury import Pattern, PatternFinding, PatternStatus, Phrase, TextName
from sparring.schema.lookups import TextSpan
from sparring.text.prose import sentences

_PATTERNS = {
    Pattern.THRESHOLDS: frozenset({Dimension.QUANTITY}),
    Pattern.TIME: frozenset({Dimension.TIME}),
    Pattern.ENTITIES: frozenset({Dimension.PLACE, Dimension.ENTITY}),
    Pattern.SCOPE: frozenset({Dimension.SCOPE}),
    Pattern.QUALIFIERS: frozenset({Dimension.QUALIFIER, Dimension.NEGATION, Dimension.CERTAINTY, Dimension.CAUSALITY}),
}
_COUNTED = frozenset({Pattern.THRESHOLDS, Pattern.TIME})
"""Code reads all expressions of these patterns in a claim; of the others only differences."""

_LEAVING_OUT = frozenset({Pattern.SCOPE, Pattern.QUALIFIERS})
"""Patterns in which an omitted word may be the change."""

_NAMED = 12
_FIGURES = re.compile(r"\d+")


class _BackwardCheck(NamedTuple):
    """A sentence of the truth with its place in it, checked against the claim."""

    start: int
    sentence: str
    check: ClaimCheck


class BidirectionalCheck:
    """A claim and its truth, compared in both directions."""

    def __init__(self, truth: str, claim: str) -> None:
        self._truth, self._claim = truth, claim
        self.check = check_claim(claim, [truth], belong_together=True)

    @cached_property
    def omitted(self) -> tuple[str, ...]:
        """The words that the claim leaves out of the sentences that it rests on."""
        return tuple(dict.fromkeys(word for backward in self._backwards for word in self._left_out(backward)))

    @cached_property
    def patterns(self) -> tuple[PatternFinding, ...]:
        """Each of the five patterns."""
        return tuple(map(self._pattern, Pattern))

    @cached_property
    def says_the_same(self) -> bool:
        """True if each accounts for every word of the other: of the truth, the sentences that the claim rests on."""
        labels = [self.check.label, *(backward.check.label for backward in self._backwards)]
        return len(labels) > 1 and set(labels) == {Label.SUPPORTED}

    def status(self, finding: Finding) -> PatternStatus:
        """Return the status of ``finding`` for two texts that should have the same meaning."""
        if finding.status is Status.MISMATCH:
            return PatternStatus.MISMATCH
        is_same = finding.status is Status.MATCH and _is_as_exact(finding) and self._is_confirmed_backwards(finding)
        return PatternStatus.MATCH if is_same else PatternStatus.NOT_COMPARED

    @cached_property
    def _backwards(self) -> tuple[_BackwardCheck, ...]:
        """The sentences of the truth that the claim rests on, each checked as a claim with the claim as evidence."""
        places = [finding.evidence for finding in self.check.findings if finding.evidence]
        if self.check.passage:
            places.append(self.check.passage)
        checks: list[_BackwardCheck] = []
        for begin, end in sentences(self._truth, 0, len(self._truth)):
            if any(place.start < end and begin < place.end for place in places):
                sentence = self._truth[begin:end]
                check = check_claim(sentence, [self._claim], belong_together=True)
                checks.append(_BackwardCheck(begin, sentence, check))
        return tuple(checks)

    def _left_out(self, backward: _BackwardCheck) -> Sequence[str]:
        """The words of a sentence that the claim leaves out; with a shown opposite, those that are nowhere in it."""
        findings = backward.check.findings
        if backward.check.label is not Label.REFUTED:
            matched = {word for finding in findings if finding.evidence for word in finding.claim.text.split()}
            return [word for word in backward.check.hints.uncovered if word not in matched]
        differing = [finding.claim.text for finding in findings if finding.status is Status.MISMATCH]
        known = {word.key for text in (self._claim, *differing) for word in split_words(text)}
        words = [word for word in split_words(backward.sentence) if word.is_content or word.is_negation]
        return [word.text for word in words if word.key not in known]

    def _is_confirmed_backwards(self, finding: Finding) -> bool:
        """Return whether a match of the opposite direction connects the same two places."""
        if finding.evidence is None:
            return False
        for backward in self._backwards:
            for opposite in backward.check.findings:
                if opposite.status is not Status.MATCH or opposite.evidence is None:
                    continue
                is_from_evidence = _overlap(finding.evidence, opposite.claim, backward.start)
                if is_from_evidence and _overlap(finding.claim, opposite.evidence):
                    return True
        return False

    def _pattern(self, pattern: Pattern) -> PatternFinding:
        findings = [finding for finding in self.check.findings if finding.dimension in _PATTERNS[pattern]]
        mismatches = [finding for finding in findings if finding.status is Status.MISMATCH]
        if mismatches:
            worst = min(mismatches, key=lambda finding: finding.severity is not Severity.CRITICAL)
            return PatternFinding(
                pattern=pattern, status=PatternStatus.MISMATCH, severity=worst.severity, why=worst.why
            )
        open_ = [finding for finding in findings if self.status(finding) is PatternStatus.NOT_COMPARED]
        if self.says_the_same or (findings and not open_ and pattern in _COUNTED):
            return PatternFinding(pattern=pattern, status=PatternStatus.MATCH, why="Both texts say the same.")
        why = " ".join(self._unsure(pattern, open_)) or "Code found nothing that it can compare."
        return PatternFinding(pattern=pattern, status=PatternStatus.NOT_COMPARED, why=why)

    def _unsure(self, pattern: Pattern, findings: list[Finding]) -> Iterator[str]:
        """Yield why code cannot tell whether the texts say the same: a sentence for each finding, and on omissions."""
        for finding in findings:
            truth = f'the truth "{finding.evidence.text}"' if finding.evidence else "the truth nothing comparable"
            yield f'The claim has "{finding.claim.text}", {truth}: code cannot show that they say the same.'
        if pattern in _LEAVING_OUT and self.omitted:
            yield "The claim leaves out words of the truth: code cannot tell whether that matters."


def listed(words: tuple[str, ...]) -> str:
    """E.g. ``“of”, “them” and 3 more``."""
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return ", ".join(f"“{word}”" for word in words[:_NAMED]) + more


def _is_as_exact(finding: Finding) -> bool:
    """Return whether a date has equal figures in both texts: "as of March" is less exact than "as of 24 March"."""
    if finding.dimension is not Dimension.TIME or finding.evidence is None:
        return True
    in_claim = _FIGURES.findall(finding.claim.text)
    in_truth = _FIGURES.findall(finding.evidence.text)
    return sorted(in_claim) == sorted(in_truth)


def _overlap(one: TextSpan, other: TextSpan, shift: int = 0) -> bool:
    """Return whether two stretches share a character, the other one being moved by ``shift``."""
    return one.start < other.end + shift and other.start + shift < one.end


_QUOTED = re.compile(r'(?<!\w)"(?=\S)([^"]+)(?<=\S)"(?!\w)|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»')
"""A straight mark is a quotation mark only at the edge of words: after a digit it means inches."""

_MOST_SEARCHED = 60
"""Phrases of one text that are looked up. Five reasons have room for a third of that."""


def quoted_phrases(text: str) -> tuple[str, ...]:
    """Return the phrases between double quotes in ``text``, each once, the first ones if there are very many.

    A comma or semicolon at the end is not part of the quote, since English puts it inside the quotation marks.
    """
    phrases = ("".join(groups).strip().rstrip(",;:") for groups in _QUOTED.findall(text))
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))[:_MOST_SEARCHED]


class Case:
    """The two texts of one request. Each is prepared for searching once, at first use.

    Lookups are cached, since several seats, and later the judge, quote the same words.
    """

    def __init__(self, truth: str, claim: str) -> None:
        self._texts = {TextName.TRUTH: truth, TextName.CLAIM: claim}
        self._located: dict[tuple[str, TextName], Phrase] = {}

    @cached_property
    def compared(self) -> BidirectionalCheck:
        """Findings of code on the two texts."""
        return BidirectionalCheck(self._texts[TextName.TRUTH], self._texts[TextName.CLAIM])

    @property
    def check(self) -> ClaimCheck:
        """Check of the claim, with the truth as its only evidence."""
        return self.compared.check

    def phrase(self, words: str, source: TextName) -> Phrase:
        """``words`` as quoted from ``source``, with their first place in it."""
        known = self._located.get((words, source))
        if known is None:
            known = Phrase(text=words, source=source, span=self._evidence[source].locate(words))
            self._located[words, source] = known
        return known

    def places(self, words: str) -> tuple[Phrase, ...]:
        """``words`` in each text that contains them; empty if neither does."""
        phrases = [self.phrase(words, source) for source in TextName]
        return tuple(phrase for phrase in phrases if phrase.span)

    def cited(self, text: str) -> tuple[Phrase, ...]:
        """Return each quoted phrase of ``text``: in the truth if it is there, else in the claim, else in neither."""
        cited: list[Phrase] = []
        for words in quoted_phrases(text):
            places = self.places(words)
            cited.append(places[0] if places else self._in_neither(words))
        return tuple(cited)

    def anchors(self, text: str) -> tuple[Phrase, ...]:
        """Return every place that ``text`` points at by quoting it, in both texts."""
        return tuple(place for words in quoted_phrases(text) for place in self.places(words))

    @cached_property
    def _evidence(self) -> dict[TextName, Evidence]:
        return {name: Evidence([text]) for name, text in self._texts.items()}

    def _in_neither(self, words: str) -> Phrase:
        """``words`` that neither text contains; they count for the claim if only the claim has similar ones."""
        truth, claim = self._evidence[TextName.TRUTH], self._evidence[TextName.CLAIM]
        is_like_claim = claim.is_like(words) and not truth.is_like(words)
        return Phrase(text=words, source=TextName.CLAIM if is_like_claim else TextName.TRUTH)


def overlap(one: Sequence[Phrase], other: Sequence[Phrase]) -> bool:
    """Return whether two sets of phrases share a place in one of the texts."""
    for first in one:
        for second in other:
            if first.source is second.source and first.span and second.span and _overlap(first.span, second.span):
                return True
    return False
