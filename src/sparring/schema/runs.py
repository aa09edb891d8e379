"""Runs: request, limits, events while it works, and summary in a list."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SerializeAsAny, field_serializer

from sparring.schema.base import (
    SCHEMA_VERSION,
    Effort,
    Moment,
    Participant,
    Record,
    RepoAccess,
    Role,
    RunId,
    SessionId,
    ToolName,
)
from sparring.schema.consultation import ContextPart, Failure, FailureCode, Reply, Usage
from sparring.schema.transcript import Placed, Transcript, Turn


class Limits(Record):
    """Most that a run may use; None is no limit.

    A limit on tokens or money counts what the providers report. What a provider does not report is unknown, not zero,
    and is shown as such.
    """

    wall_s: float | None = Field(default=None, gt=0)
    calls: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    cost_usd: float | None = Field(default=None, gt=0)

    @property
    def are_any(self) -> bool:
        """True if anything is limited but the time."""
        return not (self.calls is self.tokens is self.cost_usd is None)


def _zero(value: object) -> object:
    """Return 0 for an amount that was recorded as unknown."""
    return 0 if value is None else value


Known = BeforeValidator(_zero)
"""A sum of reported amounts: in JSON it is null where it is 0 only because nothing was reported."""


class Spent(Record):
    """Usage of a run so far.

    Attributes:
        tokens: Sum of reported tokens; in JSON null where nothing was reported; likewise ``cost_usd``.
        unpriced_calls: Answers whose provider reported no price; with any, ``cost_usd`` is a lower bound.
        uncounted_calls: Answers whose provider reported no token counts; with any, ``tokens`` is a lower bound.
        maybe_paid_twice: Requests that were repeated after the process that waited for the first answer had died.
    """

    calls: int = 0
    tokens: Annotated[int, Known] = 0
    cost_usd: Annotated[float, Known] = 0.0
    unpriced_calls: int = 0
    uncounted_calls: int = 0
    maybe_paid_twice: int = 0

    @field_serializer("tokens", when_used="json")
    def _known_tokens(self, tokens: int) -> int | None:
        return tokens or (None if self.uncounted_calls else 0)

    @field_serializer("cost_usd", when_used="json")
    def _known_cost(self, cost_usd: float) -> float | None:
        return cost_usd or (None if self.unpriced_calls else 0.0)


CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English; code and other languages take more tokens."""


class Expected(Record):
    """Range of the calls of a run, and the tokens of its prompts.

    No run makes more calls than ``most``; one with failures or unusable answers may make fewer than ``fewest``. The
    tokens are estimated from the length of the prompts; neither additions of the tool nor answers are included.

    Attributes:
        fewest, usual, most: Calls; none where code alone is asked.
        least_tokens: Of the prompts of the fewest calls.
        prompt_tokens: Of the prompts of the usual calls.
    """

    fewest: int = Field(ge=0)
    usual: int = Field(ge=0)
    most: int = Field(ge=0)
    least_tokens: int = Field(ge=0)
    prompt_tokens: int = Field(ge=0)

    def without(self, reused: int) -> "Expected":
        """Return what is left if ``reused`` of the usual calls are not made; tokens in proportion."""
        left = max(0, self.usual - reused)
        return Expected(
            fewest=max(0, self.fewest - reused),
            usual=left,
            most=max(0, self.most - reused),
            least_tokens=self.least_tokens * max(0, self.fewest - reused) // max(1, self.fewest),
            prompt_tokens=self.prompt_tokens * left // max(1, self.usual),
        )

    def shortfall(self, calls: int | None, tokens: int | None) -> str:
        """Return why these limits are less than any verdict takes; empty where they are not."""
        if calls is not None and calls < self.fewest:
            fewest = "1 call" if self.fewest == 1 else f"{self.fewest} calls"
            return f"takes at least {fewest}; the limit is {calls}"
        if tokens is not None and tokens <= self.least_tokens:
            least = f"{self.least_tokens:,}"
            return f"takes at least {least} tokens for the prompts alone, by estimate; the limit is {tokens:,}"
        return ""


def spent(turns: Iterable[Turn]) -> Spent:
    """Return the usage of ``turns``.

    A failed consultation is a call too; an ask that a limit prevented is none, nor is a check by code, nor
    an answer that another run has paid for. Unreported amounts count as unknown, never as zero; likewise the
    output of a model before its call failed.
    """
    return spent_on(turn.reply for turn in turns if turn.role is not Role.VERIFIER and not turn.taken_from)


