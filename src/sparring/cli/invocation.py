"""What a command was started with: its streams, the environment, the folder, a clock.

``main`` is given them and holds them here while it runs, and nothing below it asks the process. A context variable and
not a parameter: what is deep in a command says a notice or prints a result, and no function on the way has any use for
the streams. Tasks of anyio and the threads that it starts inherit it; two calls in two threads do not see each other.
"""

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

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
    """

    streams: Streams
    environment: Mapping[str, str]
    cwd: Path | None
    clock: Callable[[], float] = time.monotonic

    def settings(self) -> Settings:
        """What environment and folder say; raises ``SettingsError``."""
        return Settings.read(self.environment, self.cwd)

    def path(self, typed: str) -> Path:
        """The file of that name, as seen from the folder."""
        return (self.cwd or Path()) / typed


_current: ContextVar[Invocation] = ContextVar("invocation")


def invocation() -> Invocation:
    """The call that is under way; there is one in everything that ``main`` calls."""
    return _current.get()


@contextmanager
def under_way(call: Invocation) -> Generator[None]:
    """Make ``call`` the one that is under way, to the end of the block."""
    before = _current.set(call)
    try:
        yield
    finally:
        _current.reset(before)
