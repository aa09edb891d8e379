"""A Postgres of our own: a cluster in a folder that is thrown away, on a socket in it, that keeps nothing safe."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from support.waiting import wait_for

_DEBIAN = Path("/usr/lib/postgresql")
_PATIENCE_S = 120.0
_FOR_TESTS = ("fsync=off", "full_page_writes=off", "listen_addresses=", "max_connections=50", "shared_buffers=32MB")


def find_postgres() -> Path | None:
    """The folder of the server's programs; None where there is none, or nothing to talk to it with."""
    if find_spec("psycopg") is None:
        return None
    if found := shutil.which("initdb"):
        return Path(found).parent
    versions = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return versions[-1].parent if versions else None


class PostgresServer(Struct):
    """A server that is empty at first; it takes anybody's word for who they are."""

    folder: Path
    programs: Path
    options: Sequence[str]
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def address(self) -> str:
        return f"postgresql://sparring@/postgres?host={quote(str(self.folder), safe='')}"

    def start(self) -> None:
        """Start it, and wait until it can be asked."""
        self._process = process = _start(self.programs / "postgres", self.folder, *self.options)
        wait_for(lambda: _is_ready(self.address, process))

    def stop(self, mode: signal.Signals = signal.SIGINT) -> None:
        """End it: sessions are ended first, or with SIGQUIT nothing is put in order."""
        if self._process:
            self._process.send_signal(mode)
            self._process.wait(_PATIENCE_S)

    def restart(self, mode: signal.Signals = signal.SIGINT) -> None:
        """End it, and start it again with the same data."""
        self.stop(mode)
        self.start()


@contextmanager
def running_server(**settings: int) -> Generator[PostgresServer]:
    """A server with these settings, which ends with this."""
    programs = find_postgres()
    assert programs, "the mark `postgres` leaves out tests where there is none"
    folder = Path(tempfile.mkdtemp(prefix="sparring-pg-", dir="/tmp"))
    try:
        os.chmod(folder, 0o755)  # noqa: S103, PTH101 -- the server is another user where this one is root
        whose = ("-A", "trust", "-U", "sparring", "-E", "UTF8", "--no-locale", "--no-sync")
        _start(programs / "initdb", folder, *whose).wait()
        own = (f"unix_socket_directories={folder}", *(f"{name}={value}" for name, value in settings.items()))
        server = PostgresServer(folder, programs, [part for option in (*_FOR_TESTS, *own) for part in ("-c", option)])
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


@contextmanager
def running_postgres() -> Generator[str]:
    """The address of a server of our own."""
    with running_server() as server:
        yield server.address


def of_its_own(address: str, schema: str) -> str:
    """The address of a schema that is made, for a ledger beside others in one database."""
    import psycopg  # noqa: PLC0415 -- not everybody has it

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
    return f"{address}&options=-csearch_path%3D{schema}"


def _start(program: Path, folder: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    user: Any = "nobody" if os.getuid() == 0 else None  # root is whom it refuses to run for
    if user:
        shutil.chown(folder, user)
    environment = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
    argv, nothing = [program, "-D", folder / "data", *arguments], subprocess.DEVNULL
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(argv, stdin=nothing, stdout=log, stderr=log, cwd=folder, env=environment, user=user)


def _is_ready(address: str, server: "subprocess.Popen[bytes]") -> bool:
    import psycopg  # noqa: PLC0415 -- not everybody has it

    assert server.poll() is None, "the server has ended"
    with suppress(psycopg.OperationalError):
        psycopg.connect(address).close()
        return True
    return False
