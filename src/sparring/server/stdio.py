"""The SDK at standard input and output, behind the doorway that has been there before it.

The doorway owns the wire: it reads every line and writes its own answers. Here its lines become messages for the SDK,
and the SDK's answers become lines. Four things are better than in the SDK's own transport:

* The host is answered before the SDK is there (``doorway``).
* A peer that writes its last request and closes the pipe at once still gets its answer.
* A request that cannot be read is refused (``lines``).
* SIGTERM, SIGINT and SIGHUP stop the runs and end their children, as the end of the input does; so does a host that
  closes its end while we write.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import anyio.abc
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import MCPServer, Server
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from pydantic import ValidationError

from sparring.server.doorway.doorway import Doorway, is_ours
from sparring.server.doorway.entry import ENDINGS, LAST_ANSWERS_S
from sparring.server.doorway.wire import Wire
from sparring.server.lines import Incoming, message_of, refusals


def run(server: MCPServer[Any], doorway: Doorway, wire: Wire, last_answers_s: float = LAST_ANSWERS_S) -> None:
    """Serve until the host closes our input or ends us."""
    try:
        # Only the low-level server lets us stand between it and the streams.
        low = server._lowlevel_server  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    except AttributeError:
        _run_through_pipe(server, doorway, wire)  # a later SDK moved it
    else:
        anyio.run(_serve, low, doorway, wire, last_answers_s)


def _run_through_pipe(server: MCPServer[Any], doorway: Doorway, wire: Wire) -> None:
    outlet, inlet = os.pipe()
    os.dup2(outlet, 0)
    os.close(outlet)
    wire.give_back()
    nowhere = os.open(os.devnull, os.O_WRONLY)

    def end(*_: object) -> None:
        # The SDK's input ends, and it stops; what the host may still say must not land in whatever is opened next.
        os.dup2(nowhere, inlet)

    def take(line: bytes | None) -> None:
        rest = memoryview(b"" if line is None else line + b"\n")
        while rest:
            rest = rest[os.write(inlet, rest) :]
        if line is None:
            end()

    for number in ENDINGS:
        signal.signal(number, end)
    threading.Thread(target=doorway.hand_over, args=(take,), daemon=True).start()
    server.run()


async def _serve(server: Server[Any], doorway: Doorway, wire: Wire, last_answers_s: float) -> None:
    ended_by_host = False
    async with anyio.create_task_group() as watched:
        await watched.start(_cancel_on_signal, watched.cancel_scope)
        unanswered = _Unanswered()
        questions, read = anyio.create_memory_object_stream[SessionMessage | Exception]()
        write, answers = anyio.create_memory_object_stream[SessionMessage]()
        token = anyio.lowlevel.current_token()

        async with anyio.create_task_group() as relays:
            intake = _Intake(questions, write.clone(), unanswered, relays, server, last_answers_s)

            def take(line: bytes | None) -> None:
                anyio.from_thread.run(intake.take, line, token=token)

            def ask_aside(line: bytes) -> None:
                anyio.from_thread.run(intake.ask_aside, line, token=token)

            relays.start_soon(_relay_out, answers, wire, unanswered, watched.cancel_scope)
            relays.start_soon(partial(_in_thread, doorway.hand_over, take, ask_aside))
            await server.run(read, write, server.create_initialization_options())
        ended_by_host = True
        watched.cancel_scope.cancel()
    if not ended_by_host:
        # All runs are stopped and written down. A thread may sit in a write that nothing can interrupt, and an orderly
        # exit would wait for it.
        os._exit(0)


async def _in_thread(work: Callable[..., object], *arguments: object) -> None:
    """Do work that may take as long as the host likes; it is left alone when we are ended."""
    await anyio.to_thread.run_sync(work, *arguments, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))


class _Unanswered:
    """The requests that still wait for an answer."""

    def __init__(self) -> None:
        self._ids: set[int | str | None] = set()
        self._settled = anyio.Event()

    def note(self, item: Incoming) -> None:
        """Take notice of a message, whichever way it goes."""
        match item:
            case SessionMessage(message=JSONRPCRequest(id=asked)) if not is_ours(asked):
                self._ids.add(asked)
            case SessionMessage(message=JSONRPCResponse(id=answered) | JSONRPCError(id=answered)):
                self._settle(answered)
            case SessionMessage(
                message=JSONRPCNotification(
                    method="notifications/cancelled", params={"requestId": int() | str() as lost}
                )
            ):
                self._settle(lost)
            case _:
                pass

    async def none_left(self) -> None:
        """Return when every request is answered or given up."""
        while self._ids:
            await self._settled.wait()

    def _settle(self, request_id: int | str | None) -> None:
        self._ids.discard(request_id)
        settled, self._settled = self._settled, anyio.Event()
        settled.set()


@dataclass(frozen=True)
class _Intake:
    """Where lines of the host go.

    Attributes:
        answers: Takes those that the session of the host does not give.
        asides: Where questions are asked in sessions of their own.
    """

    questions: MemoryObjectSendStream[SessionMessage | Exception]
    answers: MemoryObjectSendStream[SessionMessage]
    unanswered: _Unanswered
    asides: anyio.abc.TaskGroup
    server: Server[Any]
    last_answers_s: float

    async def take(self, line: bytes | None) -> None:
        """Take the next line, or None after the last one; return when there is room for another."""
        if line is None:
            await self._close()
            return
        item = message_of(line)
        self.unanswered.note(item)
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            if isinstance(item, ValidationError):
                for refusal in refusals(line, item):
                    await self.answers.send(SessionMessage(refusal))
            await self.questions.send(item)

    async def ask_aside(self, line: bytes) -> None:
        """Have a request answered in a session of its own, so that it decides nothing about that of the host."""
        item = message_of(line)
        if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest):
            self.unanswered.note(item)
            self.asides.start_soon(_answer_aside, self.server, item, self.answers.clone())
        else:
            await self.take(line)

    async def _close(self) -> None:
        # When the stream closes, the SDK gives up on every request that is not answered yet.
        with anyio.move_on_after(self.last_answers_s):
            await self.unanswered.none_left()
        self.answers.close()
        self.questions.close()


async def _answer_aside(
    server: Server[Any], item: SessionMessage, answers: MemoryObjectSendStream[SessionMessage]
) -> None:
    questions, read = anyio.create_memory_object_stream[SessionMessage | Exception]()
    write, heard = anyio.create_memory_object_stream[SessionMessage]()
    async with answers, heard, anyio.create_task_group() as session:
        session.start_soon(server.run, read, write, server.create_initialization_options())
        async with questions:
            await questions.send(item)
            await answers.send(await heard.receive())


async def _relay_out(
    answers: MemoryObjectReceiveStream[SessionMessage],
    wire: Wire,
    unanswered: _Unanswered,
    scope: anyio.CancelScope,
) -> None:
    async with answers:
        async for item in answers:
            if not is_ours(getattr(item.message, "id", None)):
                line = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
                try:
                    await _in_thread(wire.write, line)
                except OSError:  # nobody reads any more
                    scope.cancel()
                    return
            unanswered.note(item)


async def _cancel_on_signal(
    scope: anyio.CancelScope, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    if sys.platform == "win32":
        task_status.started()
        return  # there hosts end a process without asking it
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        task_status.started()
        async for _ in signals:
            scope.cancel()
            return
