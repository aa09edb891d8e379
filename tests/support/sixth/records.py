"""Options, request and outcome of a poll."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sparring.participants.options import EffortOption, Option, Options, SubstituteOption
from sparring.schema.base import SCHEMA_VERSION, Effort, Moment, Participant, PlainText, Record, RunId
from sparring.schema.runs import Needed, Outcome, Request


class PollRequest(Request):
    """One question, and the two who vote on it. ``timeout_s`` is in seconds, for each of them."""

    kind: Literal["poll"] = "poll"
    topic: PlainText = Field(min_length=1, max_length=1_000)
    first: Participant
    second: Participant
    effort: Effort = Effort.MEDIUM
    timeout_s: float = Field(default=60.0, gt=0)
    notices: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """Subject of the run: the topic."""
        return self.topic

    def needed(self) -> Iterator[Needed]:
        """See ``Request.needed``."""
        for voter in (self.first, self.second):
            yield Needed(participant=voter, effort=self.effort)


class PollOptions(Options[PollRequest]):
    """An empty seat lets sparring choose."""

    format: ClassVar[str] = "poll"

    topic: Annotated[str, Option("What is voted on.", is_subject=True)]
    first: Annotated[str, Option("Tool that votes first.", value="TOOL")] = ""
    second: Annotated[str, Option("Tool that votes second.", value="TOOL")] = ""
    effort: EffortOption = Effort.MEDIUM
    substitute: SubstituteOption = ""


class Vote(StrEnum):
    """Vote of a voter."""

    YES = "yes"
    NO = "no"
    CANNOT_SAY = "cannot say"


class PollStatus(StrEnum):
    """Ending of a poll. SPLIT: nothing has the most votes. FAILED: there are none."""

    COMPLETED = "completed"
    SPLIT = "split"
    FAILED = "failed"


class PollOutcome(Outcome):
    """The end of a poll: each vote in the order of the seats, None where there is none, and what has the most."""

    kind: Literal["poll"] = "poll"
    status: PollStatus
    votes: tuple[Vote | None, ...]
    winner: Vote | None = None
    notices: tuple[str, ...] = ()


class LastPoll(Record):
    """``poll/last-poll.json`` and the ``result.json`` of a poll."""

    id: RunId
    topic: str
    status: PollStatus
    votes: tuple[Vote | None, ...]
    winner: Vote | None
    timestamp: Moment
    schema_version: int = SCHEMA_VERSION
