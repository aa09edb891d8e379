"""What a program's output says: an answer, or a failure with its code. Pure functions of how the program ended."""

from collections.abc import Callable

from sparring.providers.failures import Asked, failure
from sparring.providers.outputs.claude import parse_claude
from sparring.providers.outputs.codex import parse_codex
from sparring.providers.outputs.copilot import LastTry, last_try, parse_copilot
from sparring.providers.outputs.gemini import parse_gemini
from sparring.providers.outputs.opencode import asks_without_end, parse_opencode
from sparring.providers.process import OUTPUT_LIMIT, Finished
from sparring.schema.consultation import Failure, FailureCode, Reply
from sparring.schema.providers import OutputKind

__all__ = ["Asked", "last_line", "parse"]

_PARSERS: dict[OutputKind, Callable[[Finished, Asked], Reply]] = {
    OutputKind.CLAUDE: parse_claude,
    OutputKind.CODEX: parse_codex,
    OutputKind.COPILOT: parse_copilot,
    OutputKind.GEMINI: parse_gemini,
    OutputKind.OPENCODE: parse_opencode,
}

_LAST_TRY: dict[OutputKind, Callable[[str], LastTry | None]] = {OutputKind.COPILOT: last_try}
"""Programs that tell of each try; when time runs out between two, the last one says more than that it did."""


_LAST_LINE: dict[OutputKind, Callable[[str], bool]] = {OutputKind.OPENCODE: asks_without_end}
"""Lines after which a program does nothing more that is wanted, but goes on."""


def last_line(kind: OutputKind) -> Callable[[str], bool] | None:
    """What tells a line of output after which the program should be ended; None when it ends by itself."""
    return _LAST_LINE.get(kind)


def parse(kind: OutputKind, finished: Finished, asked: Asked) -> Reply:
    """The reply that a finished program gave. Never raises, whatever the output is."""
    if finished.timed_out:
        return _timeout(kind, finished, asked)
    if finished.overflowed:
        detail = f"{asked.tool} printed more than {OUTPUT_LIMIT // 2**20} MiB and was ended."
        return failure(asked, FailureCode.PARSE, detail, finished)
    return _PARSERS[kind](finished, asked)


def _timeout(kind: OutputKind, finished: Finished, asked: Asked) -> Failure:
    late = f"{asked.tool} gave no answer within {asked.question.timeout_s:g} s"
    last = _LAST_TRY[kind](finished.stdout) if kind in _LAST_TRY else None
    if last is None:
        return failure(asked, FailureCode.TIMEOUT, f"{late}.", finished)
    return failure(asked, last.code, f"{late}; its last try failed {last.told}.", finished)
