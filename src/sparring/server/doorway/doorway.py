"""Who gets a line from the host: the snapshot, or the SDK, which takes over as soon as it is there.

Towards the SDK no line is lost, repeated or reordered. It gets even the request that opened the session and was
answered here, since its own session begins with it; that one under an id of ours, so that the second answer can be told
from all others and is thrown away (``is_ours``).

A probe (``server/discover``) that only the SDK can answer is asked of it aside, in a session of its own: in that of the
host it would settle that there is no handshake, and a host may well fall back on one after a probe.
"""

import json
import os
import threading
from collections.abc import Callable
from itertools import count

from sparring.server.doorway.opening import Opening
from sparring.server.doorway.shapes import HANDSHAKE, PROBE, Message, is_request, is_token, parsed
from sparring.server.doorway.snapshot import Result, Snapshot

Sink = Callable[[bytes | None], object]
"""Takes the next line for the SDK, or None after the last one. It returns when it has room for another."""

Aside = Callable[[bytes], object]
"""Takes a request for the SDK that is to be answered in a session of its own. It returns at once."""

_MOST_WAITING = 8 * 1024 * 1024
"""Bytes that wait for the SDK at most, about; then the host has to wait as well."""

_PREFIX = f"doorway-{os.urandom(8).hex()}-"


def is_ours(request_id: object) -> bool:
    """Whether a request went to the SDK a second time, and its answer is for nobody."""
    return isinstance(request_id, str) and request_id.startswith(_PREFIX)


class Doorway:
    """Answers what it can, and keeps the rest until somebody takes it. Lines may come from another thread."""

    def __init__(self, snapshot: Snapshot | None, write: Callable[[bytes], object]) -> None:
        self._opening = Opening(snapshot)
        self._write = write
        self._turn = threading.Lock()
        self._handed_over = threading.Event()
        self._sink: Sink | None = None
        self._aside: Aside | None = None
        self._waiting: list[bytes] = []
        self._bytes_waiting = 0
        self._probe: _Probe | None = None
        self._ended = False
        self._owes = False

    def receive(self, batch: list[bytes]) -> None:
        """Take lines that the host wrote one after the other, and that were there at the same time.

        Raises:
            OSError: An answer could not be written, since nobody reads any more.
        """
        with self._turn:
            for place, line in enumerate(batch, 1):
                if self._sink and self._opening.settled:
                    self._sink(line)
                else:
                    self._hear(line, batch[place:])
        if self._bytes_waiting > _MOST_WAITING:
            self._handed_over.wait()

    def end(self) -> bool:
        """Take note that no line follows; returns whether the SDK has, or will have, anything to do."""
        with self._turn:
            self._ended = True
            if self._sink:
                self._sink(None)
            return self._owes or self._sink is not None

    def hand_over(self, sink: Sink, aside: Aside | None = None) -> None:
        """Give ``sink`` all that waits, and from now on every further line at once.

        Without ``aside`` a probe that only the SDK can answer opens the session.
        """
        with self._turn:
            self._aside = aside
            if self._probe and not self._probe.is_answered:
                self._ask_aside(self._probe)
            for line in self._waiting:
                sink(line)
            self._waiting, self._bytes_waiting, self._sink = [], 0, sink
            if self._ended:
                sink(None)
        self._handed_over.set()

    def _hear(self, line: bytes, following: list[bytes]) -> None:
        message = parsed(line)
        if message is None:
            self._hear_noise(line)
        elif not is_request(message):
            self._pass_on(line)
        elif self._probe is None and not self._opening.settled and message["method"] == PROBE:
            if not _is_given_up(following):
                self._hear_probe(line, message)
        else:
            self._hear_request(line, message)

    def _hear_noise(self, line: bytes) -> None:
        if line.strip():
            # What is no message for us may be one for the SDK.
            self._heed_probe()
            self._opening.lose()
            self._owe(line)

    def _hear_probe(self, line: bytes, message: Message) -> None:
        result = self._opening.result(line, message)
        self._probe = probe = _Probe(line, message, is_known=result is not None)
        if result is not None:
            self._answer(message, result)
            probe.is_answered = True
            return
        if self._sink:
            self._ask_aside(probe)
        else:
            self._owe(line)

    def _ask_aside(self, probe: "_Probe") -> None:
        if self._aside and is_token(probe.message["id"]):
            self._take_back(probe)
            self._aside(probe.line)
            probe.is_answered = True
            return
        if self._sink:
            self._sink(probe.line)
        self._heed_probe()

    def _take_back(self, probe: "_Probe") -> None:
        """Let a probe that waits for the SDK wait no longer."""
        if probe.line in self._waiting:
            self._waiting.remove(probe.line)

    def _hear_request(self, line: bytes, message: Message) -> None:
        if message["method"] == HANDSHAKE and not self._opening.settled:
            # The sender of a probe has given up on it, so that the session must not begin with it.
            probe, self._probe = self._probe, None
            if probe:
                self._take_back(probe)
        self._heed_probe()
        opens = not self._opening.settled
        result = self._opening.result(line, message)
        if result is None:
            self._owe(line)
            return
        self._answer(message, result)
        if opens:
            self._pass_on(_as_ours(message))

    def _heed_probe(self) -> None:
        """Nobody has given up on it, so that it opens the session."""
        probe, self._probe = self._probe, None
        if probe is None:
            return
        if probe.is_answered:
            self._pass_on(_as_ours(probe.message))
        if probe.is_known:
            self._opening.settle_by_probe()
        else:
            self._opening.lose()

    def _answer(self, request: Message, result: Result) -> None:
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
        self._write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode())

    def _owe(self, line: bytes) -> None:
        self._owes = True
        self._pass_on(line)

    def _pass_on(self, line: bytes) -> None:
        if self._sink:
            self._sink(line)
            return
        self._waiting.append(line)
        self._bytes_waiting += len(line)


class _Probe:
    """A probe that nobody has given up on yet, and of which the session of the SDK knows nothing.

    Attributes:
        is_known: Whether the snapshot has the answer.
        is_answered: Whether it has been answered, or will be aside.
    """

    def __init__(self, line: bytes, message: Message, *, is_known: bool) -> None:
        self.line = line
        self.message = message
        self.is_known = is_known
        self.is_answered = False


def _is_given_up(following: list[bytes]) -> bool:
    """Whether the next request is a handshake: then the sender of a probe has given up on it long ago."""
    requests = (message for message in map(parsed, following) if message is None or is_request(message))
    following_request = next(requests, None)
    return following_request is not None and following_request["method"] == HANDSHAKE


_ours = count()


def _as_ours(request: Message) -> bytes:
    # Escaped, since half of a surrogate pair has no other form.
    return json.dumps({**request, "id": f"{_PREFIX}{next(_ours)}"}).encode()
