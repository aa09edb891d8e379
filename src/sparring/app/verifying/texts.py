"""A text for people held against evidence: every sentence as a claim, every quotation as a quote. Nobody is asked.

Sentences are compared with the evidence in portions, so that what is found stands close to what is told with it.
Quotations are searched in whole sources.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.checks.claims import ClaimEvidence
from sparring.checks.quotes import Evidence
from sparring.schema.claims import Finding, Label
from sparring.schema.quotes import Nearest, QuoteVerdict, Span, TextSpan
from sparring.schema.verification import PlacedFinding, VerifiedQuotation, VerifiedSentence, VerifiedText
from sparring.text.prose import Prose, quotations, sentences

_PORTION = 6_000
"""Characters; about two pages."""


@dataclass(frozen=True)
class NamedText:
    """A text and what people call it."""

    name: str
    text: str


def check_text(text: NamedText, evidence: Sequence[NamedText]) -> VerifiedText:
    """What ``evidence`` says to ``text``. Markdown is taken as its readers see it, in both."""
    prose, sources = Prose(text.text), [Prose(source.text) for source in evidence]
    said = [
        place
        for block in prose.blocks
        if not block.is_quoted
        for place in sentences(prose.plain, block.start, block.end)
    ]
    compared = tuple(_compared(prose, said, sources))
    quoted = tuple(_quoted(prose, sources))
    is_refuted = any(each.label is Label.REFUTED for each in compared)
    return VerifiedText(
        name=text.name,
        evidence=tuple(source.name for source in evidence),
        sentences=len(said),
        compared=compared,
        quotations=quoted,
        is_contradicted=is_refuted or any(each.verdict is not QuoteVerdict.VERBATIM for each in quoted),
    )


@dataclass(frozen=True)
class _Portion:
    """A piece of a source, which is number ``index``; ``text`` begins there at ``start``."""

    index: int
    source: Prose
    start: int
    text: str


def _portions(sources: Sequence[Prose]) -> Iterator[_Portion]:
    """The sources in pieces that end with a paragraph if possible, else with a line or a word."""
    for index, source in enumerate(sources):
        start, text = 0, source.plain
        while start < len(text):
            end = _portion_end(text, start)
            yield _Portion(index, source, start, text[start:end])
            start = end


def _portion_end(text: str, start: int) -> int:
    limit = start + _PORTION
    if limit >= len(text):
        return len(text)
    ends = (text.rfind(mark, start + 1, limit) for mark in ("\n\n", "\n", " "))
    return next((end for end in ends if end > start), limit)


def _compared(prose: Prose, said: Sequence[tuple[int, int]], sources: Sequence[Prose]) -> Iterator[VerifiedSentence]:
    portions = tuple(_portions(sources))
    read = ClaimEvidence([portion.text for portion in portions])
    for start, end in said:
        check = read.check(prose.plain[start:end])
        if check.findings:
            yield VerifiedSentence(
                line=prose.line_at(start),
                sentence=_text_span(prose, start, end),
                label=check.label,
                findings=tuple(_placed(finding, prose, start, portions) for finding in check.findings),
            )


def _placed(finding: Finding, prose: Prose, start: int, portions: Sequence[_Portion]) -> PlacedFinding:
    """``finding``, made in a sentence that begins at ``start`` and in a portion, in terms of the whole texts."""
    evidence, line = None, None
    if place := finding.evidence:
        portion = portions[place.index]
        evidence = _span(portion.source, portion.index, portion.start + place.start, portion.start + place.end)
        line = portion.source.line_at(evidence.start)
    return PlacedFinding(
        dimension=finding.dimension,
        status=finding.status,
        severity=finding.severity,
        claim=_text_span(prose, start + finding.claim.start, start + finding.claim.end),
        evidence=evidence,
        why=finding.why,
        evidence_line=line,
    )


def _quoted(prose: Prose, sources: Sequence[Prose]) -> Iterator[VerifiedQuotation]:
    evidence = Evidence([source.plain for source in sources])

    def original(span: Span) -> Span:
        return _span(sources[span.index], span.index, span.start, span.end)

    for start, end in quotations(prose):
        found = evidence.find(prose.plain[start:end])
        nearest = found.nearest
        place = nearest.span if nearest else found.span
        yield VerifiedQuotation(
            verdict=found.verdict,
            span=original(found.span) if found.span else None,
            parts=tuple(original(part) for part in found.parts),
            nearest=Nearest(span=original(nearest.span), difference=nearest.difference) if nearest else None,
            line=prose.line_at(start),
            quotation=_text_span(prose, start, end),
            evidence_line=sources[place.index].line_at(place.start) if place else None,
        )


def _span(source: Prose, index: int, start: int, end: int) -> Span:
    return Span(index=index, text=source.text[start:end], start=start, end=end)


def _text_span(prose: Prose, start: int, end: int) -> TextSpan:
    return TextSpan(text=prose.text[start:end], start=start, end=end)
