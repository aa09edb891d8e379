"""Runs from the command line: begin, resume, follow and export them.

Progress is displayed, and Ctrl-C loses nothing.
"""

import threading
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import anyio
import typer
from msgspec import Struct, field

from sparring.app import App
from sparring.app.application import OpenRun
from sparring.cli import printing
from sparring.cli.input import STDIN, Budget
from sparring.cli.invocation import invocation
from sparring.engine.capabilities import Export
from sparring.engine.format import Format, exports_of
from sparring.errors import ExitCode, SparringError, UsageError, raising_exhausted
from sparring.formats.registry import FORMATS
from sparring.formats.views import LiveTurnRenderer, RunView, case, presentation
from sparring.participants.options import AccompanyingInput, Options
from sparring.processes.current import ending_signals
from sparring.reports import progress, runs, terminal
from sparring.reports.conclusion import usage_text
from sparring.reports.markdown import joined
from sparring.schema.consultation import FailureCode
from sparring.schema.runs import NotedRun, Request, Run, RunEvent, RunHeader, RunStatus, TurnCompleted, lost_seats
from sparring.schema.transcript import Transcript
from sparring.store.files import write_out
from sparring.store.following import LOOK_EVERY_S, RunWatcher
from sparring.text.tidying import one_line

if TYPE_CHECKING:
    from sparring.schema.dry_run import DryRun

_STDOUT = STDIN
_SHOWN = 100


def export_options(format_: Format) -> dict[str, tuple[str, str]]:
    """Return the options for exports, each with its placeholder and its help."""
    options: dict[str, tuple[str, str]] = {}
    for name, export in exports_of(format_).items():
        values = [each for each, other in exports_of(format_).items() if other.option == export.option]
        options[export.option] = ("FILE" if name == export.option else "|".join(values), export.help)
    return options


class ExportTargets(Struct, frozen=True):
    """Requested exports: the file of each, or the one that replaces the report on standard output."""

    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    printed: str = ""
    exports: Mapping[str, Export] = field(default_factory=dict[str, Export])

    def check(self, request: Request) -> None:
        """Check before anything is asked that all exports can be made and written; raises ``UsageError``."""
        for name in (*self.files, *filter(None, (self.printed,))):
            if why := self.exports[name].refused(request):
                raise UsageError(why)
        for path in self.files.values():
            if not path.parent.is_dir():
                raise UsageError(f"There is no folder {one_line(str(path.parent), _SHOWN)} to write to.")
            if path.is_dir():
                raise UsageError(f"{one_line(str(path), _SHOWN)} is a folder; name a file.")

    def print(self, run: Run) -> bool:
        """Print the export that replaces the report; return whether there is one."""
        if self.printed:
            printing.print_lines(self.exports[self.printed].text(run))
        return bool(self.printed)

    def write(self, run: Run) -> None:
        """Write the files."""
        for name, path in self.files.items():
            write_out(path, self.exports[name].text(run).encode())
            printing.print_notice(f"{name} written to {path}")


NO_EXPORTS = ExportTargets()


def export_targets(format_: Format, typed: Mapping[str, Any], *, as_json: bool) -> ExportTargets:
    """Parse the export options; raises ``UsageError`` for two on standard output, or an unknown one."""
    files, printed = dict[str, Path](), list[str]()
    for option, value in typed.items():
        if not value:
            continue
        if option not in exports_of(format_):
            printed.append(_known(format_, option, value))
        elif value == _STDOUT:
            printed.append(option)
        else:
            files[option] = invocation().path(value)
    if len(printed) + as_json > 1:
        raise UsageError("Only one thing can be printed.", hint="Leave out --json, or write to a file.")
    return ExportTargets(files, next(iter(printed), ""), exports_of(format_))


def _known(format_: Format, option: str, value: str) -> str:
    names = [name for name, export in exports_of(format_).items() if export.option == option]
    if value not in names:
        raise UsageError(f"{option} must be one of {', '.join(names)}; it is {one_line(repr(value), _SHOWN)}.")
    return value


T = TypeVar("T")

_EMPTY_TRANSCRIPT = Transcript()


async def until_done_or_stopped(work: Callable[[], Awaitable[T]]) -> T | None:
    """Return the result of ``work``, or None if a signal stopped it and everything that it started has ended.

    Raises:
        SparringError: As ``work``.
    """
    result: T | None = None
    stopped: SparringError | None = None
    async with anyio.create_task_group() as group:
        with anyio.CancelScope() as working:

            async def stop_on_signal() -> None:
                with anyio.open_signal_receiver(*ending_signals()) as signals:
                    async for _ in signals:
                        # Repeated signals are ignored: ending the children is bounded, and must not be cut short.
                        working.cancel()

            if threading.current_thread() is threading.main_thread():  # Python delivers signals to no other
                group.start_soon(stop_on_signal)
            try:
                result = await work()
            except SparringError as error:
                stopped = error  # raised below: a task group would wrap it in an exception group
        group.cancel_scope.cancel()
    if stopped:
        raise stopped
    return result


WAY_ON = "Nothing is lost: the same command continues where it stopped."
"""Message for a user who interrupted a run that can be resumed."""

