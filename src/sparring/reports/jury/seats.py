"""Who sat in which seat of a jury, and with which model."""

from sparring.reports.runs import request_of
from sparring.schema.base import Role
from sparring.schema.jury import Juror, JuryRequest
from sparring.schema.runs import Run

SEATS = (Role.ADVOCATE, Role.SKEPTIC, Role.FACT_CHECKER, Role.JUDGE)
"""In the order in which they are introduced (specification: Core idea)."""


def jurors(run: Run) -> tuple[Juror, ...]:
    """Every seat; its model is what the tool reported last, else what was asked for.

    Raises:
        DeliberationError: The run is not a jury.
    """
    return tuple(_juror(run, role) for role in SEATS)


def _juror(run: Run, role: Role) -> Juror:
    seat = request_of(run, JuryRequest).participant(role)
    answers = [turn.answer for turn in run.transcript.turns if turn.role is role and turn.answer]
    reported = [answer.model for answer in answers if answer.model]
    return Juror(role=role, tool=seat.tool, model=reported[-1] if reported else seat.model)
