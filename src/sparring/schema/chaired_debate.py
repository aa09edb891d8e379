"""A chaired debate: participants, log and ending (specification: seed 003)."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sparring.schema import base
from sparring.schema.consultation import ContextPart, Source
from sparring.schema.lookups import MOST_SOURCES, SourceFinding
from sparring.schema.runs import Needed, Outcome, Request, Seated, Spent

CONTENT_LIMIT = 20_000
"""Most characters of an entry: a speech, no book."""

CONJECTURE_LABEL = "[CONJECTURE]"
REDACTED = "[REDACTED]"
STRUCK = "[STRUCK]"
"""Text that replaces the content of an entry that the chair has struck; a reason follows."""


class Phase(StrEnum):
    """Phase of a debate; phases follow each other in this order. SYSTEM is no phase: an entry about the log."""

    OPENING = "opening"
    REBUTTAL = "rebuttal"
    CLOSING = "closing"
    CONCLUSION = "conclusion"
    SYSTEM = "system"


class Speaker(StrEnum):
    """Author of an entry. VERIFIER is code."""

    CHAIR = "chair"
    PROMOTER = "promoter"
    DETRACTOR = "detractor"
    VERIFIER = "verifier"
    AUDIENCE = "audience"
    REPORTER = "reporter"


class EntryType(StrEnum):
    """Type of an entry.

    The first six are what debaters do (specification: Turn Action Types). SOURCE_CHECK is the verifier's, QUESTION the
    audience's, SUMMARY the reporter's, the rest are the chair's. SETUP begins a log that agents outside keep.
    """

    OPENING_STATEMENT = "opening_statement"
    NEW_POINT = "new_point"
    REBUTTAL = "rebuttal"
    CONJECTURE = "conjecture"
    CLARIFICATION_REQUEST = "clarification_request"
    CLOSING_STATEMENT = "closing_statement"
    SOURCE_CHECK = "source_check"
    QUESTION = "question"
    SETUP = "setup"
    ANNOUNCEMENT = "announcement"
    CUE = "cue"
    CLARIFICATION = "clarification"
    RULING = "ruling"
    WARNING = "warning"
    REDACTION = "redaction"
    DISQUALIFICATION = "disqualification"
    CONCLUSION = "conclusion"
    SUMMARY = "summary"


class LogDraft(base.Record):
    """Draft of an entry; a source challenge, a ruling or a check is about ``target_seq``."""

    phase: Phase
    speaker: Speaker
    type: EntryType
    content: str = Field(min_length=1, max_length=CONTENT_LIMIT)
    sources: tuple[Source, ...] = Field(default=(), max_length=MOST_SOURCES)
    rebuttal_to_seq: int | None = Field(default=None, ge=1)
    target_seq: int | None = Field(default=None, ge=1)


class LogEntry(LogDraft):
    """An entry of the log: exactly the specification's fields."""

    seq: int = Field(ge=1)
    timestamp: base.Moment


TOPIC_LIMIT = 10_000
"""Most characters of a topic: it is repeated in every prompt, and confirmed word for word."""

MOST_ROUNDS = 10
USUAL_ROUNDS = (1, 3)
"""Fewest and most rebuttal rounds by default."""

DEBATERS: tuple[Literal[base.Role.PROMOTER], Literal[base.Role.DETRACTOR]] = (base.Role.PROMOTER, base.Role.DETRACTOR)
"""In the order in which they open; they close in the other one."""

QUESTIONS_A_ROUND = 2
"""Most questions of the audience in a round."""


LeastRounds = Annotated[int, Field(ge=0, le=MOST_ROUNDS)]
MostRounds = Annotated[int, Field(ge=1, le=MOST_ROUNDS)]
"""Rebuttal rounds."""


class ChairedDebateRequest(Request):
    """Request of a chaired debate: topic and participants (specification: seed 003; design: Chaired debate).

    Attributes:
        context: Material that every participant sees.
        audience: Asks questions after each rebuttal round; None: there is no audience.
        reporter: Writes the summary; None: code assembles one.
        min_rounds: Rebuttal rounds after which the chair may end the debate for lack of new arguments.
        time_budget_s: Seconds of work after which no further round begins. The time of an interruption
            does not count.
        searching: The debaters whose tools may search the web.
        output_dir: Further folder for the files, below the project; None: only the run's own folder.
    """

    kind: Literal["chaired-debate"] = "chaired-debate"
    topic: base.PlainText = Field(min_length=1, max_length=TOPIC_LIMIT)
    context: tuple[ContextPart, ...] = ()
    chair: base.Participant
    promoter: base.Participant
    detractor: base.Participant
    audience: base.Participant | None = None
    reporter: base.Participant | None = None
    min_rounds: LeastRounds = USUAL_ROUNDS[0]
    max_rounds: MostRounds = USUAL_ROUNDS[1]
    time_budget_s: float | None = Field(default=None, gt=0)
    searching: tuple[base.Role, ...] = ()
    effort: base.Effort = base.Effort.MEDIUM
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
        """Subject of the run: the topic."""
        return self.topic

    def needed(self) -> Iterator[Needed]:
        """See ``Request.needed``."""
        for _, participant in self.participants:
            yield Needed(participant=participant, effort=self.effort)
        for role, participant in self.participants:
            if role in self.searching:
                yield Needed(participant=participant, effort=self.effort, web=True)

    def rivals(self, role: base.Role, number: int = 0) -> tuple[Seated, ...]:
        """Return the other debater of a debater, unless one tool is both."""
        del number
        debaters = {base.Role.PROMOTER: self.promoter.tool, base.Role.DETRACTOR: self.detractor.tool}
        if role not in debaters or len(set(debaters.values())) == 1:
            return ()
        return tuple(Seated(role=other, tool=tool) for other, tool in debaters.items() if other is not role)

    @property
    def judged(self) -> Mapping[base.Role, tuple[base.Role, base.Role]]:
        """See ``Request.judged``."""
        return {base.Role.CHAIR: (base.Role.PROMOTER, base.Role.DETRACTOR)}

    @property
    def material(self) -> Mapping[str, tuple[ContextPart, ...]]:
        """See ``Request.material``."""
        return {"Context": self.context}

    @property
    def folders(self) -> tuple[str, ...]:
        """See ``Request.folders``."""
        return (self.output_dir,) if self.output_dir else ()

    def participant(self, role: base.Role) -> base.Participant | None:
        """Return the participant in ``role``; None if there is none."""
        return dict(self.participants).get(role)

    @property
    def participants(self) -> tuple[tuple[base.Role, base.Participant], ...]:
        """All participants with their roles."""
        seats = {
            base.Role.CHAIR: self.chair,
            base.Role.PROMOTER: self.promoter,
            base.Role.DETRACTOR: self.detractor,
            base.Role.AUDIENCE: self.audience,
            base.Role.REPORTER: self.reporter,
        }
        return tuple((role, seat) for role, seat in seats.items() if seat)


