"""Findings on quotes and claims, as Markdown: marked in the evidence, listed, compared."""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sparring.reports.markdown import Section, cell, fitted, literal, table
from sparring.schema import claims, consultation, lookups, verification
from sparring.text.tidying import at_words, for_terminal, one_line, visible

_AROUND = 80
"""Characters shown before and after a mark."""

_NAME_SHOWN = 100
_CUT = "…"


def highlighted(source: str, spans: Sequence[lookups.TextSpan]) -> str:
    """A block quotation of ``spans``, in their order in ``source``, in bold, with a few words around them."""
    # Plain and marked passages by turns, beginning and ending with a plain one.
    passages = [_before(source, spans[0].start), source[spans[0].start : spans[0].end]]
    for span, following in pairwise(spans):
        passages += [_between(source, span.end, following.start), source[following.start : following.end]]
    passages.append(_after(source, spans[-1].end))
    passages = [visible(for_terminal(passage)) for passage in passages]
    shown = literal(passages[0])
    for index in range(1, len(passages)):
        is_marked = index % 2 == 1
        shown += _joint(passages[index - 1], passages[index], marked_first=not is_marked)
        shown += _bold(passages[index]) if is_marked else literal(passages[index])
    return "\n".join(f"> {line}" for line in shown.split("\n") if line)


def reference(name: str, span: lookups.TextSpan) -> str:
    """E.g. ``source.md, 120–186``: characters of the source; the second number is the first that is not meant."""
    return f"{literal(one_line(name, _NAME_SHOWN))}, {span.start}–{span.end}"


def _bold(text: str) -> str:
    shown = literal(text)
    return f"**{shown}**" if shown else ""


def _joint(left: str, right: str, *, marked_first: bool) -> str:
    """Return the joint between a marked passage and its neighbour: a line end, unless it would split a word."""
    if not left or not right or left[-1].isspace() or right[0].isspace():
        return "\n"
    in_mark, outside = (left[-1], right[0]) if marked_first else (right[0], left[-1])
    is_inside_word = in_mark.isalnum() or unicodedata.category(outside).startswith("P")
    return "" if is_inside_word else "\n"


def _before(source: str, start: int) -> str:
    text = source[max(0, start - _AROUND) : start]
    if start <= _AROUND:
        return text
    words = text.split(maxsplit=1)
    return f"{_CUT} {words[1] if len(words) > 1 else text}"


def _after(source: str, end: int) -> str:
    text = source[end : end + _AROUND]
    if end + _AROUND >= len(source):
        return text
    words = text.rsplit(maxsplit=1)
    return f"{words[0] if len(words) > 1 else text} {_CUT}"


def _between(source: str, end: int, start: int) -> str:
    if start - end <= 2 * _AROUND:
        return source[end:start]
    begin, _ = at_words(source, start - _AROUND, start)
    return f"{_after(source, end)} {source[begin:start]}"


_TEXT_SHOWN = 120
_HEAD = ("compared", "found", "claim", "compared with", "why")


def compared(check: claims.ClaimCheck, names: Sequence[str]) -> str:
    """Return every finding, or that there is none, and the hints; ``names`` are the texts' by index."""
    parts = (_findings(check, names), hints(check, names))
    return "\n\n".join(part for part in parts if part)


def hints(check: claims.ClaimCheck, names: Sequence[str] = ()) -> str:
    """Return the leads for a reader of a claim that code leaves open, a line each; empty where there are none."""
    check_hints = check.hints
    lines: list[str] = []
    if check_hints.reason:
        lines.append(literal(one_line(check_hints.reason, _QUOTE_SHOWN)))
    if check_hints.differing:
        lines.append(f"Claim / nearest passage: {_listed(check_hints.differing)}.")
    if check_hints.uncovered:
        lines.append(f"Not in the nearest passage: {_listed(check_hints.uncovered)}.")
    if check_hints.nearest and names:
        lines.append(f"Nearest passage: {_words(check_hints.nearest)} ({_reference(names, check_hints.nearest)}).")
    whys = [literal(one_line(unread.why, _QUOTE_SHOWN)) for unread in check_hints.unread]
    lines += [f"{why} It was read as plain text." for why in whys]
    return "\n".join(f"- {line}" for line in lines)


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{literal(one_line(word, _TEXT_SHOWN))}”" for word in words)


def _findings(check: claims.ClaimCheck, names: Sequence[str]) -> str:
    if check.findings:
        return table(_HEAD, [_row(finding, names) for finding in check.findings])
    if check.label is claims.Label.SUPPORTED:
        return ""  # a whole sentence says so, and there is nothing to compare in it
    return "Code found no quantity, date or changed word to compare."


def mismatches(check: claims.ClaimCheck, names: Sequence[str]) -> str:
    """Return the findings in which the texts contradict the claim, or a line that there are none."""
    mismatched = mismatches_in(check)
    if mismatched:
        return table(_HEAD, [_row(finding, names) for finding in mismatched])
    return f"No mismatch in {len(check.findings)} findings." if check.findings else compared(check, names)


