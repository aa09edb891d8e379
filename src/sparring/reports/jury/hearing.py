"""Who was heard by a jury, and what each said, as Markdown."""

from collections.abc import Iterator

from sparring.reports.fitting import Section
from sparring.reports.foreign import cell, literal, quoted, table
from sparring.reports.jury.judged import FinishedJury
from sparring.reports.jury.phrases import invented, title
from sparring.reports.jury.seats import jurors
from sparring.reports.phrases import cause, tool_with_model
from sparring.reports.places import stage
from sparring.schema.base import Role
from sparring.schema.jury import Juror, Statement
from sparring.schema.runs import Run


def seats(run: Run) -> str:
    """Each seat with its tool, and when it was heard or why not, as a table."""
    rows = ((title(juror.role), _tool(juror), _heard(run, juror.role)) for juror in jurors(run))
    return table(("seat", "tool", "heard"), rows)


def statements(jury: FinishedJury) -> Iterator[Section]:
    """Each opening and rebuttal, with what is wrong with it."""
    for said in jury.outcome.statements:
        yield Section(f"### {title(said.role)}, {_stage(said)}", stated(said))


def unread(jury: FinishedJury) -> Iterator[Section]:
    """What the judge and the Fact-Checker said, where none of it could be read."""
    silent = {Role.JUDGE} if jury.outcome.verdict is None else set[Role]()
    silent |= set() if jury.outcome.checklist else {Role.FACT_CHECKER}
    for turn in jury.run.transcript.turns:
        if turn.answer and turn.role in silent:
            heading = f"### {title(turn.role)}, {stage(turn)}: could not be read"
            yield Section(heading, quoted(turn.answer.response))


def stated(said: Statement) -> str:
    """A statement, and below it its faults and the phrases that are not in the texts."""
    faults = [f"- {literal(fault)}" for fault in said.faults]
    missing = invented(said.phrases)
    remarks = [*faults, *([f"- {missing}"] if missing else [])]
    return "\n\n".join([quoted(said.text), *(["\n".join(remarks)] if remarks else [])])


def _stage(said: Statement) -> str:
    return "opening" if said.round == 1 else f"rebuttal {said.round - 1}"


def _tool(juror: Juror) -> str:
    return cell(tool_with_model(juror.tool, juror.model))


def _heard(run: Run, role: Role) -> str:
    turns = [turn for turn in run.transcript.turns if turn.role is role]
    told = (
        f"{stage(turn)} failed: {cause(turn.failure.code, turn.failure.detail, turn.failure.duration_ms)}"
        if turn.failure
        else stage(turn)
        for turn in turns
    )
    return cell("; ".join(told)) or "not asked"
