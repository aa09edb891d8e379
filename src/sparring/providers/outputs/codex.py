"""Codex CLI, ``exec --json``: one event per line on standard output."""

import json
import re
from typing import Any

from pydantic import BaseModel, Field

from sparring.providers.failures import (
    Asked,
    ForeignText,
    Sentences,
    code_of_message,
    failure,
    lines_of,
    without_result,
)
from sparring.providers.process import Finished
from sparring.schema.base import SessionId
from sparring.schema.consultation import DETAIL_LIMIT, Answer, FailureCode, Reply, Usage
from sparring.text.tidying import for_terminal, one_line

# The failure of a turn is told in words only. These are how Codex's own messages begin (0.169.0); what an endpoint
# said comes after them, or not at all.
_SENTENCES: Sentences = {
    re.compile(r"unexpected status (?P<status>\d{3})\b"): None,
    re.compile(r"exceeded retry limit, last status: (?P<status>\d{3})\b"): None,
    re.compile(r"stream disconnected before completion\b"): FailureCode.CONNECTION,
    re.compile(r"Connection failed\b"): FailureCode.CONNECTION,
    re.compile(r"Codex ran out of room in the model's context window\b"): FailureCode.CONTEXT_TOO_LONG,
    re.compile(r"We’re currently experiencing high demand\b"): FailureCode.OVERLOADED,
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
    usage: _Tokens | None = None
    error: _Error | None = None


class _Turn(BaseModel):
    """What the events of one run add up to."""

    session_id: SessionId | None = None
    text: str | None = None
    warnings: tuple[str, ...] = ()
    failed: str | None = None
    completed: _Tokens | None = None


def parse_codex(finished: Finished, asked: Asked) -> Reply:
    """The answer, or why there is none. Only a completed turn counts, whatever the exit code."""
    try:
        turn = _turn(finished.stdout)
    except ValueError:  # pydantic's is one of them
        detail = f"{asked.tool} printed an event that cannot be understood."
        return failure(asked, FailureCode.PARSE, detail, finished)
    if turn.failed is not None:
        code = code_of_message(turn.failed, _SENTENCES) or FailureCode.EXIT
        return failure(asked, code, turn.failed, finished)
    if turn.completed is None or finished.exit_code != 0:
        return without_result(asked, finished)
    wanted = asked.question.session_id
    if wanted is not None and turn.session_id != wanted:
        detail = f"{asked.tool} did not continue session {wanted} but began a new one."
        return failure(asked, FailureCode.PARSE, detail, finished)
    if not (turn.text or "").strip():
        return failure(asked, FailureCode.EMPTY, f"{asked.tool} gave an empty answer.", finished)
    return _answer(turn, turn.completed, finished, asked)


def _turn(stdout: str) -> _Turn:
    found: dict[str, Any] = {}
    warnings: dict[str, None] = {}  # in order, each once
    for line in lines_of(stdout):
        if not line.startswith("{"):
            continue  # noise around the events; a broken event is no noise
        try:
            event = _Event.model_validate(json.loads(line))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
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


def _answer(turn: _Turn, tokens: _Tokens, finished: Finished, asked: Asked) -> Answer:
    question = asked.question
    told = [asked.redactor.redact(for_terminal(warning)) for warning in turn.warnings]
    warnings, usage = tuple(one_line(warning.text, DETAIL_LIMIT) for warning in told), Usage()
    if question.session_id is None:
        usage = Usage(
            input_tokens=tokens.input_tokens,
            cached_tokens=tokens.cached_input_tokens,
            output_tokens=tokens.output_tokens,
            reasoning_tokens=tokens.reasoning_output_tokens,
        )
    else:
        warnings += (f"{asked.tool} counts tokens for the whole session, so those of this answer are not known.",)
        if not question.keep_session:  # `exec resume --ephemeral` is accepted but writes all the same (0.169.0)
            warnings += (f"{asked.tool} adds to a session that it continues, whether that was wanted or not.",)
    return Answer(
        tool=asked.tool,
        model=question.model,
        effort=question.effort,
        response=turn.text or "",
        session_id=turn.session_id,
        continuable=question.keep_session and turn.session_id is not None,
        duration_ms=finished.duration_ms,
        usage=usage,
        redactions=sum(warning.count for warning in told),
        warnings=warnings,
    )
