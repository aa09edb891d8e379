"""What was found, as records with their places and a sentence for people."""

from collections.abc import Collection, Sequence

from sparring.checks.claims.alignment import Aligned
from sparring.checks.claims.changes import Change
from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.quantities import Quantity
from sparring.checks.claims.tokens import Text
from sparring.schema.claims import Dimension, Finding, Label, Severity, Status
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


def label_of(findings: Sequence[Finding], foreign: Collection[int]) -> Label:
    """REFUTED if, and only if, a critical mismatch is among them; NEI where not everything matches.

    Where a number stands in one of the ``foreign`` sources, whose words nobody compared, the claim is not supported.
    """
    if any(each.is_critical_mismatch for each in findings):
        return Label.REFUTED
    is_compared = not any(each.evidence and each.evidence.index in foreign for each in findings)
    return Label.SUPPORTED if is_compared and {each.status for each in findings} == {Status.MATCH} else Label.NEI


def mention_finding(
    dimension: Dimension,
    claim: Text,
    mention: Quantity | DateMention,
    found: Aligned,
    sources: Sequence[Text],
) -> Finding:
    """What became of a quantity or date of the claim."""
    there = _span(claim, mention.begin, mention.end)
    where = None
    if each := found.evidence:
        where = _span_in(sources, each.index, each.mention.begin, each.mention.end)
    severity = Severity.CRITICAL if found.status is Status.MISMATCH else Severity.MINOR
    why = _why(found.status, there, where)
    return Finding(dimension=dimension, status=found.status, severity=severity, claim=there, evidence=where, why=why)


def change_finding(change: Change, claim: Text, sources: Sequence[Text]) -> Finding:
    """What a claim has changed in the sentence that it repeats."""
    there = _span(claim, *_shown(claim, *change.claim))
    where = _span_in(sources, change.source, *_shown(sources[change.source], *change.evidence))
    return Finding(
        dimension=_CHANGED[change.kind],
        status=Status.MISMATCH,
        severity=Severity.MINOR if _is_loose(change) else Severity.CRITICAL,
        claim=there,
        evidence=where,
        why=f'The claim repeats a sentence of the evidence, but has "{there.text}" where that has "{where.text}".',
    )


def _is_loose(change: Change) -> bool:
    return change.kind in _SOFT or (change.kind in _NAMES and not change.is_only)


def _why(status: Status, claim: TextSpan, evidence: Span | None) -> str:
    if evidence is None:
        return f'The evidence has nothing to hold "{claim.text}" against.'
    if status is Status.MISMATCH and claim.text == evidence.text:
        return f'Both have "{claim.text}", but the words around it, such as "over" or "before", tell different things.'
    return _WHY[status].format(claim=claim.text, evidence=evidence.text)


def _shown(text: Text, begin: int, end: int) -> tuple[int, int]:
    """The tokens to show: where none stand, those around the gap."""
    return (begin, end) if begin < end else (max(0, begin - 1), min(len(text.tokens), end + 1))


def _span(text: Text, begin: int, end: int) -> TextSpan:
    start, stop = text.offsets(begin, end)
    return TextSpan(text=text.original[start:stop], start=start, end=stop)


def _span_in(sources: Sequence[Text], index: int, begin: int, end: int) -> Span:
    start, stop = sources[index].offsets(begin, end)
    return Span(index=index, text=sources[index].original[start:stop], start=start, end=stop)
