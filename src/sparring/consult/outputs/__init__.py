"""What a program's output says: an answer, or a failure with its code. Pure functions of how the program ended."""

from collections.abc import Callable

from sparring.consult.outputs.classification import Asked, failure
from sparring.consult.outputs.claude import parse_claude
from sparring.consult.outputs.codex import parse_codex
from sparring.consult.process import OUTPUT_LIMIT, Finished
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.providers import OutputKind

__all__ = ["Asked", "parse"]

_PARSERS: dict[OutputKind, Callable[[Finished, Asked], Reply]] = {
    OutputKind.CLAUDE: parse_claude,
    OutputKind.CODEX: parse_codex,
}


def parse(kind: OutputKind, finished: Finished, asked: Asked) -> Reply:
    """The reply that a finished program gave. Never raises, whatever the output is."""
    if finished.timed_out:
        detail = f"{asked.tool} gave no answer within {asked.question.timeout_s:g} s."
        return failure(asked, FailureCode.TIMEOUT, detail, finished)
    if finished.overflowed:
        detail = f"{asked.tool} printed more than {OUTPUT_LIMIT // 2**20} MiB and was ended."
        return failure(asked, FailureCode.PARSE, detail, finished)
    return _PARSERS[kind](finished, asked)
