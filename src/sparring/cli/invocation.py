"""Invocation of a command: its streams, the environment, the folder, a clock.

``main`` is given them and holds them here while it runs, and nothing below it asks the process. A context variable and
not a parameter: what is deep in a command says a notice or prints a result, and no function on the way has any use for
the streams. Tasks of anyio and the threads that it starts inherit it; two calls in two threads do not see each other.

Streams may be closed before we started, too narrow for a letter, gone or full while we write. Whoever stops reading a
result (``| head``) has what they wanted, and whoever watches a run must not be able to end it by going away. A result
that cannot be written for another reason is an error.
"""

import os
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from io import UnsupportedOperation
from pathlib import Path
from typing import Literal, TextIO

import typer

from sparring.errors import SparringError
from sparring.settings import Settings


@dataclass(frozen=True)
class Streams:
    """Standard input, output and error as text streams with their buffers; in memory they have no descriptor."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO


@dataclass(frozen=True)
class Invocation:
    """One call of the command line.

    Attributes:
        cwd: The folder it was typed in, which relative paths begin at; None when it is gone.
        clock: Seconds that only ever grow, for what is shown live.
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
        """The file of that name, as seen from the folder."""
        return (self.cwd or Path()) / typed


_current: ContextVar[Invocation] = ContextVar("invocation")


def invocation() -> Invocation:
    """The call that is under way; there is one in everything that ``main`` calls."""
    return _current.get()


def be_quiet() -> None:
    """Print neither progress nor notices in the call that is under way."""
    _current.set(replace(invocation(), is_quiet=True))


@contextmanager
def under_way(call: Invocation) -> Generator[None]:
    """Make ``call`` the one that is under way, to the end of the block."""
    before = _current.set(call)
    try:
        yield
    finally:
        _current.reset(before)


def streams_of_process() -> Streams:
    """The streams of this process: each that is closed is given a place, and no letter that one lacks is an error."""
    # In this order each gets its own descriptor back; otherwise the next file opened would become standard output.
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")
    reconfigure: Callable[..., None] | None = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
    return Streams(sys.stdin, sys.stdout, typer.get_text_stream("stderr", errors=None))


@contextmanager
def writing_result() -> Generator[TextIO]:
    """Standard output for a result, which is written when the block ends; nobody reading it is no error.

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
    """Let what is written to ``stream``, or still waits in it, go nowhere; at its end Python would try it again."""
    try:
        descriptor = stream.fileno()
    except UnsupportedOperation:
        return  # nothing lies behind it
    with _nowhere("w") as nowhere:
        os.dup2(nowhere.fileno(), descriptor)


def _nowhere(mode: Literal["r", "w"]) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")
