"""How OpenAI, and those compatible with it, say that something went wrong: in a body, or in the middle of a stream."""

import re
from typing import Any

from pydantic import BaseModel

from sparring.consult.api.heard import Fault
from sparring.consult.failures import RETRYABLE, ForeignText, Sentences, code_of_message, code_of_status
from sparring.schema.consultation import FailureCode

_BY_WORD = {
    "authentication_error": FailureCode.AUTH,
    "billing_hard_limit_reached": FailureCode.QUOTA,
    "billing_not_active": FailureCode.QUOTA,
    "content_filter": FailureCode.PERMISSION,
    "content_policy_violation": FailureCode.PERMISSION,
    "context_length_exceeded": FailureCode.CONTEXT_TOO_LONG,
    "insufficient_quota": FailureCode.QUOTA,
    "invalid_api_key": FailureCode.AUTH,
    "model_not_found": FailureCode.NOT_FOUND,
    "permission_error": FailureCode.PERMISSION,
    "rate_limit_exceeded": FailureCode.RATE_LIMIT,
    "server_error": FailureCode.OVERLOADED,
    "server_is_overloaded": FailureCode.OVERLOADED,
    "slow_down": FailureCode.RATE_LIMIT,
}
# What servers write that tell no more than status 400.
_SENTENCES: Sentences = {
    re.compile(r"This model's maximum context length is "): FailureCode.CONTEXT_TOO_LONG,  # vLLM
    re.compile(r"This endpoint's maximum context length is "): FailureCode.CONTEXT_TOO_LONG,  # OpenRouter
    re.compile(
        r"Trying to keep the first \d+ tokens when context the overflows"
    ): FailureCode.CONTEXT_TOO_LONG,  # LM Studio
}


class _Error(BaseModel):
    message: ForeignText | None = None
    type: str | None = None
    code: str | int | None = None


def fault(error: Any, status: int | None = None) -> Fault:
    """The fault that ``error`` describes, with the ``status`` that it came with; None in the middle of a stream.

    Raises:
        ValueError: It describes nothing.
    """
    told = _Error(message=error) if isinstance(error, str) else _Error.model_validate(error)
    own_status = told.code if isinstance(told.code, int) else status
    candidates = (
        _BY_WORD.get(str(told.code)),
        _BY_WORD.get(told.type or ""),
        code_of_message(told.message or "", _SENTENCES),
        code_of_status(own_status) if own_status is not None else None,
    )
    code = next((code for code in candidates if code is not None), FailureCode.EXIT)
    return Fault(code, told.message or "", told=True, again=code in RETRYABLE)
