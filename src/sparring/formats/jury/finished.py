"""A jury that has ended."""

from sparring.reports.runs import FinishedRun
from sparring.schema.base import Role
from sparring.schema.jury import Juror, JuryOutcome, JuryRequest, Phrase, Statement
from sparring.schema.runs import Run

DEBATERS = (Role.ADVOCATE, Role.SKEPTIC)
_SEATS = (*DEBATERS, Role.FACT_CHECKER, Role.JUDGE)
"""In the order in which they are introduced (specification: Core idea)."""


class FinishedJury(FinishedRun[JuryRequest, JuryOutcome]):
    """A jury that has ended."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, JuryRequest, JuryOutcome)

    @property
    def jurors(self) -> tuple[Juror, ...]:
        """Every seat with its model."""
        seats = ((role, self.request.participant(role)) for role in _SEATS)
        return tuple(Juror(role=role, tool=seat.tool, model=self.model(seat, role)) for role, seat in seats)

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """Whatever Advocate, Skeptic and Fact-Checker quote; what is repeated is counted again."""
        said = (phrase for statement in self.outcome.statements for phrase in statement.phrases)
        listed = (phrase for entry in self.outcome.checklist for phrase in (*entry.truth, *entry.claim))
        return (*said, *listed)

    def ask_of(self, said: Statement) -> str:
        """The id of the ask that was answered with it."""
        places = ((turn.role, turn.round, turn.ask_id) for turn in reversed(self.run.transcript.turns) if turn.answer)
        return next((id_ for role, round_, id_ in places if (role, round_) == (said.role, said.round)), "")
