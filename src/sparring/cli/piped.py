"""What comes through standard input, if anything does.

A question may be typed with its material piped to it (``git diff | sparring consult "review this"``). But whoever
starts us may also leave us a pipe that is open and says nothing: a build server, an agent's shell. So a terminal or a
device is not read at all, a file is, and a pipe is waited for until it says its first word or some seconds are over.
"""

import os
import select
import stat
import threading
from dataclasses import dataclass
from io import UnsupportedOperation

from sparring.cli.invocation import invocation
from sparring.errors import UsageError

INPUT_LIMIT = 8 * 1024 * 1024
"""Most bytes that are read from standard input."""

PATIENCE_S = 3.0
"""How long a pipe may say nothing at first: a program that writes to it takes a moment to start, as we do."""

_CHUNK = 65536


@dataclass(frozen=True)
class Piped:
    """What was read. ``is_silent`` tells that there is a pipe, still open, that has said nothing in time."""

    text: str = ""
    is_silent: bool = False


def all_input() -> str:
    """All of standard input, however long it takes.

    Raises:
        UsageError: It is no text, or too much.
    """
    return _decoded(invocation().streams.stdin.buffer.read(INPUT_LIMIT + 1))


def piped_input(*, patience_s: float = PATIENCE_S) -> Piped:
    """What a pipe or a file has for us. It is read to its end once it has begun.

    Raises:
        UsageError: It is no text, or too much.
    """
    try:
        descriptor = invocation().streams.stdin.fileno()
    except UnsupportedOperation:  # it lies in memory, and waits for nobody
        return Piped(all_input())
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return Piped(all_input())
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return Piped()
    reader = _Reader(descriptor)
    reader.start()
    if not reader.has_begun.wait(patience_s):
        return Piped(is_silent=True)
    reader.join()
    return Piped(_decoded(bytes(reader.content)))


class _Reader(threading.Thread):
    """Reads a descriptor to its end, or to the limit. A thread, since Windows cannot wait for a pipe in another way."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(daemon=True)
        self._descriptor = descriptor
        self.content = bytearray()
        self.has_begun = threading.Event()

    def run(self) -> None:
        while len(self.content) <= INPUT_LIMIT and (chunk := self._chunk()):
            self.content += chunk
            self.has_begun.set()
        self.has_begun.set()

    def _chunk(self) -> bytes:
        while True:
            try:
                return os.read(self._descriptor, _CHUNK)
            except BlockingIOError:  # somebody has made the pipe so for everybody who holds it
                select.select([self._descriptor], [], [])


def _decoded(content: bytes) -> str:
    if len(content) > INPUT_LIMIT:
        raise UsageError(f"Standard input holds more than {INPUT_LIMIT // 1024 // 1024} MiB; ask something shorter.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("Standard input is not UTF-8 text.") from error
