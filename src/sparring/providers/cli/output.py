"""Replies of programs: an answer, or a failure with its code. Pure functions of how a program ended.

``receiving.framing`` finds the events in the output. The module of this name in a program's own folder reads
its events, as ``OUTPUT``. This module has their shared code.

An answer is lost only when its text or its end is missing. A program that printed both has answered, with any ending.
"""

import math
import re
from collections.abc import Callable, Iterable
from enum import Enum, auto
from importlib import import_module
from typing import cast

from msgspec import Struct, field

from sparring.processes.children import OUTPUT_LIMIT, FinishedProcess
from sparring.providers.receiving.causes import AskedQuestion, failed, first_words
from sparring.providers.receiving.framing import Json, TornEvent, objects_in
from sparring.providers.receiving.printed import cause_printed, code_of
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Ending, Failure, FailureCode, Reply, Usage
from sparring.schema.providers import TEXT
from sparring.text.extraction import find_json, remainder
from sparring.text.tidying import for_terminal, one_line


class ProgramStage(Enum):
    """The progress of a program by one of its events.

    OVER: the answer, or the failure, is complete. GOES_ON: another step has begun. HOPELESS: no answer will come.
    """

    OVER = auto()
    CONTINUES = auto()
    HOPELESS = auto()


class LastAttempt(Struct, frozen=True):
    """The failure of the last request to the model.

    Attributes:
        code: Its kind.
        detail: The same for people.
        wait_s: Seconds until the program asks again, where it announces that.
    """

    code: FailureCode
    detail: str
    wait_s: float | None = None


class RequestLog(Struct, frozen=True):
    """Lines of its standard error by which a program reports its requests to the model while it works.

    A program that waits for too long before it asks again is ended: the caller knows better when to ask again, and
    which tool.

    Attributes:
        failed: Beginning of the line for a failed request. Its group ``wait``, if it has one, is the announced wait
            in seconds, which may exceed the remaining time.
        put: Beginning of the line for a request that is sent, for the first time or again; for a program that announces
            no waits.
        max_wait_s: Longest wait of such a program, in seconds.
    """

    failed: re.Pattern[str]
    put: re.Pattern[str] | None = None
    max_wait_s: float = math.inf


class Output(Struct, frozen=True):
    """The output format of one program.

    Attributes:
        reply: Returns the reply of a program that has ended.
        progress: Returns the progress that an event reports, None for most events. None for a program
            that prints no events.
        last_attempt: For a program that reports each try: the last one that failed.
        no_session: Beginning of the line of standard error which reports that the session to continue does not exist.
        requests: For a program that waits as long as an endpoint demands; None for any other.
        encoded: Returns the bytes of its standard input for a prompt; most programs read the prompt unchanged.
    """

    reply: Callable[["EndedProgram"], Reply]
    progress: Callable[[Json], ProgramStage | None] | None = None
    last_attempt: Callable[[FinishedProcess], LastAttempt | None] = lambda _: None
    no_session: re.Pattern[str] | None = None
    requests: RequestLog | None = None
    encoded: Callable[[str], str] = str


def output_of(program: str) -> Output:
    """Return the output format of the program whose folder has that name, or of a program that prints text."""
    if program == TEXT:
        return Output(_whole_output)
    output: Output = import_module(f"{__package__}.{program}.output").OUTPUT
    return output


def _whole_output(ended: "EndedProgram") -> Reply:
    if ended.finished.exit_code != 0:
        return ended.without_result()
    text = for_terminal(ended.finished.stdout.removeprefix("\ufeff")).strip()
    return ended.empty(text) or ended.answer(text, session_id=None)


def parse(program: str, finished: FinishedProcess, asked: AskedQuestion) -> Reply:
    """Return the reply of a finished program. Never raises, with any output."""
    output, ended = output_of(program), EndedProgram(asked, finished)
    reply = _lost_session(output, ended) or output.reply(ended)
    if isinstance(reply, Answer):
        return _noted(reply, finished)
    if not (finished.timed_out or finished.overflowed) or _is_over(output, finished.stdout):
        return reply
    if finished.timed_out:
        return _timeout(output, ended)
    detail = f"{asked.tool} printed more than {OUTPUT_LIMIT // 2**20} MiB and was stopped."
    return ended.failure(FailureCode.PARSE, detail)


