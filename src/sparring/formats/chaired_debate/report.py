"""Views of a chaired debate: the decision first, then the seats, then the log by phases; and the records.

All of it comes from the outcome, which contains no removed words. The turns still contain them, so no words are ever
read from turns.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from sparring.engine.format import Presentation
from sparring.formats.chaired_debate.flow import log_of
from sparring.formats.chaired_debate.outcome import STATUSES, FinishedChairedDebate, conclusion, key, pictures
from sparring.formats.chaired_debate.rulebook import entry_of
from sparring.reports.conclusion import first_lines
from sparring.reports.markdown import (
    Section,
    Sections,
    bullets,
    cell,
    inline,
    joined,
    literal,
    optional_section,
    quoted,
    table,
)
from sparring.reports.runs import context_line, request_of
from sparring.schema import chaired_debate as schema
from sparring.schema.base import Role
from sparring.schema.consultation import Source
from sparring.schema.lookups import SourceFinding, SourceStatus
from sparring.schema.runs import Request, Run
from sparring.schema.transcript import Transcript
from sparring.text.tidying import capitalized, one_line

_ENDS = {
    schema.EndReason.NATURAL: "the chair ended the rebuttals",
    schema.EndReason.MAX_ROUNDS: "the limit of rounds was reached",
    schema.EndReason.TIME_BUDGET: "the time was used up",
    schema.EndReason.DISQUALIFICATION: "a debater was disqualified",
    schema.EndReason.FAILURE: "a debater failed",
}
_SIDES = {Role.PROMOTER: "affirmative", Role.DETRACTOR: "negative"}
_HEADINGS = {
    schema.Phase.OPENING: "## Opening",
    schema.Phase.REBUTTAL: "## Rebuttal",
    schema.Phase.CLOSING: "## Closing",
    schema.Phase.CONCLUSION: "## Conclusion",
}
_ABOUT = {
    schema.EntryType.SOURCE_CHECK: "sources of seq",
    schema.EntryType.CLARIFICATION: "clarification for seq",
    schema.EntryType.RULING: "ruling on seq",
    schema.EntryType.WARNING: "warning for seq",
    schema.EntryType.REDACTION: "redaction of seq",
    schema.EntryType.DISQUALIFICATION: "disqualification for seq",
}


def _act(entry: schema.LogEntry) -> str:
    """Describe the type and target of an entry, e.g. ``rebuttal to seq 4, about seq 2`` or ``ruling on seq 3``."""
    if entry.type in _ABOUT and entry.target_seq:
        return f"{_ABOUT[entry.type]} {entry.target_seq}"
    answered = f" to seq {entry.rebuttal_to_seq}" if entry.rebuttal_to_seq else ""
    about = f", about seq {entry.target_seq}" if entry.target_seq else ""
    return f"{entry.type.value.replace('_', ' ')}{answered}{about}"


def _entry_title(entry: schema.LogEntry) -> str:
    """E.g. ``seq 7, promoter: rebuttal to seq 4``."""
    return f"seq {entry.seq}, {entry.speaker}: {_act(entry)}"


def _source_line(number: int, source: Source, finding: SourceFinding | None) -> str:
    """A source as a bullet with its finding; below it the quote, and the page's words if they differ."""
    name = ", ".join(part for part in (source.title, source.url) if part)
    accessed = f" (accessed {literal(source.accessed)})" if source.accessed else ""
    status = f"**{STATUSES[finding.status]}**; {literal(finding.reason)}" if finding else "not looked up"
    lines = [f"- source {number}: {literal(name)}{accessed}: {status}"]
    if source.quote:
        lines.append(f"  - quoted: “{literal(source.quote)}”")
    if finding and finding.status is SourceStatus.UNRELIABLE and finding.page_words:
        lines.append(f"  - on the page: “{literal(finding.page_words)}”")
    return "\n".join(lines)


def _log_sections(debate: FinishedChairedDebate) -> Iterator[Section]:
    for phase in schema.Phase:
        entries = [entry for entry in debate.outcome.log if entry.phase is phase]
        if entries:
            yield Section(_HEADINGS[phase], "")
        for entry in entries:
            yield Section(f"### {capitalized(_entry_title(entry))}", _content(debate, entry), key(entry))


def _content(debate: FinishedChairedDebate, entry: schema.LogEntry) -> str:
    if debate.label(entry):
        return _removal(debate, entry)
    text = quoted(entry.content)
    return f"{text}\n\n{_sources(debate, entry)}" if entry.sources else text


def _removal(debate: FinishedChairedDebate, entry: schema.LogEntry) -> str:
    label = debate.label(entry)
    return f"**{label.strip('[]').capitalize()}**: {literal(entry.content.removeprefix(label))}"


def _sources(debate: FinishedChairedDebate, entry: schema.LogEntry) -> str:
    findings = {(finding.url, finding.quote): finding for finding in debate.findings.get(entry.seq, ())}
    lines = [
        _source_line(number, source, findings.get((source.url, source.quote)))
        for number, source in enumerate(entry.sources, start=1)
    ]
    return "\n".join(lines)


