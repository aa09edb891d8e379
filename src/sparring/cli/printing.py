"""How the command line speaks: results on stdout, everything else on stderr, and one sentence for an error."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

import typer
from pydantic import BaseModel

from sparring.errors import ExitCode, SparringError
from sparring.reports.terminal import console_on, print_markdown, print_plain
from sparring.text.tidying import for_terminal


class ErrorReport(BaseModel):
    """An error as ``--json`` prints it."""

    code: str
    message: str
    hint: str


class ErrorResult(BaseModel):
    """What ``--json`` prints when there is no result."""

    error: ErrorReport


def say(text: str) -> None:
    """A notice for whoever watches."""
    typer.echo(for_terminal(text), err=True)


def print_report(markdown: str) -> None:
    """A result for people."""
    if sys.stdout.isatty():
        print_markdown(markdown, console_on(sys.stdout))
    else:
        print_plain(markdown, sys.stdout)


def print_json(record: BaseModel) -> None:
    """A result for programs."""
    sys.stdout.buffer.write(record.model_dump_json(indent=2).encode() + b"\n")
    sys.stdout.buffer.flush()


@contextmanager
def reporting_errors(*, as_json: bool) -> Generator[None]:
    """Turn what sparring refuses into one sentence and the exit code that belongs to it."""
    try:
        yield
    except SparringError as error:
        if as_json:
            message = str(error).removesuffix(error.hint).rstrip() if error.hint else str(error)
            print_json(ErrorResult(error=ErrorReport(code=error.code, message=message, hint=error.hint)))
        say(f"Error: {error}")
        raise typer.Exit(error.exit_code) from error
    except KeyboardInterrupt:
        raise typer.Exit(ExitCode.INTERRUPTED) from None
