"""Talking with a program, line by line."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol, cast

import anyio
import anyio.abc

from sparring.providers.cli.process import OUTPUT_LIMIT, PIPE, Capture, Command, Finished, end, start

_PARTING_S = 0.5  # for a child to end by itself once its standard input is closed; what takes longer is asked to
_LINE_END = b"\n"


class OutputOverflowError(Exception):
    """The child has said more than the limit allows."""


class Talker(Protocol):
    """As much of a process as a talk needs, with all three of its streams."""

    @property
    def stdin(self) -> anyio.abc.ByteSendStream | None: ...  # noqa: D102 - as every process has it

    @property
    def stdout(self) -> anyio.abc.ByteReceiveStream | None: ...  # noqa: D102 - the same

    @property
    def stderr(self) -> anyio.abc.ByteReceiveStream | None: ...  # noqa: D102 - the same

    @property
    def returncode(self) -> int | None:
        """Its exit code, None while it runs."""
        ...

    async def wait(self) -> int:
        """Wait for its end."""
        ...


class Conversation:
    """One child, talked with. Several tasks may send; one receives.

    Attributes:
        stderr: What the child said on its standard error so far; what is beyond the limit is dropped.
    """

    def __init__(self, process: Talker, *, output_limit: int = OUTPUT_LIMIT) -> None:
        self._process = process
        self._began = anyio.current_time()
        self._sending = anyio.Lock()
        self._unread = bytearray()
        self._searched = 0
        self._room = output_limit
        # All three were asked for as pipes.
        self._input = cast("anyio.abc.ByteSendStream", process.stdin)
        self._output = cast("anyio.abc.ByteReceiveStream", process.stdout)
        stderr = cast("anyio.abc.ByteReceiveStream", process.stderr)
        self.stderr = Capture(stderr, output_limit, on_end=lambda: None)

    async def send(self, line: bytes) -> None:
        """Send one line, without its end.

        A child that is gone or no longer reads is no error here: that it is gone is what ``receive`` tells.
        """
        try:
            async with self._sending:
                await self._input.send(line + _LINE_END)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass

    async def receive(self) -> bytes | None:
        """The next line, without its end, or None at the end of the output. A last line need not be ended.

        Raises:
            OutputOverflowError: The child has said more than the limit, all lines taken together.
        """
        while (found := self._unread.find(_LINE_END, self._searched)) < 0:
            self._searched = len(self._unread)
            try:
                chunk = await self._output.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return self._take(len(self._unread)) or None
            self._room -= len(chunk)
            if self._room < 0:
                raise OutputOverflowError
            self._unread += chunk
        line = self._take(found)
        del self._unread[: len(_LINE_END)]
        return line

    def finished(self, *, timed_out: bool = False) -> Finished:
        """How the child ended, after it has; ``stdout`` is empty, since its lines were received."""
        return Finished(
            exit_code=None if timed_out else self._process.returncode,
            stdout="",
            stderr=self.stderr.text(),
            timed_out=timed_out,
            overflowed=self._room < 0,
            duration_ms=round((anyio.current_time() - self._began) * 1000),
        )

    async def part(self) -> None:
        """Close the child's standard input, which asks it to end, and give it a moment for that."""
        await self._input.aclose()
        with anyio.move_on_after(_PARTING_S):
            await self._process.wait()

    def _take(self, count: int) -> bytes:
        taken = bytes(self._unread[:count])
        del self._unread[:count]
        self._searched = 0
        return taken


@asynccontextmanager
async def talking(
    process: Talker, end: Callable[[Capture], Awaitable[None]], *, output_limit: int = OUTPUT_LIMIT
) -> AsyncGenerator[Conversation]:
    """A talk with ``process``. However it is left, it is given a moment to part, and then ``end`` is called.

    ``end`` sees to its end, and to that of what is captured of its standard error.
    """
    conversation = Conversation(process, output_limit=output_limit)
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
    """Start a program of ours, and talk with it; ``supervision.converse`` is for those of others.

    However this is left, also when the caller is cancelled, it and all that it started are ended before.

    Raises:
        OSError: It cannot be started; ``filename`` tells which.
    """
    child = await start(command, PIPE)
    async with talking(child.process, lambda stderr: end(child, [stderr]), output_limit=output_limit) as conversation:
        yield conversation
