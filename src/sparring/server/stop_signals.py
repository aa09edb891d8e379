"""The signals that ask the server to end, from the first one to the end of the process."""

import signal
import socket
from collections.abc import AsyncIterator
from types import FrameType, TracebackType
from typing import Self

import anyio

from sparring.processes.current import ending_signals


class StopSignals:
    """Yields once for each signal; must be opened in the main thread.

    Signals never get their default action back, not even when this is closed: hosts repeat them until the server has
    ended, and the default would leave a consulted program behind (Claude Code 2.1.329 and Gemini CLI 0.61.0 send two).
    """

    def __init__(self) -> None:
        self._receiver, self._sender = socket.socketpair()
        for end in (self._receiver, self._sender):
            end.settimeout(0)

    def __enter__(self) -> Self:
        signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
        self._numbers = ending_signals()
        for number in self._numbers:
            signal.signal(number, _ignore)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The interpreter removes our handlers before it ends, but keeps ignored signals ignored.
        for number in self._numbers:
            signal.signal(number, signal.SIG_IGN)
        signal.set_wakeup_fd(-1)
        for end in (self._receiver, self._sender):
            end.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> signal.Signals:
        await anyio.wait_readable(self._receiver)
        return signal.Signals(self._receiver.recv(1)[0])


async def cancel_on_signal(asked: AsyncIterator[object], scope: anyio.CancelScope) -> None:
    """Cancel ``scope`` when the server is asked to end."""
    await anext(asked)
    scope.cancel()


def _ignore(number: int, frame: FrameType | None) -> None:
    """The signal's number is in the socket."""
    del number, frame
