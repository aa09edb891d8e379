"""Runs from the command line: begun and taken up.

Who waits sees how it goes on, and a Ctrl-C loses nothing.
"""

import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import anyio
import typer

from sparring.app import App
from sparring.app.application import OpenRun
from sparring.cli.exports import NOTHING_HANDED, Handing
from sparring.cli.input import Budget
from sparring.cli.invocation import invocation
from sparring.cli.printing import (
    ErrorReport,
    ErrorResult,
    print_columns,
    print_conclusion,
    print_json,
    print_lines,
    print_report,
    reporting_errors,
    say,
)
from sparring.errors import ExitCode, SparringError, blaming_nobody
from sparring.formats.registry import FORMATS
from sparring.formats.reports import Telling, case, conclusion, piped, report, result, side_by_side
from sparring.reports.conclusion import used
from sparring.reports.live import LiveProgress, is_worth_a_line
from sparring.reports.markdown import joined
from sparring.reports.progress import progress_line
from sparring.reports.runs import context_line, estimated
from sparring.reports.terminal import console_on, print_markdown
from sparring.schema.consultation import FailureCode
from sparring.schema.runs import Request, Run, RunEvent, RunHeader, lost_seats
from sparring.schema.transcript import Transcript
from sparring.seating.options import Given, Options
from sparring.signals import ending_signals

T = TypeVar("T")

_NOTHING_SAID = Transcript()


async def until_done_or_stopped(work: Callable[[], Awaitable[T]]) -> T | None:
    """What ``work`` brings, or None when a signal stopped it and everything that it had started has ended.

    Raises:
        SparringError: As ``work``.
    """
    result: T | None = None
    stopped: SparringError | None = None
    async with anyio.create_task_group() as group:

        async def stop_on_signal() -> None:
            with anyio.open_signal_receiver(*ending_signals()) as signals:
                async for _ in signals:
                    # Repeated signals are swallowed: ending the children is bounded, and must not be cut short.
                    group.cancel_scope.cancel()

        if threading.current_thread() is threading.main_thread():  # the only one that Python lets receive any
            group.start_soon(stop_on_signal)
        try:
            result = await work()
        except SparringError as error:
            stopped = error  # raised below: through the group it would arrive as one of several
        group.cancel_scope.cancel()
    if stopped:
        raise stopped
    return result


_UNUSABLE = frozenset({FailureCode.AUTH, FailureCode.NOT_FOUND})
"""Failures that say the tool is not signed in, or gone since it was looked for."""


@dataclass(frozen=True)
class Display:
    """How a result is printed: as an object for programs; whole, instead of its first lines; or handed on."""

    as_json: bool = False
    is_full: bool = False
    handing: Handing = NOTHING_HANDED


def run_options(read: Callable[[], tuple[Options[Any], Given]], budget: Budget, wanted: Display) -> None:
    """A new run of what ``read`` returns; it may raise ``UsageError``, as it reads what was typed."""
    with reporting_errors(as_json=wanted.as_json):
        app = App(invocation().settings())
        limits = budget.limits()
        request = app.request(*read())
        wanted.handing.check(request)
        _finish(app, app.begin(request, limits), wanted)


def resume_run(run_id: str, *, as_json: bool) -> None:
    """``sparring runs resume``."""
    with reporting_errors(as_json=as_json):
        app = App(invocation().settings())
        if ended := app.filed_late(run_id):
            say(f"Run {ended.header.run_id} had ended; only its result was not written.")
            _tell(app, ended, Display(as_json=as_json))
        _finish(app, app.reopen(run_id), Display(as_json=as_json))


def retry_run(run_id: str, *, substitute: str, salvages: bool, as_json: bool) -> None:
    """``sparring runs retry``."""
    with reporting_errors(as_json=as_json):
        app = App(invocation().settings())
        opened = app.retry(run_id, substitute=substitute, salvages=salvages)
        say(f"What was answered is taken over from {opened.header.retry_of}.")
        _finish(app, opened, Display(as_json=as_json))


