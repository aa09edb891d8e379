"""What code finds in a claim and the texts that it is held against, as a table."""

from collections.abc import Sequence

from sparring.reports.foreign import cell, table
from sparring.reports.highlighting import reference
from sparring.schema.claims import ClaimCheck, Finding, Severity, Status
from sparring.schema.spans import Span, TextSpan
from sparring.text.tidying import one_line

_TEXT_SHOWN = 120
_HEAD = ("compared", "found", "claim", "held against", "why")


def compared(check: ClaimCheck, names: Sequence[str]) -> str:
    """Every finding, or that there is none; ``names`` are those of the texts by index."""
    if not check.findings:
        return "Nothing to compare: code found no quantity, date or word in the claim that it knows how to compare."
    return table(_HEAD, (_row(finding, names) for finding in check.findings))


def mismatches(check: ClaimCheck, names: Sequence[str]) -> str:
    """The findings in which the texts say otherwise than the claim, or that there is none among them."""
    found = mismatches_in(check)
    if not found:
        return f"No mismatch in {len(check.findings)} findings." if check.findings else compared(check, names)
    return table(_HEAD, (_row(finding, names) for finding in found))


def mismatches_in(check: ClaimCheck) -> tuple[Finding, ...]:
    """The mismatches, critical ones first."""
    found = (finding for finding in check.findings if finding.status is Status.MISMATCH)
    return tuple(sorted(found, key=lambda finding: finding.severity is not Severity.CRITICAL))


def _row(finding: Finding, names: Sequence[str]) -> tuple[str, ...]:
    found = f"{finding.status}, {finding.severity}" if finding.status is Status.MISMATCH else finding.status.value
    place = finding.evidence
    text = f"{_words(place)} ({_reference(names, place)})" if place else ""
    claim = f"{_words(finding.claim)} ({finding.claim.start}–{finding.claim.end})"
    return finding.dimension.value, found, claim, text, cell(finding.why)


def _words(place: TextSpan) -> str:
    return f"“{cell(one_line(place.text, _TEXT_SHOWN))}”"


def _reference(names: Sequence[str], place: Span) -> str:
    return reference(names[place.index], place).replace("|", "\\|")
