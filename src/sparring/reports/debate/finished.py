"""A finished debate as reports look at it: who is called what, which model spoke, what the reader must know."""

from dataclasses import dataclass
from typing import Literal, Self

from sparring.errors import DeliberationError
from sparring.reports.runs import notices_of
from sparring.schema.base import Role
from sparring.schema.debate import DebateOutcome, DebateRequest, Exchange
from sparring.schema.runs import Run
from sparring.schema.transcript import SPEECH_KINDS


@dataclass(frozen=True)
class FinishedDebate:
    """A run that is a debate and has ended."""

    run: Run
    request: DebateRequest
    outcome: DebateOutcome

    @classmethod
    def of(cls, run: Run) -> Self:
        """Look at ``run`` as a finished debate.

        Raises:
            DeliberationError: It is another kind of run, or it has not ended.
        """
        request, outcome = run.header.request, run.outcome
        if not isinstance(request, DebateRequest) or not isinstance(outcome, DebateOutcome):
            raise DeliberationError(f"Run {run.header.run_id} is not a finished debate.")
        return cls(run, request, outcome)

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader must know, each line once."""
        return notices_of(self.run)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What the debaters said, in order, without their failures."""
        return tuple(
            Exchange(
                round=turn.round,
                role=_side(turn.role),
                tool=turn.tool,
                response=turn.answer.response,
                duration_ms=turn.answer.duration_ms,
            )
            for turn in self.run.transcript.turns
            if turn.kind in SPEECH_KINDS and turn.answer
        )

    def model(self, role: Role) -> str | None:
        """What the tool of ``role`` reported last, else what it was asked to use."""
        answers = [turn.answer for turn in self.run.transcript.turns if turn.role is role and turn.answer]
        reported = [answer.model for answer in answers if answer.model]
        return reported[-1] if reported else self.request.participant(role).model

    def name(self, role: Role) -> str:
        """The tool of ``role``; with the role beside it when that tool sits on both sides."""
        tool = self.request.participant(role).tool
        if role is not Role.JUDGE and self.request.proposer.tool == self.request.challenger.tool:
            return f"{tool} ({role})"
        return tool

    @property
    def agreements(self) -> tuple[str, ...]:
        """The verdict's agreements as the specification words them."""
        agreed = self.outcome.verdict.agreements if self.outcome.verdict else ()
        return tuple(f"{agreement.point} (evidence: {agreement.evidence})" for agreement in agreed)

    @property
    def disagreements(self) -> tuple[str, ...]:
        """The verdict's disagreements as the specification words them."""
        proposer, challenger = self.name(Role.PROPOSER), self.name(Role.CHALLENGER)
        disputed = self.outcome.verdict.disagreements if self.outcome.verdict else ()
        return tuple(
            f"{point.point}: {proposer} argues {point.proposer}, {challenger} argues {point.challenger}"
            for point in disputed
        )


def _side(role: Role) -> Literal[Role.PROPOSER, Role.CHALLENGER]:
    return Role.PROPOSER if role is Role.PROPOSER else Role.CHALLENGER
