"""Output of the command line: results on stdout, everything else on stderr, one sentence for an error."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NoReturn, TypeVar

import typer
from pydantic import BaseModel

from sparring.cli.invocation import discard, invocation, writing_result
from sparring.errors import ExhaustedError, ExitCode, SparringError
from sparring.formats.views import RunView
from sparring.reports import terminal
from sparring.reports.markdown import SideBySide
from sparring.text.tidying import for_terminal, json_for_terminal


class ErrorReport(BaseModel):
    """An error as ``--json`` prints it."""

    code: str
    message: str
    hint: str


class ErrorResult(BaseModel):
    """JSON that ``--json`` prints when there is no result."""

    error: ErrorReport


def print_notice(text: str) -> None:
    """Print a notice on stderr, unless the call is quiet; a closed stderr is no reason to stop."""
    if not invocation().is_quiet:
        _print_stderr(text)


def _print_stderr(text: str) -> None:
    stderr = invocation().streams.stderr
    try:
        typer.echo(for_terminal(text), file=stderr)
    except OSError:
        discard(stderr)


def print_report(markdown: str) -> None:
    """Print a result as Markdown for people."""
    with writing_result() as out:
        if out.isatty():
            terminal.print_markdown(markdown, terminal.console_on(out, invocation().environment))
        else:
            terminal.print_plain(markdown, out)


def print_conclusion(view: RunView) -> None:
    """Print the conclusion of a finished run, for people."""
    with writing_result() as out:
        if out.isatty():
            console = terminal.console_on(out, invocation().environment)
            terminal.print_first_lines(view.verdict(), console, is_plain=view.conclusion.is_green)
        else:
            terminal.print_plain(view.whole_verdict(), out)


def print_columns(shown: SideBySide) -> None:
    """Print the parts of a result side by side on a terminal, where there is room."""
    with writing_result() as out:
        terminal.print_side_by_side(shown, terminal.console_on(out, invocation().environment))


def print_lines(text: str) -> None:
    """Print a laid-out result for people."""
    with writing_result() as out:
        terminal.print_plain(text, out)


def print_json(record: BaseModel) -> None:
    """Print a result as JSON, for programs."""
    with writing_result() as out:
        out.buffer.write(json_for_terminal(record.model_dump_json(indent=2).encode()) + b"\n")


F = TypeVar("F", bound=BaseModel)


def print_result(result: F, text: Callable[[F], str], *, as_json: bool) -> None:
    """Print a result as JSON for programs, or its laid-out ``text`` for people."""
    if as_json:
        print_json(result)
    else:
        print_lines(text(result))


def print_error(error: ErrorReport, *, as_json: bool) -> None:
    """Print an error; with ``--json`` also as an object, so that there always is one."""
    if as_json:
        print_json(ErrorResult(error=error))
    _print_stderr(f"Error: {error.message} {error.hint}".rstrip())


class NothingDone(BaseModel):
    """Result with ``--json`` of a command that had nothing to do."""

    status: str
    message: str


def print_nothing_done(report: ErrorReport, *, as_json: bool) -> None:
    """Print that there was nothing to do, which is not an error."""
    message = f"{report.message} {report.hint}".rstrip()
    if as_json:
        print_json(NothingDone(status=report.code, message=message))
    print_notice(message)


def print_stopped(hint: str, *, as_json: bool) -> NoReturn:
    """End an interrupted command; ``hint`` states how to continue, empty if that is impossible."""
    if as_json:
        print_json(ErrorResult(error=ErrorReport(code="interrupted", message="Interrupted.", hint=hint)))
    _print_stderr(f"Interrupted. {hint}".rstrip())
    raise typer.Exit(ExitCode.INTERRUPTED) from None


@contextmanager
def reporting_errors(*, as_json: bool) -> Generator[None]:
    """Report an expected error in one sentence, and exit with its code."""
    try:
        yield
    except typer.Exit:
        raise
    except KeyboardInterrupt:
        print_stopped("", as_json=as_json)
    except Exception as error:
        refused = error if isinstance(error, SparringError) else ExhaustedError.behind(error)
        if refused is None:
            raise
        message, hint = for_terminal(str(refused)), for_terminal(refused.hint)
        report = ErrorReport(code=refused.code, message=message.removesuffix(hint).rstrip(), hint=hint)
        show = print_nothing_done if refused.exit_code is ExitCode.DONE else print_error
        show(report, as_json=as_json)
        raise typer.Exit(refused.exit_code) from error
