"""A Ray cluster of two nodes on this machine, of which one can be lost; this file is the program that holds it, too.

Everything that Ray starts has a folder of this cluster in its environment, by which all of it is found and ended,
whatever has become of the program.
"""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import pytest

STARTING_S, LOSING_S, ENDING_S = 120, 60, 30
_STORE_BYTES = 200 * 2**20
_OURS = ("ray::MapWorker", "ray::Lead", "ray::Shared")  # what else there is Ray keeps for itself, and for whoever comes
_CPUS = 8  # logical ones; with fewer than four Ray Data keeps back what its actors need


def why_not() -> str:
    """Return why no cluster can run on this machine; empty if one can."""
    if sys.platform == "win32":
        return "Ray has no clusters on Windows"
    missing = [name for name in ("ray", "pandas", "pyarrow", "grpc") if find_spec(name) is None]
    return f"{', '.join(missing)} is not installed (`make test-ray` installs it)" if missing else ""


@contextlib.contextmanager
def skip_where_it_cannot_start() -> Generator[None]:
    """Say why where a cluster cannot start; in CI that is a failure."""
    try:
        yield
    except CannotStartError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"Ray cannot start here: {error}")


class CannotStartError(RuntimeError):
    """There is no cluster after ``STARTING_S``."""


class RayCluster:
    """Two nodes, which are there while the block lasts.

    Attributes:
        address: For a program on this machine.
        client_address: For one outside of the cluster (``ray://``).
        environment: What a program needs to reach it.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="sr-", dir="/tmp"))  # the names of sockets must be short
        ours = {"RAY_TMPDIR": str(self._folder), "RAY_USAGE_STATS_ENABLED": "0"}
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(16)}
        self.environment = {**environment, **ours, **token}
        self.address = self.client_address = ""
        self._program: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        try:
            with (self._folder / "log").open("w", encoding="utf-8") as log:
                self._program = subprocess.Popen(
                    (sys.executable, __file__),
                    env=self.environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    start_new_session=True,
                )
            self.address, self.client_address = self._answer(STARTING_S).split()
        except BaseException as error:
            self.__exit__()
            if isinstance(error, RuntimeError):
                raise CannotStartError(str(error)) from error
            raise
        return self

    def lose_node(self) -> None:
        """Kill every process of the node that is not the head."""
        assert self._program is not None
        assert self._program.stdin is not None
        self._program.stdin.write("lose\n")
        self._program.stdin.flush()
        assert self._answer(LOSING_S) == "lost"

    def lose(self, spared: int) -> None:
        """Kill every process of the cluster; ``spared`` is the program that is to find out."""
        _kill(process for process in self._processes() if process != spared)

    def at_work(self) -> list[str]:
        """The processes of the cluster that work for a batch, by the titles that Ray gives them."""
        titles = list[str]()
        for process in self._processes():
            with contextlib.suppress(OSError):
                titles.append(Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8").rstrip("\0"))
        return [title for title in titles if title.startswith(_OURS)]

    def _answer(self, within_s: float) -> str:
        """The next line that the program writes; whoever waits too long ends the program, and reads nothing."""
        program = self._program
        assert program is not None
        assert program.stdout is not None
        timer = threading.Timer(within_s, program.kill)
        timer.start()
        line = program.stdout.readline().strip()
        timer.cancel()
        if not line:
            raise RuntimeError("Ray did not do it:\n" + (self._folder / "log").read_text(encoding="utf-8")[-4000:])
        return line

    def __exit__(self, *_: object) -> None:
        try:
            if self._program is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._program.communicate(timeout=ENDING_S)
        finally:
            _kill(self._processes())
            if self._program is not None:
                self._program.wait(ENDING_S)
            shutil.rmtree(self._folder, ignore_errors=True)

    def _processes(self) -> list[int]:
        """Return the running processes of this cluster, by the folder in their environment."""
        from support.processes import processes_given  # noqa: PLC0415 -- the program that holds it has no `support`

        return [int(process.name) for process in processes_given(f"RAY_TMPDIR={self._folder}")]


def _kill(processes: Iterable[int]) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def tell(line: str) -> None:
    """Write a line for who has started this."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def children(process: int) -> list[int]:
    """Those that a process has started itself."""
    threads = Path(f"/proc/{process}/task").glob("*/children")
    return [int(each) for thread in threads for each in thread.read_text(encoding="utf-8").split()]


def main() -> None:
    """Hold the cluster until the standard input ends; tell its addresses, and of a node when it is lost."""
    # Who only asks `why_not` need not have it; and its types are not known.
    cluster_utils: Any = import_module("ray.cluster_utils")

    names = ("initial_delay_ms", "period_ms", "failure_threshold")
    detecting = {f"health_check_{name}": value for name, value in zip(names, (1000, 500, 4), strict=True)}
    node: dict[str, Any] = {"num_cpus": _CPUS, "object_store_memory": _STORE_BYTES}
    with socket.socket() as free:
        free.bind(("", 0))
        port: int = free.getsockname()[1]
    head: dict[str, Any] = {"include_dashboard": False, "ray_client_server_port": port, "_system_config": detecting}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={**node, **head})
    try:
        other = cluster.add_node(**node)
        tell(f"{cluster.address} ray://{cluster.address.rpartition(':')[0]}:{port}")
        for line in sys.stdin:
            if line.strip() == "lose":
                workers = [each for info in other.all_processes["raylet"] for each in children(info.process.pid)]
                cluster.remove_node(other, allow_graceful=False)
                _kill(workers)  # else they live until they notice, and may take an answer before
                tell("lost")
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