def exit_code(run: Run) -> ExitCode:
    """What a finished run tells the shell (design: Command line)."""
    if run.outcome is None:
        return ExitCode.INTERRUPTED
    code = FORMATS[run.header.kind].exit_codes[run.outcome.status]
    unusable = any(turn.failure and turn.failure.code in _UNUSABLE for turn in run.transcript.turns)
    return ExitCode.TOOL_MISSING if run.outcome.has_failed and unusable else code


def _announce(header: RunHeader) -> None:
    request = header.request
    for notice in request.notices:
        say(notice)
    for name, parts in request.material.items():
        if parts:
            say(f"{name}: {context_line(parts)}")
    if shown := case(request):
        _show_case(joined(shown))
    if header.estimate:
        condition = FORMATS[header.kind].expected_if
        say(f"Expected{condition and f', if {condition}'}: {estimated(header.estimate)}")


def _show_case(markdown: str) -> None:
    call = invocation()
    stderr = call.streams.stderr
    if stderr.isatty():
        print_markdown(markdown, console_on(stderr, call.environment))
    else:
        say(markdown)


def _finish(app: App, opened: OpenRun, wanted: Display) -> None:
    _announce(opened.header)
    try:
        with blaming_nobody(), watching(opened.header.request, opened.progress.transcript) as observe:
            run = anyio.run(until_done_or_stopped, lambda: app.work(opened, observe))
    except SparringError:
        if opened.journal.folder.is_dir():
            say(f"Broken off. When the cause is gone, go on with: sparring runs resume {opened.run_id}")
        raise
    if run is None:
        way_on = f"Nothing is lost; go on with: sparring runs resume {opened.run_id}"
        if wanted.as_json:
            print_json(ErrorResult(error=ErrorReport(code="interrupted", message="Interrupted.", hint=way_on)))
        say(f"Interrupted. {way_on}")
        raise typer.Exit(ExitCode.INTERRUPTED)
    _tell(app, run, wanted)


def _tell(app: App, run: Run, wanted: Display) -> NoReturn:
    """Say what came of ``run``, and end."""
    if wanted.as_json:
        print_json(result(run))
    if wanted.as_json or wanted.handing.print(run) or not _show(run, is_full=wanted.is_full):
        _say_the_rest(run)
    wanted.handing.write(run)
    if lost_seats(run.transcript.turns):
        say(f"Ask those again who failed, and nobody else: sparring runs retry {run.header.run_id}")
    say(f"All of it: sparring runs show {run.header.run_id}")
    say(f"Kept in {app.folder(run)}")
    for beside in run.header.request.folders:
        say(f"and in {app.place.project / beside}")
    raise typer.Exit(exit_code(run))


def _say_the_rest(run: Run) -> None:
    """What was not said before it began, and does not stand where the result was printed."""
    ended = conclusion(run)
    if not ended.is_plain:
        say(". ".join(filter(None, (ended.headline, ended.why))))
    for doubt in ended.doubts:
        if doubt not in run.header.request.notices:
            say(doubt)
    say(f"Used: {used(run)}")


def _show(run: Run, *, is_full: bool) -> bool:
    """Print what came of ``run``; whether that says what is doubtful and what it used."""
    is_terminal = invocation().streams.stdout.isatty()
    if is_full:
        print_report(report(run))
    elif is_terminal and (columns := side_by_side(run)):
        print_columns(columns)
    elif not is_terminal and (answer := piped(run)) is not None:
        if answer:
            print_lines(answer)
        return False
    else:
        print_conclusion(run)
    return True


@contextmanager
def watching(request: Request, said: Transcript = _NOTHING_SAID) -> Generator[Callable[[RunEvent], None]]:
    """A run on stderr, of which ``said`` was said before: its speeches on a terminal, else a line for each event."""
    call = invocation()
    stderr = call.streams.stderr
    if stderr.isatty() and not (console := console_on(stderr, call.environment)).is_dumb_terminal:
        with LiveProgress(console, Telling(request, said), clock=call.clock) as live:
            yield live.show
    else:
        yield _say_line


def _say_line(event: RunEvent) -> None:
    if is_worth_a_line(event):
        say(progress_line(event))
