"""OpenCode, ``run --format json``: one event per line on standard output, and its log on standard error."""

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field
from pydantic import BaseModel, Field, ValidationError

from sparring.processes.children import FinishedProcess
from sparring.providers.cli.output import (
    EndedProgram,
    Faults,
    LastAttempt,
    Output,
    ProgramStage,
    RequestLog,
    lines_of,
    text_of,
)
from sparring.providers.receiving.causes import (
    Cost,
    Sentences,
    ValidOrNone,
    code_of_message,
    code_of_status,
    first_code,
)
from sparring.providers.receiving.framing import Json, TornEvent, events_in
from sparring.providers.receiving.printed import code_of_line
from sparring.schema.base import SessionId
from sparring.schema.consultation import Answer, Ending, Failure, FailureCode, Question, Reply, Usage

_BY_NAME = {
    "ContentFilterError": FailureCode.REFUSED,
    "ContextOverflowError": FailureCode.CONTEXT_TOO_LONG,
    "MessageAbortedError": FailureCode.CANCELLED,
    "ProviderAuthError": FailureCode.AUTH,
    "ProviderModelNotFoundError": FailureCode.NOT_FOUND,
}
_BY_KIND = {
    "FreeUsageLimitError": FailureCode.QUOTA,
    "GoUsageLimitError": FailureCode.QUOTA,
    "insufficient_quota": FailureCode.QUOTA,
    "billing_error": FailureCode.QUOTA,
    "context_length_exceeded": FailureCode.CONTEXT_TOO_LONG,
}
"""Words of an endpoint's error body, in the fields for them, that say more than its status."""

# How OpenCode itself begins the message of an error without a status (1.18.33).
_SENTENCES: Sentences = {
    re.compile(r"Cannot connect to API\b"): FailureCode.CONNECTION,
    re.compile(r"Connection reset by server\b"): FailureCode.CONNECTION,
    re.compile(r"SSE read timed out\b"): FailureCode.TIMEOUT,
}
_LOGGED = r"timestamp=\S+ level=(?:INFO|ERROR) run=\S+ message="
_FAILED_CALL = re.compile(_LOGGED + r'"stream error" [^"]*error\.error="AI_APICallError: (?P<message>(?:[^"\\]|\\.)*)"')
"""Log line of a failed request. It has no status, but OpenCode repeats only requests whose failure was transient."""

_REQUESTS = RequestLog(_FAILED_CALL, put=re.compile(_LOGGED + "stream "), max_wait_s=6.0)
"""Six tries, with the endpoint's waits between them, else 2, 4, 8, 16, and 30 s (1.18.33)."""

_LOG = re.compile(r"^timestamp=\S+ level=(?:INFO|WARN|DEBUG) .*\n?", re.MULTILINE)
_MODEL = re.compile(_LOGGED + r"stream providerID=(?P<provider>\S+) modelID=(?P<model>\S+) .*?\bsmall=false\b")

_REFUSED_FOR_NOW = 503

_UNKNOWN_MODEL = "Unexpected server error."
_CONTINUES = "tool-calls"
"""Reason of a step that another one follows; OpenCode ends there if the tool call was refused (1.18.33)."""

_WITHOUT_END = "unknown"
"""The reason of a step whose stream broke off. OpenCode then asks the same again, as fast as it can, and nothing but a
signal stops it (1.18.33, 700 requests in 90 s)."""

_ENDINGS = {"length": Ending.CUT_OFF, "content-filter": Ending.WITHHELD}
_NEEDED = ("text", "step_finish", "error")


class _Cache(BaseModel):
    read: int = Field(default=0, ge=0)
    write: int = Field(default=0, ge=0)


class _Tokens(BaseModel):
    input: int = Field(ge=0)
    output: int = Field(ge=0)
    reasoning: int = Field(default=0, ge=0)
    cache: _Cache = _Cache()


class _Part(BaseModel):
    text: Any = None
    reason: ValidOrNone[str] = None
    tokens: ValidOrNone[_Tokens] = None
    cost: ValidOrNone[Cost] = 0


