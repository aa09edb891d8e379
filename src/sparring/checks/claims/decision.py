"""Decide: a label, the findings that support it, and hints for a reader. Only this module makes findings.

SUPPORTED: the claim repeats a whole sentence that its context does not limit. REFUTED: it repeats one with exactly one
typed change; in a pair of texts that belong together, with one or more. Everything else is open.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sparring.checks.claims.alignment import Alignment, Near, align, nearest, repeats
from sparring.checks.claims.comparison import SentenceChange, changes
from sparring.checks.claims.document import ParsedText, Sentence, other_sentences
from sparring.checks.claims.items import Item
from sparring.checks.claims.parsing.words import fold
from sparring.checks.claims.statements import KeyStatement, compare
from sparring.checks.claims.values.value import DATE, DAY, Value, ValueRelation, relation
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Hints, Label, Severity, Status, Unread
from sparring.schema.lookups import Span, TextSpan

_MOST_HINTS = 12
_MOST_CHANGES = 6
"""Typed changes of one sentence; one with more is another sentence."""

_MOST_WORDS = 5
"""Distinct words that typed changes may have on either side, with a few of the same meaning."""

_MOST_SENTENCES = 64
"""Sentences of a claim; a longer one is a document."""


class _Comparison(Struct, frozen=True):
    """A sentence of the evidence that the claim nearly repeats, and the changes."""

    alignment: Alignment
    changes: tuple[SentenceChange, ...]

    @property
    def limit(self) -> str:
        return self.alignment.evidence.limit

    def is_refuting(self, *, belong_together: bool) -> bool:
        if self.alignment.claim.language is not self.alignment.evidence.language:
            return False
        if not belong_together:
            return len(self.changes) == 1 and self.changes[0].is_typed
        decisive = [change for change in self.changes if not change.is_slight]
        if not 0 < len(decisive) <= _MOST_CHANGES:
            return False
        return all(change.is_typed or change.is_other_name for change in decisive)


def decide(claim: ParsedText, sources: Sequence[ParsedText], *, belong_together: bool) -> ClaimCheck:
    """Return the check of ``claim`` by ``sources``: all sentences must be supported, and a refuted one refutes it."""
    stated = compare(claim, sources)
    if stated.statement:
        return _by_statement(claim, stated.statement, sources)
    sentences = claim.sentences[:_MOST_SENTENCES]
    decisions = [_decided(sentence, sources, belong_together=belong_together) for sentence in sentences]
    check = _most_severe(decisions)
    if len(claim.sentences) > _MOST_SENTENCES and check.label is Label.SUPPORTED:
        reason = f"Only the first {_MOST_SENTENCES} sentences of the claim were compared."
        check = ClaimCheck(label=Label.NEI, hints=Hints(reason=reason))
    if len(decisions) > 1:
        findings = [finding for decision in decisions for finding in decision.findings]
        check = check.model_copy(update={"findings": tuple(findings)})
    if stated.malformed and check.label is Label.NEI:
        # The evidence may decide the claim in a part that could not be read.
        unread: list[Unread] = []
        for index, part in stated.malformed:
            span = sources[index].plain.span_in(index, part.start, part.end)
            unread.append(Unread(**dict(span), why=part.why))
        check = check.model_copy(update={"hints": check.hints.model_copy(update={"unread": tuple(unread)})})
    return check


def _most_severe(decisions: Sequence[ClaimCheck]) -> ClaimCheck:
    """Return the first check with REFUTED, else with NEI, else with SUPPORTED; NEI if there is none."""
    for label in (Label.REFUTED, Label.NEI, Label.SUPPORTED):
        for decision in decisions:
            if decision.label is label:
                return decision
    return ClaimCheck(label=Label.NEI)


def _decided(claim: Sentence, sources: Sequence[ParsedText], *, belong_together: bool) -> ClaimCheck:
    near = nearest(claim, sources)
    if not near:
        return ClaimCheck(label=Label.NEI, hints=Hints(reason="The evidence shares no word with the claim."))
    compared: list[_Comparison] = []
    for candidate in near:
        if repeats(claim, candidate, _MOST_WORDS):
            alignment = align(claim, candidate)
            compared.append(_Comparison(alignment, changes(alignment, sources)))
    # A question asserts nothing, and neither does a sentence that its context limits.
    asserted = [] if _is_asked(claim) else [comparison for comparison in compared if not comparison.limit]
    same = [comparison for comparison in asserted if not comparison.changes]
    refuting = [comparison for comparison in asserted if comparison.is_refuting(belong_together=belong_together)]
    if same and not refuting:
        return _supported(same[0].alignment)
    if refuting and not same and not _is_elsewhere(claim, refuting[0], sources):
        return _refuted(refuting[0])
    return _open(claim, near[0], compared, is_contradictory=bool(same and refuting))


def _is_elsewhere(claim: Sentence, comparison: _Comparison, sources: Sequence[ParsedText]) -> bool:
    """Report whether another sentence has all words of the claim: it may be about another time or thing."""
    return any(claim.words <= each.words for each in other_sentences(comparison.alignment.evidence, sources))


def _is_asked(claim: Sentence) -> bool:
    return claim.tokens.text.rstrip("\"')] ").endswith("?")


# -- findings


def _by_statement(claim: ParsedText, statement: KeyStatement, sources: Sequence[ParsedText]) -> ClaimCheck:
    entry = statement.entry
    span = claim.plain.span(statement.start, statement.end)
    there = sources[statement.index].plain.span_in(statement.index, entry.start, max(entry.end, entry.start + 1))
    what = f'The evidence has "{there.text}" for {".".join(entry.path)}'
    why = f"{what}." if statement.holds else f'{what}, the claim "{span.text}".'
    status, label = (Status.MATCH, Label.SUPPORTED) if statement.holds else (Status.MISMATCH, Label.REFUTED)
    finding = _finding(Dimension.QUALIFIER, status, span, there, why)
    return ClaimCheck(label=label, findings=(finding,), passage=there if statement.holds else None)


def _supported(alignment: Alignment) -> ClaimCheck:
    return ClaimCheck(
        label=Label.SUPPORTED, findings=tuple(_matches(alignment)), passage=_span(alignment.evidence, alignment.index)
    )


def _refuted(comparison: _Comparison) -> ClaimCheck:
    there = comparison.alignment
    mismatches = (
        _finding(each.dimension or Dimension.QUALIFIER, Status.MISMATCH, *_places(each, there))
        for each in comparison.changes
    )
    return ClaimCheck(label=Label.REFUTED, findings=(*mismatches, *_matches(there)))


def _places(change: SentenceChange, alignment: Alignment) -> tuple[TextSpan, Span]:
    ours = _shown(alignment.claim, alignment.ours, change.difference.claim)
    theirs = _shown(alignment.evidence, alignment.theirs, change.difference.evidence)
    return alignment.claim.text.span(*ours), alignment.evidence.text.span_in(alignment.index, *theirs)


def _shown(sentence: Sentence, items: Sequence[Item], place: tuple[int, int]) -> tuple[int, int]:
    """Return the place of some items; if there are none, that of the items around the gap."""
    begin, end = place
    if begin == end:
        begin, end = max(0, begin - 1), min(len(items), end + 1)
    return sentence.tokens.place(items[begin].begin, items[end - 1].end)


def _matches(alignment: Alignment) -> Iterator[Finding]:
    """Yield a finding for every value of the claim that the sentence has too."""
    near = Near(alignment.evidence, alignment.index, 0)
    for value in alignment.claim.values:
        other = next((other for other in alignment.evidence.values if other.key == value.key), None)
        if other:
            yield _value_finding(alignment.claim, value, near, other, Status.MATCH)


def _value_finding(claim: Sentence, value: Value, near: Near, other: Value | None, status: Status) -> Finding:
    tokens = near.sentence.tokens
    claimed = claim.text.span(*claim.tokens.place(value.core, value.until))
    there = near.sentence.text.span_in(near.index, *tokens.place(other.core, other.until)) if other else None
    return _finding(Dimension.TIME if value.kind in {DATE, DAY} else Dimension.QUANTITY, status, claimed, there)


def _finding(dimension: Dimension, status: Status, claim: TextSpan, evidence: Span | None, why: str = "") -> Finding:
    """Return one finding; every finding of the check is made here."""
    there = evidence.text if evidence else ""
    if not evidence:
        reason = f'The evidence has nothing to compare "{claim.text}" with.'
    elif status is Status.MATCH:
        reason = f'The evidence has "{there}".'
    elif status is Status.MISSING:
        reason = f'The evidence has "{there}", which does not decide whether "{claim.text}" holds.'
    elif claim.text == there:
        reason = f'Both have "{there}", but the words around it differ.'
    else:
        reason = f'The claim has "{claim.text}", the evidence "{there}" in the same place.'
    return Finding(
        dimension=dimension,
        status=status,
        severity=Severity.CRITICAL if status is Status.MISMATCH else Severity.MINOR,
        claim=claim,
        evidence=evidence,
        why=why or reason,
    )


def _span(sentence: Sentence, index: int) -> Span:
    return sentence.text.span_in(index, sentence.stretch.start, sentence.stretch.end)


# -- open claims


def _open(claim: Sentence, near: Near, compared: Sequence[_Comparison], *, is_contradictory: bool) -> ClaimCheck:
    findings = tuple(_leads(claim, near))
    hints = Hints(
        reason=_reason(claim, compared, is_contradictory=is_contradictory),
        differing=tuple(dict.fromkeys(_differing(findings, compared)))[:_MOST_HINTS],
        uncovered=_uncovered(claim, near.sentence)[:_MOST_HINTS],
        nearest=_span(near.sentence, near.index),
    )
    return ClaimCheck(label=Label.NEI, findings=findings, hints=hints)


def _reason(claim: Sentence, compared: Sequence[_Comparison], *, is_contradictory: bool) -> str:
    if _is_asked(claim):
        return "The claim is a question."
    if is_contradictory:
        return "One sentence of the evidence says so, and another says otherwise."
    for comparison in compared:
        if comparison.limit and len(comparison.changes) < 2:
            return f"The evidence has this sentence only in {comparison.limit}."
    more = " ... ".join(_added(compared[0])) if compared else ""
    return f'The evidence says more: "{more}".' if more else ""


def _added(comparison: _Comparison) -> Iterator[str]:
    """Yield the parts of the evidence's sentence that the claim leaves out, if the claim changes nothing else."""
    ours = [change.difference.claim for change in comparison.changes]
    if any(begin < end for begin, end in ours):
        return
    for change in comparison.changes:
        _, theirs = _places(change, comparison.alignment)
        yield theirs.text


