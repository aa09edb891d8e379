"""Checks on every HTTP request before the protocol, or a page, sees it.

A browser cannot send a token in a header: it sends it once in the address of a run, and gets a cookie that opens the
pages of runs and nothing else. Connections whose peer has not shown the token are few for one address, and do not stay.
A peer with the token has no further limit here, so that a team behind one address, or a proxy, is never delayed.
"""

import asyncio
import hmac
import ipaddress
import re
import secrets
from collections.abc import Callable, Generator, Hashable, Mapping
from contextlib import contextmanager
from urllib.parse import quote

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from sparring.server.live import RUNS_PATH, RunPages

PATH = "/mcp"
HEALTH_PATH = "/healthz"

_PASS = "sparring-runs"  # noqa: S105 -- the name of a cookie
_ADMITTED = '<!doctype html><meta http-equiv="refresh" content="0;url={path}"><title>sparring</title>'
"""Goes to the same page without the token: after a link, a redirect would not send a strict cookie."""

_ON_THE_WAY = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}

_BEARER = re.compile(r"bearer +([!-~]+) *", re.IGNORECASE)
_HOST = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::\d+)?")

Peer = tuple[str, int]
"""The address and port of a client."""

UNKNOWN_PEER: Peer = ("", 0)
"""Peer without a network address."""

_TOO_MANY_TEXT = b"Too many connections come from this address without a token.\n"
TOO_MANY = b"\r\n".join(
    (
        b"HTTP/1.1 429 Too Many Requests",
        b"Content-Type: text/plain; charset=utf-8",
        b"Content-Length: %d" % len(_TOO_MANY_TEXT),
        b"Retry-After: 30",
        b"Connection: close",
        b"",
        _TOO_MANY_TEXT,
    )
)


