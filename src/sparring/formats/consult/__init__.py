"""The plain consultation: its ``options``, its ``flow``, and the ``report`` of the answers."""

from collections.abc import Iterator
from typing import Any

from sparring.engine.format import Format, PlannedCalls, Presentation, Rows, Rules
from sparring.errors import ExitCode
from sparring.formats.consult.options import LAST_FILES, ConsultOptions, complete
from sparring.prompts import PromptLibrary
from sparring.schema import base, consult, pairs, runs

__all__ = ["FORMAT"]


def _rules(request: consult.ConsultRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.consult.flow import Consultation

    return Consultation(request, prompts)


def _plan(request: consult.ConsultRequest) -> Iterator[PlannedCalls]:
    """Yield one question for each that is asked; an answer never goes back."""
    for each in request.asked:
        seat = base.Participant(tool=each.tool, model=each.model)
        yield PlannedCalls("question", base.Role.CONSULTANT, seat, most=1)


def _presentation() -> Presentation[Any]:
    from sparring.formats.consult.report import PRESENTATION

    return PRESENTATION


def _row_verdict(run: runs.Run) -> pairs.RowVerdict | None:
    turns = (turn for turn in run.transcript.turns if turn.role is not base.Role.VERIFIER)
    answers = tuple(turn.answer.response for turn in turns if turn.answer)
    return pairs.RowVerdict(reasons=answers) if answers else None


FORMAT = Format(
    name="consult",
    title="Second opinion",
    description="Ask one question of another AI tool, or of several: a second opinion. One call per answer.",
    options=ConsultOptions,
    request=consult.ConsultRequest,
    complete=complete,
    outcome=consult.ConsultOutcome,
    rules=_rules,
    plan=_plan,
    presentation=_presentation,
    examples=(
        'sparring consult "What breaks first with a billion rows?" --tool codex --effort high',
        'git diff | sparring consult "Review this." --tool claude,codex',
    ),
    rows=Rows(fields={"question": ("question", "prompt")}, texts=dict, verdict=_row_verdict),
    exit_codes={
        consult.ConsultStatus.COMPLETED: ExitCode.DONE,
        consult.ConsultStatus.FAILED: ExitCode.FAILED,
    },
    last_files=LAST_FILES,
    asks_at_once=True,
)
