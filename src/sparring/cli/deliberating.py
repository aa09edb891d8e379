"""Run a deliberation from the command line: live progress, Ctrl-C that loses nothing, result, exit code."""

import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace

import anyio
import typer

from sparring.app import App, ConsultWish, DebateWish
from sparring.app.application import OpenRun
from sparring.cli.piped import all_input
from sparring.cli.printing import (
    ErrorReport,
    ErrorResult,
    print_answers,
    print_json,
    print_report,
    reporting_errors,
    say,
)
from sparring.cli.typed import Budget, Given
from sparring.errors import ExitCode, SparringError
from sparring.reports.markdown import decision, report
from sparring.reports.phrases import context_line, estimated, spending
from sparring.reports.progress import progress_line
from sparring.reports.state import result
from sparring.reports.terminal import LiveProgress, console_on
from sparring.schema.consult import ConsultStatus
from sparring.schema.consultation import FailureCode
from sparring.schema.debate import DebateRequest, DebateStatus
from sparring.schema.runs import Request, Run, RunEvent, RunKind
from sparring.settings import Settings

_EXIT_CODES = {
    DebateStatus.COMPLETED: ExitCode.DONE,
    DebateStatus.INCOMPLETE: ExitCode.DONE,
    DebateStatus.UNCONTESTED: ExitCode.NO_VERDICT,
    DebateStatus.UNJUDGED: ExitCode.NO_VERDICT,
    DebateStatus.FAILED: ExitCode.FAILED,
    ConsultStatus.COMPLETED: ExitCode.DONE,
    ConsultStatus.FAILED: ExitCode.FAILED,
}

_UNUSABLE = frozenset({FailureCode.AUTH, FailureCode.NOT_FOUND})
"""Failures that say the tool is not signed in, or gone since it was looked for."""


def run_debate(wish: DebateWish, given: Given, budget: Budget, *, as_json: bool) -> None:
    """``sparring debate``."""
    with reporting_errors(as_json=as_json):
        app = App(Settings.of_process())
        limits, context = budget.limits(), given.wish(wish.topic)
        request = app.debate_request(replace(wish, topic=_text(wish.topic), context=context))
        _finish(app, app.begin(request, limits), as_json=as_json)


def run_consult(wish: ConsultWish, given: Given, budget: Budget, *, as_json: bool) -> None:
    """``sparring consult``."""
    with reporting_errors(as_json=as_json):
        app = App(Settings.of_process())
        limits, context = budget.limits(), given.wish(wish.question)
        request = app.consult_request(replace(wish, question=_text(wish.question), context=context))
        _finish(app, app.begin(request, limits), as_json=as_json)


def resume_run(run_id: str, *, as_json: bool) -> None:
    """``sparring runs resume``."""
    with reporting_errors(as_json=as_json):
        app = App(Settings.of_process())
        _finish(app, app.reopen(run_id), as_json=as_json)


def exit_code(run: Run) -> ExitCode:
    """What a finished run tells the shell (design: Command line)."""
    if run.outcome is None:
        return ExitCode.INTERRUPTED
    code = _EXIT_CODES[run.outcome.status]
    unusable = any(turn.failure and turn.failure.code in _UNUSABLE for turn in run.transcript.turns)
    return ExitCode.TOOL_MISSING if code is ExitCode.FAILED and unusable else code


def _text(argument: str) -> str:
    """The argument, or what standard input holds when it is ``-``."""
    return all_input() if argument == "-" else argument


def _finish(app: App, opened: OpenRun, *, as_json: bool) -> None:
    for notice in opened.header.request.notices:
        say(notice)
    if context := opened.header.request.context:
        say(f"Context: {context_line(context)}")
    if expected := opened.header.estimate:
        say(f"Expected: {estimated(expected)}")
    try:
        with _watching(opened.header.request) as observe:
            run = anyio.run(_until_done_or_stopped, app, opened, observe)
    except SparringError:
        if opened.journal.folder.is_dir():
            say(f"Broken off. When the cause is gone, go on with: sparring runs resume {opened.run_id}")
        raise
    if run is None:
        way_on = f"Nothing is lost; go on with: sparring runs resume {opened.run_id}"
        if as_json:
            print_json(ErrorResult(error=ErrorReport(code="interrupted", message="Interrupted.", hint=way_on)))
        say(f"Interrupted. {way_on}")
        raise typer.Exit(ExitCode.INTERRUPTED)
    if as_json:
        print_json(result(run))
    else:
        _show(run)
    for notice in run.notices:
        say(notice)
    say(f"Used: {spending(run.spent)}")
    say(f"Kept in {app.folder(run)}")
    raise typer.Exit(exit_code(run))


def _show(run: Run) -> None:
    if not sys.stdout.isatty():
        print_report(report(run))  # what is piped on is kept whole
    elif run.header.kind is RunKind.CONSULT:
        print_answers(run)
    else:
        print_report(decision(run))  # a transcript would push the verdict out of sight


async def _until_done_or_stopped(app: App, opened: OpenRun, observe: Callable[[RunEvent], None]) -> Run | None:
    """The finished run, or None when a signal stopped it and everything it had started has ended."""
    run: Run | None = None
    stopped: SparringError | None = None
    async with anyio.create_task_group() as group:

        async def stop_on_signal() -> None:
            with anyio.open_signal_receiver(*_ending_signals()) as signals:
                async for _ in signals:
                    # Repeated signals are swallowed: ending the children is bounded, and must not be cut short.
                    group.cancel_scope.cancel()

        group.start_soon(stop_on_signal)
        try:
            run = await app.work(opened, observe)
        except SparringError as error:
            stopped = error  # raised below: through the group it would arrive as one of several
        group.cancel_scope.cancel()
    if stopped:
        raise stopped
    return run


def _ending_signals() -> tuple[signal.Signals, ...]:
    signals = (signal.SIGINT, signal.SIGTERM)
    if sys.platform == "win32" or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return signals  # under nohup a run outlives its terminal
    return (*signals, signal.SIGHUP)


@contextmanager
def _watching(request: Request) -> Generator[Callable[[RunEvent], None]]:
    """Progress on stderr: live on a terminal, else a line for each event."""
    rounds = request.rounds if isinstance(request, DebateRequest) else 1
    if sys.stderr.isatty() and not (console := console_on(sys.stderr)).is_dumb_terminal:
        with LiveProgress(console, rounds=rounds) as live:
            yield live.show
    else:
        yield lambda event: say(progress_line(event, rounds))
