"""Google's generateContent API."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from sparring.providers.api.protocol import Api, ApiFault, ApiHeard, Event, Json, Stop, count
from sparring.providers.failures import (
    GOOGLE_REASONS,
    GOOGLE_SENTENCES,
    GOOGLE_STATUSES,
    RETRYABLE,
    ForeignText,
    code_of_message,
    code_of_status,
    first_code,
)
from sparring.schema.consultation import FailureCode, Question, Usage

_STOPS = {
    "MAX_TOKENS": Stop.CUT,
    **dict.fromkeys(
        ("BLOCKLIST", "LANGUAGE", "OTHER", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII"), Stop.WITHHELD
    ),
}
_DAILY = "PerDay"
"""In the id of a quota, e.g. GenerateRequestsPerDayPerProjectPerModel-FreeTier."""


class _Part(BaseModel):
    text: str = ""
    thought: bool = False


class _Content(BaseModel):
    parts: tuple[_Part, ...] = ()


class _Candidate(BaseModel):
    index: int = 0
    content: _Content = _Content()
    finish_reason: str | None = Field(default=None, alias="finishReason")


class _Feedback(BaseModel):
    block_reason: str | None = Field(default=None, alias="blockReason")


class _Chunk(BaseModel):
    candidates: tuple[_Candidate, ...] = ()
    feedback: _Feedback = Field(default=_Feedback(), alias="promptFeedback")
    usage: dict[str, Any] = Field(default={}, alias="usageMetadata")
    model: str | None = Field(default=None, alias="modelVersion")
    error: Any = None


class _Violation(BaseModel):
    quota: str = Field(default="", alias="quotaId")


class _Detail(BaseModel):
    reason: str = ""
    violations: tuple[_Violation, ...] = ()
    delay: str = Field(default="", alias="retryDelay", pattern=r"^([0-9]+(\.[0-9]+)?s)?$")


class _Error(BaseModel):
    code: int | None = None
    status: str = ""
    message: ForeignText = ""
    details: tuple[_Detail, ...] = ()


class _Gemini:
    key_header = "x-goog-api-key"
    headers: Mapping[str, str] = {}

    def path(self, model: str) -> str:
        return f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:streamGenerateContent?alt=sse"

    def body(self, question: Question, model: str) -> Json:
        del model
        return {"contents": [{"role": "user", "parts": [{"text": question.prompt}]}]}

    def hear(self, event: Event, heard: ApiHeard) -> None:
        chunk = _Chunk.model_validate(json.loads(event.data))
        if chunk.error is not None:
            heard.fail(self.fault(chunk.error, None))
            return
        heard.model = chunk.model or heard.model
        heard.usage |= chunk.usage
        if chunk.feedback.block_reason:
            heard.stop, heard.reason, heard.complete = Stop.WITHHELD, chunk.feedback.block_reason, True
        for candidate in chunk.candidates:
            if candidate.index == 0:
                self._hear_candidate(candidate, heard)

    @staticmethod
    def _hear_candidate(candidate: _Candidate, heard: ApiHeard) -> None:
        heard.texts += (part.text for part in candidate.content.parts if not part.thought)
        if candidate.finish_reason:
            heard.stopped(candidate.finish_reason, _STOPS)
            heard.complete = True  # there is no other mark of the end

    def fault(self, error: Any, status: int | None) -> ApiFault:
        told = _Error.model_validate(error)
        number = told.code if told.code is not None else status
        by_reason = (GOOGLE_REASONS.get(detail.reason) for detail in told.details)
        used_up = any(_DAILY in violation.quota for detail in told.details for violation in detail.violations)
        candidates = (
            *by_reason,
            FailureCode.QUOTA if used_up else None,
            GOOGLE_STATUSES.get(told.status),
            code_of_message(told.message, GOOGLE_SENTENCES),
            code_of_status(number) if number is not None else None,
        )
        code = first_code(candidates)
        delays = (float(detail.delay[:-1]) for detail in told.details if detail.delay)
        return ApiFault(code, told.message, told=True, again=code in RETRYABLE, told_s=next(delays, None))

    def usage(self, told: Mapping[str, Any]) -> Usage:
        said, thought = count(told.get("candidatesTokenCount")), count(told.get("thoughtsTokenCount"))
        return Usage(
            input_tokens=count(told.get("promptTokenCount")),
            cached_tokens=count(told.get("cachedContentTokenCount")),
            # Thoughts are counted beside what was said; we count them as part of it.
            output_tokens=None if said is None and thought is None else (said or 0) + (thought or 0),
            reasoning_tokens=thought,
        )


GEMINI: Api = _Gemini()
"""``POST /v1beta/models/MODEL:streamGenerateContent?alt=sse``."""