def _leads(claim: Sentence, near: Near) -> Iterator[Finding]:
    """Yield the nearest sentence's text next to each value of the claim, as a lead and not as a label."""
    if not claim.values:
        return
    ours = {value.key for value in claim.values}
    for value in claim.values:
        same = next((other for other in near.sentence.values if other.key == value.key), None)
        if same:
            yield _value_finding(claim, value, near, same, Status.MATCH)
            continue
        # The only other value of that kind is probably what the claim should have.
        others = [other for other in near.sentence.values if other.kind == value.kind and other.key not in ours]
        is_lead = len(others) == 1 and relation(value, others[0]) is not ValueRelation.SAME
        yield _value_finding(claim, value, near, others[0] if is_lead else None, Status.MISSING)


def _differing(findings: Sequence[Finding], compared: Sequence[_Comparison]) -> Iterator[str]:
    for finding in findings:
        if finding.status is Status.MISSING and finding.evidence:
            yield f"{finding.claim.text} / {finding.evidence.text}"
    if not compared:
        return
    nearest_one = compared[0]
    for change in nearest_one.changes[:_MOST_CHANGES]:
        places = (change.difference.claim, change.difference.evidence)
        if all(begin < end for begin, end in places):  # a replacement, and no addition or omission
            ours, theirs = _places(change, nearest_one.alignment)
            yield f"{ours.text} / {theirs.text}"


def _uncovered(claim: Sentence, evidence: Sentence) -> tuple[str, ...]:
    """Return the words of the claim without any inflection in the sentence, except function words and equal values."""
    language = claim.language
    absent = {word for word in claim.words - evidence.words - claim.lexicon.functional if word[0].isalnum()}
    if not absent:
        return ()
    folded = {fold(word, language) for word in evidence.words}
    absent = {word for word in absent if fold(word, language) not in folded}
    keys = {value.key for value in evidence.values}
    in_equal_values: set[int] = set()
    for value in claim.values:
        if value.key in keys:
            in_equal_values.update(range(value.begin, value.end))
    uncovered: dict[str, None] = {}
    for at, (word, lower) in enumerate(zip(claim.tokens.written, claim.tokens.lowered, strict=True)):
        if lower in absent and at not in in_equal_values:
            uncovered[word] = None
    return tuple(uncovered)
