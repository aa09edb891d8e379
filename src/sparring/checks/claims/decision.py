"""Decide: a label, the findings that support it, and hints for a reader. Only this module makes findings.

SUPPORTED: the claim repeats a whole sentence that its context does not limit. REFUTED: it repeats one with exactly one
typed change; in a pair of texts that belong together, with one or more. Everything else is open.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sparring.checks.claims.alignment import Alignment, NearSentence, align, may_repeat, nearest
from sparring.checks.claims.comparison import SentenceChange, changes
from sparring.checks.claims.document import ParsedText, Sentence, other_sentences
from sparring.checks.claims.items import Item
from sparring.checks.claims.parsing.words import fold
from sparring.checks.claims.statements import KeyStatement, compare
from sparring.checks.claims.structured.entries import Malformed
from sparring.checks.claims.values.value import DATE, DAY, Value, ValueRelation, relation
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Hints, Label, Severity, Status, UnparsedPart
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
        return self.alignment.evidence.reason_not_asserted

    def is_refuting(self, *, belong_together: bool) -> bool:
        if self.alignment.claim.language is not self.alignment.evidence.language:
            return False
        if not belong_together:
            return len(self.changes) == 1 and self.changes[0].is_typed
        counted = [each for each in self.changes if not each.is_slight]
        are_understood = all(each.is_typed or each.is_other_name for each in counted)
        return are_understood and 0 < len(counted) <= _MOST_CHANGES


def decide(claim: ParsedText, sources: Sequence[ParsedText], *, belong_together: bool) -> ClaimCheck:
    """Return the check of ``claim`` by ``sources``: all sentences must be supported, and a refuted one refutes it."""
    stated = compare(claim, sources)
    if stated.statement:
        return _by_statement(claim, stated.statement, sources)
    decisions = [_decided(each, sources, belong_together=belong_together) for each in claim.sentences[:_MOST_SENTENCES]]
    check = _decisive(decisions)
    if len(claim.sentences) > _MOST_SENTENCES and check.label is Label.SUPPORTED:
        reason = f"Only the first {_MOST_SENTENCES} sentences of the claim were compared."
        check = ClaimCheck(label=Label.NEI, hints=Hints(reason=reason))
    if len(decisions) > 1:
        findings = tuple(finding for each in decisions for finding in each.findings)
        check = check.model_copy(update={"findings": findings})
    if stated.malformed and check.label is Label.NEI:
        unread = tuple(_unread(sources, index, each) for index, each in stated.malformed)
        check = check.model_copy(update={"hints": check.hints.model_copy(update={"unread": unread})})
    return check


def _decisive(decisions: Sequence[ClaimCheck]) -> ClaimCheck:
    """Return the first refuted sentence, else the first open one, else the first supported one."""
    for label in (Label.REFUTED, Label.NEI, Label.SUPPORTED):
        for decision in decisions:
            if decision.label is label:
                return decision
    return ClaimCheck(label=Label.NEI)


def _unread(sources: Sequence[ParsedText], index: int, part: Malformed) -> UnparsedPart:
    return UnparsedPart(**dict(sources[index].plain.span_in(index, part.start, part.end)), why=part.why)


def _decided(claim: Sentence, sources: Sequence[ParsedText], *, belong_together: bool) -> ClaimCheck:
    near = nearest(claim, sources)
    if not near:
        return ClaimCheck(label=Label.NEI, hints=Hints(reason="The evidence shares no word with the claim."))
    compared: list[_Comparison] = []
    for each in near:
        if may_repeat(claim, each, _MOST_WORDS):
            alignment = align(claim, each)
            compared.append(_Comparison(alignment, changes(alignment, sources)))
    same: list[_Comparison] = []
    refuting: list[_Comparison] = []
    for comparison in compared if not _is_question(claim) else ():
        if not comparison.changes and not comparison.limit:
            same.append(comparison)
        elif comparison.is_refuting(belong_together=belong_together) and not comparison.limit:
            refuting.append(comparison)
    if same and not refuting:
        return _supported(same[0].alignment)
    if refuting and not same and not _is_covered_by_other_sentence(claim, refuting[0], sources):
        return _refuted(refuting[0])
    return _open(claim, near[0], compared, is_contradictory=bool(same and refuting))


def _is_covered_by_other_sentence(claim: Sentence, comparison: _Comparison, sources: Sequence[ParsedText]) -> bool:
    """Report whether another sentence has all words of the claim: it may be about another time or thing."""
    return any(claim.words <= each.words for each in other_sentences(comparison.alignment.evidence, sources))


def _is_question(claim: Sentence) -> bool:
    return claim.tokens.text.rstrip("\"')] ").endswith("?")


# -- findings


def _by_statement(claim: ParsedText, statement: KeyStatement, sources: Sequence[ParsedText]) -> ClaimCheck:
    entry, index = statement.entry, statement.index
    claimed = claim.plain.span(statement.start, statement.end)
    # An empty value is shown by the character at its place.
    stated = sources[index].plain.span_in(index, entry.start, max(entry.end, entry.start + 1))
    why = f'The evidence has "{stated.text}" for {".".join(entry.path)}'
    if statement.holds:
        finding = _finding(Dimension.QUALIFIER, Status.MATCH, claimed, stated, f"{why}.")
        return ClaimCheck(label=Label.SUPPORTED, findings=(finding,), passage=stated)
    why = f'{why}, the claim "{claimed.text}".'
    finding = _finding(Dimension.QUALIFIER, Status.MISMATCH, claimed, stated, why)
    return ClaimCheck(label=Label.REFUTED, findings=(finding,))


def _supported(alignment: Alignment) -> ClaimCheck:
    passage = _span(alignment.evidence, alignment.index)
    return ClaimCheck(label=Label.SUPPORTED, findings=tuple(_matches(alignment)), passage=passage)


def _refuted(comparison: _Comparison) -> ClaimCheck:
    findings: list[Finding] = []
    for change in comparison.changes:
        claimed, stated = _places(change, comparison.alignment)
        findings.append(_finding(change.dimension or Dimension.QUALIFIER, Status.MISMATCH, claimed, stated))
    findings += _matches(comparison.alignment)
    return ClaimCheck(label=Label.REFUTED, findings=tuple(findings))


def _places(change: SentenceChange, alignment: Alignment) -> tuple[TextSpan, Span]:
    ours = _shown(alignment.claim, alignment.claim_items, change.difference.claim)
    theirs = _shown(alignment.evidence, alignment.evidence_items, change.difference.evidence)
    return alignment.claim.text.span(*ours), alignment.evidence.text.span_in(alignment.index, *theirs)


def _shown(sentence: Sentence, items: Sequence[Item], place: tuple[int, int]) -> tuple[int, int]:
    """Return the place of some items; if there are none, that of the items around the gap."""
    begin, end = place
    if begin == end:
        begin, end = max(0, begin - 1), min(len(items), end + 1)
    return sentence.tokens.place(items[begin].begin, items[end - 1].end)


def _matches(alignment: Alignment) -> Iterator[Finding]:
    """Yield a finding for every value of the claim that the sentence has too."""
    there = NearSentence(alignment.evidence, alignment.index, 0)
    for value in alignment.claim.values:
        for other in alignment.evidence.values:
            if other.key == value.key:
                yield _value_finding(alignment.claim, value, there, other, Status.MATCH)
                break


def _value_finding(claim: Sentence, value: Value, near: NearSentence, other: Value | None, status: Status) -> Finding:
    claimed = claim.text.span(*claim.tokens.place(value.core, value.until))
    stated = None
    if other:
        stated = near.sentence.text.span_in(near.index, *near.sentence.tokens.place(other.core, other.until))
    dimension = Dimension.TIME if value.kind in {DATE, DAY} else Dimension.QUANTITY
    return _finding(dimension, status, claimed, stated)


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


def _open(
    claim: Sentence, near: NearSentence, compared: Sequence[_Comparison], *, is_contradictory: bool
) -> ClaimCheck:
    """Return the check of an undecided sentence: leads for a reader from the nearest sentence ``near``."""
    findings = tuple(_leads(claim, near))
    differing = dict.fromkeys(_differing(findings, compared))
    hints = Hints(
        reason=_reason(claim, compared, is_contradictory=is_contradictory),
        differing=tuple(differing)[:_MOST_HINTS],
        uncovered=_uncovered(claim, near.sentence)[:_MOST_HINTS],
        nearest=_span(near.sentence, near.index),
    )
    return ClaimCheck(label=Label.NEI, findings=findings, hints=hints)


def _reason(claim: Sentence, compared: Sequence[_Comparison], *, is_contradictory: bool) -> str:
    if _is_question(claim):
        return "The claim is a question."
    if is_contradictory:
        return "One sentence of the evidence says so, and another says otherwise."
    for each in compared:
        # With two changes or more it is another sentence, whose limits do not matter.
        if len(each.changes) < 2 and each.limit:
            return f"The evidence has this sentence only in {each.limit}."
    more = " ... ".join(_added(compared[0])) if compared else ""
    return f'The evidence says more: "{more}".' if more else ""


def _added(comparison: _Comparison) -> Iterator[str]:
    """Yield the parts of the evidence's sentence that the claim leaves out, if the claim changes nothing else."""
    for change in comparison.changes:
        begin, end = change.difference.claim
        if begin < end:
            return
    for change in comparison.changes:
        yield _places(change, comparison.alignment)[1].text


