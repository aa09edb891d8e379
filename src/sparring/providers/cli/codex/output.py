"""Codex CLI, ``exec --json``: one event per line on standard output."""

import re
from typing import Any

from pydantic import BaseModel, Field

from sparring.providers.cli.output import EndedProgram, Output, events_of
from sparring.providers.receiving.causes import ForeignText, Sentences, Untold, code_of_message
from sparring.schema.base import SessionId
from sparring.schema.consultation import Answer, FailureCode, Reply, Usage

# The failure of a turn is told in words only. These are how Codex's own messages begin (0.169.0); what an endpoint
# said comes after them, or not at all.
_SENTENCES: Sentences = {
    re.compile(r"unexpected status (?P<status>\d{3})\b"): None,
    re.compile(r"exceeded retry limit, last status: (?P<status>\d{3})\b"): None,
    re.compile(
        r"(stream disconnected before completion: )?Incomplete response returned, reason: content_filter\b"
    ): FailureCode.PERMISSION,
    re.compile(r"stream disconnected before completion\b"): FailureCode.CONNECTION,
    re.compile(r"Connection failed\b"): FailureCode.CONNECTION,
    re.compile(r"Codex ran out of room in the model's context window\b"): FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"We’re currently experiencing high demand\b"): FailureCode.SERVER_ERROR,  # a status 500
    re.compile(r"Selected model is at capacity\b"): FailureCode.OVERLOADED,
    re.compile(r"The model `[^`\n]{1,200}` does not exist or you do not have access to it\b"): FailureCode.NOT_FOUND,
    re.compile(r"Quota exceeded\b"): FailureCode.QUOTA,
    re.compile(r"You’ve hit your usage limit\b"): FailureCode.QUOTA,
    re.compile(r"To use Codex with your ChatGPT plan\b"): FailureCode.QUOTA,
    re.compile(r"Your access token could not be refreshed\b"): FailureCode.AUTH,
}


class _Item(BaseModel):
    type: str
    text: ForeignText = ""
    message: str = ""


class _Tokens(BaseModel):
    input_tokens: int | None = Field(default=None, ge=0)
    cached_input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    reasoning_output_tokens: int | None = Field(default=None, ge=0)


class _Error(BaseModel):
    message: str = ""


class _Event(BaseModel):
    type: str
    thread_id: SessionId | None = None
    item: _Item | None = None
    usage: Untold[_Tokens] = None
    error: _Error | None = None


class _Turn(BaseModel):
    """What the events of one run add up to."""

    session_id: SessionId | None = None
    text: str | None = None
    warnings: tuple[str, ...] = ()
    failed: str | None = None
    completed: _Tokens | None = None


def _reply(ended: EndedProgram) -> Reply:
    """The answer, or why there is none. Only a completed turn counts, whatever the exit code."""
    turn = _turn(ended.finished.stdout)
    if turn.failed is not None:
        code = code_of_message(turn.failed, _SENTENCES) or FailureCode.EXIT
        return ended.failure(code, turn.failed)
    if turn.completed is None or ended.finished.exit_code != 0:
        return ended.without_result()
    return ended.begun_anew(turn.session_id) or ended.empty(turn.text) or _answer(turn, turn.completed, ended)


def _turn(stdout: str) -> _Turn:
    found: dict[str, Any] = {}
    warnings: dict[str, None] = {}  # in order, each once
    for event in events_of(stdout, _Event):
        match event.type, event.item:
            case "thread.started", _:
                found["session_id"] = event.thread_id
            case "item.completed", _Item(type="agent_message", text=text):
                found["text"] = text  # of several, the last is the answer
            case "item.completed", _Item(type="error", message=message):
                warnings[message] = None
            case "turn.completed", _:
                found["completed"] = event.usage or _Tokens()
            case "turn.failed", _:
                found["failed"] = event.error.message if event.error else ""
            case _:
                pass  # top-level errors only announce another try, or the turn's failure
    return _Turn(warnings=tuple(warnings), **found)


def _answer(turn: _Turn, tokens: _Tokens, ended: EndedProgram) -> Answer:
    usage, unknown = ended.counting_sessions(
        Usage(
            input_tokens=tokens.input_tokens,
            cached_tokens=tokens.cached_input_tokens,
            output_tokens=tokens.output_tokens,
            reasoning_tokens=tokens.reasoning_output_tokens,
        )
    )
    warnings = turn.warnings + unknown
    return ended.answer(turn.text or "", session_id=turn.session_id, usage=usage, warnings=warnings)


OUTPUT = Output(_reply, no_session=re.compile(r"Error: thread/resume: thread/resume failed: no rollout found for "))
