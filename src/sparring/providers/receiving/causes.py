"""Failures by what a provider tells in structured fields, and for people a sentence about them.

A code is never decided by searching for words: a prompt or an answer may hold any. It comes from a status, a type, or
the beginning of a sentence that the provider itself is known to write where no text of a prompt can stand.
"""

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import AfterValidator, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from sparring.schema.consultation import DETAIL_LIMIT, Failure, FailureCode, Question
from sparring.text.redaction import Redactor
from sparring.text.tidying import for_terminal, one_line

RETRYABLE = frozenset(
    {
        FailureCode.RATE_LIMIT,
        FailureCode.OVERLOADED,
        FailureCode.SERVER_ERROR,
        FailureCode.CONNECTION,
    }
)
"""Failures that pass: nothing was said yet, and the same may be answered in a moment. Any other one is final."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_BY_STATUS = {
    401: FailureCode.AUTH,
    402: FailureCode.QUOTA,
    403: FailureCode.PERMISSION,
    404: FailureCode.NOT_FOUND,  # of the model; a program that is missing never gets as far as a status
    408: FailureCode.TIMEOUT,
    413: FailureCode.CONTEXT_TOO_LONG,
    429: FailureCode.RATE_LIMIT,
    503: FailureCode.OVERLOADED,
    529: FailureCode.OVERLOADED,
}


@dataclass(frozen=True)
class Asked:
    """Who was asked what: the part of a reply that is not in the output.

    Attributes:
        redactor: Must see a text before it is cut, since half a secret is no longer recognised.
    """

    tool: str
    question: Question
    redactor: Redactor


ForeignText = Annotated[str, AfterValidator(lambda text: _LONE_SURROGATE.sub("\ufffd", text))]
"""Text from JSON, where half of a surrogate pair may stand; no record and no file can hold one."""


def joined(texts: Iterable[str]) -> str:
    """One text of pieces: JSON may have cut a character in two, into halves that no file can hold alone."""
    return "".join(texts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _untold_if_odd(told: object, understand: ValidatorFunctionWrapHandler) -> object:
    try:
        return understand(told)
    except ValidationError:
        return None


_T = TypeVar("_T")
Untold = Annotated[_T | None, WrapValidator(_untold_if_odd)]
"""What is told beside an answer, such as what it took. What cannot be understood of it is no reason to lose the answer.

OpenCode, for one, tells of less than no tokens where an endpoint counts what came from the cache beside the rest.
"""

Cost = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""In dollars."""

Sentences = Mapping[re.Pattern[str], FailureCode | None]
"""Beginnings of messages; None where the group ``status`` holds an HTTP status that decides."""


def code_of_status(status: int | None) -> FailureCode | None:
    """What an HTTP status says about a failure; None when it says nothing in particular, or there is none."""
    if status is None:
        return None
    return _BY_STATUS.get(status, FailureCode.SERVER_ERROR if status >= 500 else None)


def code_of_message(message: str, sentences: Sentences) -> FailureCode | None:
    """The code of the first sentence that ``message`` begins with."""
    for pattern, code in sentences.items():
        if match := pattern.match(message):
            return code_of_status(int(match["status"])) if code is None else code
    return None


def first_code(candidates: Iterable[FailureCode | None]) -> FailureCode:
    """The first code that something told."""
    return next((code for code in candidates if code is not None), FailureCode.EXIT)


def elapsed_ms(began: float) -> int:
    """Milliseconds since ``began``, a moment of ``time.monotonic``."""
    return round((time.monotonic() - began) * 1000)


def failed(asked: Asked, code: FailureCode, detail: str, *, duration_ms: int = 0, redactions: int = 0) -> Failure:
    """A failure with its detail fit to be shown. ``redactions`` counts what was taken out of ``detail`` before."""
    shown = asked.redactor.redact(for_terminal(detail))
    return Failure(
        tool=asked.tool,
        code=code,
        detail=one_line(shown.text, DETAIL_LIMIT) or f"{asked.tool} gave no reason.",
        retryable=code in RETRYABLE,
        duration_ms=duration_ms,
        redactions=redactions + shown.count,
    )


# What Google's API says when it fails, whether we ask it or Gemini CLI does and passes it on.
GOOGLE_REASONS = {
    "API_KEY_INVALID": FailureCode.AUTH,  # with status 400
    "API_KEY_SERVICE_BLOCKED": FailureCode.PERMISSION,
    "CREDENTIALS_MISSING": FailureCode.AUTH,
}
GOOGLE_STATUSES = {
    "DEADLINE_EXCEEDED": FailureCode.TIMEOUT,
    "INTERNAL": FailureCode.SERVER_ERROR,
    "NOT_FOUND": FailureCode.NOT_FOUND,
    "PERMISSION_DENIED": FailureCode.PERMISSION,
    "RESOURCE_EXHAUSTED": FailureCode.RATE_LIMIT,
    "UNAUTHENTICATED": FailureCode.AUTH,
    "UNAVAILABLE": FailureCode.OVERLOADED,
}
GOOGLE_SENTENCES: Sentences = {re.compile(r"The input token count "): FailureCode.CONTEXT_TOO_LONG}
"""Of status INVALID_ARGUMENT (400), which says nothing."""
