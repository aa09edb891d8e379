"""Invocation of a command: its streams, the environment, the folder, a clock.

``main`` receives them and keeps them here while it runs; nothing below it reads them from the process. They are in a
context variable, not in parameters: code deep in a command prints notices and results, and no function in between
uses the streams. Tasks of anyio and the threads that it starts inherit it; calls in two threads do not see each other.

Streams may be closed before the start, lack a character in their encoding, or be closed or full during output. It is
no error if the reader of a result stops (``| head``), and the end of a watcher must not end the run. Any other
failure to write a result is an error.
"""

import os
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from io import UnsupportedOperation
from pathlib import Path
from typing import Literal, TextIO

import typer
from msgspec import Struct
from msgspec.structs import replace

from sparring.errors import SparringError
from sparring.settings import Settings


class Streams(Struct, frozen=True):
    """Standard input, output and error as text streams with their buffers; in memory they have no descriptor."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO


class Invocation(Struct, frozen=True):
    """One call of the command line.

    Attributes:
        cwd: The folder of the call, which relative paths are resolved against; None when it no longer exists.
        clock: Monotonic seconds, for the live display.
        is_quiet: Whether progress and notices are not printed.
    """

    streams: Streams
    environment: Mapping[str, str]
    cwd: Path | None
    clock: Callable[[], float] = time.monotonic
    is_quiet: bool = False

    def settings(self) -> Settings:
        """Read the settings from environment and folder; raises ``SettingsError``."""
        return Settings.read(self.environment, self.cwd)

    def path(self, typed: str) -> Path:
        """Return the path of that name, relative to the folder of the call."""
        return (self.cwd or Path()) / typed


_current: ContextVar[Invocation] = ContextVar("invocation")


def invocation() -> Invocation:
    """Return the current call; it is set during everything that ``main`` calls."""
    return _current.get()


def be_quiet() -> None:
    """Suppress progress and notices in the current call."""
    _current.set(replace(invocation(), is_quiet=True))


@contextmanager
def running_invocation(call: Invocation) -> Generator[None]:
    """Make ``call`` the current one until the end of the block."""
    before = _current.set(call)
    try:
        yield
    finally:
        _current.reset(before)


def streams_of_process() -> Streams:
    """Return the streams of this process; closed ones are replaced, and unencodable characters are no error."""
    # In this order each gets its own descriptor; otherwise the next file opened would become standard output.
    sys.stdin = sys.stdin or _null_stream("r")
    sys.stdout = sys.stdout or _null_stream("w")
    sys.stderr = sys.stderr or _null_stream("w")
    reconfigure: Callable[..., None] | None = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
    return Streams(sys.stdin, sys.stdout, typer.get_text_stream("stderr", errors=None))


@contextmanager
def writing_result() -> Generator[TextIO]:
    """Yield standard output for a result, which is written when the block ends; a closed reader is no error.

    Raises:
        SparringError: It cannot be written, e.g. because the disk is full.
    """
    out = invocation().streams.stdout
    try:
        yield out
        out.flush()
    except BrokenPipeError:
        discard(out)
    except OSError as error:
        discard(out)
        raise SparringError(f"Standard output cannot be written: {error.strerror}.") from error


def discard(stream: TextIO) -> None:
    """Discard what is written to ``stream`` or still buffered in it; Python would flush it again at its end."""
    try:
        descriptor = stream.fileno()
    except UnsupportedOperation:
        return  # there is no descriptor
    with _null_stream("w") as nowhere:
        os.dup2(nowhere.fileno(), descriptor)


def _null_stream(mode: Literal["r", "w"]) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")
