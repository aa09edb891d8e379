"""Runs: what starts one, what one tells while it works, and how it is listed."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from sparring.schema.base import Moment, Record, RunId
from sparring.schema.chaired_debate import ChairedDebateOutcome, ChairedDebateRequest
from sparring.schema.consult import ConsultOutcome, ConsultRequest
from sparring.schema.consultation import FailureCode
from sparring.schema.debate import DebateOutcome, DebateRequest
from sparring.schema.fact_check import FactCheckOutcome, FactCheckRequest
from sparring.schema.jury import JuryOutcome, JuryRequest
from sparring.schema.limits import Estimate, Limits, Spent
from sparring.schema.transcript import Placed, Transcript

Request = Annotated[
    DebateRequest | ChairedDebateRequest | ConsultRequest | FactCheckRequest | JuryRequest, Field(discriminator="kind")
]
Outcome = Annotated[
    DebateOutcome | ChairedDebateOutcome | ConsultOutcome | FactCheckOutcome | JuryOutcome, Field(discriminator="kind")
]


class RunKind(StrEnum):
    """What is run; also the name of its folder in the state directory."""

    DEBATE = "debate"
    CHAIRED_DEBATE = "chaired-debate"
    CONSULT = "consult"
    FACT_CHECK = "fact-check"
    JURY = "jury"


JOURNAL_SCHEMA = 2
"""Version of what a journal holds. In 1 the places of turns were spelled in the ids of their asks."""


class RunHeader(Record):
    """The first line of a journal: all that is needed to start the run again.

    Attributes:
        estimate: What the run was thought to use; None when that is a single consultation.
    """

    run_id: RunId
    request: Request
    limits: Limits = Limits()
    estimate: Estimate | None = None
    created_at: Moment
    sparring_version: str
    schema_version: int = JOURNAL_SCHEMA

    @property
    def kind(self) -> RunKind:
        """What is run."""
        return RunKind(self.request.kind)


class RunStatus(StrEnum):
    """Where a run stands. Only an INTERRUPTED one can be resumed."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"


class Run(Record):
    """A run as its journal has it.

    Attributes:
        transcript: The turns of all completed steps, in asking order.
        outcome: None while the run is not finished.
        notices: What was found when the journal was read, e.g. that a torn last line was set aside.
    """

    header: RunHeader
    status: RunStatus
    transcript: Transcript
    outcome: Outcome | None = None
    spent: Spent = Spent()
    notices: tuple[str, ...] = ()


class RunSummary(Record):
    """A run in a list. ``problem`` says why a run could not be read; then the other fields may be empty."""

    run_id: str
    kind: RunKind
    status: RunStatus | None = None
    outcome: str | None = None
    topic: str = ""
    created_at: Moment | None = None
    turns: int = 0
    problem: str = ""


class AskStarted(Placed):
    """Somebody has been asked."""

    type: Literal["ask_started"] = "ask_started"
    run_id: RunId
    ask_id: str
    at: Moment


class TurnTaken(Placed):
    """Somebody has spoken, or failed to; the turn is safely in the journal."""

    type: Literal["turn_taken"] = "turn_taken"
    run_id: RunId
    ask_id: str
    at: Moment
    duration_ms: int
    failure: FailureCode | None = None
    detail: str = ""


RunEvent = Annotated[AskStarted | TurnTaken, Field(discriminator="type")]
