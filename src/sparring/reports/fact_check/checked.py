"""A finished fact-check as reports look at it: the sources by name, and how many quotes held."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from sparring.reports.runs import notices_of, outcome_of, request_of
from sparring.schema.fact_check import AgentPath, FactCheckOutcome, FactCheckRequest
from sparring.schema.quotes import QuoteFinding, QuoteVerdict
from sparring.schema.runs import Run


@dataclass(frozen=True)
class FinishedFactCheck:
    """A run that is a fact-check and has ended."""

    run: Run
    request: FactCheckRequest
    outcome: FactCheckOutcome

    @classmethod
    def of(cls, run: Run) -> Self:
        """Look at ``run`` as a finished fact-check.

        Raises:
            DeliberationError: It is another kind of run, or it has not ended.
        """
        return cls(run, request_of(run, FactCheckRequest), outcome_of(run, FactCheckOutcome))

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader must know, each line once."""
        return notices_of(self.run)

    @property
    def names(self) -> tuple[str, ...]:
        """The sources' names, by index."""
        return tuple(part.name for part in self.request.evidence)

    @property
    def quotes(self) -> tuple[QuoteFinding, ...]:
        """What became of every quote of every agent in every round; one that is repeated is counted again."""
        return tuple(found for agent in self.outcome.agents for found in _found(agent) if found)

    @property
    def verbatim_quotes(self) -> int:
        """How many of ``quotes`` stand in the evidence word for word."""
        return sum(found.verdict is QuoteVerdict.VERBATIM for found in self.quotes)


def _found(agent: AgentPath) -> Iterator[QuoteFinding | None]:
    for position in agent.positions:
        yield from (part.found for part in position.parts)
        yield position.key_quote_found
        yield from (rebuttal.found for rebuttal in position.rebuttals)
