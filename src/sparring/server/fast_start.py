"""The server's start: a host is answered at once, while the SDK is still being imported.

Importing the SDK takes more than a second. Codex sends its first model turn without the tools of a server that is not
ready by then, Claude Code counts as connected only when ``subscriptions/listen`` is acknowledged, and a host that
probes may give up. So a thread reads the wire from the first moment, answers what a snapshot of the SDK's own answers
(``snapshot``) can answer, and keeps everything else in order until the SDK takes over (``stdio``).

The SDK sees every line, without loss, repetition or reordering. It even gets lines that were answered here, if they
opened the session or stay open in it; its second answer is dropped (``is_resent``, ``FastStart.has_acknowledged``).

The first request fixes whether a session has a handshake (protocol revisions up to 2025-11-25) or an envelope around
each request (2026-07-28). A probe (``server/discover``) is no such request here, although it is for the SDK: a host
that gave up on it sends ``initialize`` next, which the SDK would refuse, and Copilot CLI then reports the server as
failed. A probe that only the SDK can answer is passed to it in a separate session.

Facts that a client reports about itself are accepted, known or not: they do not change an answer. A method that the
snapshot does not have, a cursor, and a known key with a value that the SDK refuses wait for the SDK. That costs their
sender a second; a wrong guess would cost a wrong answer.

Reading order: requests that are known exactly, then the routing of lines; the process is ``__main__``. Only the
standard library, and little of it, is imported before the host is answered.
"""

import json
import os
import threading
import time
from collections.abc import Callable
from itertools import count
from typing import TypeGuard

from sparring.server.snapshot import HANDSHAKE, LISTEN, PROBE, Message, Snapshot

LAST_ANSWERS_S = 1.0
"""Seconds that answers may take after the input has ended. Hosts send SIGTERM after two seconds at the earliest."""

Sink = Callable[[bytes | None, float], object]
"""Takes the next line for the SDK, or None after the last one, and when it came. Returns when it has room for more."""

ProbeSink = Callable[[bytes], object]
"""Takes a request for the SDK in a separate session. It returns at once."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Some clients' encoders write one before their first line, or before each."""

_LONGEST = 32_768
_MOST_NESTED = 100
"""The SDK's parser refuses more than some 200 levels of nesting."""

_MOST_WAITING = 8 * 1024 * 1024
"""Bytes that wait for the SDK at most, about; then the host has to wait as well."""

_PREFIX = f"fast-start-{os.urandom(8).hex()}-"
_resent_ids = count()


