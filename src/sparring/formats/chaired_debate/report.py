"""A chaired debate as it is shown: the decision first, then who sat where, then the log by phases; and the records."""

from collections.abc import Iterator

from sparring.engine.format import Presentation
from sparring.formats.chaired_debate.outcome import (
    DECISIONS,
    ENDS,
    SIDES,
    STATUSES,
    FinishedChairedDebate,
    act,
    counted,
    entry_lines,
    entry_table,
    removals,
    source_table,
    transcript,
)
from sparring.reports.markdown import Section, Sections, cell, given, inline, joined, literal, quoted, table
from sparring.reports.runs import about_the_run, context_line, request_of, tool_with_model
from sparring.schema.base import Role
from sparring.schema.chaired_debate import (
    DEBATERS,
    ChairedDebateRequest,
    ChairedDebateResult,
    ChairedDebateStatus,
    DecidedBy,
    LogEntry,
    Phase,
    Speaker,
)
from sparring.schema.runs import Run
from sparring.text.tidying import one_line

_ENTRY_SHOWN = 200
"""Characters of an entry in a list: enough to know it again."""

_NO_DECISION = {
    ChairedDebateStatus.FAILED: "a debater never spoke",
    ChairedDebateStatus.UNJUDGED: "the chair gave none that could be used",
}
_INCOMPLETE = "A debater could not be had to the end. What was decided was decided on what had been said."


def _head(debate: FinishedChairedDebate, title: str = "Chaired debate") -> list[Section]:
    """The title with the decision, who made it, and what the reader must know."""
    outcome = debate.outcome
    if outcome.decision is None:
        why = _NO_DECISION.get(outcome.status, outcome.status.value)
        lines = [Section(f"# {title}: no decision", f"**No decision**: {why}.")]
    else:
        decision = DECISIONS[outcome.decision]
        lines = [Section(f"# {title}: {decision}", f"**{decision.capitalize()}**, decided {_by(debate)}.")]
    incomplete = [_INCOMPLETE] if outcome.status is ChairedDebateStatus.INCOMPLETE else []
    return [*lines, *given("", "\n\n".join((*incomplete, *map(inline, debate.notices))))]


def _decided(debate: FinishedChairedDebate) -> list[Section]:
    """Why it was decided so, and on which entries the chair rests; nothing without a decision."""
    outcome = debate.outcome
    if outcome.decision is None:
        return []
    sections = given("## Reasoning", quoted(outcome.reasoning) if outcome.reasoning else "")
    if outcome.decided_by is DecidedBy.RULE:
        return sections
    lines = entry_lines(debate, outcome.decisive, _ENTRY_SHOWN)
    return [*sections, Section("## Decisive entries", lines or "The chair names none.")]


def _removed(debate: FinishedChairedDebate) -> list[Section]:
    """Who was disqualified, and what was struck or redacted and why; nothing when nothing was."""
    gone = [f"- **Disqualified**: the {_side(role)}" for role in debate.outcome.disqualified]
    return given("## Taken out of the debate", "\n".join(filter(None, (*gone, removals(debate)))))


def _last_words(debate: FinishedChairedDebate) -> list[Section]:
    """The last that each debater said and nobody took out."""
    said = {entry.speaker: entry for entry in debate.points}
    return [
        Section(f"## Last word of the {speaker}: seq {entry.seq}, {act(entry)}", quoted(entry.content))
        for speaker, entry in said.items()
    ]


def seats(debate: FinishedChairedDebate) -> str:
    """Each seat with its tool, and whether that could search the web, as a table."""
    rows = (
        (_side(seat.role), cell(tool_with_model(seat.tool, seat.model)), "yes" if seat.web else "no")
        for seat in debate.seats
    )
    return table(("seat", "tool", "could search the web"), rows)


def _sources_in_short(debate: FinishedChairedDebate) -> str:
    """How many sources came out how."""
    statuses = debate.statuses
    counts = [(name, statuses[status]) for status, name in STATUSES.items() if statuses[status]]
    return f"{counted(counts)}." if counts else "None was given."


def _about_the_run(debate: FinishedChairedDebate) -> str:
    """How it was asked for, how it ended, and what it used."""
    request, outcome = debate.request, debate.outcome
    is_fixed = request.min_rounds == request.max_rounds
    allowed = str(request.max_rounds) if is_fixed else f"{request.min_rounds} to {request.max_rounds}"
    facts = {
        "Rebuttal rounds": f"{outcome.rounds_completed} ({allowed} were asked for); then {ENDS[outcome.ended]}",
        "Entries": str(len(outcome.log)),
        "Effort": request.effort.value,
    }
    facts |= {"Time": f"at most {request.time_budget_s / 60:g} minutes of work"} if request.time_budget_s else {}
    return about_the_run(debate.run, facts)


def _by(debate: FinishedChairedDebate) -> str:
    if debate.outcome.decided_by is DecidedBy.RULE:
        return "by the rules"
    return f"by the chair, {literal(debate.tool(Role.CHAIR))}"


def _side(role: Role) -> str:
    return f"{role.spoken} ({SIDES[role]})" if role in DEBATERS else role.spoken


_POSITION_SHOWN = 1_500
"""Characters of an opening or a closing statement: what somebody stands for is said at its beginning."""