class _Data(BaseModel):
    message: ValidOrNone[str] = None
    status: ValidOrNone[int] = Field(default=None, alias="statusCode")
    body: ValidOrNone[str] = Field(default=None, alias="responseBody")


class _Kind(BaseModel):
    type: str | None = None
    code: str | None = None


class _Body(BaseModel):
    """The body of an error as most endpoints write it."""

    error: _Kind


class _Error(BaseModel):
    name: ValidOrNone[str] = None
    data: ValidOrNone[_Data] = None

    @property
    def message(self) -> str:
        """The message for people."""
        return (self.data and self.data.message) or self.name or ""


class _Event(BaseModel):
    type: ValidOrNone[str] = None
    session_id: ValidOrNone[SessionId] = Field(default=None, alias="sessionID")
    part: ValidOrNone[_Part] = None
    error: ValidOrNone[_Error] = None


class _Run(Struct):
    """The sum of the events of one run.

    Attributes:
        texts: Texts of the last step. Earlier ones may only announce the reading of a file.
        torn: Broken parts of the texts, or of their end.
        finishes: The ends of all steps; the last step has ended if ``is_complete``.
        error: The last error, if no complete step came after it.
    """

    session_id: SessionId | None = None
    texts: list[str] = field(default_factory=list[str])
    torn: TornEvent | None = None
    finishes: list[_Part] = field(default_factory=list[_Part])
    is_complete: bool = False
    error: _Error | None = None
    faults: Faults = field(default_factory=Faults)

    def take(self, event: Json | TornEvent) -> None:
        if isinstance(event, TornEvent):
            self.is_complete, self.torn = self.is_complete and event.type != "step_finish", event
            return
        fields = _Event.model_validate(event)
        self.session_id = self.session_id or fields.session_id
        match fields.type:
            case "step_start":
                self.texts, self.torn, self.is_complete = [], None, False
            case "text":
                self._take_text(fields.part, event)
            case "step_finish":
                self._take_finish(fields.part, event)
            case "error" if fields.error and fields.error.message:
                self.error, self.faults.error = fields.error, fields.error.message
            case _:
                pass

    def _take_text(self, part: _Part | None, event: Json) -> None:
        text = text_of(part.text) if part else None
        if text is None:
            self.torn = TornEvent.of(event)
        else:
            self.texts.append(text)

    def _take_finish(self, part: _Part | None, event: Json) -> None:
        if part is None:
            self.torn = TornEvent.of(event)
            return
        self.finishes.append(part)
        self.is_complete = True
        if part.reason not in (_CONTINUES, _WITHOUT_END):
            self.error = None
            self.faults.settle()

    @property
    def text(self) -> str:
        return "\n\n".join(self.texts)

    @property
    def reason(self) -> str | None:
        """The reason why the last step ended."""
        return self.finishes[-1].reason if self.finishes else None


def _progress(event: Json) -> ProgramStage | None:
    match event:
        case {"type": "step_finish", "part": {"reason": reason}} if reason == _WITHOUT_END:
            return ProgramStage.HOPELESS
        case {"type": "step_finish", "part": {"reason": reason}} if reason == _CONTINUES:
            return ProgramStage.CONTINUES
        case {"type": "step_start"}:
            return ProgramStage.CONTINUES
        case {"type": "step_finish"}:
            return ProgramStage.OVER
        case _:
            return None


def _reply(ended: EndedProgram) -> Reply:
    """Return the answer, or the failure. Exit code 0 alone means nothing."""
    run = _Run()
    for event in events_in(ended.finished.stdout, _NEEDED):
        run.take(event)
    return _fault(run, ended) or _answer(run, ended)


def _last_try(finished: FinishedProcess) -> LastAttempt | None:
    """Return why OpenCode was about to ask the model again when it was ended."""
    failed = [match["message"] for line in lines_of(finished.stderr) if (match := _FAILED_CALL.match(line))]
    if not failed:
        return None
    candidates = (code_of_message(failed[-1], _SENTENCES), code_of_line(failed[-1]), code_of_status(_REFUSED_FOR_NOW))
    return LastAttempt(first_code(candidates), failed[-1])


