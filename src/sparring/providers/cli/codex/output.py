"""Codex CLI, ``exec --json``: one event per line on standard output, and its log on standard error."""

import re
from typing import Any

from msgspec import Struct, field
from pydantic import BaseModel, Field

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
from sparring.providers.receiving.causes import Sentences, ValidOrNone, code_of_message
from sparring.providers.receiving.framing import Json, TornEvent, events_in
from sparring.providers.receiving.printed import code_of_line
from sparring.schema.base import SessionId
from sparring.schema.consultation import Answer, Ending, FailureCode, Reply, Usage

# A failed turn is described in words only. These are the beginnings of Codex's own messages (0.169.0); the words of an
# endpoint come after them, or not.
_INCOMPLETE = r"(?:stream disconnected before completion: )?Incomplete response returned, reason: "
_SENTENCES: Sentences = {
    re.compile(r"unexpected status (?P<status>\d{3})\b"): None,
    re.compile(r"exceeded retry limit, last status: (?P<status>\d{3})\b"): None,
    re.compile(_INCOMPLETE + r"content_filter\b"): FailureCode.REFUSED,
    re.compile(_INCOMPLETE + r"max_output_tokens\b"): FailureCode.CUT_OFF,
    re.compile(r"stream disconnected before completion\b"): FailureCode.CONNECTION,
    re.compile(r"Connection failed\b"): FailureCode.CONNECTION,
    re.compile(r"Codex ran out of room in the model's context window\b"): FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"We’re currently experiencing high demand\b"): FailureCode.SERVER_ERROR,  # a status 500
    re.compile(r"Selected model is at capacity\b"): FailureCode.OVERLOADED,
    re.compile(r"The model `[^`\n]{1,200}` does not exist or you do not have access to it\b"): FailureCode.NOT_FOUND,
    re.compile(r"To use Codex with your ChatGPT plan\b"): FailureCode.QUOTA,
    re.compile(r"Your access token could not be refreshed\b"): FailureCode.AUTH,
}
_ENDINGS = {FailureCode.CUT_OFF: Ending.CUT_OFF, FailureCode.REFUSED: Ending.WITHHELD}
_RECONNECTING = re.compile(r"Reconnecting\.\.\. [^(\n]{1,60}\((?P<cause>.*)\)\s*", re.DOTALL)

_LOG = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z +(?:INFO|WARN|DEBUG) .*\n?", re.MULTILINE)
_REQUESTS = RequestLog(
    failed=re.compile(
        r"\d{4}-\d\d-\d\dT[\d:.]+Z +WARN [^\n]{0,2000}?codex_core::responses_retry: [^\n(]{0,200}"
        r"\(\d+/\d+ in (?P<wait>\d+(?:\.\d+)?)s\)"
    ),
)
"""Its log of a request that it will send again, and when (0.169.0). Below a second a wait has another unit."""

_MODEL = re.compile(r"codex_otel\.trace_safe: [^\n]*? model=(?P<model>\S+) slug=")

_TEXT_ITEMS = frozenset({"agent_message", "assistant_message"})  # the second until 0.39
_ITEM_TYPE = re.compile(r'"(?:item_)?type"\s*+:\s*+"(?P<type>(?!item\.)[\w.]+)"')
_NEEDED = ("item.completed", "turn.completed", "turn.failed")


class _Tokens(BaseModel):
    input_tokens: int | None = Field(default=None, ge=0)
    cached_input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    reasoning_output_tokens: int | None = Field(default=None, ge=0)


class _Item(BaseModel):
    type: ValidOrNone[str] = None
    item_type: ValidOrNone[str] = None
    text: Any = None
    content: Any = None
    message: Any = None


class _Event(BaseModel):
    type: ValidOrNone[str] = None
    thread_id: ValidOrNone[SessionId] = None
    item: ValidOrNone[_Item] = None
    usage: ValidOrNone[_Tokens] = None
    error: Any = None
    message: Any = None


class _Turn(Struct):
    """The sum of the events of one run.

    Attributes:
        text: The last message; of several, the last is the answer.
        torn: Broken parts of the answer, or of its end.
        is_complete: Whether the turn was completed after the last of them.
    """

    session_id: SessionId | None = None
    text: str | None = None
    torn: TornEvent | None = None
    is_complete: bool = False
    has_failed: bool = False
    tokens: _Tokens = field(default_factory=_Tokens)
    warnings: dict[str, None] = field(default_factory=dict[str, None])
    faults: Faults = field(default_factory=Faults)
    errors: list[str] = field(default_factory=list[str])

    def take(self, event: Json | TornEvent) -> None:
        if isinstance(event, TornEvent):
            self._take_torn(event)
            return
        fields = _Event.model_validate(_in_the_new_form(event))
        match fields.type:
            case "thread.started":
                self.session_id = fields.thread_id
            case "turn.started":
                self.is_complete = self.has_failed = False
            case "item.completed":
                self._take_item(fields.item or _Item(), event)
            case "error":
                self._take_error(fields.message or fields.error)
            case "turn.completed":
                self.tokens, self.is_complete, self.has_failed = fields.usage or _Tokens(), True, False
                self.faults.settle()
            case "turn.failed":
                self.is_complete, self.has_failed = False, True
                self._take_error(fields.error)
            case _:
                pass

    def _take_item(self, item: _Item, event: Json) -> None:
        kind = item.type or item.item_type
        if kind in _TEXT_ITEMS:
            text = text_of(item.text)
            text = text_of(item.content) if text is None else text
            self.text, self.torn = text, None if text is not None else TornEvent.of(event)
        elif kind == "error" and (warning := text_of(item.message)):
            self.warnings[warning] = None

    def _take_error(self, error: object) -> None:
        message = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        if message:
            self.faults.error = message
            self.errors.append(message)

    def _take_torn(self, event: TornEvent) -> None:
        kind = _ITEM_TYPE.search(event.words, 1)
        if event.type == "item.completed" and kind and kind["type"] not in _TEXT_ITEMS:
            return
        if event.type == "item.completed":
            self.text = None
        self.is_complete, self.torn = False, event


