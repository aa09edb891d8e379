"""A finished consultation as reports look at it: who was asked and what each said, by number, and what they cite."""

from dataclasses import dataclass
from typing import Self

from pydantic import ValidationError

from sparring.errors import DeliberationError
from sparring.reports.runs import notices_of
from sparring.schema.citations import CitationTable
from sparring.schema.consult import Consulted, ConsultOutcome, ConsultRequest
from sparring.schema.runs import Run
from sparring.schema.transcript import Turn, TurnKind


@dataclass(frozen=True)
class NumberedTurn:
    """What came of asking one of them; numbers count from 1."""

    number: int
    consulted: Consulted
    turn: Turn


@dataclass(frozen=True)
class FinishedConsult:
    """A run that is a consultation and has ended."""

    run: Run
    request: ConsultRequest
    outcome: ConsultOutcome
    answers: tuple[NumberedTurn, ...]

    @classmethod
    def of(cls, run: Run) -> Self:
        """Look at ``run`` as a finished consultation.

        Raises:
            DeliberationError: It is another kind of run, or it has not ended.
        """
        request, outcome = run.header.request, run.outcome
        if not isinstance(request, ConsultRequest) or not isinstance(outcome, ConsultOutcome):
            raise DeliberationError(f"Run {run.header.run_id} is not a finished consultation.")
        pairs = zip(request.question_ids, request.asked, strict=True)
        answers = tuple(
            NumberedTurn(number, consulted, turn)
            for number, (id_, consulted) in enumerate(pairs, start=1)
            if (turn := run.transcript.turn(id_))
        )
        return cls(run, request, outcome, answers)

    @property
    def is_single(self) -> bool:
        """Whether only one was asked."""
        return len(self.request.asked) == 1

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader must know, each line once."""
        return notices_of(self.run)

    @property
    def citations(self) -> CitationTable:
        """Who cited what; empty when that was not looked up."""
        found = next((turn.answer for turn in self.run.transcript.turns if turn.kind is TurnKind.CITATIONS), None)
        if found is None:
            return CitationTable()
        try:
            return CitationTable.model_validate_json(found.response)
        except ValidationError as error:  # a journal that a later version wrote, or nobody did
            raise DeliberationError(f"Run {self.run.header.run_id} holds citations that cannot be read.") from error
