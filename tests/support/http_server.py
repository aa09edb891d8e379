"""``sparring serve --http`` on loopback, in a thread or as a real process, and clients that come to it."""

import re
import select
import socket
import ssl
import subprocess
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol, Self
from urllib.parse import urlsplit

import anyio.from_thread
import anyio.lowlevel
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from sparring.server.http import BOUNDS, HttpLimits, serve
from sparring.settings import Settings
from support.mcp_peer import INITIALIZE, request
from support.mcp_project import Era, project
from support.workbench import PATIENCE_S, Workbench

TOKEN = "t0ken-" + "x" * 40

HELLO = request(1, "initialize", INITIALIZE)
ACCEPT = {"Accept": "application/json, text/event-stream"}
"""First header of a plain HTTP client."""

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Trusts nobody, since nothing is encrypted here: to read the certificates takes longer than a request."""

_URL = re.compile(r"http://\S+(?=/mcp)")


class Reachable(Protocol):
    """A server that is there."""

    url: str


class HostedServer:
    """A server in a thread of its own: there when the block begins, and gone when it ends.

    With no ``token`` it serves whoever comes.
    """

    def __init__(
        self, root: Path, token: str = TOKEN, *, address: str = "127.0.0.1:0", bounds: HttpLimits = BOUNDS
    ) -> None:
        self.bench = project(root)
        self.bench.extra["SPARRING_HTTP_TOKEN"] = token
        self.url = self.said = ""
        self._address = address
        self._bounds = bounds
        self._lines = SimpleQueue[str | BaseException]()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.said = self._line()
        self.url = url_in(self.said)
        return self

    def __exit__(self, *_: object) -> None:
        for _second in range(PATIENCE_S):
            if self._thread.is_alive():
                self.ask_to_end()
                self._thread.join(1)

    def ask_to_end(self) -> None:
        """Ask the server to end, as a signal does."""
        # It may be about to end.
        with suppress(RuntimeError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            anyio.from_thread.run_sync(self._bell.send_nowait, None, token=self._token)

    def end(self) -> str:
        """Wait until it has ended; what it says then."""
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return self._line()

    def stop(self) -> str:
        """Ask it to end, and wait for that."""
        self.ask_to_end()
        return self.end()

    def _serve(self) -> None:
        settings = Settings.read(self.bench.environment, self.bench.project)
        try:
            serve(self._address, None, self._lines.put, bounds=self._bounds, settings=settings, asks=self._asks)
        except BaseException as error:  # noqa: BLE001 -- whoever waits for a line gets it
            self._lines.put(error)

    @contextmanager
    def _asks(self) -> Generator[AsyncIterator[object]]:
        self._token = anyio.lowlevel.current_token()
        self._bell, asked = anyio.create_memory_object_stream[None](10)
        with self._bell, asked:
            yield asked

    def _line(self) -> str:
        line = self._lines.get(timeout=PATIENCE_S)
        if isinstance(line, BaseException):
            raise line
        return line


class ServerProcess:
    """The same as a real process, for every holder of the token."""

    def __init__(self, bench: Workbench) -> None:
        bench.extra["SPARRING_HTTP_TOKEN"] = TOKEN
        self.process = bench.start("serve", "--http", "127.0.0.1:0", stdout=subprocess.DEVNULL)
        self.url = self.said = ""

    def __enter__(self) -> Self:
        assert self.process.stderr is not None
        ready, _, _ = select.select([self.process.stderr], [], [], PATIENCE_S)
        assert ready, "the server said nothing"
        self.said = self.process.stderr.readline().decode()
        self.url = url_in(self.said)
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def stop(self) -> str:
        """Ask it to end, and wait for that."""
        self.process.terminate()
        return self.end()

    def end(self) -> str:
        """Wait until it has ended as it should; the rest of what it said."""
        _, rest = self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == 0, rest.decode()
        return rest.decode()


def url_in(said: str) -> str:
    """Return the address in the server's output."""
    found = _URL.search(said)
    assert found, said
    return found[0]


def bearer(token: str = TOKEN) -> dict[str, str]:
    """The header that shows ``token``; without one, none."""
    return {"Authorization": f"Bearer {token}"} if token else {}


@asynccontextmanager
async def visitor(server: Reachable | str, token: str = TOKEN, era: Era = "auto") -> AsyncGenerator[Client]:
    """A client that shows ``token`` to a server, or to that at an address."""
    url = server if isinstance(server, str) else server.url
    async with (
        httpx2.AsyncClient(verify=PLAIN, headers=bearer(token), timeout=httpx2.Timeout(PATIENCE_S)) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=era) as client,
    ):
        yield client


def connected(server: Reachable) -> socket.socket:
    """A connection to ``server``."""
    where = urlsplit(server.url)
    assert where.hostname
    return socket.create_connection((where.hostname, where.port or 0), timeout=PATIENCE_S)


def spoken(server: Reachable, *parts: bytes) -> bytes:
    """All that the server says to these bytes until it closes the connection."""
    with connected(server) as connection:
        for part in parts:
            connection.sendall(part)
        said = b""
        while more := connection.recv(65_536):
            said += more
    return said
