"""The SDK at standard input and output, behind the start that has already answered the host.

``fast_start`` owns the wire: it reads every line and writes its own answers. Here its lines become messages for the
SDK, and the SDK's answers become lines. Three things are better than in the SDK's own transport:

* A peer that writes its last request and closes the pipe at once still gets its answer.
* A line that cannot be read is refused; the SDK passes over it, and its sender waits for ever. That happens: a
  program that cuts a text in the middle of an emoji writes half of a surrogate pair, which no strict parser takes.
* A signal stops the runs and ends their children, as the end of the input does; so does a host that closes its end
  while we write.

The answers of a start are compared with those of the SDK, and recorded for the next one.
"""

import json
import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Coroutine, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard, cast

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
from anyio.streams.memory import MemoryObjectSendStream
from mcp import types
from mcp.server import MCPServer, Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION
from pydantic import ValidationError

from sparring.server import fast_start, limits, snapshot, stop_signals
from sparring.server.wire import Wire

Incoming = SessionMessage | ValidationError

LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")

_CLIENT = {"name": "snapshot", "version": "1"}
_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": LATEST_MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_KINDS = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}

_RENEWAL_S = 10
"""Seconds that recording the SDK's replies may take. It takes 0.02 s, also when the host has left meanwhile."""

_NO_MESSAGE = "it is not a JSON-RPC 2.0 request"
_IN_BATCH = "requests in a batch are not taken, send each on a line of its own"
_EXAMPLE = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
_HALF_A_PAIR = "a text in it has half of a surrogate pair, as if an emoji had been cut in two"


def run(server: MCPServer[Any], host: fast_start.FastStart, wire: Wire) -> None:
    """Serve until the host closes our input or ends us."""
    anyio.run(_serve, server, host, wire)


def low_level(server: MCPServer[Any]) -> Server[Any]:
    """Return the low-level server, to which messages can be sent directly.

    Its one public place is the manager of sessions over HTTP, which is never run.
    """
    server.streamable_http_app()
    return server.session_manager.app


async def sdk_replies(server: Server[Any], items: Iterable[Incoming]) -> list[types.JSONRPCMessage]:
    """Return the SDK's replies in a separate session; each request is answered before the next message."""
    questions, read = anyio.create_memory_object_stream[SessionMessage | Exception]()
    write, answers = anyio.create_memory_object_stream[SessionMessage]()
    note_activity: list[types.JSONRPCMessage] = []
    async with anyio.create_task_group() as session, answers:
        session.start_soon(server.run, read, write, server.create_initialization_options())
        for item in items:
            await questions.send(item)
            if isinstance(item, SessionMessage) and isinstance(item.message, types.JSONRPCRequest):
                note_activity.append((await answers.receive()).message)
        questions.close()
        async for _ in answers:
            pass  # the end of an open stream
    return note_activity


async def recorded(server: MCPServer[Any]) -> snapshot.Message:
    """The snapshot of the server as it is now."""
    low = low_level(server)
    plain = dict.fromkeys(("ping", *LISTS), snapshot.Message())
    revisions: dict[str, list[str]] = {}
    for revision in HANDSHAKE_PROTOCOL_VERSIONS:
        opening = {"protocolVersion": revision, "capabilities": {}, "clientInfo": _CLIENT}
        for answer in await _answers(low, {snapshot.HANDSHAKE: opening, **plain}):
            revisions.setdefault(answer, []).append(revision)
    enveloped = {method: {"_meta": _ENVELOPE} for method in (snapshot.PROBE, *LISTS)}
    for answer in await _answers(low, enveloped):
        revisions.setdefault(answer, []).append(LATEST_MODERN_VERSION)
    listening = {snapshot.LISTEN: {"_meta": _ENVELOPE, "notifications": _KINDS}}
    (acknowledged,) = await sdk_replies(low, _requests(listening))
    return {
        "made_of": snapshot.installed(),
        "protocol": snapshot.protocol(),
        "fallback": LATEST_HANDSHAKE_VERSION,
        "modern": LATEST_MODERN_VERSION,
        "acknowledged": acknowledged.params if isinstance(acknowledged, types.JSONRPCNotification) else {},
        "answers": [{**json.loads(answer), "revisions": those} for answer, those in revisions.items()],
    }


async def _answers(server: Server[Any], asked: dict[str, snapshot.Message]) -> list[str]:
    note_activity = await sdk_replies(server, _requests(asked))
    results = {message.id: message.result for message in note_activity if isinstance(message, types.JSONRPCResponse)}
    return [json.dumps({"method": method, "result": result}) for method, result in results.items()]


def _requests(asked: dict[str, snapshot.Message]) -> Iterable[SessionMessage]:
    for method, params in asked.items():
        yield SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=method, method=method, params=params))
        if method == snapshot.HANDSHAKE:
            yield SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized"))


