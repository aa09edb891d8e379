"""``summary.md`` of a chaired debate: the reporter's, said to be that; without one, put together by code."""

from sparring.reports.chaired_debate.debated import FinishedChairedDebate
from sparring.reports.chaired_debate.deciding import about_the_run, decided, head, removed, sources_in_short
from sparring.reports.chaired_debate.entries import entry_table, source_table
from sparring.reports.chaired_debate.phrases import SIDES, act
from sparring.reports.fitting import Section, joined
from sparring.reports.foreign import inline, quoted
from sparring.schema.base import Role
from sparring.schema.chaired_debate import LogEntry, Phase, Speaker
from sparring.schema.chaired_debate.request import DEBATERS
from sparring.schema.runs import Run

_POSITION_SHOWN = 1_500
"""Characters of an opening or a closing statement: what somebody stands for is said at its beginning."""

_POINT_SHOWN = 300


def summary(run: Run) -> str:
    """The short form of a finished chaired debate for those who were not there.

    Raises:
        DeliberationError: The run is not a finished chaired debate.
    """
    debate = FinishedChairedDebate.of(run)
    told = _reported(debate) if debate.outcome.summary else _compiled(debate)
    return joined(
        [
            *head(debate, "Summary of a chaired debate"),
            Section("## Topic", quoted(debate.request.topic)),
            *decided(debate),
            *told,
            *removed(debate),
            Section("## Sources", f"{sources_in_short(debate)}\n\n{source_table(debate)}"),
            Section("## Run", about_the_run(debate)),
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
