"""An agent's quotes, marked where they stand in the evidence or named as what they are."""

from collections.abc import Sequence

from sparring.reports.foreign import literal
from sparring.reports.highlighting import highlighted, reference
from sparring.schema.context import ContextPart
from sparring.schema.fact_check import CheckedPart, CheckedRebuttal, Position
from sparring.schema.quotes import QuoteFinding
from sparring.schema.spans import Span

_LEGEND = "[-only in the quote-], {+only in the evidence+}"


def shown_parts(position: Position, evidence: Sequence[ContextPart]) -> str:
    """Each part of the claim with its status, and with its quote marked in the evidence."""
    return "\n\n".join(_shown_part(part, evidence) for part in position.parts)


def shown_key_quote(position: Position, evidence: Sequence[ContextPart]) -> str:
    """The quote that a position rests on most, marked in the evidence; empty without one."""
    if not position.key_quote:
        return ""
    shown = _shown_quote(position.key_quote, position.key_quote_found, evidence)
    return f"Key quote of round {position.round}:\n\n{shown}"


def listed_parts(position: Position, evidence: Sequence[ContextPart]) -> list[str]:
    """Each part in a line."""
    return [
        f"- {part.status}{_claimed(part)}: {literal(part.part)}{listed_quote(part.quote, part.found, evidence)}"
        for part in position.parts
    ]


def listed_rebuttal(rebuttal: CheckedRebuttal, evidence: Sequence[ContextPart]) -> str:
    """What is said against another agent, in a line."""
    issue = f": {rebuttal.issue.replace('_', ' ')}" if rebuttal.issue else ""
    theirs = f" (“{literal(rebuttal.their_quote)}”)" if rebuttal.their_quote else ""
    verdict = f", {rebuttal.their_verdict}" if rebuttal.their_verdict else ""
    against = f"- Against {literal(rebuttal.agent)}{verdict}{theirs}{issue}"
    return against + listed_quote(rebuttal.counter_quote, rebuttal.found, evidence)


def _shown_part(part: CheckedPart, evidence: Sequence[ContextPart]) -> str:
    head = f"- **{part.status}**{_claimed(part)}: {literal(part.part)}"
    if not part.quote:
        return head
    below = _shown_quote(part.quote, part.found, evidence).replace("\n", "\n  ")
    return f"{head}\n\n  {below}".replace("\n  \n", "\n\n")


def _claimed(part: CheckedPart) -> str:
    return "" if part.claimed is part.status else f" (said {part.claimed})"


def _shown_quote(quote: str, found: QuoteFinding | None, evidence: Sequence[ContextPart]) -> str:
    if found and found.span:
        return _marked(found.parts or (found.span,), found.span, evidence)
    if found and found.nearest:
        place = _marked((found.nearest.span,), found.nearest.span, evidence)
        return f"Altered: “{literal(quote)}”\n\n{place}\n\nDifference ({_LEGEND}): {literal(found.nearest.difference)}"
    return f"Not in the evidence: “{literal(quote)}”"


def _marked(spans: Sequence[Span], whole: Span, evidence: Sequence[ContextPart]) -> str:
    source = evidence[whole.index]
    return f"{highlighted(source.text, spans)}\n>\n> ({reference(source.name, whole)})"


def listed_quote(quote: str | None, found: QuoteFinding | None, evidence: Sequence[ContextPart]) -> str:
    """Where a quote is, or that it is not, to follow what it belongs to; empty without a quote."""
    if not quote:
        return ""
    if found and found.span:
        return f" — “{literal(quote)}” ({reference(evidence[found.span.index].name, found.span)})"
    if found and found.nearest:
        place = reference(evidence[found.nearest.span.index].name, found.nearest.span)
        return f" — altered, {place} has: {literal(found.nearest.difference)}"
    return f" — not in the evidence: “{literal(quote)}”"
