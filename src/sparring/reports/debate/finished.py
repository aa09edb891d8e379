"""A finished debate as reports look at it: who is called what, which model spoke, what the reader must know."""

from dataclasses import dataclass
from typing import Literal, Self

from sparring.errors import DeliberationError
from sparring.reports.phrases import tool_with_model
from sparring.reports.runs import notices_of
from sparring.schema.base import Role
from sparring.schema.citations import CitationStatus
from sparring.schema.debate import DebateOutcome, DebateRequest, Exchange, SpeechLedger
from sparring.schema.ledger import LedgerEntry
from sparring.schema.runs import Run
from sparring.schema.transcript import SPEECH_KINDS, Turn


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
        """What the reader must know, each line once; how the debate ended before how it was arranged.

        So that nothing was verified stands at the very top.
        """
        return tuple(dict.fromkeys((*self.outcome.notices, *notices_of(self.run))))

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
        """What the tool of a debater reported last, else what it was asked to use."""
        turns = tuple(turn for turn in self.run.transcript.turns if turn.role is role)
        return _reported(turns) or self.request.participant(role).model

    def judge_model(self, number: int) -> str | None:
        """The same of a judge; the first one also makes the summaries."""
        turns = tuple(
            turn for turn in self.run.transcript.turns if turn.role is Role.JUDGE and _judge_number(turn) == number
        )
        return _reported(turns) or self.request.judges[number - 1].model

    def name(self, role: Role) -> str:
        """The tool of a debater; with the role beside it when that tool sits on both sides."""
        tool = self.request.participant(role).tool
        return f"{tool} ({role})" if self.request.proposer.tool == self.request.challenger.tool else tool

    def judge_name(self, number: int) -> str:
        """E.g. ``judge (gemini)``, in a panel ``judge 2 (gemini)``."""
        which = f" {number}" if self.request.panel else ""
        return f"judge{which} ({self.request.judges[number - 1].tool})"

    def seat(self, role: Role) -> str:
        """The tool of a debater and its model."""
        return tool_with_model(self.request.participant(role).tool, self.model(role))

    @property
    def judges(self) -> str:
        """The tools that judge and their models."""
        seats = (
            tool_with_model(judge.tool, self.judge_model(number))
            for number, judge in enumerate(self.request.judges, start=1)
        )
        return ", ".join(seats)

    def ledger(self, round_: int, role: Role) -> SpeechLedger | None:
        """What that speech cites; None if nobody has looked."""
        places = (ledger for ledger in self.outcome.ledgers if (ledger.round, ledger.role) == (round_, role))
        return next(places, None)

    def cited(self, status: CitationStatus) -> tuple[LedgerEntry, ...]:
        """The citations of the whole debate with that status, each once whoever has brought it."""
        entries = (entry for each in self.outcome.ledgers if each.ledger for entry in each.ledger.entries)
        found = {(entry.kind, entry.text): entry for entry in entries if entry.status is status}
        return tuple(found.values())

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


def _reported(turns: tuple[Turn, ...]) -> str | None:
    models = [turn.answer.model for turn in turns if turn.answer and turn.answer.model]
    return models[-1] if models else None


def _judge_number(turn: Turn) -> int:
    return max(turn.number, 1)
