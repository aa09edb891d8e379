"""The command line: parsing, refusals and exit codes. ``commands`` registers the commands."""

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from sparring.cli import invocation, parsing
from sparring.errors import ExitCode
from sparring.formats.registry import FORMATS
from sparring.processes.current import collect_rarely
from sparring.processes.prctl import hide_memory
from sparring.settings import current_folder


class _Group(parsing.PlainGroup):
    """Commands, built when they are wanted: one that begins a run when it is typed, all together for anything else."""

    def list_commands(self, ctx: Any) -> list[str]:
        self.commands = _all_commands()
        return super().list_commands(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if args and args[0] in FORMATS:
            from sparring.cli.formats import commands_of

            return commands_of(args)
        self.commands = _all_commands()  # an unknown command is refused with the names of all
        return super().resolve_command(ctx, args)


def _all_commands() -> dict[str, Any]:
    """Return the commands by name, in the order of the help; those of formats have no options yet."""
    return {name: parsing.PlainCommand(name, help=FORMATS.summary(name)) for name in FORMATS} | _other_commands()


@cache
def _other_commands() -> dict[str, Any]:
    from sparring.cli.commands import register

    others = typer.Typer(add_completion=False)
    register(others)
    built: Any = typer.main.get_command(others)
    return built.commands


app = typer.Typer(
    name="sparring",
    cls=_Group,
    help="Debates, reviews and second opinions across AI coding tools, with every citation checked by code.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run() -> NoReturn:
    """Entry point of the ``sparring`` script: run the typed command in this process."""
    collect_rarely()
    hide_memory()
    code = main(sys.argv[1:], invocation.streams_of_process(), os.environ, current_folder())
    if _is_only_thread():
        atexit._run_exitfuncs()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- the process ends without it
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)  # a regular end would spend 60 ms on freeing memory


_EXIT_GRACE_S = 0.5


def _is_only_thread() -> bool:
    """Return whether this is the only thread left: others may still run checks whose results are not needed."""
    others = [each for each in threading.enumerate() if each is not threading.current_thread() and not each.daemon]
    with suppress(KeyboardInterrupt):  # all output is written
        for thread in others:
            thread.join(_EXIT_GRACE_S)
    return not any(thread.is_alive() for thread in others)


def main(
    argv: Sequence[str],
    streams: invocation.Streams,
    environment: Mapping[str, str],
    cwd: Path | None,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Run the typed command, and return the exit code.

    Args:
        argv: The arguments after the name of the program.
        streams: The streams to read from and write to.
        environment: The source of settings; children get an allow-listed part of it.
        cwd: The folder of the call; None when it no longer exists.
        clock: Clock of the live display.
    """
    with invocation.running_invocation(invocation.Invocation(streams, environment, cwd, clock)), _help_on(streams):
        try:
            code = int(_command()(parsing.with_values(argv), prog_name="sparring", standalone_mode=False) or 0)
            if not streams.stdout.closed:  # a server closes it
                streams.stdout.flush()
        except (BrokenPipeError, SystemExit) as end:  # the latter is raised by Typer when its help cannot be written
            if not isinstance(end, BrokenPipeError) and not isinstance(end.__context__, BrokenPipeError):
                raise
            invocation.discard(streams.stdout)
            return ExitCode.DONE
        except typer.TyperException as error:
            _refuse(error, as_json="--json" in argv)
            return error.exit_code
        return code


def show_help(words: Sequence[str]) -> None:
    """Print the help of the command that ``words`` name, in the current call."""
    _command()([*words, "--help"], prog_name="sparring", standalone_mode=False)


def show_settings() -> None:
    """Print every setting, in the current call."""
    from sparring.cli.printing import print_lines
    from sparring.cli.settings_list import settings_text

    print_lines(settings_text(_command()))


@cache
def _command() -> Any:
    return typer.main.get_command(app)


@contextmanager
def _help_on(streams: invocation.Streams) -> Generator[None]:
    """Send the help, which Typer writes to the streams of the process, to the streams of the call."""
    with redirect_stdout(streams.stdout), redirect_stderr(streams.stderr):
        yield


def _refuse(error: typer.TyperException, *, as_json: bool) -> None:
    """Refuse unparsable arguments in one line as other errors are; Typer would draw a box over several lines."""
    from sparring.cli.printing import ErrorReport, print_error

    if error.format_message().strip():
        message, hint = parsing.refusal(error)
        print_error(ErrorReport(code="usage", message=message, hint=hint), as_json=as_json)


@app.callback(invoke_without_command=True)
def _version(
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        from sparring import __version__

        typer.echo(f"sparring {__version__}")
        raise typer.Exit
