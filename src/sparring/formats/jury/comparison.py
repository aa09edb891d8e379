"""What code, asking nobody, can say of the five patterns in which claims are mutated (specification: Why this works).

A claim is held against its truth, and the sentences of the truth that it rests on are held against the claim. What
only follows from the other text does not say the same: "before March 26" follows from "as of March 25", and is one of
the patterns. So code says *match* of what holds both ways, *mismatch* of a shown opposite, and *not compared* else;
what the claim leaves out of those sentences is named, since code cannot tell whether it matters.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from sparring.checks.claims import check_claim
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Label, Severity, Status
from sparring.schema.jury import Pattern, PatternFinding, PatternStatus
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
"""Of these code reads all there is in a claim; of the others only what differs."""

_LEAVING_OUT = frozenset({Pattern.SCOPE, Pattern.QUALIFIERS})
"""Where a word that is left out may be what was changed."""

_NAMED = 12
_FIGURES = re.compile(r"\d+")


class _Back(NamedTuple):
    """A sentence of the truth, held against the claim."""

    start: int
    check: ClaimCheck


class BothWays:
    """A claim and its truth, held against each other."""

    def __init__(self, truth: str, claim: str) -> None:
        self._truth, self._claim = truth, claim
        self.check = check_claim(claim, [truth])

    @cached_property
    def omitted(self) -> tuple[str, ...]:
        """The words that the claim leaves out of the sentences that it rests on."""
        return tuple(dict.fromkeys(word for back in self._backs for word in back.check.uncovered))

    @cached_property
    def patterns(self) -> tuple[PatternFinding, ...]:
        """Each of the five patterns."""
        return tuple(map(self._pattern, Pattern))

    @cached_property
    def says_the_same(self) -> bool:
        """Whether each accounts for every word of the other: of the truth, the sentences that the claim rests on."""
        labels = [self.check.label, *(back.check.label for back in self._backs)]
        return len(labels) > 1 and set(labels) == {Label.SUPPORTED}

    def status(self, finding: Finding) -> PatternStatus:
        """What ``finding`` tells of two texts that should say the same."""
        if finding.status is Status.MISMATCH:
            return PatternStatus.MISMATCH
        is_same = finding.status is Status.MATCH and _is_as_exact(finding) and self._holds_backwards(finding)
        return PatternStatus.MATCH if is_same else PatternStatus.NOT_COMPARED

    @cached_property
    def _backs(self) -> tuple[_Back, ...]:
        places = [finding.evidence for finding in self.check.findings if finding.evidence]
        places += [self.check.passage] if self.check.passage else []
        return tuple(
            _Back(begin, check_claim(self._truth[begin:end], [self._claim]))
            for begin, end in sentences(self._truth, 0, len(self._truth))
            if any(place.start < end and begin < place.end for place in places)
        )

    def _holds_backwards(self, finding: Finding) -> bool:
        there = finding.evidence
        return there is not None and any(
            found.status is Status.MATCH
            and _overlap(there, found.claim, back.start)
            and found.evidence is not None
            and _overlap(finding.claim, found.evidence)
            for back in self._backs
            for found in back.check.findings
        )

    def _pattern(self, pattern: Pattern) -> PatternFinding:
        found = [each for each in self.check.findings if each.dimension in _PATTERNS[pattern]]
        differing = sorted(
            (each for each in found if each.status is Status.MISMATCH),
            key=lambda each: each.severity is not Severity.CRITICAL,
        )
        if differing:
            first = differing[0]
            return PatternFinding(
                pattern=pattern, status=PatternStatus.MISMATCH, severity=first.severity, why=first.why
            )
        open_ = [each for each in found if self.status(each) is PatternStatus.NOT_COMPARED]
        if self.says_the_same or (found and not open_ and pattern in _COUNTED):
            return PatternFinding(pattern=pattern, status=PatternStatus.MATCH, why="Both texts say the same.")
        why = " ".join(self._unsure(pattern, open_)) or "Code found nothing that it can compare."
        return PatternFinding(pattern=pattern, status=PatternStatus.NOT_COMPARED, why=why)

    def _unsure(self, pattern: Pattern, found: list[Finding]) -> Iterator[str]:
        for each in found:
            told = f'the truth "{each.evidence.text}"' if each.evidence else "the truth nothing that tells"
            yield f'The claim has "{each.claim.text}", {told}: code cannot show that they say the same.'
        if pattern in _LEAVING_OUT and self.omitted:
            yield "The claim leaves out words of the truth: code cannot tell whether that matters."


def listed(words: tuple[str, ...]) -> str:
    """E.g. ``“of”, “them” and 3 more``."""
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return ", ".join(f"“{word}”" for word in words[:_NAMED]) + more


def _is_as_exact(finding: Finding) -> bool:
    """Whether a date has the same figures in both texts: "as of March" may be "as of 24 March", and may be another."""
    if finding.dimension is not Dimension.TIME or finding.evidence is None:
        return True
    ours, theirs = (sorted(_FIGURES.findall(each.text)) for each in (finding.claim, finding.evidence))
    return ours == theirs


def _overlap(one: TextSpan, other: TextSpan, shift: int = 0) -> bool:
    """Whether two stretches share a character, the other one being moved by ``shift``."""
    return one.start < other.end + shift and other.start + shift < one.end
