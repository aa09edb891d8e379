"""What a program's output says: an answer, or a failure with its code. Pure functions of how the program ended.

Each program has a module of this name in its own folder, whose ``OUTPUT`` reads what it prints. Here is what these
share.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from pydantic import BaseModel

from sparring.errors import OutputError
from sparring.providers.cli.process import OUTPUT_LIMIT, Finished
from sparring.providers.failures import Asked, failed
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Failure, FailureCode, Reply, Usage
from sparring.schema.providers import TEXT
from sparring.text.tidying import for_terminal, one_line


@dataclass(frozen=True)
class LastTry:
    """How the last request to the model failed.

    Attributes:
        told: The same for people.
    """

    code: FailureCode
    told: str


@dataclass(frozen=True)
class RequestLog:
    """How a program tells of its requests to the model, by lines of its standard error, while it works.

    One that waits for long before it puts a request again is ended: we know better when to ask again, and whom else.

    Attributes:
        put: How the line begins of a request that it puts, the first time or again.
        failed: How that of one begins that failed.
        patience_s: How long it may wait in between.
    """

    put: re.Pattern[str]
    failed: re.Pattern[str]
    patience_s: float


@dataclass(frozen=True)
class Output:
    """How one program speaks.

    Attributes:
        reply: The reply of a program that ended by itself; may raise ``OutputError`` for what cannot be understood.
        last_try: For a program that tells of each try: what it says of the last one. When time runs out between two,
            that says more than that it did.
        no_session: How the line of standard error begins by which it ends when it does not know the session that was to
            be continued. No prompt stands there.
        is_last: Tells a line after which the program does nothing more that is wanted, but goes on; None when it ends
            by itself.
        requests: For a program that waits for as long as an endpoint tells it to; None when it does not.
    """

    reply: Callable[[Finished, Asked], Reply]
    last_try: Callable[[Finished], LastTry | None] = lambda _: None
    no_session: re.Pattern[str] | None = None
    is_last: Callable[[str], bool] | None = None
    requests: RequestLog | None = None


def output_of(program: str) -> Output:
    """How the program speaks that has a folder of that name, or any program of the user's own."""
    if program == TEXT:
        return Output(_all_that_is_printed)
    output: Output = import_module(f"{__package__}.{program}.output").OUTPUT
    return output


def _all_that_is_printed(finished: Finished, asked: Asked) -> Reply:
    if finished.exit_code != 0:
        return without_result(asked, finished)
    text = for_terminal(finished.stdout).strip()
    return empty(asked, finished, text) or answer(asked, finished, text, session_id=None)


def parse(program: str, finished: Finished, asked: Asked) -> Reply:
    """The reply that a finished program gave. Never raises, whatever the output is."""
    output = output_of(program)
    if finished.timed_out:
        return _timeout(output, finished, asked)
    if finished.overflowed:
        detail = f"{asked.tool} printed more than {OUTPUT_LIMIT // 2**20} MiB and was ended."
        return failure(asked, FailureCode.PARSE, detail, finished)
    try:
        return _lost_session(output, finished, asked) or output.reply(finished, asked)
    except OutputError as error:
        return failure(asked, FailureCode.PARSE, f"{asked.tool} printed {error}.", finished)


def _lost_session(output: Output, finished: Finished, asked: Asked) -> Failure | None:
    wanted = asked.question.session_id
    if wanted is None or output.no_session is None or finished.exit_code == 0 or finished.stdout.strip():
        return None
    if not any(map(output.no_session.match, lines_of(for_terminal(finished.stderr)))):
        return None
    return failure(asked, FailureCode.SESSION_NOT_FOUND, f"{asked.tool} has no session {wanted}.", finished)


def _timeout(output: Output, finished: Finished, asked: Asked) -> Failure:
    late = f"{asked.tool} gave no answer within {asked.question.timeout_s:g} s"
    last = output.last_try(finished)
    if last is None:
        return failure(asked, FailureCode.TIMEOUT, f"{late}.", finished)
    return failure(asked, last.code, f"{late}; its last try failed {last.told}.", finished)


_EventT = TypeVar("_EventT", bound=BaseModel)


def events_of(stdout: str, kind: type[_EventT], *, only: Collection[str] = ()) -> list[_EventT]:
    """The events that ``stdout`` tells, one a line, among noise; with ``only`` those of these types.

    Raises:
        OutputError: An event is broken, which is no noise, or broken off.
    """
    found: list[_EventT] = []
    lines = lines_of(stdout)
    for number, line in enumerate(lines, start=1):
        if not line.startswith("{"):
            continue
        try:
            # Not by pydantic's own JSON reader: it refuses half of a surrogate pair.
            event: dict[str, Any] = json.loads(line)
            if not only or event.get("type") in only:
                found.append(kind.model_validate(event))
        except (ValueError, RecursionError) as error:  # pydantic's is one of them
            is_torn = number == len(lines) and isinstance(error, json.JSONDecodeError)
            raise OutputError(
                "half an event and no more" if is_torn else "an event that cannot be understood"
            ) from error
    return found


def answer(
    asked: Asked,
    finished: Finished,
    text: str,
    *,
    session_id: str | None,
    model: str = "",
    usage: Usage | None = None,
    warnings: Iterable[str] = (),
) -> Answer:
    """The answer ``text``, with what the program told beside it, fit to be shown."""
    question = asked.question
    told = [asked.redactor.redact(for_terminal(warning)) for warning in warnings]
    return Answer(
        tool=asked.tool,
        model=one_line(model, DETAIL_LIMIT) or question.model,
        effort=question.effort,
        response=text,
        session_id=session_id,
        continuable=question.keep_session and session_id is not None,
        duration_ms=finished.duration_ms,
        usage=usage or Usage(),
        redactions=sum(warning.count for warning in told),
        warnings=tuple(one_line(warning.text, DETAIL_LIMIT) for warning in told),
    )


def failure(asked: Asked, code: FailureCode, detail: str, finished: Finished, *, redactions: int = 0) -> Failure:
    """A failure with its detail fit to be shown. ``redactions`` counts what was taken out of ``detail`` before."""
    return failed(asked, code, detail, duration_ms=finished.duration_ms, redactions=redactions)


def begun_anew(asked: Asked, finished: Finished, session_id: str | None) -> Failure | None:
    """That the session of ``session_id`` is not the one that was to be continued, if one was."""
    wanted = asked.question.session_id
    if wanted is None or session_id == wanted:
        return None
    detail = f"{asked.tool} did not continue session {wanted} but began a new one."
    return failure(asked, FailureCode.PARSE, detail, finished)


def empty(asked: Asked, finished: Finished, text: str | None) -> Failure | None:
    """That ``text`` says nothing, if it does not."""
    if (text or "").strip():
        return None
    return failure(asked, FailureCode.EMPTY, f"{asked.tool} gave an empty answer.", finished)


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


def total(counts: Iterable[int | None]) -> int | None:
    """The sum of those numbers that are told; None when none is."""
    told = [count for count in counts if count is not None]
    return sum(told) if told else None
