"""What came of a chaired debate and why, as Markdown that its transcript, its summary and its decision begin with."""

from sparring.reports.chaired_debate.debated import FinishedChairedDebate
from sparring.reports.chaired_debate.entries import entry_lines, removals
from sparring.reports.chaired_debate.phrases import DECISIONS, ENDS, SIDES, STATUSES, act, counted
from sparring.reports.fitting import Section
from sparring.reports.foreign import cell, inline, literal, quoted, table
from sparring.reports.phrases import tool_with_model
from sparring.reports.runs import about_the_run as about_any_run
from sparring.schema.base import Role
from sparring.schema.chaired_debate import ChairedDebateStatus, DecidedBy
from sparring.schema.chaired_debate.request import DEBATERS

_ENTRY_SHOWN = 200
"""Characters of an entry in a list: enough to know it again."""

_NO_DECISION = {
    ChairedDebateStatus.FAILED: "a debater never spoke",
    ChairedDebateStatus.UNJUDGED: "the chair gave none that could be used",
}
_INCOMPLETE = "A debater could not be had to the end. What was decided was decided on what had been said."


def head(debate: FinishedChairedDebate, title: str = "Chaired debate") -> list[Section]:
    """The title with the decision, who made it, and what the reader must know."""
    outcome = debate.outcome
    if outcome.decision is None:
        why = _NO_DECISION.get(outcome.status, outcome.status.value)
        lines = [Section(f"# {title}: no decision", f"**No decision**: {why}.")]
    else:
        decision = DECISIONS[outcome.decision]
        lines = [Section(f"# {title}: {decision}", f"**{decision.capitalize()}**, decided {_by(debate)}.")]
    incomplete = [_INCOMPLETE] if outcome.status is ChairedDebateStatus.INCOMPLETE else []
    notices = "\n\n".join((*incomplete, *map(inline, debate.notices)))
    return [*lines, Section("", notices)] if notices else lines


def decided(debate: FinishedChairedDebate) -> list[Section]:
    """Why it was decided so, and on which entries the chair rests; nothing without a decision."""
    outcome = debate.outcome
    if outcome.decision is None:
        return []
    sections = [Section("## Reasoning", quoted(outcome.reasoning))] if outcome.reasoning else []
    if outcome.decided_by is DecidedBy.RULE:
        return sections
    lines = entry_lines(debate, outcome.decisive, _ENTRY_SHOWN)
    return [*sections, Section("## Decisive entries", lines or "The chair names none.")]


def removed(debate: FinishedChairedDebate) -> list[Section]:
    """Who was disqualified, and what was struck or redacted and why; nothing when nothing was."""
    gone = [f"- **Disqualified**: the {_side(role)}" for role in debate.outcome.disqualified]
    lines = "\n".join(filter(None, (*gone, removals(debate))))
    return [Section("## Taken out of the debate", lines)] if lines else []


def last_words(debate: FinishedChairedDebate) -> list[Section]:
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


def sources_in_short(debate: FinishedChairedDebate) -> str:
    """How many sources came out how."""
    statuses = debate.statuses
    counts = [(name, statuses[status]) for status, name in STATUSES.items() if statuses[status]]
    return f"{counted(counts)}." if counts else "None was given."


def about_the_run(debate: FinishedChairedDebate) -> str:
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
    return about_any_run(debate.run, facts)


def _by(debate: FinishedChairedDebate) -> str:
    if debate.outcome.decided_by is DecidedBy.RULE:
        return "by the rules"
    return f"by the chair, {literal(debate.tool(Role.CHAIR))}"


def _side(role: Role) -> str:
    return f"{role.spoken} ({SIDES[role]})" if role in DEBATERS else role.spoken
