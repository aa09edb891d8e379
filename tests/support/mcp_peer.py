"""A host that speaks JSON-RPC by hand: for what a well-behaved client never does, and to end a server hard."""

import json
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from support.mcp_project import BOUND_S, PATIENT, SERVER
from support.processes import heeding_endings
from support.workbench import Workbench

Message = dict[str, Any]

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "peer", "version": "1"}}
_HURRY = 2_000

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "peer", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(number: int | str, method: str, params: Mapping[str, object] | None = None) -> Message:
    """A request under that id."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}


def modern(number: int | str, method: str, params: Mapping[str, object] | None = None) -> Message:
    """A request of the era without a handshake."""
    return request(number, method, {**(params or {}), "_meta": MODERN})


def piped(bench: Workbench, *messages: Message | bytes) -> list[Message]:
    """Return a server's replies to ``messages``, or lines, when its input ends with the last of them."""
    done = subprocess.run(
        PATIENT,
        input=b"".join(line + b"\n" if isinstance(line, bytes) else _line(line) for line in messages),
        capture_output=True,
        check=True,
        cwd=bench.project,
        env=bench.environment,
        timeout=BOUND_S,
    )
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


class Pipes:
    """A server of its own, and the other end of its pipes. Leaving it ends the server."""

    def __init__(self, bench: Workbench, command: Sequence[str] = SERVER, stderr: int | None = None) -> None:
        pipe, place = subprocess.PIPE, bench.project
        with heeding_endings():
            self.process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=stderr, bufsize=0, cwd=place, env=bench.environment
            )
        self._unread = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:
            self.process.kill()

    def send(self, *messages: Message) -> None:
        """Write messages in one piece."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(map(_line, messages)))

    def hear(self) -> Message:
        """The next message."""
        stream = self.process.stdout
        assert stream is not None
        while b"\n" not in self._unread:
            assert select.select([stream], [], [], BOUND_S)[0], "the server says nothing"
            chunk = stream.read(65536)
            assert chunk, "the server has ended"
            self._unread += chunk
        line, self._unread = self._unread.split(b"\n", 1)
        return json.loads(line)

    def close_input(self) -> None:
        """End the server's input, and wait for nothing."""
        assert self.process.stdin is not None
        self.process.stdin.close()


class Peer(Pipes):
    """A host that has introduced itself to a server of its own."""

    def __enter__(self) -> Self:
        self.send(request(0, "initialize", INITIALIZE))
        self.receive(lambda message: message.get("id") == 0)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def call(self, number: int, tool: str, arguments: Mapping[str, object]) -> None:
        """Call a tool and ask for progress."""
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": number}}
        self.send(request(number, "tools/call", params))

    def receive(self, fits: Callable[[Message], bool]) -> Message:
        """The next message that ``fits``; others are passed over."""
        while not fits(message := self.hear()):
            pass
        return message

    def told(self, words: str) -> str:
        """The next message of progress with these ``words``; an answer must not come before it."""
        message = self.receive(lambda message: words in _progress(message) or "id" in message)
        assert "params" in message, message
        return message["params"]["message"]

    def end(self, signum: signal.Signals) -> int:
        """Send a signal, and return how the server ended."""
        self.process.send_signal(signum)
        return self.process.wait(BOUND_S)

    def hurry(self, *signals: signal.Signals) -> int:
        """See ``hurried``."""
        return hurried(self.process, *signals)


def hurried(process: "subprocess.Popen[bytes]", *signals: signal.Signals) -> int:
    """Send ``signals``, hundreds close behind each other and then on until ``process`` has ended; how it did."""
    for number in signals * _HURRY:
        process.send_signal(number)  # to one that has ended it is none
    while process.poll() is None:
        for number in signals:
            process.send_signal(number)
        time.sleep(0.001)
    return process.returncode


def _progress(message: Message) -> str:
    return message["params"]["message"] if message.get("method") == "notifications/progress" else ""


def _line(message: Message) -> bytes:
    return json.dumps(message).encode() + b"\n"