def _is_over(output: Output, stdout: str) -> bool:
    if output.progress is None:
        return False
    steps = [step for event in objects_in(stdout) if (step := output.progress(event)) is not None]
    return bool(steps) and steps[-1] is ProgramStage.OVER


def _noted(answer: Answer, finished: FinishedProcess) -> Answer:
    """``answer`` with a notice of a program that did not end as it should after it had answered."""
    tool, code = answer.tool, finished.exit_code
    if finished.timed_out or finished.dismissed or finished.overflowed:
        notice = f"{tool} continued after its answer was complete, and was stopped."
    elif code is not None and code < 0:
        notice = f"{tool} was killed by signal {-code} after its answer was complete."
    elif code:
        notice = f"{tool} ended with exit code {code} after its answer was complete."
    else:
        return answer
    if answer.ending is not Ending.COMPLETE and code:  # a notice of that is there already
        return answer
    return answer.model_copy(update={"warnings": (*answer.warnings, notice)})


def _lost_session(output: Output, ended: "EndedProgram") -> Failure | None:
    wanted, finished = ended.question.question.session_id, ended.finished
    if wanted is None or output.no_session is None or finished.exit_code == 0 or finished.stdout.strip():
        return None
    if not any(map(output.no_session.match, lines_of(for_terminal(finished.stderr)))):
        return None
    return ended.failure(FailureCode.SESSION_NOT_FOUND, f"{ended.tool} has no session {wanted}.")


def _timeout(output: Output, ended: "EndedProgram") -> Failure:
    late = f"{ended.tool} gave no answer within {ended.question.question.deadline_s:g} s"
    last = output.last_attempt(ended.finished)
    if last is None:
        return ended.failure(FailureCode.TIMEOUT, f"{late}.")
    return ended.failure(last.code, f"{late}; its last try failed: {last.detail.rstrip('.')}.")