_UNUSABLE = frozenset({FailureCode.AUTH, FailureCode.NOT_FOUND})
"""Failures of a tool that is not signed in, or that has disappeared since it was looked up."""


class Display(Struct, frozen=True):
    """Form of a printed result: as JSON, in full, as its conclusion, or as an export."""

    as_json: bool = False
    is_full: bool = False
    targets: ExportTargets = NO_EXPORTS


def run_options(
    read: Callable[[], tuple[Options[Any], AccompanyingInput]], budget: Budget, wanted: Display, *, is_dry: bool
) -> None:
    """Begin a run of the request that ``read`` returns; it parses typed options and may raise ``UsageError``.

    With ``is_dry``, only the estimate is printed.
    """
    with printing.reporting_errors(as_json=wanted.as_json):
        app = App(invocation().settings())
        limits = budget.limits()
        request = app.request(*read())
        wanted.targets.check(request)
        if is_dry:
            print_dry_run(app.dry_run(request, limits, with_prompt=wanted.is_full), as_json=wanted.as_json)
            return
        _finish(app, app.begin(request, limits), wanted)


def print_dry_run(estimate: "DryRun", *, as_json: bool) -> None:
    """Print the estimate of a run, or of a table of runs."""
    from sparring.reports.dry_run import dry_run_text  # noqa: PLC0415 -- a run does not need it

    for notice in estimate.notices:
        printing.print_notice(notice)
    printing.print_result(estimate, dry_run_text, as_json=as_json)


def resume_run(run_id: str, *, as_json: bool) -> None:
    """Run ``sparring runs resume``."""
    with printing.reporting_errors(as_json=as_json):
        app = App(invocation().settings())
        if ended := app.file_finished_run(run_id):
            printing.print_notice(f"Run {ended.header.run_id} had finished; only its result had not been written.")
            _print_result(app, ended, Display(as_json=as_json))
        _finish(app, app.reopen(run_id), Display(as_json=as_json))


def retry_run(run_id: str, *, substitute: str, salvages: bool, as_json: bool) -> None:
    """Run ``sparring runs retry``."""
    with printing.reporting_errors(as_json=as_json):
        app = App(invocation().settings())
        opened = app.retry(run_id, substitute=substitute, salvages=salvages)
        printing.print_notice(f"Its answers are reused from {opened.header.retry_of}.")
        _finish(app, opened, Display(as_json=as_json))


def exit_code(run: Run) -> ExitCode:
    """Return the exit code of a finished run (design: Command line)."""
    if run.outcome is None:
        return ExitCode.INTERRUPTED
    code = FORMATS[run.header.kind].exit_codes[run.outcome.status]
    unusable = any(turn.failure and turn.failure.code in _UNUSABLE for turn in run.transcript.turns)
    return ExitCode.TOOL_MISSING if run.outcome.has_failed and unusable else code


def _announce(header: RunHeader) -> None:
    request = header.request
    for notice in request.notices:
        printing.print_notice(notice)
    for name, parts in request.material.items():
        if parts:
            printing.print_notice(f"{name}: {runs.context_line(parts)}")
    if shown := case(request):
        _show_case(joined(shown))
    if header.estimate:
        printing.print_notice(f"Expected: {runs.estimate_text(header.estimate, FORMATS[header.kind].expected_if)}")


def _show_case(markdown: str) -> None:
    call = invocation()
    stderr = call.streams.stderr
    if stderr.isatty() and not call.is_quiet:
        terminal.print_markdown(markdown, terminal.console_on(stderr, call.environment))
    else:
        printing.print_notice(markdown)


def _finish(app: App, opened: OpenRun, wanted: Display) -> None:
    _announce(opened.header)
    try:
        with raising_exhausted(), watching(opened.header.request, opened.progress.transcript) as observe:
            run = anyio.run(until_done_or_stopped, lambda: app.work(opened, observe))
    except SparringError:
        if opened.journal.folder.is_dir():
            printing.print_notice(
                f"Stopped by an error. When it is fixed, resume with: sparring runs resume {opened.run_id}"
            )
        raise
    if run is None:
        hint = f"Nothing is lost; resume with: sparring runs resume {opened.run_id}"
        printing.print_stopped(hint, as_json=wanted.as_json)
    _print_result(app, run, wanted)


def _print_result(app: App, run: Run, wanted: Display) -> NoReturn:
    """Print the result of ``run``, and exit with its code."""
    view = RunView(run)
    if wanted.as_json:
        printing.print_json(view.result())
    if wanted.as_json or wanted.targets.print(run) or not _show(view, is_full=wanted.is_full):
        _print_summary(view)
    wanted.targets.write(run)
    if lost_seats(run.transcript.turns):
        tool = app.find_substitute(run)
        other = f" (or let {tool} answer instead: add --substitute {tool})" if tool else ""
        printing.print_notice(f"Retry only the failed calls: sparring runs retry {run.header.run_id}{other}")
    printing.print_notice(f"Full report: sparring runs show {run.header.run_id}")
    printing.print_notice(f"Saved in {app.folder(run)}")
    for folder in run.header.request.folders:
        printing.print_notice(f"and in {app.place.project / folder}")
    raise typer.Exit(exit_code(run))


