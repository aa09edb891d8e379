"""What a chaired debate is about and who takes part; the file that may say so."""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from sparring.schema.base import Effort, PlainText, Record, Role
from sparring.schema.context import ContextPart
from sparring.schema.participants import Participant

TOPIC_LIMIT = 10_000
"""Most characters of a topic: it is repeated in every prompt, and confirmed word for word."""

MOST_ROUNDS = 10
USUAL_ROUNDS = (1, 3)
"""Rebuttal rounds at least and at most, unless told otherwise."""

DEBATERS: tuple[Literal[Role.PROMOTER], Literal[Role.DETRACTOR]] = (Role.PROMOTER, Role.DETRACTOR)
"""In the order in which they open; they close in the other one."""

QUESTIONS_A_ROUND = 2
"""Most questions of the audience in a round."""


class ChairedDebateRequest(Record):
    """What a chaired debate is about and who takes part (specification: seed 003; design: Chaired debate).

    Attributes:
        context: Material that everybody sees.
        audience: Asks questions after each rebuttal round; None: nobody does.
        reporter: Writes the summary; None: code puts together what there is.
        min_rounds: Rebuttal rounds after which the chair may find that all has been said.
        time_budget_s: Seconds of work after which no further round begins. What passes while a run is interrupted
            is not counted.
        searching: The debaters whose tools may search the web.
        timeout_s: Seconds for each consultation.
        output_dir: Where the files go besides the run's own folder, below the project; None: nowhere.
        notices: What the user should know about how the request was completed.
    """

    kind: Literal["chaired-debate"] = "chaired-debate"
    topic: PlainText = Field(min_length=1, max_length=TOPIC_LIMIT)
    context: tuple[ContextPart, ...] = ()
    chair: Participant
    promoter: Participant
    detractor: Participant
    audience: Participant | None = None
    reporter: Participant | None = None
    min_rounds: int = Field(default=USUAL_ROUNDS[0], ge=0, le=MOST_ROUNDS)
    max_rounds: int = Field(default=USUAL_ROUNDS[1], ge=1, le=MOST_ROUNDS)
    time_budget_s: float | None = Field(default=None, gt=0)
    searching: tuple[Role, ...] = ()
    effort: Effort = Effort.MEDIUM
    timeout_s: float = Field(default=240.0, gt=0)
    output_dir: str | None = None
    notices: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _rounds_are_in_order(self) -> Self:
        if self.min_rounds > self.max_rounds:
            raise ValueError(f"min_rounds is {self.min_rounds} and max_rounds {self.max_rounds}; it cannot be more")
        return self

    @property
    def subject(self) -> str:
        """What it is about."""
        return self.topic

    def participant(self, role: Role) -> Participant | None:
        """Who sits in ``role``; None where nobody does."""
        seats = {
            Role.CHAIR: self.chair,
            Role.PROMOTER: self.promoter,
            Role.DETRACTOR: self.detractor,
            Role.AUDIENCE: self.audience,
            Role.REPORTER: self.reporter,
        }
        return seats[role]

    @property
    def participants(self) -> tuple[tuple[Role, Participant], ...]:
        """Everybody who takes part."""
        roles = (Role.CHAIR, *DEBATERS, Role.AUDIENCE, Role.REPORTER)
        return tuple((role, seat) for role in roles if (seat := self.participant(role)) is not None)


class DebateConfig(Record):
    """``config/debate-config.json``; whatever is not there is left to the command line and to sparring.

    Attributes:
        models: Who sits where, e.g. ``{"promoter": "claude:opus", "detractor": "codex"}``: a tool with or without the
            model that it is to be asked for.
    """

    topic: str = ""
    output_dir: str | None = None
    min_rounds: int | None = None
    max_rounds: int | None = None
    time_budget_minutes: float | None = Field(default=None, gt=0)
    models: Mapping[str, str] = {}