class EndedProgram(Struct, frozen=True):
    """A program that was asked, and how it ended: what a reply is made from, fit to be shown."""

    question: AskedQuestion
    finished: FinishedProcess

    @property
    def tool(self) -> str:
        """Its name."""
        return self.question.tool

    def answer(
        self,
        text: str,
        *,
        session_id: str | None,
        model: str = "",
        usage: Usage | None = None,
        ending: Ending = Ending.COMPLETE,
        warnings: Iterable[str] = (),
    ) -> Answer:
        """Return the answer ``text``, with the program's other reports."""
        question, redactor = self.question.question, self.question.redactor
        notices = [redactor.redact(for_terminal(warning)) for warning in (*_notices(self.tool, ending), *warnings)]
        return Answer(
            tool=self.tool,
            model=one_line(model, DETAIL_LIMIT) or question.model,
            effort=question.effort,
            response=text,
            ending=ending,
            session_id=session_id,
            continuable=question.keep_session and session_id is not None,
            duration_ms=self.finished.duration_ms,
            usage=usage or Usage(),
            redactions=sum(notice.count for notice in notices),
            warnings=tuple(one_line(notice.text, DETAIL_LIMIT) for notice in notices),
        )

    def counting_sessions(self, usage: Usage) -> tuple[Usage, tuple[str, ...]]:
        """Return what one that counts a whole session has used for this answer, and the notice that goes with it."""
        if self.question.question.session_id is None:
            return usage, ()
        unknown = f"{self.tool} counts tokens for the whole session, so those of this answer are not known."
        return Usage(), (unknown,)

    def failure(self, code: FailureCode, detail: str, *, redactions: int = 0) -> Failure:
        """Return a failure; ``redactions`` counts secrets already removed from ``detail``."""
        return failed(self.question, code, detail, duration_ms=self.finished.duration_ms, redactions=redactions)

    def session_mismatch(self, session_id: str | None) -> Failure | None:
        """Return a failure if the session of ``session_id`` is not the one that was to be continued."""
        wanted = self.question.question.session_id
        if wanted is None or session_id == wanted:
            return None
        return self.failure(FailureCode.PARSE, f"{self.tool} did not continue session {wanted} but began a new one.")

    def empty(self, text: str | None) -> Failure | None:
        """Return a failure if ``text`` holds nothing; with the program's own cause where it ended with an error."""
        if (text or "").strip():
            return None
        if self.finished.exit_code and not self.finished.dismissed:
            return self.without_result()
        return self.failure(FailureCode.EMPTY, f"{self.tool} gave an empty answer.")

    def unread(self, event: TornEvent) -> Failure:
        """Return the failure of a program whose answer has an event that cannot be parsed."""
        detail = f"{self.tool} printed an event of type {event.type} that cannot be parsed: {event.words}"
        return self.failure(FailureCode.PARSE, detail)

    def waits(self, last: LastAttempt) -> Failure:
        """Return the failure of a program that was ended because it would wait for too long before it asks again."""
        wait = "for long" if last.wait_s is None else f"{last.wait_s:,.0f} s"
        detail = f"{self.tool} waits {wait} before it asks again; its last try failed: {last.detail}"
        return self.failure(last.code, detail).model_copy(update={"retry_after_s": last.wait_s})

    def without_result(self, log: re.Pattern[str] | None = None) -> Failure:
        """Return the failure of a program that ended and left no result, with the cause that it printed.

        Args:
            log: Lines of standard error that are no reason for the end.
        """
        finished = self.finished
        stderr = finished.stderr if log is None else log.sub("", finished.stderr)
        # Redacted as a whole: one line of a private key does not look like a secret.
        out, err = (self.question.redactor.redact(for_terminal(text)) for text in (finished.stdout, stderr))
        cause = cause_printed(out.text, err.text)
        how, code = self._end, code_of(cause)
        if code or (finished.exit_code or 0) > 0:
            detail = f"{how}: {cause.message}" if cause.message else f"{how}."
        elif words := first_words(_without_objects(out.text)) or (finished.exit_code == 0 and first_words(out.text)):
            detail = f"{how}; it printed: {words}"
        elif finished.exit_code == 0 and (words := first_words(err.text)):
            detail = f"{how}; on standard error it printed: {words}"
        else:
            detail = f"{how}."
        otherwise = FailureCode.EXIT if finished.exit_code != 0 else FailureCode.PARSE
        return self.failure(code or otherwise, detail, redactions=out.count + err.count)

    @property
    def _end(self) -> str:
        code = self.finished.exit_code
        if code is None or code < 0:
            return f"{self.tool} was killed" + (f" by signal {-code}" if code else "")
        return f"{self.tool} ended with exit code {code}" if code else f"{self.tool} ended without a result"


def _notices(tool: str, ending: Ending) -> tuple[str, ...]:
    match ending:
        case Ending.CUT_OFF:
            return (f"The answer of {tool} is cut off: a limit was reached before its end.",)
        case Ending.WITHHELD:
            return (f"The answer of {tool} is not whole: it was stopped by a filter.",)
        case Ending.COMPLETE:
            return ()


def _without_objects(stdout: str) -> str:
    return remainder(stdout, find_json(stdout))


class Faults(Struct):
    """Errors among the events of one run.

    Attributes:
        error: The last error, if no complete step came after it.
        overcome: Errors that were followed by a complete step, in order, each once.
    """

    error: str | None = None
    overcome: dict[str, None] = field(default_factory=dict[str, None])

    def settle(self) -> None:
        """Take note that a step was completed: what went wrong before was overcome."""
        if self.error:
            self.overcome[self.error] = None
        self.error = None

    def notices(self, tool: str) -> tuple[str, ...]:
        """Return one notice of the last error that was overcome."""
        last = next(reversed(self.overcome), None)
        return () if last is None else (f"{tool} reported an error and continued: {last}",)


def text_of(value: object) -> str | None:
    """Return the text in a member that holds one text, an object with one, or a list of these; None if it is odd."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case {"text": str(text)}:
            return text_of(text)
        case list():
            pieces = [text_of(each) for each in cast("list[object]", value)]
            return None if not pieces or None in pieces else "".join(filter(None, pieces))
        case _:
            return None


def lines_of(output: str) -> list[str]:
    """Return the lines of ``output``; not by ``splitlines``, which also splits at U+2028 and the like."""
    return output.split("\n")


def total(counts: Iterable[int | None]) -> int | None:
    """Return the sum of those numbers that are known; None when none is."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
