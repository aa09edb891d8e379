"""How what is in the log and in the outcome of a chaired debate is worded for people."""

from collections.abc import Sequence

from sparring.reports.foreign import cell, literal
from sparring.schema.base import Role
from sparring.schema.chaired_debate import DebateDecision, EndReason, EntryType, LogEntry, Phase
from sparring.schema.sources import Source, SourceFinding, SourceStatus

DECISIONS = {
    DebateDecision.AFFIRMATIVE_WINS: "the affirmative wins",
    DebateDecision.NEGATIVE_WINS: "the negative wins",
    DebateDecision.DRAW: "a draw",
    DebateDecision.VOID: "void",
}
ENDS = {
    EndReason.NATURAL: "the chair found that all had been said",
    EndReason.MAX_ROUNDS: "no more rounds were allowed",
    EndReason.TIME_BUDGET: "the time was used up",
    EndReason.DISQUALIFICATION: "a debater was disqualified",
    EndReason.FAILURE: "a debater could not be had",
}
SIDES = {Role.PROMOTER: "affirmative", Role.DETRACTOR: "negative"}
STATUSES = {
    SourceStatus.VERIFIED: "verified",
    SourceStatus.UNRELIABLE: "unreliable",
    SourceStatus.FABRICATED: "fabricated",
    SourceStatus.UNREACHABLE: "unreachable (not checked)",
}
HEADINGS = {
    Phase.OPENING: "## Opening",
    Phase.REBUTTAL: "## Rebuttal",
    Phase.CLOSING: "## Closing",
    Phase.CONCLUSION: "## Conclusion",
}
_ABOUT = {
    EntryType.SOURCE_CHECK: "sources of seq",
    EntryType.CLARIFICATION: "clarification for seq",
    EntryType.RULING: "ruling on seq",
    EntryType.WARNING: "warning for seq",
    EntryType.REDACTION: "redaction of seq",
    EntryType.DISQUALIFICATION: "disqualification for seq",
}
_TAKEN_OUT = "(taken out)"


def act(entry: LogEntry) -> str:
    """What somebody does with an entry, e.g. ``rebuttal to seq 4, about seq 2`` or ``ruling on seq 3``."""
    if entry.type in _ABOUT and entry.target_seq:
        return f"{_ABOUT[entry.type]} {entry.target_seq}"
    answered = f" to seq {entry.rebuttal_to_seq}" if entry.rebuttal_to_seq else ""
    about = f", about seq {entry.target_seq}" if entry.target_seq else ""
    return f"{entry.type.value.replace('_', ' ')}{answered}{about}"


def who(entry: LogEntry) -> str:
    """E.g. ``seq 7, promoter: rebuttal to seq 4``."""
    return f"seq {entry.seq}, {entry.speaker}: {act(entry)}"


def source_line(number: int, source: Source, finding: SourceFinding | None) -> str:
    """A source as a bullet, with what came of it; below it what was quoted, and the page's words where they differ."""
    named = ", ".join(filter(None, (source.title, source.url)))
    accessed = f" (accessed {literal(source.accessed)})" if source.accessed else ""
    lines = [f"- source {number}: {literal(named)}{accessed}: {_found(finding)}"]
    lines += [f"  - quoted: “{literal(source.quote)}”"] if source.quote else []
    if finding and finding.status is SourceStatus.UNRELIABLE and finding.found:
        lines.append(f"  - on the page: “{literal(finding.found)}”")
    return "\n".join(lines)


def source_row(seq: int, number: int, finding: SourceFinding) -> tuple[str, ...]:
    """What came of a source, for a table under ``SOURCES_HEAD``."""
    led = f" → {cell(finding.final_url)}" if finding.final_url else ""
    address = cell(finding.url) + led if finding.url else _TAKEN_OUT
    return str(seq), str(number), address, STATUSES[finding.status], cell(finding.reason)


SOURCES_HEAD = ("seq", "source", "address", "found", "why")


def counted(counts: Sequence[tuple[str, int]]) -> str:
    """E.g. ``2 verified, 1 fabricated``."""
    return ", ".join(f"{count} {name}" for name, count in counts)


def _found(finding: SourceFinding | None) -> str:
    if finding is None:
        return "not looked up"
    return f"**{STATUSES[finding.status]}**; {literal(finding.reason)}"