def is_loopback(host: str) -> bool:
    """Return whether ``host`` always means this machine; a name other than ``localhost`` may mean any."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class AnonymousConnections:
    """Open connections whose peers have not shown the token, by address.

    Args:
        most: Connections of one address.
        is_exempt: Whether an address may have any number: behind a proxy on this machine, all have the same one.
    """

    def __init__(self, most: int, is_exempt: Callable[[str], bool]) -> None:
        self._most = most
        self._is_exempt = is_exempt
        self._by_host: dict[str, set[Hashable]] = {}

    def add(self, peer: Peer) -> bool:
        """Add a connection, if the limit allows it; return whether it did."""
        host = self._by_host.setdefault(peer[0], set())
        if len(host) >= self._most and not self._is_exempt(peer[0]):
            return False
        host.add(peer)
        return True

    def contains(self, peer: Peer) -> bool:
        """Return whether that is an open one."""
        return peer in self._by_host.get(peer[0], ())

    def remove(self, peer: Peer) -> None:
        """Remove a connection that has ended, or has shown the token."""
        host = self._by_host.get(peer[0], set())
        host.discard(peer)
        if not host:
            self._by_host.pop(peer[0], None)


class HttpAuth:
    """The ASGI application that checks every request before the protocol sees it.

    Without a ``token`` every client is admitted. Closed, it admits none, and open requests finish.
    """

    def __init__(
        self,
        sessions: StreamableHTTPSessionManager,
        pages: RunPages,
        token: str | None,
        anonymous: AnonymousConnections,
    ) -> None:
        self._sessions = sessions
        self._pages = pages
        self._token = token
        self._pass = secrets.token_urlsafe(32)  # worth nothing once this server has ended
        self._anonymous = anonymous
        self._admitted: frozenset[str] | None = None  # methods; None admits every one
        self._calls = 0
        self._left = anyio.Event()

    def close(self) -> None:
        """Refuse every further request, but those that end a session."""
        self._admitted = frozenset({"DELETE"})

    def lock(self) -> None:
        """Refuse every further request: there are no sessions any more."""
        self._admitted = frozenset()

    async def empty(self) -> None:
        """Return when every call has been answered; streams that only listen are not waited for."""
        while self._calls:
            await self._left.wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        refused = self._answer(scope, Headers(scope=scope))
        if refused:
            await refused(scope, receive, send)
            return
        self._anonymous.remove(scope["client"] or UNKNOWN_PEER)
        if scope["path"] != PATH:
            await self._pages(scope, receive, send)
        elif scope["method"] == "POST":
            with self._inside():
                await self._sessions.handle_request(scope, receive, send)
        else:
            await self._sessions.handle_request(scope, receive, send)

    def _answer(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the refusal of a request; None if it may pass. Nothing of it but its head is read."""
        path = scope["path"]
        if self._admitted is not None and scope["method"] not in self._admitted:
            return _plain(503, "The server is stopping.", {"Retry-After": "30"})
        if path == HEALTH_PATH:
            return PlainTextResponse("ok\n")
        is_page = path.startswith(RUNS_PATH)
        if is_page and self._token and self._is_token(QueryParams(scope["query_string"]).get("token", "")):
            return self._admission(path)
        if not (self._is_shown(headers) or (is_page and self._has_pass(headers))):
            # The same whether a token is missing or wrong.
            return _plain(401, "A token is needed.", {"WWW-Authenticate": "Bearer"})
        if path != PATH and not is_page:
            return _plain(404, f"There is nothing here; the tools are at {PATH}.")
        return self._refusal_of_a_page(headers)

    def _admission(self, path: str) -> Response:
        """A cookie for a browser, and back to the page by an address that may be kept and passed on."""
        admitted = HTMLResponse(_ADMITTED.format(path=quote(path)), headers=_ON_THE_WAY)
        admitted.set_cookie(_PASS, self._pass, path=RUNS_PATH, httponly=True, samesite="strict")
        return admitted

    def _has_pass(self, headers: Headers) -> bool:
        shown = cookie_parser(headers.get("cookie", "")).get(_PASS, "")
        return hmac.compare_digest(shown.encode(), self._pass.encode())

    def _is_shown(self, headers: Headers) -> bool:
        if self._token is None:
            return True
        match = _BEARER.fullmatch(headers.get("authorization", ""))
        return match is not None and self._is_token(match[1])

    def _is_token(self, shown: str) -> bool:
        return self._token is not None and hmac.compare_digest(shown.encode(), self._token.encode())

    def _refusal_of_a_page(self, headers: Headers) -> Response | None:
        """Return the refusal of a request that a foreign page in a browser may have caused.

        A page whose own name resolves to this server has no token. Without a required token, the name must be ours.
        """
        host, origin = headers.get("host", ""), headers.get("origin")
        named = _HOST.fullmatch(host)
        if self._token is None and not (named and is_loopback(named[1])):
            return _plain(421, "This server answers to localhost only.")
        if origin is not None and origin not in {f"http://{host}", f"https://{host}"}:
            return _plain(403, "Pages of other origins are not served.")
        return None

    @contextmanager
    def _inside(self) -> Generator[None]:
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            left, self._left = self._left, anyio.Event()
            left.set()


def _plain(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    # The rest of the request is not waited for.
    return PlainTextResponse(f"{text}\n", status, {**(headers or {}), "Connection": "close"})


def connection_of(anonymous: AnonymousConnections, limit_s: float) -> type[asyncio.Protocol]:
    """Return the connection class for uvicorn: too many from one address are refused, and each ends in time."""

    class Connection(H11Protocol):
        """A connection that ends after ``limit_s`` unless its peer has shown the token."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._peer = self.client or UNKNOWN_PEER
            self._timer = self.loop.call_later(limit_s, self._end)
            if not anonymous.add(self._peer):
                transport.write(TOO_MANY)
                transport.close()

        def connection_lost(self, exc: Exception | None) -> None:
            self._timer.cancel()
            anonymous.remove(self._peer)
            super().connection_lost(exc)

        def _end(self) -> None:
            if anonymous.contains(self._peer):
                self.transport.close()

    return Connection
