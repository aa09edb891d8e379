"""What the speeches cite, and what the working tree says about it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from sparring.reports.debate.finished import FinishedDebate
from sparring.reports.fitting import Section
from sparring.reports.foreign import inline
from sparring.schema.base import Role
from sparring.schema.citations import CitationStatus
from sparring.schema.debate import SPEAKING_ORDER, SpeechLedger
from sparring.schema.ledger import CitationKind, Ledger, LedgerEntry
from sparring.text.tidying import one_line

RIGOR_OF_MODELS = "Structured perspective comparison (prompt-enforced adversarial rules, no deterministic verification)"
"""Literally as in the specification: what it says is so where no citation was verified."""

_UNSUPPORTED_SHOWN = 10
"""Claims of one speech that are listed; more are counted."""

_CLAIM_SHOWN = 300
"""Characters of such a claim."""

_CITATION_SHOWN = 100
"""Characters of a citation: code that is quoted may be as long as its line."""

_BACKTICKS = re.compile("`+")

_MISSING_IN_LINE = 5
"""Citations not found that the line below a speech names; the section on citations has all of them."""

_UNCHECKED_SHOWN = 10
"""Citations that are listed for one reason why they are unchecked; more are counted."""

_KINDS = {
    CitationKind.PATH: ("path", "paths"),
    CitationKind.SYMBOL: ("name", "names"),
    CitationKind.PATTERN: ("piece of code", "pieces of code"),
    CitationKind.COMMIT: ("commit", "commits"),
    CitationKind.URL: ("URL", "URLs"),
    CitationKind.BENCHMARK: ("measured number", "measured numbers"),
}


def rigor(debate: FinishedDebate) -> str:
    """What kind of comparison this was."""
    verified, missing, unchecked = (
        len(debate.cited(status))
        for status in (CitationStatus.VERIFIED, CitationStatus.NOT_FOUND, CitationStatus.UNCHECKED)
    )
    if not verified:
        return RIGOR_OF_MODELS
    found = f"{verified} verified, {missing} not found, {unchecked} unchecked"
    return RIGOR_OF_MODELS.replace("rules, no deterministic verification", f"rules; citations checked by code: {found}")


def citation_sections(debate: FinishedDebate) -> list[Section]:
    """The ledger of each speech: what is not there with the reason, what is, what nobody has checked."""
    if not debate.outcome.ledgers:
        return []
    speeches = (
        Section(f"### Round {each.round}, {each.role} ({debate.request.participant(each.role).tool})", _listed(each))
        for each in debate.outcome.ledgers
    )
    return [Section("## Citations", ""), *speeches]


def citations_in_short(debate: FinishedDebate) -> list[Section]:
    """What is not there, then how much each side cites."""
    if not debate.outcome.ledgers:
        return []
    lines = [*_missing(debate), *(line for role in SPEAKING_ORDER if (line := _side(debate, role)))]
    return [Section("## Citations", "\n".join(f"- {line}" for line in lines))]


def ledger_line(each: SpeechLedger) -> str:
    """One speech in one line, e.g. ``3 verified, 1 not found (`src/x.py:99`: the file has 40 lines)``."""
    if each.ledger is None:
        return f"not looked up: {inline(each.problem)}"
    missing = [_with_reason(entry) for entry in _different(each.ledger, CitationStatus.NOT_FOUND)]
    more = [f"{len(missing) - _MISSING_IN_LINE} more"] if len(missing) > _MISSING_IN_LINE else []
    shown = f" ({'; '.join(missing[:_MISSING_IN_LINE] + more)})" if missing else ""
    counts = (
        _count(each.ledger, CitationStatus.VERIFIED, "verified"),
        _count(each.ledger, CitationStatus.NOT_FOUND, "not found") + shown,
        _count(each.ledger, CitationStatus.UNCHECKED, "unchecked"),
        f"{each.ledger.left_out} not looked up" if each.ledger.left_out else "",
    )
    return ", ".join(count for count in counts if count) or "none"


def counted_kinds(entries: Iterable[LedgerEntry]) -> str:
    """E.g. ``2 URLs, 1 measured number``."""
    counted = Counter(entry.kind for entry in entries)
    return ", ".join(f"{count} {_KINDS[kind][count > 1]}" for kind, count in counted.items())


def _listed(each: SpeechLedger) -> str:
    if each.ledger is None:
        return f"Not looked up: {inline(each.problem)}"
    ledger = each.ledger
    lines = [f"Not found: {_with_reason(entry)}" for entry in _different(ledger, CitationStatus.NOT_FOUND)]
    if verified := _different(ledger, CitationStatus.VERIFIED):
        lines.append(f"Verified: {'; '.join(_cited(entry) for entry in verified)}")
    lines += _unchecked(_different(ledger, CitationStatus.UNCHECKED))
    if ledger.left_out:
        lines.append(f"Not looked up: {ledger.left_out} more")
    lines += _unsupported(ledger)
    return "\n".join(f"- {line}" for line in lines) or "It cites nothing."


def _unchecked(entries: Iterable[LedgerEntry]) -> Iterator[str]:
    """A line for each reason, with what it holds for."""
    by_reason: dict[str, list[str]] = {}
    for entry in entries:
        by_reason.setdefault(entry.reason, []).append(_cited(entry))
    for reason, cited in by_reason.items():
        more = [f"{len(cited) - _UNCHECKED_SHOWN} more"] if len(cited) > _UNCHECKED_SHOWN else []
        yield f"Unchecked, {inline(reason).rstrip('.')}: {'; '.join(cited[:_UNCHECKED_SHOWN] + more)}"


def _unsupported(ledger: Ledger) -> Iterator[str]:
    claims = ledger.unsupported
    for claim in claims[:_UNSUPPORTED_SHOWN]:
        yield f"Unsupported: “{inline(one_line(claim.text, _CLAIM_SHOWN))}”"
    if len(claims) > _UNSUPPORTED_SHOWN:
        yield f"Unsupported: {len(claims) - _UNSUPPORTED_SHOWN} more claims"


def _missing(debate: FinishedDebate) -> Iterator[str]:
    for each in debate.outcome.ledgers:
        for entry in _different(each.ledger, CitationStatus.NOT_FOUND) if each.ledger else ():
            yield f"Not found: {_with_reason(entry)} ({debate.name(each.role)}, round {each.round})"


def _side(debate: FinishedDebate, role: Role) -> str:
    ledgers = [each.ledger for each in debate.outcome.ledgers if each.role is role and each.ledger]
    if not ledgers:
        return ""
    verified, missing, unchecked = (
        len({(entry.kind, entry.text) for ledger in ledgers for entry in ledger.entries if entry.status is status})
        for status in (CitationStatus.VERIFIED, CitationStatus.NOT_FOUND, CitationStatus.UNCHECKED)
    )
    bare = sum(len(ledger.unsupported) for ledger in ledgers)
    claims = "1 claim cites" if bare == 1 else f"{bare} claims cite"
    return f"{debate.name(role)}: {verified} verified, {missing} not found, {unchecked} unchecked; {claims} nothing"


def _different(ledger: Ledger, status: CitationStatus) -> tuple[LedgerEntry, ...]:
    """The entries with that status; what is cited twice counts once."""
    found = {(entry.kind, entry.text): entry for entry in ledger.entries if entry.status is status}
    return tuple(found.values())


def _count(ledger: Ledger, status: CitationStatus, word: str) -> str:
    count = ledger.count(status)
    return f"{count} {word}" if count else ""


def _with_reason(entry: LedgerEntry) -> str:
    return f"{_cited(entry)}: {inline(entry.reason).rstrip('.')}"


def _cited(entry: LedgerEntry) -> str:
    """The citation as code. What holds backticks itself stands between more of them than it has in a row."""
    bare = one_line(entry.text, _CITATION_SHOWN).strip("`").strip()
    fence = "`" * (max((len(run) for run in _BACKTICKS.findall(bare)), default=0) + 1)
    return f"{fence}{bare}{fence}" if len(fence) == 1 else f"{fence} {bare} {fence}"