def _leads(claim: Sentence, near: NearSentence) -> Iterator[Finding]:
    """Yield the nearest sentence's text next to each value of the claim, as a lead and not as a label."""
    if not claim.values:
        return
    there = near.sentence.values
    ours = {value.key for value in claim.values}
    for value in claim.values:
        same = [each for each in there if each.key == value.key]
        if same:
            yield _value_finding(claim, value, near, same[0], Status.MATCH)
            continue
        # The only value of its kind that the claim does not have at another place.
        rest = [each for each in there if each.kind == value.kind and each.key not in ours]
        is_other = len(rest) == 1 and relation(value, rest[0]) is not ValueRelation.SAME
        yield _value_finding(claim, value, near, rest[0] if is_other else None, Status.MISSING)


def _differing(findings: Sequence[Finding], compared: Sequence[_Comparison]) -> Iterator[str]:
    """Yield the pairs "of the claim / of the evidence": of values, then of the nearest repeated sentence."""
    for finding in findings:
        if finding.status is Status.MISSING and finding.evidence:
            yield f"{finding.claim.text} / {finding.evidence.text}"
    if not compared:
        return
    nearest_comparison = compared[0]
    for change in nearest_comparison.changes[:_MOST_CHANGES]:
        (begin, end), (there, there_end) = change.difference.claim, change.difference.evidence
        if begin < end and there < there_end:
            ours, theirs = _places(change, nearest_comparison.alignment)
            yield f"{ours.text} / {theirs.text}"


def _uncovered(claim: Sentence, evidence: Sentence) -> tuple[str, ...]:
    """Return the words of the claim without any inflection in the sentence, except function words and equal values."""
    language = claim.language
    absent = {word for word in claim.words - evidence.words - claim.lexicon.functional if word[0].isalnum()}
    if not absent:
        return ()
    inflected = {fold(word, language) for word in evidence.words}
    absent = {word for word in absent if fold(word, language) not in inflected}
    stated = {value.key for value in evidence.values}
    covered: set[int] = set()
    for value in claim.values:
        if value.key in stated:
            covered.update(range(value.begin, value.end))
    uncovered: dict[str, None] = {}
    for at, (written, lower) in enumerate(zip(claim.tokens.written, claim.tokens.lowered, strict=True)):
        if lower in absent and at not in covered:
            uncovered[written] = None
    return tuple(uncovered)