def _fault(run: _Run, ended: EndedProgram) -> Failure | None:
    if run.error and not (run.text.strip() and _code(run.error) is FailureCode.REFUSED):
        return ended.failure(_code(run.error), _message(run.error, ended))
    if run.is_complete and run.reason == _WITHOUT_END:
        return ended.failure(FailureCode.CONNECTION, f"{ended.tool} got an incomplete answer.")
    if run.torn:
        return ended.unread(run.torn)
    if not run.is_complete:
        last = _last_try(ended.finished)
        return ended.waits(last) if last and ended.finished.dismissed else ended.without_result(_LOG)
    if run.reason == _CONTINUES:
        detail = f"{ended.tool} gave no answer: it stopped at a tool that it may not use."
        return ended.failure(FailureCode.EMPTY, detail)
    return _empty_answer(run, ended)


def _empty_answer(run: _Run, ended: EndedProgram) -> Failure | None:
    if run.text.strip():
        return None
    match _ENDINGS.get(run.reason or ""):
        case Ending.CUT_OFF:
            return ended.failure(FailureCode.CUT_OFF, f"{ended.tool} reached its limit of tokens before it answered.")
        case Ending.WITHHELD:
            return ended.failure(FailureCode.REFUSED, f"{ended.tool} was stopped by a filter before it answered.")
        case _:
            return ended.empty(run.text)


def _message(error: _Error, ended: EndedProgram) -> str:
    model = ended.question.question.model
    if (
        error.message.startswith(_UNKNOWN_MODEL) and model is not None
    ):  # its whole message about a model that it does not know
        return f"{ended.tool} failed before it asked {model}; does `opencode models` list it? {error.message}"
    return error.message


def _code(error: _Error) -> FailureCode:
    data = error.data or _Data()
    candidates = (
        _BY_NAME.get(error.name or ""),
        *(_BY_KIND.get(kind or "") for kind in _kinds(data.body or "")),
        code_of_status(data.status),
        *((code_of_message(error.message, _SENTENCES), code_of_line(error.message)) if data.status is None else ()),
    )
    return first_code(candidates, FailureCode.UNKNOWN)


def _kinds(body: str) -> tuple[str | None, ...]:
    try:
        kind = _Body.model_validate_json(body).error
    except ValidationError:
        return ()
    return kind.type, kind.code


def _answer(run: _Run, ended: EndedProgram) -> Answer:
    models = [match for line in lines_of(ended.finished.stderr) if (match := _MODEL.match(line))]
    return ended.answer(
        run.text,
        session_id=run.session_id,
        model=f"{models[-1]['provider']}/{models[-1]['model']}" if models else "",
        usage=_usage(run.finishes),
        ending=_ENDINGS.get(run.reason or "", Ending.COMPLETE),
        warnings=(*_warnings(ended.tool, ended.question.question), *run.faults.notices(ended.tool)),
    )


def _usage(finishes: Sequence[_Part]) -> Usage:
    steps = [part.tokens for part in finishes if part.tokens]
    costs = [part.cost for part in finishes if part.cost is not None]
    if len(steps) != len(finishes) or not steps:
        return Usage()
    # OpenCode counts cached tokens apart from the input, and reasoning apart from the output.
    return Usage(
        input_tokens=sum(step.input + step.cache.read + step.cache.write for step in steps),
        cached_tokens=sum(step.cache.read for step in steps),
        output_tokens=sum(step.output + step.reasoning for step in steps),
        reasoning_tokens=sum(step.reasoning for step in steps),
        # Computed from the prices in its configuration; it is 0 for a model without a price.
        cost_usd=(sum(costs) or None) if len(costs) == len(finishes) else None,
    )


def _warnings(tool: str, question: Question) -> tuple[str, ...]:
    if question.effort is None:  # an unknown variant is ignored without a word (1.18.33)
        return ()
    return (f"{tool} passes the effort on only to models with known levels, and does not list them.",)


OUTPUT = Output(
    _reply,
    progress=_progress,
    last_attempt=_last_try,
    no_session=re.compile(r"Error: Session not found$"),
    requests=_REQUESTS,
)
