"""The records of a plain consultation: request, outcome, results, and the state files that allow to continue it.

One tool is asked, several are, or the same one several times: ``ConsultRequest.asked`` lists them in order, and the
number of an answer is its place in that list, from 1.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Literal, Self, cast

from pydantic import Field, model_validator

from sparring.schema import base, consultation, lookups, providers, runs

QUESTION_LIMIT = 2_000_000
"""Most characters of a plain question: twice the largest prompt that is known to arrive whole."""

MOST_ASKED = 5
"""Most consultations that are asked side by side (design: Consult, Count)."""

_QUESTION_ID = "question"


class ConsultedTool(base.Record):
    """A tool that is asked.

    Attributes:
        model: None lets the tool use its own default.
        transport: The tool's transport when the request was made; a session can be continued only by the same one.
    """

    tool: base.ToolName
    model: base.ModelName | None = None
    transport: providers.ProviderKind | None = None


class ConsultRequest(runs.Request):
    """One question and the tools that are asked."""

    kind: Literal["consult"] = "consult"
    question: base.PlainText = Field(min_length=1, max_length=QUESTION_LIMIT)
    context: tuple[consultation.ContextPart, ...] = ()
    asked: tuple[ConsultedTool, ...] = Field(min_length=1, max_length=MOST_ASKED)
    effort: base.Effort = base.Effort.MEDIUM
    timeout_s: float = Field(default=120.0, gt=0)
    repo_access: base.RepoAccess = base.RepoAccess.NONE
    session_id: base.SessionId | None = None
    redactions: int = Field(default=0, ge=0)
    notices: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_one_tool(cls, data: Any) -> Any:
        # The single tool of a request had this field before several could be asked.
        if isinstance(data, dict) and "tool" in data:
            old = cast("dict[str, Any]", data)
            kept = {name: value for name, value in old.items() if name not in {"tool", "model"}}
            return kept | {"asked": [{"tool": old["tool"], "model": old.get("model")}]}
        return cast("Any", data)

    @model_validator(mode="after")
    def _one_session_one_answer(self) -> Self:
        if self.session_id is not None and len(self.asked) > 1:
            raise ValueError("a session can be continued by one answer only, not by several")
        return self

    @property
    def subject(self) -> str:
        """Subject of the run: the question."""
        return self.question

    def needed(self) -> Iterator[runs.Needed]:
        """See ``Request.needed``."""
        for each in self.asked:
            yield runs.Needed(
                participant=base.Participant(tool=each.tool, model=each.model),
                effort=self.effort,
                repo_access=self.repo_access,
                session_id=self.session_id,
            )

    @property
    def material(self) -> Mapping[str, tuple[consultation.ContextPart, ...]]:
        """See ``Request.material``."""
        return {"Context": self.context}

    @property
    def question_ids(self) -> tuple[str, ...]:
        """The id of the ask for each of ``asked``."""
        if len(self.asked) == 1:
            return (_QUESTION_ID,)
        return tuple(f"{_QUESTION_ID}.{number}" for number in range(1, len(self.asked) + 1))


class ConsultStatus(StrEnum):
    """Ending of a consultation. Of several asked, COMPLETED means that at least one answered."""

    COMPLETED = "completed"
    FAILED = "failed"


class ConsultOutcome(runs.Outcome):
    """The end of a consultation. ``reply`` is None when several were asked: the turns have their answers."""

    kind: Literal["consult"] = "consult"
    status: ConsultStatus
    reply: consultation.Reply | None = None
    notices: tuple[str, ...] = ()


class SavedSession(base.Record):
    """Session of one answer that can be continued.

    Attributes:
        model: As the tool reported it, else as it was requested.
        model_asked: The requested model; None is the tool's own choice, also in the continuation.
    """

    tool: base.ToolName
    transport: providers.ProviderKind | None = None
    model: str | None
    model_asked: base.ModelName | None = None
    effort: base.Effort | None
    session_id: base.SessionId | None
    continuable: bool


class LastSession(SavedSession):
    """``consult/last-session.json``: data to continue the last consultation of one tool."""

    question: str
    timestamp: base.Moment
    schema_version: int = base.SCHEMA_VERSION


class NumberedSession(SavedSession):
    """One of several."""

    number: int = Field(ge=1)


class LastMultiSession(base.Record):
    """``consult/last-multi-session.json``: the sessions of the last consultation of several, those that answered."""

    question: str
    sessions: tuple[NumberedSession, ...]
    timestamp: base.Moment
    schema_version: int = base.SCHEMA_VERSION


class ConsultAnswer(base.Record):
    """Result of asking one tool (design: Consult, Result). Without an answer ``failure`` says why."""

    status: ConsultStatus
    tool: base.ToolName
    stands_in_for: base.ToolName | None = Field(default=None, exclude_if=lambda tool: tool is None)
    transport: providers.ProviderKind | None
    model: str | None
    effort: base.Effort | None
    response: str | None
    session_id: base.SessionId | None
    continuable: bool
    duration_ms: int
    usage: consultation.Usage
    redactions: int
    warnings: tuple[str, ...]
    failure: consultation.Failure | None


class ConsultResult(ConsultAnswer):
    """``result.json`` of a consultation of one tool."""

    id: base.RunId
    question: str
    context: tuple[consultation.ContextSize, ...] = ()
    repo_access: base.RepoAccess = base.RepoAccess.NONE
    timestamp: base.Moment
    notices: tuple[str, ...] = ()
    schema_version: int = base.SCHEMA_VERSION


class NumberedAnswer(ConsultAnswer):
    """One of several."""

    number: int = Field(ge=1)


class ConsultResults(base.Record):
    """``result.json`` of a consultation of several.

    Attributes:
        citations: All citations by source, sources that most answers share first.
        redactions: Secrets removed from the question and its context; each answer has its own count.
    """

    id: base.RunId
    status: ConsultStatus
    question: str
    context: tuple[consultation.ContextSize, ...] = ()
    repo_access: base.RepoAccess = base.RepoAccess.NONE
    answers: tuple[NumberedAnswer, ...]
    citations: tuple[lookups.CitedSource, ...] = ()
    spent: runs.Spent
    redactions: int = 0
    timestamp: base.Moment
    notices: tuple[str, ...] = ()
    schema_version: int = base.SCHEMA_VERSION
