"""A project, a user's own folders and a clean environment below one temporary folder, in which sparring is run.

It includes an ``Attendance``, where the programs of ``fake_cli`` report in. It shows, without a clock, that
one has started or ended: a program keeps its connection for life, so the connection ends when, and only when, it does.
"""

import json
import os
import select
import shlex
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import Struct, field

from sparring.settings import Settings

BOUND_S = 60.0
"""Seconds after which waiting fails with ``TimeoutError``; never reached when all is well."""


class Attendance:
    """A list of running programs. Leaving its context ends the rest of them."""

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
        """Wait for the end of these (by default all), and return the last message of each after its name."""
        return {name: _rest(self._present[name]) for name in names or self._present}

    def release(self, name: str) -> None:
        """Let that program continue, if it waits."""
        self._present[name].sendall(b"\n")

    def is_present(self, name: str) -> bool:
        """Return whether that program is there at this moment."""
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


_KEPT = ("PATH", "LANG", "TMPDIR", "SYSTEMROOT", "COVERAGE_PROCESS_CONFIG")
"""Variables that are kept of our environment: those of Python, and of coverage in programs that tests start."""


class Finished(Struct, frozen=True):
    """Exit code and output of ``sparring``."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Parsed output of a call with ``--json``."""
        return json.loads(self.out)


class Workspace(Struct, frozen=True):
    """Workspace in which a test runs sparring, apart from its user's own files.

    Attributes:
        root: A folder that is there and empty; everything else lies below it.
        variables: Set in the environment, over all else.
    """

    root: Path
    variables: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def project(self) -> Path:
        """The folder in which sparring is run."""
        return _made(self.root / "project")

    @property
    def providers(self) -> Path:
        """The user's folder of provider files. It lies outside of the project, whose provider files are ignored."""
        return _made(self.root / "config" / "providers")

    @property
    def bin(self) -> Path:
        """The folder that comes first on ``PATH``."""
        return _made(self.root / "bin")

    @property
    def environment(self) -> dict[str, str]:
        """Environment of sparring: a home of its own, no keys, and the ``variables``."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        path = os.pathsep.join((str(self.bin), kept.get("PATH", os.defpath)))
        own = {"PATH": path, "HOME": str(self.root), "SPARRING_CONFIG_DIR": str(self.providers.parent)}
        return kept | own | dict(self.variables)

    @property
    def settings(self) -> Settings:
        """The same settings for code in this process: ``App(workspace.settings)``."""
        return Settings.read(self.environment, self.project)

    def add_provider(self, name: str, toml: str) -> None:
        """Make ``toml`` the provider file of a tool of that name."""
        (self.providers / f"{name}.toml").write_text(toml, encoding="utf-8")

    def add_scripted(self, name: str, *replies: Mapping[str, object]) -> None:
        """Add a tool that answers from a script: the first of these replies that matches, regardless of earlier asks.

        ``{"match": {"role": "judge"}, "response": "…"}``; docs/providers.md has what can be matched.
        """
        (self.providers / f"{name}.json").write_text(json.dumps({"replies": replies}), encoding="utf-8")
        self.add_provider(
            name, f'kind = "scripted"\nfamily = "none"\ntitle = "{name.title()}"\nscript = "{name}.json"\n'
        )

    def add_program(self, name: str, file: str, *arguments: str) -> None:
        """Put a program on ``PATH`` that runs this file of Python with these arguments before its own."""
        command = shlex.join((sys.executable, file, *arguments))
        (self.bin / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        (self.bin / name).chmod(0o700)

    def run(self, *arguments: str, stdin: str = "", timeout_s: float = 60) -> Finished:
        """Run ``sparring`` with these arguments in the project, to its end.

        Raises:
            subprocess.TimeoutExpired: It has not ended by then.
        """
        done = subprocess.run(
            [sys.executable, "-m", "sparring", *arguments],
            input=stdin.encode(),
            capture_output=True,
            check=False,
            cwd=self.project,
            env=self.environment,
            timeout=timeout_s,
        )
        return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