def _source_table(debate: FinishedChairedDebate) -> str:
    rows: list[tuple[str, ...]] = []
    for seq, findings in debate.findings.items():
        for number, finding in enumerate(findings, start=1):
            address = cell(finding.url) if finding.url else "(taken out)"
            if finding.url and finding.final_url:
                address += f" → {cell(finding.final_url)}"
            rows.append((str(seq), str(number), address, STATUSES[finding.status], cell(finding.reason)))
    return table(("seq", "source", "address", "found", "why"), rows) if rows else ""


def _source_counts(debate: FinishedChairedDebate) -> str:
    """Count the sources by status, e.g. ``2 verified, 1 fabricated.``; empty without sources."""
    if not debate.outcome.sources:
        return ""
    counts = [f"{debate.statuses[status]} {name}" for status, name in STATUSES.items() if debate.statuses[status]]
    return f"{', '.join(counts)}."


_ENTRY_SHOWN = 200
"""Characters of an entry in a list: enough to recognise it."""


def _head(debate: FinishedChairedDebate, title: str) -> list[Section]:
    """The title with the decision, its maker, and important notes, for files that are read without a report."""
    first = first_lines(debate.run, conclusion(debate).with_substitutions(debate.run))
    named = replace(first.section, heading=first.section.heading.replace("Chaired debate", title, 1))
    return [named, *optional_section("## Notes", bullets(first.left_out))]


def _decision_sections(debate: FinishedChairedDebate) -> list[Section]:
    """Show the reasoning of the decision and the decisive entries; empty without a decision."""
    outcome = debate.outcome
    if outcome.decision is None:
        return []
    sections: list[Section] = []
    if outcome.reasoning:
        sections.append(Section("## Reasoning", quoted(outcome.reasoning)))
    if outcome.decided_by is schema.DecidedBy.RULE:
        return sections  # a rule decides by facts about the debate, not by what was argued
    lines: list[str] = []
    for seq in outcome.decisive:
        entry = entry_of(seq, outcome.log)
        if entry:
            lines.append(f"- {_entry_title(entry)}: {literal(one_line(entry.content, _ENTRY_SHOWN))}")
    return [*sections, *optional_section("## Decisive entries", "\n".join(lines))]


def _removed(debate: FinishedChairedDebate) -> list[Section]:
    """List disqualified debaters, and struck or redacted entries with the reason and without the words."""
    lines = [f"- **Disqualified**: the {_side(role)}" for role in debate.outcome.disqualified]
    lines += [
        f"- {_entry_title(entry)}: {_removal(debate, entry)}" for entry in debate.outcome.log if debate.label(entry)
    ]
    return optional_section("## Taken out of the debate", "\n".join(lines))


def _last_words(debate: FinishedChairedDebate) -> list[Section]:
    last = {entry.speaker: entry for entry in debate.points}
    return [
        Section(f"## Last word of the {speaker}: seq {entry.seq}, {_act(entry)}", quoted(entry.content))
        for speaker, entry in last.items()
    ]


def _seats(debate: FinishedChairedDebate) -> str:
    rows = [(_side(seat.role), cell(debate.tool(seat.role)), "yes" if seat.web else "no") for seat in debate.seats]
    return table(("seat", "tool", "could search the web"), rows)


def _about_the_run(debate: FinishedChairedDebate) -> str:
    request, outcome = debate.request, debate.outcome
    is_fixed = request.min_rounds == request.max_rounds
    allowed = str(request.max_rounds) if is_fixed else f"{request.min_rounds} to {request.max_rounds}"
    facts = {
        "Rebuttal rounds": f"{outcome.rounds_completed} ({allowed} requested); then {_ENDS[outcome.ended]}",
        "Entries": str(len(outcome.log)),
        "Effort": request.effort.value,
    }
    if request.time_budget_s:
        facts["Time"] = f"at most {request.time_budget_s / 60:g} minutes of work"
    return debate.about(facts)


def _side(role: Role) -> str:
    return f"{role.display_name} ({_SIDES[role]})" if role in schema.DEBATERS else role.display_name


_POSITION_SHOWN = 1_500
"""Characters of an opening or a closing statement: a position is stated at its beginning."""

_POINT_SHOWN = 300


def summary(debate: FinishedChairedDebate) -> str:
    """``summary.md``: the short form of a finished chaired debate for readers who did not follow it."""
    sources = f"{_source_counts(debate)}\n\n{_source_table(debate)}".strip()
    return joined(
        [
            *_head(debate, "Summary of a chaired debate"),
            Section("## Topic", quoted(debate.request.topic)),
            *_decision_sections(debate),
            *(_summary_by_reporter(debate) if debate.outcome.summary else _summary_by_code(debate)),
            *_removed(debate),
            *optional_section("## Sources", sources),
            Section("## Run", _about_the_run(debate)),
        ]
    )


def _summary_by_reporter(debate: FinishedChairedDebate) -> list[Section]:
    by = inline(debate.tool(Role.REPORTER))
    lead = f"In the words of the reporter, {by}. They were not checked against the log.\n\n"
    return [Section("## Summary by the reporter", lead + quoted(debate.outcome.summary))]


