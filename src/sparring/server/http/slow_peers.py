"""Connections that are closed when the head of a request does not come: else whoever says nothing stays for ever."""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle


class ImpatientProtocol(H11Protocol):
    """The protocol of uvicorn, which by itself waits without limit for the head of a request.

    Attributes:
        head_s: Seconds until it must be there, from the connection or its first byte on.
    """

    head_s = 10.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._start()

    def data_received(self, data: bytes) -> None:
        """Stop waiting when a head is complete; begin to when a part of the next one comes."""
        before = cast("RequestResponseCycle | None", self.cycle)
        super().data_received(data)
        if self.cycle is not before:
            self._stop()
        elif before is None or before.response_complete:
            self._start()

    def on_response_complete(self) -> None:
        """Begin to wait when a part of the next head came early."""
        before = self.cycle
        super().on_response_complete()
        if self.cycle is before and self.conn.trailing_data[0]:
            self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._stop()
        super().connection_lost(exc)

    def _start(self) -> None:
        self._timer = self._timer or self.loop.call_later(self.head_s, self.transport.close)

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


def protocol(head_s: float) -> type[asyncio.Protocol]:
    """The protocol that waits ``head_s`` seconds; uvicorn makes one for each connection, and tells it nothing else."""
    return type(ImpatientProtocol.__name__, (ImpatientProtocol,), {"head_s": head_s})