def mismatches_in(check: claims.ClaimCheck) -> tuple[claims.Finding, ...]:
    """The mismatches, critical ones first."""
    mismatched = (finding for finding in check.findings if finding.status is claims.Status.MISMATCH)
    return tuple(sorted(mismatched, key=lambda finding: finding.severity is not claims.Severity.CRITICAL))


def _row(finding: claims.Finding, names: Sequence[str]) -> tuple[str, ...]:
    status = finding.status.value
    if finding.status is claims.Status.MISMATCH:
        status = f"{status}, {finding.severity}"
    claim = f"{_words(finding.claim)} ({finding.claim.start}–{finding.claim.end})"
    evidence = f"{_words(finding.evidence)} ({_reference(names, finding.evidence)})" if finding.evidence else ""
    return finding.dimension.value, status, claim, evidence, cell(finding.why)


def _words(place: lookups.TextSpan) -> str:
    return f"“{cell(one_line(place.text, _TEXT_SHOWN))}”"


def _reference(names: Sequence[str], place: lookups.Span) -> str:
    return reference(names[place.index], place).replace("|", "\\|")


_QUOTE_SHOWN = 300
_MEANS = {
    claims.Label.REFUTED: "the evidence says otherwise",
    claims.Label.SUPPORTED: "a whole sentence or a parsed value of the evidence says so",
    claims.Label.NEI: "code leaves it open; a reader has to decide",
}
_IS_TO_THE_CLAIM = {
    claims.Relation.CARRIES: "carries the claim",
    claims.Relation.CONFLICTS: "conflicts with the claim",
    claims.Relation.OPEN: "leaves the claim open: code can show neither",
}


def verified_text(result: verification.Verified, *, limit: int) -> str:
    """Return the findings in fewer than ``limit`` characters; cut parts are marked."""
    return fitted(tuple(_sections(result)), limit=limit)


def _sections(result: verification.Verified) -> Iterator[Section]:
    names = [part.name for part in result.evidence]
    if result.check:
        meaning = f"By code, without a model: {_MEANS[result.check.label]}."
        findings = compared(result.check, names)
        yield Section(f"## Claim: {result.check.label}", f"{meaning}\n\n{findings}" if findings else meaning)
    if result.quotes:
        verbatim: list[str] = []
        problems: list[str] = []
        for number, quote in enumerate(result.quotes, start=1):
            is_verbatim = quote.verdict is lookups.QuoteVerdict.VERBATIM
            (verbatim if is_verbatim else problems).append(_quote(number, quote, result.evidence))
        body = "\n\n".join(problems + verbatim)  # problems come first, so that they are not cut
        yield Section(f"## Quotes: {len(verbatim)} of {len(result.quotes)} verbatim", body)
    if result.cited:
        yield _cited(result.cited)
    yield Section("", _note(result.redactions))


def _cited(ledger: lookups.CitationLedger) -> Section:
    """List the citations that were not found, and count the others."""
    reasons = {entry.text: entry.reason for entry in ledger.entries if entry.status is lookups.CitationStatus.NOT_FOUND}
    lines: list[str] = []
    for text, reason in reasons.items():
        citation = literal(one_line(text, _TEXT_SHOWN))
        lines.append(f"- **not found**: {citation}: {literal(one_line(reason, _QUOTE_SHOWN))}")
    if lines:
        lines.append("")
    verified, existing, missing, unchecked = (ledger.count(status) for status in lookups.CitationStatus)
    counts = f"{verified} verified, {existing} existing, {missing} not found, {unchecked} that code cannot check."
    if ledger.left_out:
        counts += f" {ledger.left_out:,} more were not looked up."
    return Section("## Cited of the project", "\n".join([*lines, counts]))


def _quote(number: int, quote: verification.VerifiedQuote, evidence: Sequence[consultation.ContextPart]) -> str:
    head = f"{number}. **{quote.verdict.replace('_', ' ')}**: “{literal(one_line(quote.quote, _QUOTE_SHOWN))}”"
    if quote.span:
        relation = f", {_IS_TO_THE_CLAIM[quote.carried.relation]}" if quote.carried else ""
        return f"{head} ({reference(evidence[quote.span.index].name, quote.span)}){relation}"
    if quote.nearest is None:
        return f"{head}. Nothing like it is in the evidence."
    place = quote.nearest.span
    source = evidence[place.index]
    shown = "\n".join(f"   {line}" for line in highlighted(source.text, [place]).split("\n"))
    difference = literal(one_line(quote.nearest.difference, 2 * _QUOTE_SHOWN))
    return f"{head}. Most like it ({reference(source.name, place)}):\n\n{shown}\n\n   {difference}"


def _note(redactions: int) -> str:
    if not redactions:
        return ""
    secrets = "1 secret was" if redactions == 1 else f"{redactions} secrets were"
    return f"{secrets} taken out before anything was compared."
