"""Child processes: start them, pass input, read output, and end them with all their descendants.

This module does not know providers: its callers decide what to start, and what the bytes mean.
"""

import errno
import os
import secrets
import shutil
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import IO, cast

import anyio
import anyio.abc
import anyio.to_thread
from msgspec import Struct

from sparring.processes.supervisor import MARK_VARIABLE
from sparring.processes.tree import ProcessTree


class Command(Struct, frozen=True):
    """A program to start.

    Attributes:
        argv: The program, by path (a relative one starts at ``cwd``) or by name, and its arguments.
        env: All that the child gets to see of an environment. Its PATH is where a name is searched.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path


def find_program(program: str, path: str | None, *, mode: int = os.F_OK | os.X_OK) -> str | None:
    """Return the absolute path of ``program``, a bare name to look up on ``path`` or an absolute path already.

    The search is not left to the system, because of Windows' ``.cmd`` shims, and because a relative entry of
    PATH would let the project under work choose the program. None for ``path`` is the system's default;
    ``mode`` states what must be possible with the file (``os.access``).
    """
    folders = [folder for folder in (path or os.defpath).split(os.pathsep) if Path(folder).is_absolute()]
    located = shutil.which(program, mode, path=os.pathsep.join(folders))
    # Windows looks into the current folder first.
    return located if located is not None and Path(located).is_absolute() else None


def home_folder(environment: Mapping[str, str]) -> Path:
    """The home folder that ``environment`` names, else the one that the system knows; need not exist. Never raises."""
    return Path(environment.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 - Path.home() may raise


def located(command: Command) -> str:
    """The path of the program that ``command`` starts.

    Raises:
        FileNotFoundError: It is a name, and nothing on the PATH bears it.
    """
    program = command.argv[0]
    if Path(program).name != program:
        return str(command.cwd / program)
    located = find_program(program, command.env.get("PATH"))
    if located is None:
        raise FileNotFoundError(errno.ENOENT, "not found on PATH", program)
    return located


PIPE = subprocess.PIPE

OUTPUT_LIMIT = 8 * 1024 * 1024
"""Most bytes of each output stream that are kept; a child that writes more is ended."""


class Capture:
    """The beginning of one output stream. The rest is read and dropped, so that the child never blocks on writing.

    ``on_overflow`` is called when the child writes more than ``limit`` bytes.
    """

    def __init__(self, stream: anyio.abc.ByteReceiveStream, limit: int, on_overflow: Callable[[], None]) -> None:
        self._stream = stream
        self._limit = limit
        self._on_overflow = on_overflow
        self._kept = bytearray()
        self._given = 0
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

    def text(self, errors: str = "replace") -> str:
        """Return the bytes that were kept, as UTF-8; ``errors`` treats undecodable bytes as for ``decode``."""
        return self._kept.decode("utf-8", errors=errors)

    def new(self) -> bytes:
        """Return the bytes that were kept since the last call."""
        given, self._given = self._given, len(self._kept)
        return bytes(self._kept[given:])

    def _keep(self, chunk: bytes) -> None:
        room = self._limit - len(self._kept)
        self._kept += chunk[:room]
        if len(chunk) > room and not self.overflowed:
            self.overflowed = True
            self._on_overflow()


_DRAIN_S = 1.0  # seconds for the end of the output after the child's own end: another process may keep the pipe open
_REAP_S = 2.0  # for the event loop to notice that the child is dead
_CREATION_FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0


class _Child(Struct, frozen=True):
    """A child that lives, and the tree that it leads."""

    process: anyio.abc.Process
    tree: ProcessTree


async def start(command: Command, stdin: IO[bytes] | int) -> _Child:
    """Start ``command`` as the leader of its own session. The caller has to call ``end``, cancelled or not.

    Raises:
        OSError: The program cannot be started; ``filename`` names the file.
    """
    token = secrets.token_hex(16)
    with shielded_from_cancellation():  # a cancellation during the start would leave an unknown child
        process = await anyio.open_process(
            (located(command), *command.argv[1:]),
            stdin=stdin,
            cwd=command.cwd,
            env={**command.env, MARK_VARIABLE: token},
            start_new_session=True,
            creationflags=_CREATION_FLAGS,
        )
        return _Child(process, ProcessTree(process.pid, f"{MARK_VARIABLE}={token}"))


async def end(child: _Child, captures: Sequence[Capture]) -> None:
    """End the rest of the tree, then read the remaining output. Cancelling the caller does not stop this."""
    with shielded_from_cancellation():
        await anyio.to_thread.run_sync(child.tree.end)
        with anyio.move_on_after(_REAP_S):
            await child.process.wait()
        await wait_for_captures(captures)
        for capture in captures:
            capture.stop()
        if child.process.returncode is not None:  # else it cannot be ended, and closing it would wait for that
            await child.process.aclose()


async def wait_for_captures(captures: Sequence[Capture]) -> None:
    """Wait for the end of the captured streams, for a bounded time."""
    with anyio.move_on_after(_DRAIN_S):
        for capture in captures:
            await capture.closed.wait()


@contextmanager
def shielded_from_cancellation() -> Generator[None]:
    """Shield the block from cancellation."""
    with anyio.CancelScope(shield=True):
        yield


class FinishedProcess(Struct, frozen=True):
    """Exit and output of a child that has ended.

    Attributes:
        exit_code: Negative when a signal ended it. None when it timed out and had to be ended.
        stdout: UTF-8; undecodable bytes are replaced, unless ``errors`` of ``run_child`` differs.
        stderr: UTF-8; undecodable bytes are replaced.
        overflowed: A stream went over the limit, so the child was ended and the streams hold the beginning only.
        report: Content of its report file, if it was given one.
        dismissed: It was ended because no more output was needed (see ``Watch``).
    """

    exit_code: int | None
    stdout: str
    stderr: str
    timed_out: bool
    overflowed: bool
    duration_ms: int
    report: str = ""
    dismissed: bool = False


Watch = Callable[[bytes, bytes], bool]
"""Called repeatedly with new bytes of a child's standard output and standard error, mostly empty; returns
whether no more output is needed, so that the child can be ended."""

LOOK_S = 0.05
"""Seconds between two looks at new output."""


async def run_child(
    command: Command,
    *,
    prompt: Path | None,
    timeout_s: float,
    output_limit: int = OUTPUT_LIMIT,
    watch: Watch | None = None,
    errors: str = "replace",
) -> FinishedProcess:
    """Run ``command`` with the file ``prompt`` as its standard input (None: an empty one).

    In every case, also when the caller is cancelled, the child and its descendants are ended before this
    returns or raises; that takes a few seconds at most, in addition to ``timeout_s``. The child is also ended when
    ``watch`` returns True. ``errors`` treats undecodable bytes of its standard output.

    Raises:
        OSError: The program cannot be started, or the prompt cannot be read; ``filename`` names the file. No child
            was left behind.
    """
    began = anyio.current_time()
    with _standard_input(prompt) as stdin:
        child = await start(command, stdin)
    process, waiting = child.process, anyio.CancelScope(deadline=began + timeout_s)
    streams = (stream for stream in (process.stdout, process.stderr) if stream is not None)
    stdout, stderr = captures = [Capture(stream, output_limit, waiting.cancel) for stream in streams]
    timed_out = dismissed = False

    async def look() -> None:
        nonlocal dismissed
        while watch:
            if watch(stdout.new(), stderr.new()):
                dismissed = True
                waiting.cancel()
                return
            await anyio.sleep(LOOK_S)

    async with anyio.create_task_group() as readers:
        for capture in captures:
            readers.start_soon(capture.read)
        try:
            async with anyio.create_task_group() as looking:
                looking.start_soon(look)
                with waiting:
                    await process.wait()
                    await wait_for_captures(captures)
                looking.cancel_scope.cancel()
            ended_early = dismissed or any(capture.overflowed for capture in captures)
            timed_out = process.returncode is None and not ended_early
        finally:
            await end(child, captures)
    return FinishedProcess(
        exit_code=None if timed_out else process.returncode,
        stdout=stdout.text(errors),
        stderr=stderr.text(),
        timed_out=timed_out,
        overflowed=any(capture.overflowed for capture in captures),
        duration_ms=round((anyio.current_time() - began) * 1000),
        dismissed=dismissed,
    )


@contextmanager
def _standard_input(prompt: Path | None) -> Generator[IO[bytes] | int]:
    if prompt is None:
        yield subprocess.DEVNULL
        return
    with prompt.open("rb") as file:
        yield file


_EXIT_GRACE_S = 0.5  # for a child to end by itself once its standard input is closed; later it is asked to
_LINE_END = b"\n"


class OutputOverflowError(Exception):
    """The output of the child exceeds the limit."""


class Conversation:
    """Line-based exchange with one child. Several tasks may send; one receives.

    Attributes:
        stderr: Standard error of the child so far; what exceeds the limit is dropped.
        exit_code: Its exit code, once it was ended.
    """

    def __init__(
        self,
        stdin: anyio.abc.ByteSendStream,
        stdout: anyio.abc.ByteReceiveStream,
        stderr: anyio.abc.ByteReceiveStream,
        wait: Callable[[], Awaitable[object]],
        *,
        output_limit: int = OUTPUT_LIMIT,
    ) -> None:
        self._input = stdin
        self._output = stdout
        self._wait = wait
        self._began = anyio.current_time()
        self._sending = anyio.Lock()
        self._unread = bytearray()
        self._searched = 0
        self._room = output_limit
        self.stderr = Capture(stderr, output_limit, on_overflow=lambda: None)
        self.exit_code: int | None = None

    async def send(self, line: bytes) -> None:
        """Send one line, without its end.

        A child that has ended or no longer reads causes no error here; ``receive`` reports its end.
        """
        try:
            async with self._sending:
                await self._input.send(line + _LINE_END)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass

    async def receive(self) -> bytes | None:
        """The next line, without its end, or None at the end of the output. A last line need not be ended.

        Raises:
            OutputOverflowError: The output of the child exceeds the limit, all lines taken together.
        """
        while (end := self._unread.find(_LINE_END, self._searched)) < 0:
            self._searched = len(self._unread)
            try:
                chunk = await self._output.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return self._take(len(self._unread)) or None
            self._room -= len(chunk)
            if self._room < 0:
                raise OutputOverflowError
            self._unread += chunk
        line = self._take(end)
        del self._unread[: len(_LINE_END)]
        return line

    def finished(self) -> FinishedProcess:
        """Return the exit of the ended child; ``stdout`` is empty, since its lines were received one by one."""
        return FinishedProcess(
            exit_code=self.exit_code,
            stdout="",
            stderr=self.stderr.text(),
            timed_out=False,
            overflowed=self._room < 0,
            duration_ms=round((anyio.current_time() - self._began) * 1000),
        )

    async def part(self) -> None:
        """Close the child's standard input, which asks it to end, and give it a moment for that."""
        await self._input.aclose()
        with anyio.move_on_after(_EXIT_GRACE_S):
            await self._wait()

    def _take(self, count: int) -> bytes:
        taken = bytes(self._unread[:count])
        del self._unread[:count]
        self._searched = 0
        return taken


