"""A consultant that replies from a JSON file: for tests, demonstrations and dry runs.

```json
{"replies": [
  {"match": {"role": "proposer", "round": 1}, "response": "Yes, because …", "delay_s": 0.5},
  {"match": {"role": "challenger"}, "failure": {"code": "timeout", "detail": "No answer within 240 s."}},
  {"response": "The default answer."}
]}
```

The first reply that matches is the answer, regardless of earlier questions, so that a resumed run gets the same.
"""

from functools import cached_property
from pathlib import Path
from typing import Self

import anyio
from pydantic import Field, ValidationError, model_validator

from sparring.errors import ProviderSpecError
from sparring.schema.base import ModelName, Record, Role, SessionId
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Brief, Failure, FailureCode, Question, Reply, Usage
from sparring.schema.faults import describe_fault

SCRIPT_LIMIT = 64 * 1024 * 1024
"""Most bytes of a script; room for a long debate of 1 MiB answers."""


class _Match(Record):
    """Condition for a reply to a brief; a field that is left out fits any."""

    name: str | None = None
    role: Role | None = None
    round: int | None = None
    step: str | None = None
    attempt: int | None = None

    def fits(self, brief: Brief) -> bool:
        return all(getattr(brief, name) == value for name, value in self._wanted)

    @cached_property
    def _wanted(self) -> tuple[tuple[str, object], ...]:
        return tuple((name, value) for name, value in self if value is not None)


class _ScriptedFailure(Record):
    code: FailureCode
    detail: str = Field(min_length=1, max_length=DETAIL_LIMIT)
    retryable: bool = False


class _ScriptedReply(Record):
    match: _Match = _Match()
    response: str | None = Field(default=None, min_length=1)
    failure: _ScriptedFailure | None = None
    delay_s: float = Field(default=0.0, ge=0)
    model: ModelName | None = None
    usage: Usage = Usage()
    session_id: SessionId | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.response is None) == (self.failure is None):
            raise ValueError("a reply has either a response or a failure")
        return self


class _Script(Record):
    replies: tuple[_ScriptedReply, ...]


class ScriptedConsultant:
    """Answers from a script, under the name of ``tool``.

    Raises:
        ProviderSpecError: The script cannot be read or is malformed.
    """

    def __init__(self, script: Path, *, tool: str) -> None:
        self._tool = tool
        self._replies = _read_script(script).replies

    async def ask(self, question: Question) -> Reply:
        """The first reply of the script that fits the question's brief, after its delay."""
        brief = question.brief
        reply = next((reply for reply in self._replies if reply.match.fits(brief)), None)
        if reply is None:
            detail = f"The script has no reply for {brief.role}, round {brief.round}, {brief.step}."
            return self._failure(FailureCode.EMPTY, detail[:DETAIL_LIMIT])
        if reply.delay_s > question.timeout_s:
            await anyio.sleep(question.timeout_s)
            return self._failure(FailureCode.TIMEOUT, f"No answer within {question.timeout_s:g} s.")
        await anyio.sleep(reply.delay_s)
        return self._reply(reply, question)

    def _reply(self, reply: _ScriptedReply, question: Question) -> Reply:
        if reply.failure is not None:
            return self._failure(reply.failure.code, reply.failure.detail, retryable=reply.failure.retryable)
        return Answer(
            tool=self._tool,
            model=reply.model or question.model,
            effort=question.effort,
            response=reply.response or "",
            session_id=reply.session_id,
            continuable=question.keep_session and reply.session_id is not None,
            duration_ms=round(reply.delay_s * 1000),
            usage=reply.usage,
        )

    def _failure(self, code: FailureCode, detail: str, *, retryable: bool = False) -> Failure:
        return Failure(tool=self._tool, code=code, detail=detail, retryable=retryable)


def _read_script(script: Path) -> _Script:
    try:
        with script.open("rb") as stream:
            source = stream.read(SCRIPT_LIMIT + 1)
        if len(source) > SCRIPT_LIMIT:
            raise ProviderSpecError(f"script {script}: is larger than {SCRIPT_LIMIT} bytes")
        return _Script.model_validate_json(source)
    except OSError as error:
        raise ProviderSpecError(f"script {script}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise ProviderSpecError(f"script {script}: {describe_fault(fault, place)}") from error
