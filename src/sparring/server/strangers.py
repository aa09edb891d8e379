"""Connections whose peer has not shown the token yet: how many one address may have, and for how long.

Whoever has shown it is bounded no further here, so that a team behind one address, or a proxy, is not held up by
others.
"""

import asyncio
from collections.abc import Callable, Hashable

from uvicorn.protocols.http.h11_impl import H11Protocol

Peer = tuple[str, int]
"""The address and port of whoever came."""

NOBODY: Peer = ("", 0)
"""Whoever came by no network."""

_TOLD = b"Too many connections come from this address without a token.\n"
TOO_MANY = b"\r\n".join(
    (
        b"HTTP/1.1 429 Too Many Requests",
        b"Content-Type: text/plain; charset=utf-8",
        b"Content-Length: %d" % len(_TOLD),
        b"Retry-After: 30",
        b"Connection: close",
        b"",
        _TOLD,
    )
)


class Strangers:
    """Those who are there and have not shown the token, by where they come from.

    Args:
        most: Connections of one address.
        is_spared: Whether an address may have any number: behind a proxy on this machine, all come from there.
    """

    def __init__(self, most: int, is_spared: Callable[[str], bool]) -> None:
        self._most = most
        self._is_spared = is_spared
        self._by_host: dict[str, set[Hashable]] = {}

    def came(self, peer: Peer) -> bool:
        """Take somebody in, if there is room."""
        host = self._by_host.setdefault(peer[0], set())
        if len(host) >= self._most and not self._is_spared(peer[0]):
            return False
        host.add(peer)
        return True

    def are(self, peer: Peer) -> bool:
        """Whether that is one of them."""
        return peer in self._by_host.get(peer[0], ())

    def forget(self, peer: Peer) -> None:
        """They are gone, or no strangers any more."""
        host = self._by_host.get(peer[0], set())
        host.discard(peer)
        if not host:
            self._by_host.pop(peer[0], None)


def connection_of(strangers: Strangers, patience_s: float) -> type[asyncio.Protocol]:
    """What uvicorn makes of each connection: one that is refused if its address has too many, and that ends in time."""

    class Connection(H11Protocol):
        """A connection that ends after ``patience_s`` unless its peer has shown the token."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._peer = self.client or NOBODY
            self._patience = self.loop.call_later(patience_s, self._end)
            if not strangers.came(self._peer):
                transport.write(TOO_MANY)
                transport.close()

        def connection_lost(self, exc: Exception | None) -> None:
            self._patience.cancel()
            strangers.forget(self._peer)
            super().connection_lost(exc)

        def _end(self) -> None:
            if strangers.are(self._peer):
                self.transport.close()

    return Connection