@asynccontextmanager
async def talking(
    process: anyio.abc.Process, end: Callable[[Capture], Awaitable[None]], *, output_limit: int = OUTPUT_LIMIT
) -> AsyncGenerator[Conversation]:
    """Yield a conversation with ``process``. On every exit, it gets a moment to end, and then ``end`` is called.

    ``end`` ends it, and the capture of its standard error.
    """
    # All three were requested as pipes.
    stdin = cast("anyio.abc.ByteSendStream", process.stdin)
    stdout, stderr = (cast("anyio.abc.ByteReceiveStream", each) for each in (process.stdout, process.stderr))
    conversation = Conversation(stdin, stdout, stderr, process.wait, output_limit=output_limit)
    async with anyio.create_task_group() as readers:
        readers.start_soon(conversation.stderr.read)
        try:
            yield conversation
        finally:
            with anyio.CancelScope(shield=True):
                await conversation.part()
                await end(conversation.stderr)


@asynccontextmanager
async def talk(command: Command, *, output_limit: int = OUTPUT_LIMIT) -> AsyncGenerator[Conversation]:
    """Start a program of ours for a line-based exchange; ``supervision.converse`` is for foreign programs.

    On every exit, also when the caller is cancelled, it and its descendants are ended before.

    Raises:
        OSError: It cannot be started; ``filename`` names the file.
    """
    child = await start(command, PIPE)
    async with talking(child.process, lambda stderr: end(child, [stderr]), output_limit=output_limit) as conversation:
        yield conversation
    conversation.exit_code = child.process.returncode


def leave_running(argv: Sequence[str], environment: Mapping[str, str]) -> None:
    """Start a program of the user's desktop, which outlives this process and must not write to a terminal.

    Raises:
        OSError: It cannot be started.
    """
    process = subprocess.Popen(  # noqa: S603 -- what the system opens files with
        argv,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    threading.Thread(target=process.wait, daemon=True).start()  # while we are there, it is ours to be waited for
