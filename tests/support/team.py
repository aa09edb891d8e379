"""``sparring serve --http`` as a real process on loopback, and clients that come to it with a token or without."""

import os
import re
import select
import signal
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from support.mcp_peer import INITIALIZE, request
from support.mcp_project import Era
from support.workbench import PATIENCE_S, PROGRAM, Workbench

ANN, BOB = "a" * 40, "b" * 40
"""Tokens."""

HELLO = request(1, "initialize", INITIALIZE)
ACCEPT = {"Accept": "application/json, text/event-stream"}
"""What a plain HTTP client says first, and the header with it."""

_URL = re.compile(r"http://\S+(?=/mcp)")


def write_members(bench: Workbench, text: str = "") -> Path:
    """A file of members that only its owner can read; by default ``ann`` and ``bob`` with their tokens."""
    file = bench.root / "members.toml"
    file.write_text(text or f'[members.ann]\ntoken = "{ANN}"\n[members.bob]\ntoken = "{BOB}"\n', encoding="utf-8")
    file.chmod(0o600)
    return file


@dataclass
class TeamServer:
    """A server that is there when the block begins, and gone when it ends."""

    bench: Workbench
    arguments: tuple[str, ...]
    program: tuple[str, ...] = (*PROGRAM, "serve", "--http")
    address: str = "127.0.0.1:0"
    url: str = ""
    said: str = ""

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            [*self.program, self.address, *self.arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.bench.project,
            env=self.bench.environment,
        )
        self.said = self._line()
        found = _URL.search(self.said)
        assert found, self.said
        self.url = found[0]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def signal(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Ask it to end."""
        self.process.send_signal(number)

    def end(self) -> str:
        """Wait until it has ended as it should; the rest of what it said."""
        _, rest = self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == 0, rest.decode()
        return rest.decode()

    def stop(self) -> str:
        """Ask it to end, and wait for that."""
        self.signal()
        return self.end()

    def open_files(self) -> int:
        """How many files it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))  # noqa: PTH208 -- only their number

    def _line(self) -> str:
        assert self.process.stderr is not None
        ready, _, _ = select.select([self.process.stderr], [], [], PATIENCE_S)
        assert ready, "the server said nothing"
        return self.process.stderr.readline().decode()


def bearer(token: str) -> dict[str, str]:
    """The header that shows ``token``; without one, none."""
    return {"Authorization": f"Bearer {token}"} if token else {}


@asynccontextmanager
async def visitor(server: TeamServer, token: str = "", era: Era = "auto") -> AsyncGenerator[Client]:
    """A client that shows ``token``."""
    async with (
        httpx2.AsyncClient(headers=bearer(token), timeout=httpx2.Timeout(PATIENCE_S)) as http,
        Client(streamable_http_client(f"{server.url}/mcp", http_client=http), mode=era) as client,
    ):
        yield client
