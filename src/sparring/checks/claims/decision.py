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
from sparring.checks.claims.structured.entries import Malformed
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
        telling = [each for each in self.changes if not each.is_slight]
        return 0 < len(telling) <= _MOST_CHANGES and all(each.is_typed or each.is_other_name for each in telling)


def decide(claim: ParsedText, sources: Sequence[ParsedText], *, belong_together: bool) -> ClaimCheck:
    """Return the check of ``claim`` by ``sources``: all sentences must be supported, and a refuted one refutes it."""
    stated = compare(claim, sources)
    if stated.statement:
        return _by_statement(claim, stated.statement, sources)
    decisions = [_decided(each, sources, belong_together=belong_together) for each in claim.sentences[:_MOST_SENTENCES]]
    first = next(
        (each for label in (Label.REFUTED, Label.NEI, Label.SUPPORTED) for each in decisions if each.label is label),
        ClaimCheck(label=Label.NEI),
    )
    if len(claim.sentences) > _MOST_SENTENCES and first.label is Label.SUPPORTED:
        reason = f"Only the first {_MOST_SENTENCES} sentences of the claim were compared."
        first = ClaimCheck(label=Label.NEI, hints=Hints(reason=reason))
    if len(decisions) > 1:
        first = first.model_copy(update={"findings": tuple(finding for each in decisions for finding in each.findings)})
    if stated.malformed and first.label is Label.NEI:
        unread = tuple(_unread(sources, index, each) for index, each in stated.malformed)
        first = first.model_copy(update={"hints": first.hints.model_copy(update={"unread": unread})})
    return first


def _unread(sources: Sequence[ParsedText], index: int, part: Malformed) -> Unread:
    return Unread(**dict(sources[index].plain.span_in(index, part.start, part.end)), why=part.why)


def _decided(claim: Sentence, sources: Sequence[ParsedText], *, belong_together: bool) -> ClaimCheck:
    near = nearest(claim, sources)
    if not near:
        return ClaimCheck(label=Label.NEI, hints=Hints(reason="The evidence shares no word with the claim."))
    aligned = (align(claim, each) for each in near if repeats(claim, each, _MOST_WORDS))
    compared = [_Comparison(each, changes(each, sources)) for each in aligned]
    asserted = compared if not _is_asked(claim) else []
    same = [each for each in asserted if not each.changes and not each.limit]
    refuting = [each for each in asserted if each.is_refuting(belong_together=belong_together) and not each.limit]
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
    for value in alignment.claim.values:
        if other := next((each for each in alignment.evidence.values if each.key == value.key), None):
            yield _value_finding(
                alignment.claim, value, Near(alignment.evidence, alignment.index, 0), other, Status.MATCH
            )


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
    limits = (each.limit for each in compared if len(each.changes) < 2)
    if limit := next(filter(None, limits), ""):
        return f"The evidence has this sentence only in {limit}."
    more = " ... ".join(_added(compared[0])) if compared else ""
    return f'The evidence says more: "{more}".' if more else ""


def _added(comparison: _Comparison) -> Iterator[str]:
    """Yield the parts of the evidence's sentence that the claim leaves out, if the claim changes nothing else."""
    places = [each.difference for each in comparison.changes]
    if all(begin == end for begin, end in (each.claim for each in places)):
        yield from (_places(each, comparison.alignment)[1].text for each in comparison.changes)


def _leads(claim: Sentence, near: Near) -> Iterator[Finding]:
    """Yield the nearest sentence's text next to each value of the claim, as a lead and not as a label."""
    there = near.sentence.values if claim.values else ()
    ours = {value.key for value in claim.values}
    for value in claim.values:
        if same := next((each for each in there if each.key == value.key), None):
            yield _value_finding(claim, value, near, same, Status.MATCH)
            continue
        rest = [each for each in there if each.kind == value.kind and each.key not in ours]
        is_other = len(rest) == 1 and relation(value, rest[0]) is not ValueRelation.SAME
        yield _value_finding(claim, value, near, rest[0] if is_other else None, Status.MISSING)


def _differing(findings: Sequence[Finding], compared: Sequence[_Comparison]) -> Iterator[str]:
    for each in findings:
        if each.status is Status.MISSING and each.evidence:
            yield f"{each.claim.text} / {each.evidence.text}"
    for change in compared[0].changes[:_MOST_CHANGES] if compared else ():
        if all(begin < end for begin, end in (change.difference.claim, change.difference.evidence)):
            ours, theirs = _places(change, compared[0].alignment)
            yield f"{ours.text} / {theirs.text}"


def _uncovered(claim: Sentence, evidence: Sentence) -> tuple[str, ...]:
    """Return the words of the claim without any inflection in the sentence, except function words and equal values."""
    lowered, functional, language = claim.tokens.lowered, claim.lexicon.functional, claim.language
    absent = {word for word in claim.words - evidence.words - functional if word[0].isalnum()}
    if not absent:
        return ()
    there, keys = {fold(word, language) for word in evidence.words}, {value.key for value in evidence.values}
    equal = {at for value in claim.values if value.key in keys for at in range(value.begin, value.end)}
    absent = {word for word in absent if fold(word, language) not in there}
    written = zip(claim.tokens.written, lowered, strict=True)
    return tuple(dict.fromkeys(word for at, (word, lower) in enumerate(written) if lower in absent and at not in equal))