def _in_the_new_form(event: Json) -> Json:
    """Return ``event`` as it is printed since 0.40; before that it stood in ``msg`` and had other names."""
    match event.get("msg"):
        case {"type": "agent_message", **fields}:
            return {"type": "item.completed", "item": {"type": "agent_message", "text": fields.get("message")}}
        case {"type": "task_complete"}:
            return {"type": "turn.completed"}
        case {"type": "task_started"}:
            return {"type": "turn.started"}
        case {"type": "error", **fields}:
            return {"type": "turn.failed", "error": {"message": fields.get("message")}}
        case _:
            return event


def _progress(event: Json) -> ProgramStage | None:
    match _in_the_new_form(event).get("type"):
        case "turn.completed" | "turn.failed":
            return ProgramStage.OVER
        case "turn.started" | "item.started":
            return ProgramStage.CONTINUES
        case _:
            return None


def _turn(stdout: str) -> _Turn:
    turn = _Turn()
    for event in events_in(stdout, _NEEDED):
        turn.take(event)
    return turn


def _reply(ended: EndedProgram) -> Reply:
    """Return the answer, or the failure. Only a completed turn counts, with any exit code."""
    turn = _turn(ended.finished.stdout)
    if turn.faults.error or turn.has_failed:
        return _failed(turn, ended)
    if turn.torn:
        return ended.unread(turn.torn)
    if not turn.is_complete:
        return ended.without_result(_LOG)
    return ended.session_mismatch(turn.session_id) or ended.empty(turn.text) or _answer(turn, ended)


def _failed(turn: _Turn, ended: EndedProgram) -> Reply:
    last = _last_try(ended.finished)
    if last and ended.finished.dismissed and not turn.has_failed:
        return ended.waits(last)
    messages = [_cause(message) for message in reversed(turn.errors)]
    message = next(filter(_code, messages), messages[0] if messages else "")
    code = _code(message) or FailureCode.UNKNOWN
    if turn.has_failed and code in _ENDINGS and (turn.text or "").strip():
        return ended.session_mismatch(turn.session_id) or _answer(turn, ended, _ENDINGS[code])
    return ended.failure(code, message)


def _cause(message: str) -> str:
    reconnecting = _RECONNECTING.fullmatch(message)
    return reconnecting["cause"] if reconnecting else message


def _code(message: str) -> FailureCode | None:
    return code_of_message(message, _SENTENCES) or code_of_line(message)


def _last_try(finished: FinishedProcess) -> LastAttempt | None:
    """Return why Codex was about to ask the model again when it was ended."""
    errors = [_cause(message) for message in _turn(finished.stdout).errors]
    if not errors or (code := _code(errors[-1])) is None:
        return None
    waits = [float(match["wait"]) for line in lines_of(finished.stderr) if (match := _REQUESTS.failed.match(line))]
    return LastAttempt(code, errors[-1], waits[-1] if waits else None)


def _answer(turn: _Turn, ended: EndedProgram, ending: Ending = Ending.COMPLETE) -> Answer:
    tokens = turn.tokens
    usage, unknown = ended.counting_sessions(
        Usage(
            input_tokens=tokens.input_tokens,
            cached_tokens=tokens.cached_input_tokens,
            output_tokens=tokens.output_tokens,
            reasoning_tokens=tokens.reasoning_output_tokens,
        )
    )
    overcome = Faults(overcome=dict.fromkeys(map(_cause, turn.faults.overcome)))
    named = _MODEL.search(ended.finished.stderr)
    return ended.answer(
        turn.text or "",
        session_id=turn.session_id,
        model=named["model"] if named else "",
        usage=usage,
        ending=ending,
        warnings=(*turn.warnings, *overcome.notices(ended.tool), *unknown),
    )


OUTPUT = Output(
    _reply,
    progress=_progress,
    last_attempt=_last_try,
    no_session=re.compile(r"Error: thread/resume: thread/resume failed: no rollout found for "),
    requests=_REQUESTS,
)
