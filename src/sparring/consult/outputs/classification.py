"""Failures of a program: what it tells in its output, what its exit code says, and how that becomes a sentence."""

from collections.abc import Iterable

from sparring.consult.failures import (
    RETRYABLE,
    Asked,
    ForeignText,
    Sentences,
    code_of_message,
    code_of_status,
    failed,
)
from sparring.consult.process import Finished
from sparring.schema.consultation import Failure, FailureCode
from sparring.text.tidying import for_terminal

__all__ = [
    "RETRYABLE",
    "Asked",
    "ForeignText",
    "Sentences",
    "code_of_message",
    "code_of_status",
    "failure",
    "lines_of",
    "without_result",
]


def failure(asked: Asked, code: FailureCode, detail: str, finished: Finished, *, redactions: int = 0) -> Failure:
    """A failure with its detail fit to be shown. ``redactions`` counts what was taken out of ``detail`` before."""
    return failed(asked, code, detail, duration_ms=finished.duration_ms, redactions=redactions)


def without_result(asked: Asked, finished: Finished) -> Failure:
    """The failure of a program that ended and left no result."""
    if finished.exit_code == 0:
        return failure(asked, FailureCode.PARSE, f"{asked.tool} ended without a result.", finished)
    if finished.exit_code is not None and finished.exit_code < 0:
        detail = f"{asked.tool} was ended by signal {-finished.exit_code}."
        return failure(asked, FailureCode.EXIT, detail, finished)
    # Redacted as a whole: one line of a private key does not look like a secret.
    stderr = asked.redactor.redact(for_terminal(finished.stderr))
    said = _most_telling(lines_of(stderr.text))
    detail = f"{asked.tool} ended with exit code {finished.exit_code}" + (f": {said}" if said else ".")
    return failure(asked, FailureCode.EXIT, detail, finished, redactions=stderr.count)


def lines_of(output: str) -> list[str]:
    """The lines of ``output``; not by ``splitlines``, which also splits at U+2028 and the like inside JSON strings."""
    return output.split("\n")


def _most_telling(lines: Iterable[str]) -> str:
    # For people only. Warnings come first and hints on usage last, so a line that says "error" is worth more.
    said = [line.strip() for line in lines if line.strip()]
    errors = (line for line in said if line.lower().startswith("error"))
    return next(errors, said[-1] if said else "")