class DebateConfig(base.Record):
    """``config/debate-config.json``; the command line and defaults supply fields that it leaves out.

    Attributes:
        models: The tool of each role, with or without a model: ``{"promoter": "claude:opus", "detractor": "codex"}``.
    """

    topic: str = ""
    output_dir: str | None = None
    min_rounds: LeastRounds | None = None
    max_rounds: MostRounds | None = None
    time_budget_minutes: float | None = Field(default=None, gt=0)
    models: Mapping[str, str] = {}


class DebateDecision(StrEnum):
    """Winner of the debate (design: Chaired debate). VOID: there was no debate that could be decided."""

    AFFIRMATIVE_WINS = "affirmative_wins"
    NEGATIVE_WINS = "negative_wins"
    DRAW = "draw"
    VOID = "void"


class DecidedBy(StrEnum):
    """Source of the decision: the chair, or a rule if a debater was disqualified."""

    CHAIR = "chair"
    RULE = "rule"


class EndReason(StrEnum):
    """Reason for which there was no further round."""

    NATURAL = "natural"
    MAX_ROUNDS = "max_rounds"
    TIME_BUDGET = "time_budget"
    DISQUALIFICATION = "disqualification"
    FAILURE = "failure"


class ChairedDebateStatus(StrEnum):
    """Ending of a chaired debate.

    COMPLETED: all phases, decision. INCOMPLETE: a debater failed before the end; the decision rests on what there is.
    UNJUDGED: the debate is complete, the chair gave no usable decision. FAILED: a debater gave no statement.
    """

    COMPLETED = "completed"
    INCOMPLETE = "incomplete"
    UNJUDGED = "unjudged"
    FAILED = "failed"


class CheckedSource(base.Record):
    """Result of checking one source of one entry. That of a redacted entry has neither address nor words."""

    seq: int = Field(ge=1)
    finding: SourceFinding


class ChairedDebateOutcome(Outcome):
    """The end of a chaired debate.

    Attributes:
        decision: None without one.
        reasoning: The reasons, in the chair's words or the rule's.
        decisive: Entries that the chair rests on; each is in the log and was not removed from the debate.
        weak_grounds: Why none of these entries carries the decision, a clause for each: it is a conjecture, or
            its sources are unreliable. Empty where one does.
        rounds_completed: Rebuttal rounds in which all remaining debaters have spoken.
        disqualified: Debaters who were excluded.
        log: Every entry; without the content of removed entries.
        summary: The reporter's, in Markdown; empty without a reporter or when it failed.
    """

    kind: Literal["chaired-debate"] = "chaired-debate"
    status: ChairedDebateStatus
    decision: DebateDecision | None = None
    decided_by: DecidedBy | None = None
    reasoning: str = ""
    decisive: tuple[int, ...] = ()
    weak_grounds: tuple[str, ...] = ()
    ended: EndReason
    rounds_completed: int = Field(default=0, ge=0)
    disqualified: tuple[base.Role, ...] = ()
    log: tuple[LogEntry, ...] = ()
    sources: tuple[CheckedSource, ...] = ()
    summary: str = ""
    notices: tuple[str, ...] = ()

    def finding(self, request: ChairedDebateRequest) -> str:
        """Return the chair's decision."""
        del request
        return self.decision.replace("_", " ") if self.decision else ""


class Seat(base.StateParticipant):
    """Seat of a debate: its role and tool, and whether that tool could search the web."""

    role: base.Role
    web: bool = False


class ChairedDebateResult(base.Record):
    """``metadata.json`` and the ``result.json`` of a chaired debate."""

    id: base.RunId
    topic: str
    status: ChairedDebateStatus
    decision: DebateDecision | None
    decided_by: DecidedBy | None
    reasoning: str
    decisive: tuple[int, ...]
    weak_grounds: tuple[str, ...] = ()
    ended: EndReason
    rounds_completed: int
    min_rounds: int
    max_rounds: int
    time_budget_s: float | None
    seats: tuple[Seat, ...]
    disqualified: tuple[base.Role, ...]
    entries: int
    sources: tuple[CheckedSource, ...]
    effort: base.Effort
    spent: Spent
    timestamp: base.Moment
    notices: tuple[str, ...] = ()
    schema_version: int = base.SCHEMA_VERSION