def message_of(line: bytes) -> Incoming:
    """Return the message in ``line`` as the SDK's own transport reads it; an error, if it is none.

    An id that is a number with a fraction or an exponent is legal, and the SDK does not accept it: it becomes a text
    for the SDK, and is restored in the answer (``line_of``).
    """
    text = line.decode(errors="replace")
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
        if isinstance(message, types.JSONRPCNotification) and _NUMBERED.search(text):
            message = _with_its_id(text, message)
        return SessionMessage(message)
    except ValidationError as error:
        return error


_NUMBER = f"number-{secrets.token_hex(8)}-"
"""Begins the text that stands for a number as long as the SDK has it."""

_NUMBERED = re.compile(r'"(?:id|requestId)"')
_MARKED_NUMBER = re.compile(rf'"{_NUMBER}([0-9.eE+-]+)"')


def _with_its_id(text: str, message: types.JSONRPCNotification) -> types.JSONRPCMessage:
    """The request that was taken for a notification because of the form of its id; raises ``ValidationError``."""
    table = cast("dict[str, Any]", json.loads(text, parse_float=_Number))
    params = table.get("params")
    if isinstance(params, dict) and isinstance(number := cast("dict[str, Any]", params).get("requestId"), _Number):
        return message.model_copy(update={"params": {**(message.params or {}), "requestId": f"{_NUMBER}{number}"}})
    if "id" not in table:
        return message
    id_ = table["id"]
    own = json.loads(text) | {"id": f"{_NUMBER}{id_}" if isinstance(id_, _Number) else id_}
    return types.JSONRPCRequest.model_validate(own)


class _Number(str):
    """A number with a fraction or an exponent, as it is written."""

    __slots__ = ()


def line_of(message: types.JSONRPCMessage) -> bytes:
    """The line for ``message``, with the numbers that its request had."""
    return _MARKED_NUMBER.sub(r"\1", message.model_dump_json(by_alias=True, exclude_unset=True)).encode()


def refusals(line: bytes, error: ValidationError) -> tuple[types.JSONRPCError, ...]:
    """Answers to a ``line`` for which ``message_of`` has that error: one to each request in it, else one without id."""
    try:
        read: object = json.loads(line.decode(errors="replace"), strict=False)
    except (ValueError, RecursionError):
        return (_refusal(None, "it is not JSON", types.PARSE_ERROR),)
    if isinstance(read, list):
        requests = [each for each in cast("list[object]", read) if _is_request(each)]
        return tuple(_refusal(each["id"], _IN_BATCH) for each in requests) or (_refusal(None, _IN_BATCH),)
    return (_refusal(read["id"] if _is_request(read) else None, _reason(read, error)),)


def _reason(read: object, error: ValidationError) -> str:
    if not _is_sound(json.dumps(read, ensure_ascii=False)):
        return _HALF_A_PAIR
    fault = error.errors(include_url=False, include_input=False)[0]
    return str(fault["ctx"]["error"]) if fault["type"] == "json_invalid" and "ctx" in fault else _NO_MESSAGE


def _refusal(request_id: int | str | None, reason: str, code: int = types.INVALID_REQUEST) -> types.JSONRPCError:
    words = types.ErrorData(code=code, message=f"The request cannot be read: {reason}. Example: {_EXAMPLE}")
    return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=words)


