"""Start a program, hand it a prompt as its standard input, read what it says, and leave nothing of it running.

This module knows nothing of providers: what to start, and what the bytes mean, is somebody else's. It is the only
one that starts children.
"""

import errno
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import anyio
import anyio.abc

from sparring.consult.process.tree import ProcessTree

OUTPUT_LIMIT = 8 * 1024 * 1024
"""Most bytes of each output stream that are kept; a child that writes more is ended."""

MARK_VARIABLE = "SPARRING_CHILD"
"""The one variable that a child gets beside those it was given: by it, what the child started is found again."""

_DRAIN_S = 1.0  # for the end of the output after the child's own end: somebody else may hold the pipe open
_REAP_S = 2.0  # for the event loop to notice that the child is dead
_CREATION_FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0


@dataclass(frozen=True)
class Command:
    """A program to start.

    Attributes:
        argv: The program, by path (a relative one starts at ``cwd``) or by name, and its arguments.
        env: All that the child gets to see of an environment. Its PATH is where a name is searched.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path


@dataclass(frozen=True)
class Finished:
    """How a child ended, and what it said.

    Attributes:
        exit_code: Negative when a signal ended it. None when it timed out and had to be ended.
        stdout: UTF-8; undecodable bytes are replaced.
        stderr: The same.
        overflowed: A stream went over the limit, so the child was ended and the streams hold the beginning only.
    """

    exit_code: int | None
    stdout: str
    stderr: str
    timed_out: bool
    overflowed: bool
    duration_ms: int


def find_program(program: str, path: str | None) -> str | None:
    """The absolute path of ``program``, a bare name that is looked up on ``path`` or an absolute path already.

    Searched here and not by the system, for the sake of Windows' ``.cmd`` shims, and because a relative entry of
    PATH would let the project under work choose what we start. None for ``path`` stands for the system's default.
    """
    folders = [folder for folder in (path or os.defpath).split(os.pathsep) if Path(folder).is_absolute()]
    found = shutil.which(program, path=os.pathsep.join(folders))
    # Windows looks into the current folder first.
    return found if found is not None and Path(found).is_absolute() else None


async def run_child(
    command: Command, *, prompt: Path | None, timeout_s: float, output_limit: int = OUTPUT_LIMIT
) -> Finished:
    """Run ``command`` with the file ``prompt`` as its standard input (None: an empty one).

    Whatever happens, also when the caller is cancelled, the child and all that it started are ended before this
    returns or raises; that takes a few seconds at most, in addition to ``timeout_s``.

    Raises:
        OSError: The program cannot be started, or the prompt cannot be read; ``filename`` tells which. No child
            was left behind.
    """
    began = anyio.current_time()
    # A cancellation while the child comes to life would leave one that nobody knows of.
    with _standard_input(prompt) as stdin, _to_the_end():
        process, tree = await _start(command, stdin)
    waiting = anyio.CancelScope(deadline=began + timeout_s)
    streams = (stream for stream in (process.stdout, process.stderr) if stream is not None)
    stdout, stderr = captures = [_Capture(stream, output_limit, waiting.cancel) for stream in streams]
    timed_out = False
    async with anyio.create_task_group() as readers:
        for capture in captures:
            readers.start_soon(capture.read)
        try:
            with waiting:
                await process.wait()
                await _drained(captures)
            timed_out = process.returncode is None and not any(capture.overflowed for capture in captures)
        finally:
            with _to_the_end():
                await _end(process, tree, captures)
    return Finished(
        exit_code=None if timed_out else process.returncode,
        stdout=stdout.text(),
        stderr=stderr.text(),
        timed_out=timed_out,
        overflowed=any(capture.overflowed for capture in captures),
        duration_ms=round((anyio.current_time() - began) * 1000),
    )


class _Capture:
    """The beginning of one output stream. The rest is read and dropped, so that the child never blocks on writing."""

    def __init__(self, stream: anyio.abc.ByteReceiveStream, limit: int, on_overflow: Callable[[], None]) -> None:
        self._stream = stream
        self._limit = limit
        self._on_overflow = on_overflow
        self._kept = bytearray()
        # Shielded: a child that is being ended because the caller was cancelled may still write while it cleans up.
        self._reading = anyio.CancelScope(shield=True)
        self.closed = anyio.Event()
        self.overflowed = False

    async def read(self) -> None:
        """Read to the end of the stream, or until ``stop``."""
        with self._reading:
            async for chunk in self._stream:
                self._keep(chunk)
        self.closed.set()

    def stop(self) -> None:
        """Read no further, although the stream has not ended."""
        self._reading.cancel()

    def text(self) -> str:
        return self._kept.decode("utf-8", errors="replace")

    def _keep(self, chunk: bytes) -> None:
        room = self._limit - len(self._kept)
        self._kept += chunk[:room]
        if len(chunk) > room and not self.overflowed:
            self.overflowed = True
            self._on_overflow()


async def _start(command: Command, stdin: IO[bytes] | int) -> tuple[anyio.abc.Process, ProcessTree]:
    token = secrets.token_hex(16)
    process = await anyio.open_process(
        (_located(command), *command.argv[1:]),
        stdin=stdin,
        cwd=command.cwd,
        env={**command.env, MARK_VARIABLE: token},
        start_new_session=True,
        creationflags=_CREATION_FLAGS,
    )
    return process, ProcessTree(process.pid, f"{MARK_VARIABLE}={token}")


def _located(command: Command) -> str:
    program = command.argv[0]
    if Path(program).name != program:
        return str(command.cwd / program)
    found = find_program(program, command.env.get("PATH"))
    if found is None:
        raise FileNotFoundError(errno.ENOENT, "not found on PATH", program)
    return found


@contextmanager
def _to_the_end() -> Generator[None]:
    with anyio.CancelScope(shield=True):
        yield


@contextmanager
def _standard_input(prompt: Path | None) -> Generator[IO[bytes] | int]:
    if prompt is None:
        yield subprocess.DEVNULL
        return
    with prompt.open("rb") as file:
        yield file


async def _end(process: anyio.abc.Process, tree: ProcessTree, captures: list[_Capture]) -> None:
    """End what is left of the tree, then read what is there."""
    await tree.end()
    with anyio.move_on_after(_REAP_S):
        await process.wait()
    await _drained(captures)
    for capture in captures:
        capture.stop()
    if process.returncode is not None:  # else it cannot be ended, and closing it would wait for that
        await process.aclose()


async def _drained(captures: list[_Capture]) -> None:
    with anyio.move_on_after(_DRAIN_S):
        for capture in captures:
            await capture.closed.wait()
