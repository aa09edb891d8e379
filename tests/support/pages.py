"""A web server on loopback that plays pages, for whoever looks sources up."""

import select
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from msgspec import Struct, field

_PATIENCE_S = 60


class Played(Struct, frozen=True):
    """Response for a path.

    Attributes:
        length: The length that the header tells; None tells none, and the end of the connection is the end of the page.
        stalled: Afterwards the connection stays open, until the site is closed or the client leaves.
        endless: The body is sent again and again, until the client leaves.
        silent: Nothing is sent at all.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    length: int | None = None
    stalled: bool = False
    endless: bool = False
    silent: bool = False


def page(body: str | bytes, kind: str = "text/html; charset=utf-8", **headers: str) -> Played:
    """A page of that type, with its length."""
    content = body.encode() if isinstance(body, str) else body
    return Played(content, headers={"content-type": kind, **headers}, length=len(content))


def leads_to(url: str, status: int = 302) -> Played:
    """A redirect."""
    return Played(status=status, headers={"location": url}, length=0)


class Visit(Struct, frozen=True):
    """One request."""

    path: str
    headers: Mapping[str, str]


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for the handlers, so that none outlives its test

    def __init__(self, play: Callable[[Visit], Played], tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.play, self.opened = play, 0
        self.closing = threading.Event()
        self.left = threading.Event()

    def verify_request(self, request: object, client_address: object) -> bool:
        self.opened += 1
        return super().verify_request(request, client_address)  # pyright: ignore[reportArgumentType]


class _Handler(BaseHTTPRequestHandler):
    timeout = 60
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]  # the base class cannot know our server

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, ssl.SSLError):
            self.close_connection = True  # the client did not like what it saw

    def do_GET(self) -> None:
        played = self.server.play(Visit(self.path, {name.lower(): value for name, value in self.headers.items()}))
        try:
            self._play(played)
        except ConnectionError:
            self.server.left.set()

    def _play(self, played: Played) -> None:
        if not played.silent:
            self.send_response(played.status)
            length = {} if played.length is None else {"content-length": str(played.length)}
            for name, value in {**length, **played.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(played.body)
        while played.endless:
            self.wfile.write(played.body)
        if played.stalled or played.silent:
            self._stay()

    def _stay(self) -> None:
        while not self.server.closing.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.005)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                self.server.left.set()
                return

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Stay silent."""


class Site:
    """Listens from its making until it is closed.

    Attributes:
        pages: What is sent for each path; any other is not found.
        visits: Who came, in order.
    """

    def __init__(self, pages: Mapping[str, Played] | None = None, *, tls: ssl.SSLContext | None = None) -> None:
        self.pages = dict(pages or {})
        self.visits: list[Visit] = []
        self._arrived = threading.Condition()
        self._server = _Server(self._play, tls)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.005})
        self._thread.start()

    @property
    def port(self) -> int:
        """Port on 127.0.0.1."""
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        """The same as an address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def opened(self) -> int:
        """Number of connections, with or without a request."""
        return self._server.opened

    @property
    def paths(self) -> list[str]:
        """Paths of the requests, in order."""
        return [visit.path for visit in self.visits]

    @property
    def asked(self) -> list[str]:
        """A line for each connection that was opened, and the path of each request."""
        return ["a connection"] * self.opened + self.paths

    def wait_for(self, count: int) -> None:
        """Return as soon as ``count`` requests have come."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.visits) >= count, _PATIENCE_S), self.visits

    def wait_until_left(self) -> None:
        """Return as soon as a client has closed a connection on which something was still to come."""
        assert self._server.left.wait(_PATIENCE_S), "nobody left"

    def close(self) -> None:
        """Stop listening, let go of everything that hangs, and wait for it to end."""
        self._server.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _play(self, visit: Visit) -> Played:
        with self._arrived:
            self.visits.append(visit)
            self._arrived.notify_all()
        return self.pages.get(visit.path, Played(b"no such page", status=404, length=12))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