def parsed(line: bytes) -> Message | None:
    """Return the JSON object in ``line``; None if there is none, or parsers may read it differently."""
    try:
        message = json.loads(line.decode(), parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return message if _is_object(message) else None


def is_request(message: Message) -> bool:
    """Return whether its sender waits for an answer."""
    return "method" in message and "id" in message


def is_resent(request_id: object) -> bool:
    """Return whether a request went to the SDK a second time, so that its answer is dropped."""
    return isinstance(request_id, str) and request_id.startswith(_PREFIX)


def _refused(constant: str) -> object:
    raise ValueError(constant)  # NaN and its like are no JSON


def _is_object(value: object) -> TypeGuard[Message]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _is_token(value: object) -> bool:
    """Return whether every parser reads it as the same id of a request or its progress: numbers below 2**53."""
    return isinstance(value, str) or (type(value) is int and abs(value) < 2**53)


def _holds_objects(value: object) -> bool:
    return _is_object(value) and all(map(_is_object, value.values()))


def _is_list_of_icons(value: object) -> bool:
    return _is_list(value) and all(_fits(icon, _ICON) for icon in value)


def _is_texts(value: object) -> bool:
    return _is_list(value) and all(isinstance(each, str) for each in value)


def _is_theme(value: object) -> bool:
    return value in ("light", "dark")


def _is_level(value: object) -> bool:
    return isinstance(value, str) and value in _LEVELS


_LEVELS = frozenset(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"])


def _is_nothing(value: object) -> bool:
    return value is None


_Shape = type | Callable[[object], bool] | dict[str, "_Shape"]
"""A type, a test, or keys of an object and the shapes of their values. With a question mark one may be missing or null,
with an exclamation mark it may be missing and not be null.

Other keys are allowed: facts that a client reports about itself do not change an answer, and the SDK ignores keys
that it does not know.
"""

_ICON: _Shape = {"src": str, "mimeType?": str, "sizes?": _is_texts, "theme?": _is_theme}
_WHO: _Shape = {
    "name": str,
    "version": str,
    "title?": str,
    "description?": str,
    "websiteUrl?": str,
    "icons?": _is_list_of_icons,
}
_CAN: _Shape = {
    "roots?": {"listChanged?": bool},
    "elicitation?": {"form?": _is_object, "url?": _is_object},
    "sampling?": {"tools?": _is_object, "context?": _is_object},
    "tasks?": {
        "list?": _is_object,
        "cancel?": _is_object,
        "requests?": {"sampling?": {"createMessage?": _is_object}, "elicitation?": {"create?": _is_object}},
    },
    **dict.fromkeys(("experimental?", "extensions?"), _holds_objects),
}
_REQUEST: _Shape = {"jsonrpc": str, "id": _is_token, "method": str, "params?": _is_object}
_REVISION = "io.modelcontextprotocol/protocolVersion"
_META: _Shape = {"progressToken!": _is_token, f"{_REVISION}?": _is_nothing}
_ENVELOPE: _Shape = {
    "progressToken!": _is_token,
    _REVISION: str,
    "io.modelcontextprotocol/clientInfo": _WHO,
    "io.modelcontextprotocol/clientCapabilities": _CAN,
    "io.modelcontextprotocol/logLevel?": _is_level,
}
_HANDSHAKE: _Shape = {"protocolVersion": str, "capabilities": _CAN, "clientInfo": _WHO, "_meta?": _META}
_LIST: _Shape = {"_meta?": _META, "cursor?": _is_nothing}
_KINDS: _Shape = {"toolsListChanged?": bool, "promptsListChanged?": bool, "resourcesListChanged?": bool}


def _fits(value: object, shape: _Shape) -> bool:
    if isinstance(shape, type):
        return type(value) is shape
    if callable(shape):
        return shape(value)
    return _is_object(value) and all(_has(value, key, part) for key, part in shape.items())


def _has(value: Message, key: str, shape: _Shape) -> bool:
    name = key.rstrip("?!")
    is_left_out = (key.endswith("?") and value.get(name) is None) or (key.endswith("!") and name not in value)
    return is_left_out or (name in value and _fits(value[name], shape))


def _is_plain(line: bytes, message: Message) -> bool:
    """Return whether ``line`` is a request that every parser reads alike."""
    is_short = len(line) <= _LONGEST and line.count(b"{") + line.count(b"[") <= _MOST_NESTED
    return is_short and _is_whole(line, message) and _fits(message, _REQUEST) and message["jsonrpc"] == "2.0"


def _is_whole(line: bytes, message: Message) -> bool:
    """Return whether no text in ``message`` has half of a surrogate pair, which the SDK's parser refuses."""
    if b"\\u" not in line:
        return True
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _asks_in(revision: str, message: Message) -> bool:
    """Return whether a plain request has the envelope of ``revision``, and asks for no page or unknown kind of news."""
    more: _Shape = {"notifications": _KINDS} if message["method"] == LISTEN else {}
    params: Message = message.get("params") or {}
    fits = _fits(params, {"_meta": _ENVELOPE, "cursor?": _is_nothing, **more})
    return fits and params["_meta"][_REVISION] == revision


def _with_own_id(request: Message) -> bytes:
    # Escaped, since half of a surrogate pair has no other form.
    return json.dumps({**request, "id": f"{_PREFIX}{next(_resent_ids)}"}).encode()


def _is_abandoned(following: list[bytes]) -> bool:
    """Return whether the next request is a handshake: then the sender of a probe has given up on it long ago."""
    requests = (message for message in map(parsed, following) if message is None or is_request(message))
    return (next(requests, None) or {}).get("method") == HANDSHAKE


class FastStart:
    """Answers the requests that it can, and keeps the rest for the SDK. Lines may come from another thread."""

    def __init__(
        self, snapshot: Snapshot | None, write: Callable[[bytes], object], last_answers_s: float = LAST_ANSWERS_S
    ) -> None:
        self.snapshot = snapshot
        self.last_answers_s = last_answers_s
        self._write = write
        self._turn = threading.Lock()
        self._handed_over = threading.Event()
        self._sink: Sink | None = None
        self._probe_sink: ProbeSink | None = None
        self._waiting: list[tuple[bytes, float]] = []
        self._received_at = 0.0
        self._bytes_waiting = 0
        self._probes: list[bytes] = []
        self._acknowledged: set[object] = set()
        self._revision = ""  # of the session
        self._is_open = False
        self._is_lost = snapshot is None  # only the SDK knows the answers
        self._ended = False
        self._has_work = False

    def receive(self, batch: list[bytes]) -> None:
        """Take lines that the host wrote in order, and that arrived at the same time.

        Raises:
            OSError: An answer could not be written, because the host no longer reads.
        """
        with self._turn:
            self._received_at = time.monotonic()
            for place, received in enumerate(batch, 1):
                line = received.removeprefix(_BYTE_ORDER_MARK)
                if self._sink and self._is_open:
                    self._sink(line, self._received_at)
                elif line.strip():
                    self._receive_line(line, batch[place:])
        if self._bytes_waiting > _MOST_WAITING:
            self._handed_over.wait()

    def end(self) -> bool:
        """Take note that no line follows; returns whether the SDK has, or will have, anything to do."""
        with self._turn:
            self._ended = True
            if self._sink:
                self._sink(None, time.monotonic())
            return self._has_work or self._sink is not None

    def hand_over(self, sink: Sink, probe_sink: ProbeSink) -> None:
        """Give ``sink`` all that waits, and from now on every further line at once; probes go ``probe_sink``."""
        with self._turn:
            for line in self._probes:
                probe_sink(line)
            for line, received_at in self._waiting:
                sink(line, received_at)
            self._probes, self._waiting, self._bytes_waiting = [], [], 0
            self._sink, self._probe_sink = sink, probe_sink
            if self._ended:
                sink(None, time.monotonic())
        self._handed_over.set()

    def has_acknowledged(self, subscription: object) -> bool:
        """Return whether the host knows already that it is subscribed; call it once, when the SDK acknowledges."""
        is_known = subscription in self._acknowledged
        self._acknowledged.discard(subscription)
        return is_known

    def _receive_line(self, line: bytes, following: list[bytes]) -> None:
        message = parsed(line)
        if message is None:
            # What is no message for us may be one for the SDK.
            self._is_open = self._is_lost = True
            self._pass_on(line, needs_reply=True)
        elif not is_request(message):
            self._pass_on(line)
        elif message["method"] == PROBE and not self._is_open:
            self._receive_probe(line, message, following)
        else:
            self._receive_request(line, message)

    def _receive_probe(self, line: bytes, message: Message, following: list[bytes]) -> None:
        if _is_abandoned(following):
            return
        if answer := self._answer(line, message):
            self._write_answer(answer)
        elif self._probe_sink:
            self._probe_sink(line)
        else:
            self._probes.append(line)
            self._has_work = True

    def _receive_request(self, line: bytes, message: Message) -> None:
        opens, self._is_open = not self._is_open, True
        method = message["method"]
        if opens and method == HANDSHAKE:
            self._probes.clear()  # their sender has given up on them
        answer = self._answer(line, message)
        if answer is None:
            self._is_lost |= opens or method == HANDSHAKE
            self._pass_on(line, needs_reply=True)
            return
        self._write_answer(answer)
        if method == LISTEN:
            self._acknowledged.add(message["id"])
            self._pass_on(line)
        elif opens:
            self._pass_on(_with_own_id(message))

    def _answer(self, line: bytes, message: Message) -> Message | None:
        """Return the SDK's reply to a request; None if that is not certain, and it has to be asked."""
        known = self.snapshot
        if known is None or self._is_lost or not _is_plain(line, message):
            return None
        params: Message = message.get("params") or {}
        if not self._revision and message["method"] == HANDSHAKE:
            if not _fits(params, _HANDSHAKE):
                return None
            self._revision = known.negotiated(params["protocolVersion"])
        elif self._revision in {"", known.modern}:
            if not _asks_in(known.modern, message):
                return None
            if message["method"] == PROBE:
                return known.answer(known.modern, message)
            self._revision = known.modern
        elif message["method"] == HANDSHAKE or not _fits(params, _LIST):
            return None
        return known.answer(self._revision, message)

    def _write_answer(self, answer: Message) -> None:
        self._write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode())

    def _pass_on(self, line: bytes, *, needs_reply: bool = False) -> None:
        self._has_work |= needs_reply
        if self._sink:
            self._sink(line, self._received_at)
            return
        self._waiting.append((line, self._received_at))
        self._bytes_waiting += len(line)