_POINT_SHOWN = 300


def summary(run: Run) -> str:
    """``summary.md``: the short form of a finished chaired debate for those who were not there."""
    debate = FinishedChairedDebate(run)
    told = _reported(debate) if debate.outcome.summary else _compiled(debate)
    return joined(
        [
            *_head(debate, "Summary of a chaired debate"),
            Section("## Topic", quoted(debate.request.topic)),
            *_decided(debate),
            *told,
            *_removed(debate),
            Section("## Sources", f"{_sources_in_short(debate)}\n\n{source_table(debate)}"),
            Section("## Run", _about_the_run(debate)),
        ]
    )


def _reported(debate: FinishedChairedDebate) -> list[Section]:
    by = inline(debate.tool(Role.REPORTER))
    words = f"In the words of the reporter, {by}. Nobody has checked them against the log.\n\n"
    return [Section("## Summary by the reporter", words + quoted(debate.outcome.summary))]


def _compiled(debate: FinishedChairedDebate) -> list[Section]:
    points = [entry for entry in debate.points if entry.phase is Phase.REBUTTAL]
    positions = [section for role in DEBATERS for section in _positions(debate, role)]
    rebuttal = entry_table(points, _POINT_SHOWN) if points else "None."
    return [*positions, Section("## Points in the rebuttal rounds", rebuttal)]


def _positions(debate: FinishedChairedDebate, role: Role) -> list[Section]:
    stated = (entry for entry in debate.points if entry.phase is not Phase.REBUTTAL)
    words = [_position(entry) for entry in stated if entry.speaker is Speaker(role.value)]
    heading = f"## Position of the {role} ({SIDES[role]})"
    return [Section(heading, "\n\n".join(words) or "None that stands.")]


def _position(entry: LogEntry) -> str:
    cut = entry.content[:_POSITION_SHOWN].rstrip() + "\n[…]"
    shown = entry.content if len(entry.content) <= _POSITION_SHOWN else cut
    return f"Seq {entry.seq}, {act(entry)}:\n\n{quoted(shown)}"


_TOPIC_SHOWN = 500
"""Characters of a topic in the decision: whoever reads it knows the question."""


def _report(run: Run) -> Sections:
    """``transcript.md``."""
    debate = FinishedChairedDebate(run)
    context = debate.request.context
    return [
        *_head(debate),
        Section("## Topic", quoted(debate.request.topic)),
        *given("", f"Context: {literal(context_line(context))}" if context else ""),
        *_decided(debate),
        *_removed(debate),
        Section("## Seats", seats(debate)),
        *transcript(debate),
        Section("## Sources", source_table(debate)),
        Section("## Run", _about_the_run(debate)),
    ]


def _decision(run: Run) -> Sections:
    """How it was decided and why; without a decision, the last words."""
    debate = FinishedChairedDebate(run)
    output_dir = debate.request.output_dir
    folder = f", and below the project in {literal(output_dir)}" if output_dir else ""
    return [
        *_head(debate),
        Section("", f"Topic: {literal(one_line(debate.request.topic, _TOPIC_SHOWN))}"),
        *_decided(debate),
        *([] if debate.outcome.decision else _last_words(debate)),
        *_removed(debate),
        Section("## Sources", _sources_in_short(debate)),
        Section("", f"The whole: {debate.whole}{folder}\n\n{_about_the_run(debate)}"),
    ]


def _result(run: Run) -> ChairedDebateResult:
    """``metadata.json``, too. What was said stands in the log."""
    debate = FinishedChairedDebate(run)
    return debate.record(ChairedDebateResult, seats=debate.seats, entries=len(debate.outcome.log))


def _remaining(run: Run) -> tuple[str, ...]:
    """Whose words are missing. Rounds after the least that were asked for may turn out not to be needed."""
    request = request_of(run, ChairedDebateRequest)
    asked = tuple(turn.ask_id for turn in run.transcript.turns)
    is_closing = any(ask_id.startswith("closing.") for ask_id in asked)
    return tuple(
        f"{stage}, {role.spoken} ({seat.tool})"
        for stage, place, role in _course(request, rounds=0 if is_closing else request.max_rounds)
        if (seat := request.participant(role)) and not any(_is_at(ask_id, place) for ask_id in asked)
    )


def _course(request: ChairedDebateRequest, *, rounds: int) -> Iterator[tuple[str, str, Role]]:
    """Each stage in its order, with what the ids of its asks begin with, and who speaks."""
    yield from (("ready", f"ready.{role}", role) for role in DEBATERS)
    yield from (("opening", f"opening.{role}", role) for role in DEBATERS)
    for number in range(1, rounds + 1):
        stage = f"round {number}" if number <= request.min_rounds else f"round {number} (if it is held)"
        yield from ((stage, f"r{number}.{role}", role) for role in (*DEBATERS, Role.AUDIENCE))
    yield from (("closing", f"closing.{role}", role) for role in reversed(DEBATERS))
    yield "conclusion", "conclusion", Role.CHAIR
    yield "summary", "report", Role.REPORTER


def _is_at(ask_id: str, place: str) -> bool:
    return ask_id == place or ask_id.startswith(f"{place}.")


PRESENTATION = Presentation(_report, _decision, _result, _remaining)
