"""A finished jury as reports look at it: what the reader must know, what was quoted, who spoke last."""

from dataclasses import dataclass
from typing import Self

from sparring.reports.runs import notices_of, outcome_of, request_of
from sparring.schema.base import Role
from sparring.schema.jury import JuryOutcome, JuryRequest, Phrase, Statement
from sparring.schema.runs import Run


@dataclass(frozen=True)
class FinishedJury:
    """A run that is a jury and has ended."""

    run: Run
    request: JuryRequest
    outcome: JuryOutcome

    @classmethod
    def of(cls, run: Run) -> Self:
        """Look at ``run`` as a finished jury.

        Raises:
            DeliberationError: It is another kind of run, or it has not ended.
        """
        return cls(run, request_of(run, JuryRequest), outcome_of(run, JuryOutcome))

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader must know, each line once."""
        return notices_of(self.run)

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """Whatever Advocate, Skeptic and Fact-Checker quote; what is repeated is counted again."""
        said = (phrase for statement in self.outcome.statements for phrase in statement.phrases)
        listed = (phrase for entry in self.outcome.checklist for phrase in (*entry.truth, *entry.claim))
        return (*said, *listed)

    def last_statement(self, role: Role) -> Statement | None:
        """The last that ``role`` said; None if it said nothing."""
        return next((said for said in reversed(self.outcome.statements) if said.role is role), None)
