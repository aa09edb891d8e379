"""What was found, as records with their places and a sentence for people."""

from collections.abc import Sequence

from sparring.checks.claims.alignment import Aligned
from sparring.checks.claims.changes import WordChange
from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.quantities import Quantity
from sparring.checks.claims.settings import Setting
from sparring.checks.claims.swaps import SwappedTerms
from sparring.checks.claims.terms import Terms
from sparring.checks.claims.tokens import Text, in_source
from sparring.schema.claims import Dimension, Finding, Severity, Status
from sparring.schema.lookups import Span, TextSpan

_CHANGED = {
    "negation": Dimension.NEGATION,
    "opposite": Dimension.QUALIFIER,
    "scope": Dimension.SCOPE,
    "certainty": Dimension.CERTAINTY,
    "causality": Dimension.CAUSALITY,
    "number": Dimension.QUANTITY,
    "entity": Dimension.ENTITY,
    "place": Dimension.PLACE,
}
_SOFT = frozenset({"certainty", "causality"})
"""They shift what is claimed, and seldom make it false."""

_NAMES = frozenset({"entity", "place"})
"""They tell of another thing only where nothing else is told otherwise."""
_WHY = {
    Status.MATCH: 'The evidence has "{evidence}".',
    Status.MISMATCH: 'The claim has "{claim}", the evidence "{evidence}" for the same.',
    Status.MISSING: 'The evidence has "{evidence}", which does not tell whether "{claim}" holds.',
}


def mention_finding(claim: Text, mention: Quantity | DateMention, found: Aligned, sources: Sequence[Text]) -> Finding:
    """What became of a quantity or date of the claim."""
    there, each = claim.span_of(mention.begin, mention.end), found.evidence
    where = span_in(sources, each.index, each.mention.begin, each.mention.end) if each else None
    return Finding(
        dimension=Dimension.QUANTITY if isinstance(mention, Quantity) else Dimension.TIME,
        status=found.status,
        severity=Severity.CRITICAL if found.status is Status.MISMATCH else Severity.MINOR,
        claim=there,
        evidence=where,
        why=_why(found.status, there, where),
    )


def change_finding(change: WordChange, claim: Text, sources: Sequence[Text]) -> Finding:
    """What a claim has changed in the sentence that it repeats."""
    there = claim.span_of(*_shown(claim, *change.claim))
    where = span_in(sources, change.source, *_shown(sources[change.source], *change.evidence))
    is_loose = change.kind in _SOFT or (change.kind in _NAMES and not change.is_only)
    return Finding(
        dimension=_CHANGED[change.kind],
        status=Status.MISMATCH,
        severity=Severity.MINOR if is_loose else Severity.CRITICAL,
        claim=there,
        evidence=where,
        why=f'The claim repeats a sentence of the evidence, but has "{there.text}" where that has "{where.text}".',
    )


def uncompared_finding(claim: Text, begin: int, end: int) -> Finding:
    """The stretch of the claim from the first number that is not compared to the last one."""
    why = "Not compared: claim and evidence have too many numbers."
    there = claim.span_of(begin, end)
    return Finding(dimension=Dimension.QUANTITY, status=Status.MISSING, severity=Severity.MINOR, claim=there, why=why)


def exchange_finding(exchange: SwappedTerms, claim: Terms, sources: Sequence[Terms]) -> Finding:
    """Two things of the claim that stand in each other's place in the evidence, or the opposite of what it says."""
    ours = claim.span(exchange.begin, exchange.end)
    theirs = sources[exchange.source].span(exchange.there_begin, exchange.there_end)
    what = "the opposite" if exchange.is_opposite else "two have changed places"
    return Finding(
        dimension=Dimension.NEGATION if exchange.is_opposite else Dimension.ENTITY,
        status=Status.MISMATCH,
        severity=Severity.CRITICAL,
        claim=ours,
        evidence=in_source(exchange.source, theirs),
        why=f'The claim has "{ours.text}", the evidence "{theirs.text}": {what}.',
    )


def setting_finding(
    said: Setting, status: Status, claim: Text, index: int, there: Setting, sources: Sequence[Text]
) -> Finding:
    """What became of the value that a claim gives a setting."""
    ours, theirs = claim.span(said.start, said.end), sources[index].span(there.start, there.end)
    what = f'The evidence has "{theirs.text}" for {said.key}'
    return Finding(
        dimension=Dimension.QUALIFIER,
        status=status,
        severity=Severity.MINOR if status is Status.MATCH else Severity.CRITICAL,
        claim=ours,
        evidence=in_source(index, theirs),
        why=f"{what}." if status is Status.MATCH else f'{what}, the claim "{ours.text}".',
    )


def _why(status: Status, claim: TextSpan, evidence: Span | None) -> str:
    if evidence is None:
        return f'The evidence has nothing to hold "{claim.text}" against.'
    if status is Status.MISMATCH and claim.text == evidence.text:
        return f'Both have "{claim.text}", but the words around it, such as "over" or "before", tell different things.'
    return _WHY[status].format(claim=claim.text, evidence=evidence.text)


def _shown(text: Text, begin: int, end: int) -> tuple[int, int]:
    """The tokens to show: where none stand, those around the gap."""
    return (begin, end) if begin < end else (max(0, begin - 1), min(len(text.written), end + 1))


def span_in(sources: Sequence[Text], index: int, begin: int, end: int) -> Span:
    """The tokens from ``begin`` to before ``end`` of one source; there is at least one."""
    return in_source(index, sources[index].span_of(begin, end))
