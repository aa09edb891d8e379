"""Standard input and output as the way to a host: tolerant of slow starts, prompt at the end.

The SDK's own entry point does the rest; three things are better here:

* A host that gave up on its probe (``server/discover``) while we started sends ``initialize`` next. The SDK would
  answer the probe, fix the protocol revision by it and refuse ``initialize``; Copilot CLI then reports the server as
  failed.
* A peer that writes its last request and closes the pipe at once still gets its answer.
* SIGTERM, SIGINT and SIGHUP stop the runs and end their children, as the end of the input does.
"""

import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import anyio
import anyio.abc
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import MCPServer, Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

Incoming = SessionMessage | Exception
Receive = Callable[[], Awaitable[Incoming]]
Send = Callable[[SessionMessage], Awaitable[None]]

_NEXT_MESSAGE_S = 0.05
"""How long a probe is held back. Whoever gave up on it has written ``initialize`` long ago: it is there already."""

_LAST_ANSWERS_S = 1.0
"""How long answers may take after the input has ended. Hosts send SIGTERM after two seconds at the earliest."""


def run(server: MCPServer[Any]) -> None:
    """Serve until the host closes our input or ends us."""
    try:
        # Only the low-level server lets us stand between it and the streams.
        low = server._lowlevel_server  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    except AttributeError:  # pragma: no cover -- a later SDK moved it; the tests tell before a user does
        server.run()
    else:
        anyio.run(_serve, low)


async def _serve(server: Server[Any]) -> None:
    ended_by_host = False
    async with stdio_server() as (raw, wire):
        async with anyio.create_task_group() as watched:
            await watched.start(_cancel_on_signal, watched.cancel_scope)
            unanswered = _Unanswered()
            questions, read = anyio.create_memory_object_stream[Incoming]()
            write, answers = anyio.create_memory_object_stream[SessionMessage]()
            async with wire, anyio.create_task_group() as relays:
                relays.start_soon(_relay_in, raw.receive, questions, unanswered)
                relays.start_soon(_relay_out, answers, wire.send, unanswered)
                await server.run(read, write, server.create_initialization_options())
            ended_by_host = True
            watched.cancel_scope.cancel()
        if not ended_by_host:
            # All runs are stopped and written down. The SDK's reading thread sits in a read that nothing can
            # interrupt, and an orderly exit would wait for it.
            os._exit(0)


class _Unanswered:
    """The requests that still wait for an answer."""

    def __init__(self) -> None:
        self._ids: set[int | str | None] = set()
        self._settled = anyio.Event()

    def note(self, item: Incoming) -> None:
        """Take notice of a message, whichever way it goes."""
        match item:
            case SessionMessage(message=JSONRPCRequest(id=asked)):
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


async def _relay_in(receive: Receive, send: MemoryObjectSendStream[Incoming], unanswered: _Unanswered) -> None:
    async with send:
        with suppress(anyio.EndOfStream):
            opening = await _opening(receive)
            while True:
                item = opening.pop(0) if opening else await receive()
                unanswered.note(item)
                await send.send(item)
        # When the stream closes, the SDK gives up on every request that is not answered yet.
        with anyio.move_on_after(_LAST_ANSWERS_S):
            await unanswered.none_left()


async def _relay_out(answers: MemoryObjectReceiveStream[SessionMessage], send: Send, unanswered: _Unanswered) -> None:
    async with answers:
        async for item in answers:
            await send(item)
            unanswered.note(item)


async def _opening(receive: Receive) -> list[Incoming]:
    """The first message, or the first two, without a probe that its sender has given up on."""
    opening = [await receive()]
    if _method(opening[0]) == "server/discover":
        with anyio.move_on_after(_NEXT_MESSAGE_S), suppress(anyio.EndOfStream):
            opening.append(await receive())
    given_up = [_method(item) for item in opening] == ["server/discover", "initialize"]
    return opening[1:] if given_up else opening


def _method(item: Incoming) -> str:
    match item:
        case SessionMessage(message=JSONRPCRequest(method=method)):
            return method
        case _:
            return ""


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
