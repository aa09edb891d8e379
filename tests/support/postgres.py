"""A Postgres of our own: a cluster in a folder that is thrown away, on a socket in it, that keeps nothing safe."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

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


@contextmanager
def running_postgres() -> Generator[str]:
    """The address of a server that is empty and ends with this; it takes anybody's word for who they are."""
    programs = find_postgres()
    assert programs, "the mark `postgres` leaves out tests where there is none"
    folder = Path(tempfile.mkdtemp(prefix="sparring-pg-", dir="/tmp"))
    try:
        os.chmod(folder, 0o755)  # noqa: S103, PTH101 -- the server is another user where this one is root
        whose = ("-A", "trust", "-U", "sparring", "-E", "UTF8", "--no-locale", "--no-sync")
        _start(programs / "initdb", folder, *whose).wait()
        options = [part for option in (*_FOR_TESTS, f"unix_socket_directories={folder}") for part in ("-c", option)]
        server = _start(programs / "postgres", folder, *options)
        try:
            address = f"postgresql://sparring@/postgres?host={quote(str(folder), safe='')}"
            wait_for(lambda: _is_ready(address, server))
            yield address
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(_PATIENCE_S)
    finally:
        shutil.rmtree(folder)


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