def _print_summary(view: RunView) -> None:
    """Print the warnings and the usage of the run that the printed result lacks."""
    run, ended = view.run, view.conclusion
    if not ended.is_plain:
        printing.print_notice(". ".join(filter(None, (ended.headline, ended.why))))
    for doubt in ended.doubts:
        if doubt not in run.header.request.notices:
            printing.print_notice(doubt)
    printing.print_notice(f"Used: {usage_text(run)}")


def _show(view: RunView, *, is_full: bool) -> bool:
    """Print the result of a run; return whether that includes its doubts and usage."""
    is_terminal = invocation().streams.stdout.isatty()
    if is_full:
        printing.print_report(view.report())
    elif is_terminal and (columns := view.columns()):
        printing.print_columns(columns)
    elif not is_terminal and (answer := view.piped()) is not None:
        if answer:
            printing.print_lines(answer)
        return False
    else:
        printing.print_conclusion(view)
    return True


@contextmanager
def watching(request: Request, transcript: Transcript = _EMPTY_TRANSCRIPT) -> Generator[Callable[[RunEvent], None]]:
    """Show a run on stderr, after the turns of ``transcript``: speeches on a terminal, else a line for each event."""
    call = invocation()
    stderr = call.streams.stderr
    is_live = stderr.isatty() and not call.is_quiet
    if is_live and not (console := terminal.console_on(stderr, call.environment)).is_dumb_terminal:
        with progress.LiveProgress(console, LiveTurnRenderer(request, transcript), clock=call.clock) as live:
            yield live.show
    else:
        yield _print_event


def _print_event(event: RunEvent) -> None:
    if progress.should_print(event):
        printing.print_notice(progress.progress_line(event))


_Show = Callable[[TurnCompleted], None]


def note_run(run_id: str, text: str, *, as_json: bool) -> None:
    """Run ``sparring runs note``."""
    with printing.reporting_errors(as_json=as_json):
        id_, status = App(invocation().settings()).note(run_id, text)
        if as_json:
            printing.print_json(NotedRun(run_id=id_, status=status))
        elif status is RunStatus.RUNNING:
            printing.print_notice(f"Noted. Both sides of {id_} see it before their next turn.")
        else:
            printing.print_notice(f"Noted. Both sides see it when the run is resumed: sparring runs resume {id_}")


def ask_run(run_id: str, seat: str, text: str, *, as_json: bool) -> None:
    """Run ``sparring runs ask``."""
    from sparring.app.follow_up import follow_up  # noqa: PLC0415 -- no other command needs it

    with printing.reporting_errors(as_json=as_json):
        app = App(invocation().settings())
        request = app.request(*follow_up(app, run_id, seat, text))
        _finish(app, app.begin(request), Display(as_json=as_json))


def watch_run(run_id: str) -> None:
    """Run ``sparring runs watch``."""
    with printing.reporting_errors(as_json=False):
        app = App(invocation().settings())
        begun = app.run(run_id)
        id_ = begun.header.run_id
        try:
            _follow(app.folder(begun), begun.header)
        except KeyboardInterrupt:
            printing.print_notice(
                f"Stopped watching; the run continues. Watch it again with: sparring runs watch {id_}"
            )
            raise typer.Exit(ExitCode.INTERRUPTED) from None
        ended = app.run(id_)
        if ended.outcome is not None:
            printing.print_conclusion(RunView(ended))
        else:
            printing.print_notice(f"The run is paused and nothing is lost. Resume it with: sparring runs resume {id_}")


def _follow(folder: Path, header: RunHeader) -> None:
    """Print the speeches so far, and new ones until the run has ended or no process works on it."""
    telling, call = LiveTurnRenderer(header.request), invocation()
    stdout = call.streams.stdout
    if not stdout.isatty() or (console := terminal.console_on(stdout, call.environment)).is_dumb_terminal:
        _follow_journal(folder, header, lambda turn: _print(turn, telling(turn)), lambda: None)
        return
    with progress.LiveProgress(console, telling, clock=call.clock) as live:
        _follow_journal(folder, header, live.show, lambda: live.show_waiting(_next(header, telling)))


def _follow_journal(folder: Path, header: RunHeader, show: _Show, wait: Callable[[], None]) -> None:
    watching = RunWatcher(folder)
    while True:
        news = watching.read_new_turns()
        for turn in news.turns:
            show(TurnCompleted.model_construct(**dict(turn), run_id=header.run_id))
        if news.is_over:
            return
        wait()
        time.sleep(LOOK_EVERY_S)


def _next(header: RunHeader, render_turn: LiveTurnRenderer) -> str:
    """Return the expected next speaker; a journal does not record who was asked."""
    run = Run(header=header, status=RunStatus.RUNNING, transcript=render_turn.transcript)
    return next(iter(presentation(run).remaining(run)), "")


def _print(turn: TurnCompleted, text: str) -> None:
    head = progress.progress_line(turn) if progress.should_print(turn) else ""
    if head or text:
        printing.print_lines("\n\n".join(filter(None, (head, text))) + "\n\n")