def spent_on(replies: Iterable[Reply]) -> Spent:
    """Return the usage of ``replies``; see ``spent``."""
    calls = tuple(reply for reply in replies if not _was_refused(reply))
    usages = tuple(Usage() if isinstance(reply, Failure) else reply.usage for reply in calls if not _was_free(reply))
    tokens = tuple(usage.tokens for usage in usages if usage.tokens is not None)
    prices = tuple(usage.cost_usd for usage in usages if usage.cost_usd is not None)
    return Spent(
        calls=len(calls),
        tokens=sum(tokens),
        cost_usd=sum(prices),
        unpriced_calls=len(usages) - len(prices),
        uncounted_calls=len(usages) - len(tokens),
    )


def paid_for(turns: Iterable[Turn]) -> Spent:
    """Return the usage of ``turns``, whichever run has paid for them."""
    return spent(turn.model_copy(update={"taken_from": None}) for turn in turns)


def summed(amounts: Iterable[Spent]) -> Spent:
    """All of ``amounts`` together."""
    listed = [each.model_dump() for each in amounts]
    return Spent(**{name: sum(each[name] for each in listed) for name in Spent.model_fields})


def lost_seats(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return the turns whose participant failed, and may be asked again."""
    return tuple(turn for turn in turns if turn.failure and turn.role is not Role.VERIFIER)


FREE_FAILURES = frozenset(
    {
        FailureCode.NOT_FOUND,
        FailureCode.AUTH,
        FailureCode.QUOTA,
        FailureCode.RATE_LIMIT,
        FailureCode.OVERLOADED,
        FailureCode.CONTEXT_TOO_LONG,
        FailureCode.BAD_REQUEST,
        FailureCode.UNSUPPORTED,
        FailureCode.SESSION_NOT_FOUND,
    }
)
"""Failures before any output of a model."""


def _was_free(reply: Reply) -> bool:
    return isinstance(reply, Failure) and reply.code in FREE_FAILURES


def _was_refused(reply: Reply) -> bool:
    # A consultation that the end of the run's time broke off fails for the same reason, but took its time.
    return isinstance(reply, Failure) and reply.code is FailureCode.BUDGET and reply.duration_ms == 0


class Needed(Record):
    """A required tool with its required features."""

    participant: Participant
    effort: Effort
    repo_access: RepoAccess = RepoAccess.NONE
    web: bool = False
    session_id: SessionId | None = None


CIRCUMSTANTIAL = {"notices", "redactions", "substitute", "unnamed", "spare", "tool_families"}
"""Fields of a request about its origin and its substitutes; the question is the same without them."""


class Seated(Record):
    """A seat, and the tool that was planned for it. ``number`` is 0 where only one has the role."""

    role: Role
    number: int = 0
    tool: ToolName


class Request(Record, ABC):
    """Complete request of a run: each format derives a record of its own.

    Attributes:
        kind: The name of the format, also of its folder in the state directory.
        substitute: The tool that the user named to answer where the tool of a seat fails for good; None: none.
        unnamed: The roles for which the user named no tool.
        spare: The tools that may take a seat of these roles when its tool fails for good, in order of preference.
        tool_families: The families of the tools in the seats and of those that may stand in, as far as they are known.
            Empty where no tool can stand in.
        timeout_s: Timeout of each call, in seconds.
        redactions: Secrets that were removed from all fields of this record.
        notices: Notes on how the request was completed, e.g. whose judge was chosen.
    """

    substitute: ToolName | None = None
    unnamed: tuple[Role, ...] = Field(default=(), exclude_if=lambda roles: not roles)
    spare: tuple[ToolName, ...] = Field(default=(), exclude_if=lambda tools: not tools)
    tool_families: Mapping[ToolName, str] = Field(default={}, exclude_if=lambda families: not families)

    if TYPE_CHECKING:
        # Every format declares them at its own places, because journals keep the order of fields. A narrower type must
        # not replace a wider one in a record, because pyright takes the field for mutable.
        kind: Any
        notices: tuple[str, ...] = ()

    @property
    @abstractmethod
    def subject(self) -> str:
        """Subject of the run."""

    @abstractmethod
    def needed(self) -> Iterator[Needed]:
        """The tools without which it cannot begin, in the order in which they are looked for."""

    def rivals(self, role: Role, number: int = 0) -> tuple[Seated, ...]:  # noqa: ARG002 -- some formats have none
        """Return the seats whose tools must not also take the seat of ``role`` and ``number``."""
        return ()

    @property
    def judged(self) -> Mapping[Role, tuple[Role, Role]]:
        """The roles that judge, each with the two sides that it judges: the tools there should not be related."""
        return {}

    def family_of_tool(self, tool: ToolName) -> str:
        """Return the family of ``tool`` as it was known when the run was planned; its own name if unknown."""
        return self.tool_families.get(tool) or tool

    @property
    def material(self) -> Mapping[str, tuple[ContextPart, ...]]:
        """Material that participants are shown, by its name for people."""
        return {}

    @property
    def folders(self) -> tuple[str, ...]:
        """Further folders below the project for its files and its log."""
        return ()


class Outcome(Record):
    """Outcome of a run: each format derives a record of its own.

    Attributes:
        kind: The name of the format.
        status: One of the format's own; its descriptor gives the exit code of each.
        notices: Lines for the reader.
    """

    if TYPE_CHECKING:
        # See Request.
        kind: Any
        status: Any
        notices: tuple[str, ...] = ()

    @property
    def has_failed(self) -> bool:
        """Return whether it ended without a result, which every format reports by the same status."""
        return self.status == "failed"

    def finding(self, request: Any) -> str:  # noqa: ARG002 -- some need it
        """Return the result in a word or two: the winner, or a label. Empty where nothing was decided."""
        return ""


class RunHeader(Record):
    """The first line of a journal: all that is needed to start the run again.

    Attributes:
        estimate: Calls and tokens expected before the run began; None where it is a single consultation.
        retry_of: The neighbouring run whose answers are reused where the prompts are the same.
        families: Families of the models of the tools, as their providers stated them when the run began.
    """

    run_id: RunId
    request: SerializeAsAny[Request]
    limits: Limits = Limits()
    estimate: Expected | None = None
    created_at: Moment
    sparring_version: str
    schema_version: int = SCHEMA_VERSION
    retry_of: RunId | None = None
    families: Mapping[ToolName, str] = {}

    @property
    def kind(self) -> str:
        """Name of the format."""
        return self.request.kind


class RunStatus(StrEnum):
    """Status of a run. Only an INTERRUPTED one can be resumed."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"


class NotedRun(Record):
    """A run for which the user has left a note."""

    run_id: RunId
    status: RunStatus


class Run(Record):
    """A run as its journal has it.

    Attributes:
        transcript: The turns of all completed steps, in asking order.
        outcome: None while the run is not finished.
        notices: Notices from reading the journal, e.g. that a torn last line was set aside.
    """

    header: RunHeader
    status: RunStatus
    transcript: Transcript
    outcome: SerializeAsAny[Outcome] | None = None
    spent: Spent = Spent()
    notices: tuple[str, ...] = ()


class RunSummary(Record):
    """A run in a list.

    Attributes:
        finding: The winner, or the label.
        unpriced_calls: With any, ``cost_usd`` is a lower bound, and null in JSON where no price was reported.
        problem: Why it could not be read; then the other fields may be empty.
        is_own: Whether this user wrote it; False for a run that came with the project.
    """

    run_id: str
    kind: str
    status: RunStatus | None = None
    outcome: str | None = None
    finding: str = ""
    topic: str = ""
    created_at: Moment | None = None
    turns: int = 0
    cost_usd: Annotated[float, Known] = 0.0
    unpriced_calls: int = 0
    problem: str = ""
    is_own: bool = False

    @field_serializer("cost_usd", when_used="json")
    def _known_cost(self, cost_usd: float) -> float | None:
        return cost_usd or (None if self.unpriced_calls else 0.0)


class AskStarted(Placed):
    """A participant was asked."""

    type: Literal["ask_started"] = "ask_started"
    run_id: RunId
    ask_id: str
    at: Moment


class TurnCompleted(Turn):
    """A participant answered or failed; the turn is safely in the journal."""

    type: Literal["turn_completed"] = "turn_completed"
    run_id: RunId


class AskRepeated(Placed):
    """The same ask will be repeated, because there was no answer.

    Attributes:
        failure: The cause.
        wait_s: Seconds until then.
        next_tool: The tool that is asked then: the same, or its stand-in.
    """

    type: Literal["ask_repeated"] = "ask_repeated"
    run_id: RunId
    ask_id: str
    at: Moment
    failure: Failure
    wait_s: float = Field(ge=0)
    next_tool: ToolName


RunEvent = Annotated[AskStarted | AskRepeated | TurnCompleted, Field(discriminator="type")]
