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
from sparring.providers.cli.process import OUTPUT_LIMIT, FinishedProcess
from sparring.providers.receiving.causes import Asked, failed
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

    reply: Callable[["EndedProgram"], Reply]
    last_try: Callable[[FinishedProcess], LastTry | None] = lambda _: None
    no_session: re.Pattern[str] | None = None
    is_last: Callable[[str], bool] | None = None
    requests: RequestLog | None = None


def output_of(program: str) -> Output:
    """How the program speaks that has a folder of that name, or any program of the user's own."""
    if program == TEXT:
        return Output(_all_that_is_printed)
    output: Output = import_module(f"{__package__}.{program}.output").OUTPUT
    return output


def _all_that_is_printed(ended: "EndedProgram") -> Reply:
    if ended.finished.exit_code != 0:
        return ended.without_result()
    text = for_terminal(ended.finished.stdout).strip()
    return ended.empty(text) or ended.answer(text, session_id=None)


def parse(program: str, finished: FinishedProcess, asked: Asked) -> Reply:
    """The reply that a finished program gave. Never raises, whatever the output is."""
    output, ended = output_of(program), EndedProgram(asked, finished)
    if finished.timed_out:
        return _timeout(output, ended)
    if finished.overflowed:
        detail = f"{asked.tool} printed more than {OUTPUT_LIMIT // 2**20} MiB and was ended."
        return ended.failure(FailureCode.PARSE, detail)
    try:
        return _lost_session(output, ended) or output.reply(ended)
    except OutputError as error:
        return ended.failure(FailureCode.PARSE, f"{asked.tool} printed {error}.")


def _lost_session(output: Output, ended: "EndedProgram") -> Failure | None:
    wanted, finished = ended.asked.question.session_id, ended.finished
    if wanted is None or output.no_session is None or finished.exit_code == 0 or finished.stdout.strip():
        return None
    if not any(map(output.no_session.match, lines_of(for_terminal(finished.stderr)))):
        return None
    return ended.failure(FailureCode.SESSION_NOT_FOUND, f"{ended.tool} has no session {wanted}.")


def _timeout(output: Output, ended: "EndedProgram") -> Failure:
    late = f"{ended.tool} gave no answer within {ended.asked.question.timeout_s:g} s"
    last = output.last_try(ended.finished)
    if last is None:
        return ended.failure(FailureCode.TIMEOUT, f"{late}.")
    return ended.failure(last.code, f"{late}; its last try failed {last.told}.")


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


@dataclass(frozen=True)
class EndedProgram:
    """A program that was asked, and how it ended: what a reply is made from, fit to be shown."""

    asked: Asked
    finished: FinishedProcess

    @property
    def tool(self) -> str:
        """Its name."""
        return self.asked.tool

    def answer(
        self,
        text: str,
        *,
        session_id: str | None,
        model: str = "",
        usage: Usage | None = None,
        warnings: Iterable[str] = (),
    ) -> Answer:
        """The answer ``text``, with what the program told beside it."""
        question, redactor = self.asked.question, self.asked.redactor
        told = [redactor.redact(for_terminal(warning)) for warning in warnings]
        return Answer(
            tool=self.tool,
            model=one_line(model, DETAIL_LIMIT) or question.model,
            effort=question.effort,
            response=text,
            session_id=session_id,
            continuable=question.keep_session and session_id is not None,
            duration_ms=self.finished.duration_ms,
            usage=usage or Usage(),
            redactions=sum(warning.count for warning in told),
            warnings=tuple(one_line(warning.text, DETAIL_LIMIT) for warning in told),
        )

    def counting_sessions(self, usage: Usage) -> tuple[Usage, tuple[str, ...]]:
        """What one that counts a whole session has used for this answer, and what is to be said of that."""
        if self.asked.question.session_id is None:
            return usage, ()
        unknown = f"{self.tool} counts tokens for the whole session, so those of this answer are not known."
        return Usage(), (unknown,)

    def failure(self, code: FailureCode, detail: str, *, redactions: int = 0) -> Failure:
        """A failure; ``redactions`` counts what was taken out of ``detail`` before."""
        return failed(self.asked, code, detail, duration_ms=self.finished.duration_ms, redactions=redactions)

    def begun_anew(self, session_id: str | None) -> Failure | None:
        """That the session of ``session_id`` is not the one that was to be continued, if one was."""
        wanted = self.asked.question.session_id
        if wanted is None or session_id == wanted:
            return None
        return self.failure(FailureCode.PARSE, f"{self.tool} did not continue session {wanted} but began a new one.")

    def empty(self, text: str | None) -> Failure | None:
        """That ``text`` says nothing, if it does not."""
        if (text or "").strip():
            return None
        return self.failure(FailureCode.EMPTY, f"{self.tool} gave an empty answer.")

    def without_result(self) -> Failure:
        """The failure of a program that ended and left no result."""
        exit_code = self.finished.exit_code
        if exit_code == 0:
            return self.failure(FailureCode.PARSE, f"{self.tool} ended without a result.")
        if exit_code is not None and exit_code < 0:
            return self.failure(FailureCode.EXIT, f"{self.tool} was ended by signal {-exit_code}.")
        # Redacted as a whole: one line of a private key does not look like a secret.
        stderr = self.asked.redactor.redact(for_terminal(self.finished.stderr))
        said = _most_telling(lines_of(stderr.text))
        detail = f"{self.tool} ended with exit code {exit_code}" + (f": {said}" if said else ".")
        return self.failure(FailureCode.EXIT, detail, redactions=stderr.count)


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