def _summary_by_code(debate: FinishedChairedDebate) -> list[Section]:
    """Show the opening and closing statements of each debater, and their rebuttals as a table."""
    statements: dict[schema.Speaker, list[str]] = {}
    rebuttals: list[tuple[str, ...]] = []
    for entry in debate.points:
        if entry.phase is schema.Phase.REBUTTAL:
            point = cell(one_line(entry.content, _POINT_SHOWN))
            rebuttals.append((str(entry.seq), entry.speaker.value, _act(entry), point))
        else:
            statements.setdefault(entry.speaker, []).append(_statement(entry))
    sections: list[Section] = []
    for role in schema.DEBATERS:
        position = "\n\n".join(statements.get(schema.Speaker(role.value), ()))
        sections.append(Section(f"## Position of the {role} ({_SIDES[role]})", position or "None that counts."))
    if rebuttals:
        sections.append(
            Section("## Points in the rebuttal rounds", table(("seq", "speaker", "what", "words"), rebuttals))
        )
    return sections


def _statement(entry: schema.LogEntry) -> str:
    shown = entry.content
    if len(shown) > _POSITION_SHOWN:
        shown = shown[:_POSITION_SHOWN].rstrip() + "\n[…]"
    return f"Seq {entry.seq}, {_act(entry)}:\n\n{quoted(shown)}"


def _transcript_file(debate: FinishedChairedDebate) -> str:
    """``transcript.md``: all of it, the result first."""
    return joined([*_head(debate, "Chaired debate"), *_report(debate)])


def _report(debate: FinishedChairedDebate) -> Sections:
    context = debate.request.context
    return [
        Section("## Topic", quoted(debate.request.topic)),
        *optional_section("", f"Context: {literal(context_line(context))}" if context else ""),
        *_decision_sections(debate),
        *_removed(debate),
        Section("## Seats", _seats(debate)),
        *_log_sections(debate),
        *optional_section("## Sources", _source_table(debate)),
        Section("## Run", _about_the_run(debate)),
    ]


def _details(debate: FinishedChairedDebate) -> Sections:
    """Show the reasoning of the decision; without one, the last entries."""
    sections = _decision_sections(debate) if debate.outcome.decision else _last_words(debate)
    sections += _removed(debate)
    output_dir = debate.request.output_dir
    if output_dir:
        sections.append(Section("", f"Kept, too, below the project in {literal(output_dir)}."))
    return sections


def _live(request: Request, transcript: Transcript) -> str:
    """The entries that the last turn added to the log, without removed ones and those whose sources are pending."""
    if not isinstance(request, schema.ChairedDebateRequest):
        return ""
    before = log_of(request, Transcript(turns=transcript.turns[:-1]))
    new = log_of(request, transcript)[len(before) :]
    return "\n\n".join(f"**{capitalized(_entry_title(entry))}**\n\n{quoted(entry.content)}" for entry in new)


def _result(debate: FinishedChairedDebate) -> schema.ChairedDebateResult:
    """The result, also as ``metadata.json``; the words are in the log."""
    return debate.record(schema.ChairedDebateResult, seats=debate.seats, entries=len(debate.outcome.log))


def _remaining(run: Run) -> tuple[str, ...]:
    """Stages with their speakers that have no turn yet. Rounds after the minimum may not be needed."""
    request = request_of(run, schema.ChairedDebateRequest)
    asked = tuple(f"{turn.ask_id}." for turn in run.transcript.turns)
    is_closing = any(ask_id.startswith("closing.") for ask_id in asked)
    remaining: list[str] = []
    for stage, place, role in _stages(request, rounds=0 if is_closing else request.max_rounds):
        seat = request.participant(role)
        has_turn = any(ask_id.startswith(f"{place}.") for ask_id in asked)
        if seat and not has_turn:  # the seats of audience and reporter may be empty
            remaining.append(f"{stage}, {role.display_name} ({seat.tool})")
    return tuple(remaining)


def _stages(request: schema.ChairedDebateRequest, *, rounds: int) -> Iterator[tuple[str, str, Role]]:
    """Each stage in its order, with the beginning of the ids of its asks, and the speaker."""
    yield from (("ready", f"ready.{role}", role) for role in schema.DEBATERS)
    yield from (("opening", f"opening.{role}", role) for role in schema.DEBATERS)
    for number in range(1, rounds + 1):
        stage = f"round {number}" if number <= request.min_rounds else f"round {number} (if needed)"
        yield from ((stage, f"r{number}.{role}", role) for role in (*schema.DEBATERS, Role.AUDIENCE))
    yield from (("closing", f"closing.{role}", role) for role in reversed(schema.DEBATERS))
    yield "conclusion", "conclusion", Role.CHAIR
    yield "summary", "report", Role.REPORTER


PRESENTATION = Presentation(
    FinishedChairedDebate,
    conclusion,
    _report,
    _details,
    _result,
    _remaining,
    live=_live,
    pictures=pictures,
    files={"transcript.md": _transcript_file, "summary.md": summary, "metadata.json": _result},
)
