"""What every request passes before the protocol sees it: who comes, from where, and with how much.

There is no CORS: a page in a browser is no client here. TLS is the business of a proxy in front.
"""

import re
from collections.abc import Mapping

import anyio
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from sparring.server.http.address import is_loopback
from sparring.server.http.bounds import Bounds
from sparring.server.http.team import Seat, Team

PATH = "/mcp"
HEALTH_PATH = "/healthz"

_BEARER = re.compile(r"bearer +([!-~]+) *", re.IGNORECASE)
_HOST = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::\d+)?")


class Door:
    """The ASGI application. Closed, it lets nobody in, and whoever is inside finishes."""

    def __init__(self, team: Team, bounds: Bounds) -> None:
        self._team = team
        self._bounds = bounds
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
        found = self._looked_at(scope["method"], scope["path"], Headers(scope=scope))
        if isinstance(found, Response):
            await found(scope, receive, send)
        elif scope["method"] == "POST":
            await self._call(found, scope, receive, send)
        else:
            await found.sessions.handle_request(scope, receive, send)

    def _looked_at(self, method: str, path: str, headers: Headers) -> Seat | Response:
        """The seat of whoever comes, or why there is none. Nothing of the request but its head is read."""
        if self._admitted is not None and method not in self._admitted:
            return _plain(503, "The server is stopping.", {"Retry-After": "30"})
        if path == HEALTH_PATH:
            return _plain(200, "ok")
        seat = self._team.seat(_token(headers))
        if seat is None:
            # The same whether a token is missing or wrong.
            return _plain(401, "A token is needed.", {"WWW-Authenticate": "Bearer"})
        if path != PATH:
            return _plain(404, f"There is nothing here; the tools are at {PATH}.")
        return self._refusal(headers) or seat

    def _refusal(self, headers: Headers) -> Response | None:
        """Why a request is refused that a page in a browser may have been made to send.

        A page that a name of its own leads here has no token. Where none is needed, the name must be ours.
        """
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._team.is_open and not is_loopback(_name(host)):
            return _plain(421, "This server answers to localhost only.")
        if origin is not None and origin not in {f"http://{host}", f"https://{host}"}:
            return _plain(403, "Pages of other origins are not served.")
        return None

    async def _call(self, seat: Seat, scope: Scope, receive: Receive, send: Send) -> None:
        self._calls += 1
        try:
            body = await self._body(Headers(scope=scope), receive)
            if isinstance(body, Response):
                await body(scope, receive, send)
            elif body is not None:
                await seat.sessions.handle_request(scope, _replaying(body, receive), send)
        finally:
            self._calls -= 1
            left, self._left = self._left, anyio.Event()
            left.set()

    async def _body(self, headers: Headers, receive: Receive) -> bytes | Response | None:
        """The whole body, why it is refused, or None when whoever sent it is gone."""
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > self._bounds.body_bytes:
            return self._too_large()
        with anyio.move_on_after(self._bounds.body_s):
            body = bytearray()
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > self._bounds.body_bytes:
                    return self._too_large()
                if not message.get("more_body", False):
                    return bytes(body)
        return _plain(408, "The body of the request did not come in time.", {"Connection": "close"})

    def _too_large(self) -> Response:
        return _plain(413, f"A request may have {self._bounds.body_bytes:,} bytes.", {"Connection": "close"})


def _replaying(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that gives ``body`` first, and then what comes."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _token(headers: Headers) -> str | None:
    found = _BEARER.fullmatch(headers.get("authorization", ""))
    return found[1] if found else None


def _name(host: str) -> str:
    found = _HOST.fullmatch(host)
    return found[1] if found else ""


def _plain(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    return PlainTextResponse(f"{text}\n", status, dict(headers or {}))
