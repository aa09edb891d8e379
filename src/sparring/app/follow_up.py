"""A question to one participant of a run that has ended: a consultation of its tool, with the report as material."""

from typing import Any

from sparring.app.application import App
from sparring.errors import UsageError
from sparring.formats.registry import FORMATS
from sparring.formats.views import report
from sparring.participants.options import AccompanyingInput, Options, subject_of, valid
from sparring.reports.seat_names import seat_name
from sparring.schema.base import spelled_tool
from sparring.schema.consultation import ContextPart
from sparring.schema.runs import Run
from sparring.schema.transcript import Turn
from sparring.store import history


def follow_up(app: App, run_id: str, seat: str, text: str) -> tuple[Options[Any], AccompanyingInput]:
    """Return a consultation that asks the participant in ``seat`` of a run about that run.

    Args:
        app: sparring in this project.
        run_id: A run that has ended.
        seat: A role, such as ``proposer`` or ``judge-2``, or the name of a tool that answered.
        text: The question.

    Raises:
        UsageError: The run has not ended, the question is empty, or that seat had no tool of its own.
        ForeignStateError: The run came with the project.
        StoreError: There is no such run.
    """
    run = app.run(run_id)
    history.refuse_foreign(app.folder(run), app.place)
    run_id = run.header.run_id
    if run.outcome is None:
        raise UsageError(
            f"Run {run_id} has not finished.",
            hint=f"Send both sides a note with `sparring runs note {run_id} TEXT`, or resume it with "
            f"`sparring runs resume {run_id}`.",
        )
    if not text.strip():
        raise UsageError("The question is empty.")
    turn = _turn_of(run, seat)
    values = {"kind": run.header.kind.replace("-", " "), "seat": seat_name(turn), "question": text.strip()}
    report_text = report(run)
    material = ContextPart(name=f"report of {run_id}", size_bytes=len(report_text.encode()), text=report_text)
    asking = next(FORMATS[name] for name in FORMATS if FORMATS[name].asks_at_once).options
    options = {subject_of(asking): app.prompts.render("run/ask", values), "tool": _spelled(run, turn)}
    return valid(lambda: asking.model_validate(options)), AccompanyingInput(material, is_by_user=True)


def _turn_of(run: Run, seat: str) -> Turn:
    """Return the last answer of that seat."""
    answered = [turn for turn in run.transcript.turns if turn.answer and seat_name(turn)]
    seats = {seat_name(turn).lower().replace(" ", "-"): turn for turn in answered}
    wanted = seat.strip().lower().replace(" ", "-").replace("_", "-")
    if turn := seats.get(wanted):
        return turn
    of_tool = {name: turn for name, turn in seats.items() if turn.answer and turn.answer.tool == seat.strip()}
    if len(of_tool) == 1:
        return next(iter(of_tool.values()))
    if of_tool:
        raise UsageError(f"{seat} had several seats: {', '.join(sorted(of_tool))}.", hint="Name one of them.")
    if not seats:
        raise UsageError(f"No participant answered in run {run.header.run_id}.")
    raise UsageError(f"There is no seat {seat!r} in run {run.header.run_id}.", hint=f"There are: {', '.join(seats)}.")


def _spelled(run: Run, turn: Turn) -> str:
    """Return the tool that answered with the requested model; a substitute is asked without a model."""
    tool = turn.answer.tool if turn.answer else turn.tool
    models = {each.participant.model for each in run.header.request.needed() if each.participant.tool == tool}
    model = models.pop() if len(models) == 1 else None
    return spelled_tool(tool, model)