def _is_request(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether it can be answered: it has a method, and an id that an answer can repeat."""
    if not isinstance(value, dict):
        return False
    request = cast("dict[str, object]", value)
    asked = request.get("id")
    return "method" in request and (_is_sound(asked) if isinstance(asked, str) else type(asked) is int)


def _is_sound(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


async def _serve(server: MCPServer[Any], host: fast_start.FastStart, wire: Wire) -> None:
    ended_by_host = False
    with _signals() as signals:
        async with anyio.create_task_group() as watched:
            if signals:
                watched.start_soon(stop_signals.cancel_on_signal, signals, watched.cancel_scope)
            await _Relay(server, host, wire).run(watched.cancel_scope)
            ended_by_host = True
            watched.cancel_scope.cancel()
        if not ended_by_host:
            # All runs are stopped and written down. A thread may sit in a write that nothing can interrupt, and an
            # orderly exit would wait for it.
            os._exit(0)


class _Relay:
    """Passes lines of the host to the SDK, and its answers back."""

    def __init__(self, server: MCPServer[Any], host: fast_start.FastStart, wire: Wire) -> None:
        self._served = server
        self._server = low_level(server)
        self._host = host
        self._wire = wire
        self._token = anyio.lowlevel.current_token()
        self._tasks = anyio.create_task_group()
        self._questions, self._read = anyio.create_memory_object_stream[SessionMessage | Exception]()
        self._write, self._answers = anyio.create_memory_object_stream[SessionMessage]()
        self._refusals = self._write.clone()
        self._unanswered: set[int | str] = set()
        self._answered = anyio.Event()

    async def run(self, scope: anyio.CancelScope) -> None:
        """Serve until the host closes our input; one that closes its end while we write cancels ``scope``."""
        async with self._tasks:
            self._tasks.start_soon(self._relay_out, scope)
            self._tasks.start_soon(self._connect)
            await self._server.run(self._read, self._write, self._server.create_initialization_options())

    async def _connect(self) -> None:
        await _in_thread(self._host.hand_over, self._from_thread(self._receive), self._from_thread(self._answer_probe))
        known = self._host.snapshot
        if known and known.is_ours:
            return
        with anyio.move_on_after(_RENEWAL_S):
            now = await recorded(self._served)
            if known is None or known.recorded != now:
                snapshot.keep(now)  # for the next start

    def _from_thread(self, work: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
        return partial(anyio.from_thread.run, work, token=self._token)

    async def _receive(self, line: bytes | None, received_at: float) -> None:
        """Take the next line, or None after the last one; return when there is room for another."""
        if line is None:
            await self._close()
            return
        item = message_of(line)
        if isinstance(item, SessionMessage):
            item.metadata = ServerMessageMetadata(request_context=limits.CallArrival(received_at))
        self._note(item)
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            if isinstance(item, ValidationError):
                for refusal in refusals(line, item):
                    await self._refusals.send(SessionMessage(refusal))
            await self._questions.send(item)

    async def _answer_probe(self, line: bytes) -> None:
        """Answer a request in a separate session, so that it does not affect that of the host."""
        item = message_of(line)
        if isinstance(item, SessionMessage):
            self._note(item)
            self._tasks.start_soon(self._send_probe_answers, item, self._refusals.clone())
        else:
            await self._receive(line, time.monotonic())

    async def _send_probe_answers(self, item: SessionMessage, answers: MemoryObjectSendStream[SessionMessage]) -> None:
        async with answers:
            for message in await sdk_replies(self._server, [item]):
                await answers.send(SessionMessage(message))

    async def _close(self) -> None:
        # When the stream closes, the SDK gives up on every request that is not answered yet.
        with anyio.move_on_after(self._host.last_answers_s):
            while self._unanswered:
                await self._answered.wait()
        self._refusals.close()
        self._questions.close()

    async def _relay_out(self, scope: anyio.CancelScope) -> None:
        async with self._answers:
            async for item in self._answers:
                if not self._is_known(item.message):
                    try:
                        await _in_thread(self._wire.write, line_of(item.message))
                    except OSError:  # the host no longer reads
                        scope.cancel()
                        return
                self._note(item)

    def _is_known(self, message: types.JSONRPCMessage) -> bool:
        """Return whether the host has this message already."""
        match message:
            case types.JSONRPCNotification(
                method=snapshot.ACKNOWLEDGED, params={"_meta": {snapshot.SUBSCRIPTION: subscription}}
            ):
                return self._host.has_acknowledged(subscription)
            case types.JSONRPCResponse(id=answered) | types.JSONRPCError(id=answered):
                return fast_start.is_resent(answered)
            case _:
                return False

    def _note(self, item: Incoming) -> None:
        """Take notice of a message, whichever way it goes: of the requests that still wait for an answer."""
        match item:
            case SessionMessage(message=types.JSONRPCRequest(id=asked, method=method)) if not (
                fast_start.is_resent(asked) or method == snapshot.LISTEN
            ):
                self._unanswered.add(asked)
            case SessionMessage(
                message=types.JSONRPCResponse(id=settled)
                | types.JSONRPCError(id=settled)
                | types.JSONRPCNotification(
                    method="notifications/cancelled", params={"requestId": int() | str() as settled}
                )
            ):
                self._unanswered.discard(settled)
                answered, self._answered = self._answered, anyio.Event()
                answered.set()
            case _:
                pass


async def _in_thread(work: Callable[..., object], *arguments: object) -> None:
    """Do work that may take as long as the host likes; it is left alone when we are ended."""
    await anyio.to_thread.run_sync(work, *arguments, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))


def _signals() -> AbstractContextManager[stop_signals.StopSignals | None]:
    """Those that end us; on Windows hosts end a process without asking it."""
    return nullcontext() if sys.platform == "win32" else stop_signals.StopSignals()


def _write_snapshot() -> None:
    """Write the snapshot that ships."""
    from sparring.server.building import build_server  # noqa: PLC0415 -- only to make a snapshot

    text = json.dumps(anyio.run(recorded, build_server()), ensure_ascii=False, indent=1)
    Path(snapshot.SHIPPED).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    _write_snapshot()
