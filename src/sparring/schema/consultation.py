"""One question to one provider, the material that goes with it, and what came back."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from sparring.schema.base import Effort, ModelName, Record, RepoAccess, Role, SessionId, ToolName
from sparring.schema.forms import RequestedForm


class ContextSize(Record):
    """Name and size of a piece of material; the size is in bytes, before secrets were removed."""

    name: str = Field(min_length=1)
    size_bytes: int = Field(ge=0)


class ContextPart(ContextSize):
    """A piece of material as it was read. It is kept whole, so that a resumed run need not read it again."""

    text: str

    @property
    def size(self) -> ContextSize:
        """Name and size, without the content."""
        return ContextSize(name=self.name, size_bytes=self.size_bytes)


class Exhibit(Record):
    """Lines that every participant sees before the first turn, cited as ``E3`` or ``E3:12`` (design: Exhibits).

    Attributes:
        number: Its place among all exhibits of the run, from 1 on.
        path: Of a file: from the project's root, with ``/``; else a name, e.g. ``diff``.
        first, last: Its lines in the file.
        text: Those lines, without secrets and without numbers.
    """

    number: int = Field(ge=1)
    path: str = Field(min_length=1)
    first: int = Field(default=1, ge=1)
    last: int = Field(ge=1)
    text: str

    @property
    def name(self) -> str:
        """Name by which it is cited and announced, e.g. ``E3 src/charge.py:10-42``."""
        return f"E{self.number} {self.path}:{self.first}-{self.last}"


DETAIL_LIMIT = 200
"""Most characters of an error text that are kept (design: Consult, Outcome rules)."""


class FailureCode(StrEnum):
    """Cause of a failed consultation (design: Consult, Outcome rules).

    REFUSED: the model, or a filter, would not answer. CUT_OFF: a limit of tokens was reached before an answer began.
    BAD_REQUEST: an API refused the request itself, such as a field that it does not know. EXIT: a program ended without
    an answer. UNKNOWN: an API, or a sentence that the provider file lists, reports a failure of unknown kind.
    """

    NOT_FOUND = "not_found"
    AUTH = "auth"
    QUOTA = "quota"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    TIMEOUT = "timeout"
    CONTEXT_TOO_LONG = "context_too_long"
    PERMISSION = "permission"
    REFUSED = "refused"
    CUT_OFF = "cut_off"
    EMPTY = "empty"
    PARSE = "parse"
    BAD_REQUEST = "bad_request"
    EXIT = "exit"
    UNKNOWN = "unknown"
    CONNECTION = "connection"
    CANCELLED = "cancelled"
    BUDGET = "budget"
    UNSUPPORTED = "unsupported"
    SESSION_NOT_FOUND = "session_not_found"


class Speech(Record):
    """An earlier speech of a deliberation; ``name``, e.g. ``Agent 2``, tells participants of one role apart."""

    role: Role
    round: int = Field(ge=1)
    text: str
    name: str = ""


class Source(Record):
    """A page that a participant cites (specification: seed 003, Source Requirements).

    The rulebook decides which sources an entry may have: unusable ones are still shown word for word.

    Attributes:
        url: An address on the web.
        title: Title of the page; not empty.
        accessed: ``YYYY-MM-DD``, the day on which its author claims to have seen it.
        quote: The words of the page that carry the claim, verbatim. The specification has no such field; without it
            the page cannot be checked.
    """

    url: str = Field(min_length=1, max_length=2_000)
    title: str = Field(default="", max_length=500)
    accessed: str = Field(default="", max_length=40)
    quote: str = Field(default="", max_length=2_000)


class Brief(Record):
    """Parts of a prompt, for consultants that are code and read no prose.

    Attributes:
        step: Name of the prompt template, e.g. ``debate/response``.
        attempt: 1, or 2 for the second request after an unusable answer.
        speeches: All speeches so far, oldest first.
        name: The participant, where several share a role.
        evidence: The texts that the topic is compared with, in their order; empty where there are none.
        sources: Cited sources to look up, each with the statement that it should support.
        exhibits: For the lookup of a speech's citations: the exhibits that its speaker saw.
    """

    step: str
    topic: str
    role: Role
    round: int = Field(ge=1)
    attempt: int = Field(default=1, ge=1)
    speeches: tuple[Speech, ...] = ()
    name: str = ""
    evidence: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()


class QuestionTerms(Record):
    """The terms of a question: everything about it but the text.

    Confinement and refusals are decided by the terms alone, so that no word of a prompt can act on them.

    Attributes:
        effort: None lets the provider use its own default.
        model: None passes no model: the tool uses its own default.
        timeout_s: Seconds until the consultation is ended and counted as a timeout.
        repo_access: Access of the tool to the project, apart from the prompt.
        web: Whether the tool may use its own web search and fetch.
        session_id: Continue this session of the tool.
        keep_session: Whether the tool should keep the session so that it can be continued.
    """

    effort: Effort | None = None
    model: ModelName | None = None
    timeout_s: float = Field(gt=0)
    repo_access: RepoAccess = RepoAccess.NONE
    web: bool = False
    session_id: SessionId | None = None
    keep_session: bool = False


class Question(QuestionTerms):
    """Question to one provider.

    Attributes:
        prompt: All that a model reads.
        stable: Characters at the beginning of the prompt that other prompts of the seat share, for a provider that
            caches prefixes.
        form: The JSON object that the answer should be, for providers that take a schema; None: prose.
            The prompt requests the same in words, and the answer is read as if no schema had been sent.
        call: The name of the request in a journal; empty where no answer would be taken over.
        sample: Number of this answer among several to the same words, from 1.
        given_s: Seconds that the caller allowed in all, where earlier tries have used some of them; messages about a
            deadline state this figure.
    """

    prompt: str = Field(min_length=1)
    stable: int = Field(default=0, ge=0)
    brief: Brief
    form: RequestedForm | None = None
    call: str = Field(default="", exclude=True)
    sample: int = Field(default=1, ge=1, exclude=True)
    given_s: float | None = Field(default=None, gt=0, exclude=True)

    @property
    def terms(self) -> QuestionTerms:
        """The question without its text."""
        return QuestionTerms.model_construct(**{name: getattr(self, name) for name in QuestionTerms.model_fields})

    @property
    def deadline_s(self) -> float:
        """Seconds from the first try on until the consultation counts as a timeout."""
        return self.given_s or self.timeout_s


class Usage(Record):
    """Usage of a consultation. None means that the provider did not report it."""

    input_tokens: int | None = Field(default=None, ge=0)
    cached_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    reasoning_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)

    @property
    def tokens(self) -> int | None:
        """Input plus output: cached tokens are a part of the input, and reasoning tokens a part of the output."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens


