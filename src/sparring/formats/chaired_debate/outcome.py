"""How a finished chaired debate came out: who sat where, what stands of what was said, what was looked up.

All of it comes from the outcome, from which the rules have removed what the chair took out. The turns still hold it, so
nothing that was said is ever read from them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sparring.reports.markdown import Section, cell, literal, quoted, table
from sparring.reports.runs import Finished, tool_with_model
from sparring.schema.base import Role
from sparring.schema.chaired_debate import (
    REDACTED,
    STRUCK,
    ChairedDebateOutcome,
    ChairedDebateRequest,
    DebateDecision,
    EndReason,
    EntryType,
    LogEntry,
    Phase,
    Seat,
    Speaker,
)
from sparring.schema.runs import Run
from sparring.schema.sources import Source, SourceFinding, SourceStatus
from sparring.text.tidying import capital, one_line

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
_HEADINGS = {
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


def _who(entry: LogEntry) -> str:
    """E.g. ``seq 7, promoter: rebuttal to seq 4``."""
    return f"seq {entry.seq}, {entry.speaker}: {act(entry)}"


def _source_line(number: int, source: Source, finding: SourceFinding | None) -> str:
    """A source as a bullet, with what came of it; below it what was quoted, and the page's words where they differ."""
    named = ", ".join(filter(None, (source.title, source.url)))
    accessed = f" (accessed {literal(source.accessed)})" if source.accessed else ""
    lines = [f"- source {number}: {literal(named)}{accessed}: {_found(finding)}"]
    lines += [f"  - quoted: “{literal(source.quote)}”"] if source.quote else []
    if finding and finding.status is SourceStatus.UNRELIABLE and finding.found:
        lines.append(f"  - on the page: “{literal(finding.found)}”")
    return "\n".join(lines)


def _source_row(seq: int, number: int, finding: SourceFinding) -> tuple[str, ...]:
    """What came of a source, for a table under ``_SOURCES_HEAD``."""
    led = f" → {cell(finding.final_url)}" if finding.final_url else ""
    address = cell(finding.url) + led if finding.url else _TAKEN_OUT
    return str(seq), str(number), address, STATUSES[finding.status], cell(finding.reason)


_SOURCES_HEAD = ("seq", "source", "address", "found", "why")


def counted(counts: Sequence[tuple[str, int]]) -> str:
    """E.g. ``2 verified, 1 fabricated``."""
    return ", ".join(f"{count} {name}" for name, count in counts)


def _found(finding: SourceFinding | None) -> str:
    if finding is None:
        return "not looked up"
    return f"**{STATUSES[finding.status]}**; {literal(finding.reason)}"


_NOTHING_VERIFIED = "[WARN] Not one source was verified: what the debaters say of the world was not checked."
_DEBATERS = frozenset({Speaker.PROMOTER, Speaker.DETRACTOR})


class FinishedChairedDebate(Finished[ChairedDebateRequest, ChairedDebateOutcome]):
    """A chaired debate that has ended."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, ChairedDebateRequest, ChairedDebateOutcome)

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader must know, each line once."""
        nothing = self.outcome.decision is not None and not self.statuses[SourceStatus.VERIFIED]
        return (*((_NOTHING_VERIFIED,) if nothing else ()), *super().notices)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Everybody who took part; the model is what the tool reported last, else what was asked for."""
        searching = self.request.searching
        return tuple(
            Seat(role=role, tool=seat.tool, model=self.model(seat, role), web=role in searching)
            for role, seat in self.request.participants
        )

    @property
    def statuses(self) -> Counter[SourceStatus]:
        """How many sources came out how."""
        return Counter(checked.finding.status for checked in self.outcome.sources)

    @property
    def findings(self) -> Mapping[int, tuple[SourceFinding, ...]]:
        """What came of the sources of each entry that had any, in the order of its sources."""
        found: dict[int, tuple[SourceFinding, ...]] = {}
        for checked in self.outcome.sources:
            found[checked.seq] = (*found.get(checked.seq, ()), checked.finding)
        return found

    @property
    def points(self) -> tuple[LogEntry, ...]:
        """What the debaters said and nobody took out."""
        return tuple(entry for entry in self.outcome.log if entry.speaker in _DEBATERS and not self.label(entry))

    def entry(self, seq: int) -> LogEntry | None:
        """The entry of that number; None when there is none."""
        return next((entry for entry in self.outcome.log if entry.seq == seq), None)

    def label(self, entry: LogEntry) -> str:
        """``[STRUCK]`` or ``[REDACTED]`` for an entry of which nothing but the reason is left, else empty.

        Others may hold the second label, too, where they repeated what was taken out later.
        """
        if entry.content.startswith(STRUCK):
            return STRUCK
        ruled = ((each.type, each.target_seq) for each in self.outcome.log)
        is_redacted = entry.content.startswith(REDACTED) and (EntryType.REDACTION, entry.seq) in ruled
        return REDACTED if is_redacted else ""

    def tool(self, role: Role) -> str:
        """The tool in a seat and its model, e.g. ``claude (opus)``; empty when nobody sat there."""
        return next((tool_with_model(seat.tool, seat.model) for seat in self.seats if seat.role is role), "")


def transcript(debate: FinishedChairedDebate) -> Iterator[Section]:
    """Every entry in its order, under the phase that it belongs to."""
    for phase in Phase:
        entries = [entry for entry in debate.outcome.log if entry.phase is phase]
        if entries:
            yield Section(_HEADINGS[phase], "")
        for entry in entries:
            yield Section(f"### {capital(_who(entry))}", _content(debate, entry))


def entry_lines(debate: FinishedChairedDebate, seqs: Iterable[int], shown: int) -> str:
    """The entries of these numbers as bullets, each with its first ``shown`` characters."""
    entries = (entry for seq in seqs if (entry := debate.entry(seq)))
    return "\n".join(f"- {_who(entry)}: {literal(one_line(entry.content, shown))}" for entry in entries)


def entry_table(entries: Sequence[LogEntry], shown: int) -> str:
    """The entries as a table, each with its first ``shown`` characters."""
    rows = (
        (str(entry.seq), entry.speaker.value, act(entry), cell(one_line(entry.content, shown))) for entry in entries
    )
    return table(("seq", "speaker", "what", "words"), rows)


def removals(debate: FinishedChairedDebate) -> str:
    """What was struck or redacted, with the reason and without the words; empty when nothing was."""
    return "\n".join(
        f"- {_who(entry)}: {_removal(debate, entry)}" for entry in debate.outcome.log if debate.label(entry)
    )


def source_table(debate: FinishedChairedDebate) -> str:
    """What came of every source."""
    rows = [
        _source_row(seq, number, finding)
        for seq, findings in debate.findings.items()
        for number, finding in enumerate(findings, start=1)
    ]
    return table(_SOURCES_HEAD, rows) if rows else "None was given."


def _content(debate: FinishedChairedDebate, entry: LogEntry) -> str:
    if debate.label(entry):
        return _removal(debate, entry)
    said = quoted(entry.content)
    return f"{said}\n\n{_sources(debate, entry)}" if entry.sources else said


def _removal(debate: FinishedChairedDebate, entry: LogEntry) -> str:
    label = debate.label(entry)
    return f"**{label.strip('[]').capitalize()}**: {literal(entry.content.removeprefix(label))}"


def _sources(debate: FinishedChairedDebate, entry: LogEntry) -> str:
    found = {(finding.url, finding.quote): finding for finding in debate.findings.get(entry.seq, ())}
    numbered = enumerate(entry.sources, start=1)
    return "\n".join(_source_line(number, source, found.get((source.url, source.quote))) for number, source in numbered)
