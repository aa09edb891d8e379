"""What code found out about a claim and quotes, as Markdown for a conversation."""

from collections.abc import Iterator, Sequence

from sparring.reports.compared import compared
from sparring.reports.fitting import Section, fitted
from sparring.reports.foreign import literal
from sparring.reports.highlighting import highlighted, reference
from sparring.schema.claims import ClaimCheck, Label
from sparring.schema.context import ContextPart
from sparring.schema.quotes import QuoteVerdict
from sparring.schema.verification import Verified, VerifiedQuote
from sparring.text.tidying import one_line

_QUOTE_SHOWN = 300
_MEANS = {
    Label.REFUTED: "the evidence says otherwise",
    Label.SUPPORTED: "everything that code can compare is in the evidence",
    Label.NEI: "the evidence does not settle everything that code can compare",
}
_NOTHING_COMPARED = "code found nothing in it that it knows how to compare"


def verified_text(found: Verified, *, limit: int) -> str:
    """The findings in fewer than ``limit`` characters; what does not fit is cut, and says so."""
    return fitted(tuple(_sections(found)), limit=limit)


def _sections(found: Verified) -> Iterator[Section]:
    names = [part.name for part in found.evidence]
    if found.check:
        yield Section(f"## Claim: {found.check.label}", f"{_meaning(found.check)}\n\n{compared(found.check, names)}")
    if found.quotes:
        verbatim = sum(each.verdict is QuoteVerdict.VERBATIM for each in found.quotes)
        # What is wrong stands first: it must not be what is cut.
        in_order = sorted(enumerate(found.quotes, start=1), key=lambda each: each[1].verdict is QuoteVerdict.VERBATIM)
        body = "\n\n".join(_quote(number, each, found.evidence) for number, each in in_order)
        yield Section(f"## Quotes: {verbatim} of {len(found.quotes)} verbatim", body)
    yield Section("", _note(found.redactions))


def _meaning(check: ClaimCheck) -> str:
    return f"By code, asking nobody: {_MEANS[check.label] if check.findings else _NOTHING_COMPARED}."


def _quote(number: int, each: VerifiedQuote, evidence: Sequence[ContextPart]) -> str:
    head = f"{number}. **{each.verdict.replace('_', ' ')}**: “{literal(one_line(each.quote, _QUOTE_SHOWN))}”"
    if each.span:
        return f"{head} ({reference(evidence[each.span.index].name, each.span)})"
    if each.nearest is None:
        return f"{head}. Nothing like it is in the evidence."
    place = each.nearest.span
    source = evidence[place.index]
    shown = "\n".join(f"   {line}" for line in highlighted(source.text, [place]).split("\n"))
    difference = literal(one_line(each.nearest.difference, 2 * _QUOTE_SHOWN))
    return f"{head}. Most like it ({reference(source.name, place)}):\n\n{shown}\n\n   {difference}"


def _note(redactions: int) -> str:
    if not redactions:
        return ""
    secrets = "1 secret was" if redactions == 1 else f"{redactions} secrets were"
    return f"{secrets} taken out before anything was compared."