class Ending(StrEnum):
    """Ending of an answer, as its provider reports it.

    COMPLETE: the model had finished. CUT_OFF: a limit of tokens was reached. WITHHELD: a filter stopped it, or the
    model refused to continue.
    """

    COMPLETE = "complete"
    CUT_OFF = "cut_off"
    WITHHELD = "withheld"


class Answer(Record):
    """The answer of a provider. ``response`` is never empty: an empty answer is a failure.

    Attributes:
        thought: Thoughts of the model, where its provider mixes them with the answer. They are kept
            in the journal, and never shown, parsed or searched.
        ending: Only a complete answer may decide anything.
        family: The family of the model that answered, where that is another than was known when the run began.
    """

    type: Literal["answer"] = "answer"
    tool: ToolName
    model: str | None = None
    family: str = Field(default="", exclude_if=lambda family: not family)
    effort: Effort | None = None
    response: str = Field(min_length=1)
    thought: str = Field(default="", exclude_if=lambda thought: not thought)
    ending: Ending = Field(default=Ending.COMPLETE, exclude_if=lambda ending: ending is Ending.COMPLETE)
    session_id: SessionId | None = None
    continuable: bool = False
    duration_ms: int = Field(ge=0)
    usage: Usage = Usage()
    redactions: int = Field(default=0, ge=0)
    warnings: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Return whether it is complete, as far as its provider reports."""
        return self.ending is Ending.COMPLETE


class Failure(Record):
    """Failure of a provider, with its cause.

    Never stands for an answer or a label.

    Attributes:
        retryable: Whether it is transient, so that the same request may be answered later; else it is final.
        retry_after_s: Seconds to wait before that, if the provider states them. Meaningful only at that moment.
        is_starting: Whether the server is only about to be ready: it starts, or loads a model. As before.
    """

    type: Literal["failure"] = "failure"
    tool: ToolName
    code: FailureCode
    detail: str = Field(max_length=DETAIL_LIMIT)
    retryable: bool = False
    duration_ms: int = Field(default=0, ge=0)
    redactions: int = Field(default=0, ge=0)
    retry_after_s: float | None = Field(default=None, exclude=True)
    is_starting: bool = Field(default=False, exclude=True)

    @property
    def cause(self) -> str:
        """Within a sentence, e.g. ``timeout: no answer in time``."""
        return f"{self.code}: {self.detail.rstrip('.')}"


Reply = Annotated[Answer | Failure, Field(discriminator="type")]
