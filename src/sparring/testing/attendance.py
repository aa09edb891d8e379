"""Where the programs of ``fake_cli`` report in: tells, without looking at a clock, that one is there or is gone.

A program keeps its connection for life, so the connection ends when, and only when, the program does.
"""

import select
import socket
from types import TracebackType
from typing import Self

BOUND_S = 60.0
"""Seconds after which waiting fails with ``TimeoutError``; never reached when all is well."""


class Attendance:
    """A list of who is there. Leaving it ends whoever still is."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(BOUND_S)
        self._present: dict[str, socket.socket] = {}
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection in (*self._present.values(), self._listener):
            connection.close()

    def arrivals(self, count: int) -> frozenset[str]:
        """Wait for ``count`` programs, and return the names of all that came so far."""
        for _ in range(count):
            connection, _address = self._listener.accept()
            connection.settimeout(BOUND_S)
            self._present[_line(connection)] = connection
        return frozenset(self._present)

    def last_words(self, *names: str) -> dict[str, str]:
        """Wait for the end of these (none named: everybody), and return what each had to say besides its name."""
        return {name: _rest(self._present[name]) for name in names or self._present}

    def release(self, name: str) -> None:
        """Let that program go on, if it waits for that."""
        self._present[name].sendall(b"\n")

    def is_present(self, name: str) -> bool:
        """Whether that program is there at this moment."""
        return not select.select([self._present[name]], [], [], 0)[0]  # an ended connection can always be read


def _line(connection: socket.socket) -> str:
    received = b""
    while byte := connection.recv(1):
        if byte == b"\n":
            return received.decode()
        received += byte
    raise EOFError("a program ended before it had told its name")


def _rest(connection: socket.socket) -> str:
    received = b""
    while chunk := connection.recv(1024):
        received += chunk
    return received.decode()
