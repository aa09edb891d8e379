"""Cost of many clients to a server over HTTP: 200 that call without a pause, for a minute.

And CPU per call beside that of a server of the same SDK that does nothing but return its argument.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio
from msgspec import Struct

from bench.crowd import Crowd
from bench.figures import Figure, Figures, LeftOut, Scale
from support.http_server import ServerProcess, visitor
from support.workbench import Workbench

PROCESSES = Path("/proc")
_BARE_SERVER = """
import socket, uvicorn
from mcp.server import MCPServer
mcp = MCPServer("bare")
@mcp.tool()
def echo(text: str) -> str:
    "Return the text."
    return text
listening = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
uvicorn.run(mcp.streamable_http_app(), fd=listening.fileno(), log_level="error")
"""
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_VERIFY = {"claim": "It retries 3 times.", "evidence": ["It retries a failed request 4 times."]}


class _Seen(Struct, frozen=True):
    """The server at one moment."""

    rss_mib: float
    files: int
    calls: int


def run(scale: Scale) -> Figures:
    """Calls answered over calls made, and memory and files at the end over those when all had been made once."""
    if not PROCESSES.is_dir():
        yield LeftOut("the server's memory and files", "this system has no /proc to read them from")
        return
    clients, settled_s, rest_s = scale.of((200, 10, 50), smoke=(2, 0.1, 0.1))
    with tempfile.TemporaryDirectory() as name:
        there = Workbench.below(Path(name))
        with ServerProcess(there) as server:
            crowd = Crowd(server, "ann", clients)
            first, last = anyio.run(_seen, crowd, server, (settled_s, rest_s))
            server.stop()
        calls = scale.of(200, smoke=2)
        with ServerProcess(Workbench.below(Path(name) / "alone")) as server, _bare_server() as (url, bare):
            own_s = anyio.run(_cpu_of_a_call, server.url, server.process.pid, "verify", _VERIFY, calls)
            bare_s = anyio.run(_cpu_of_a_call, url, bare, "echo", {"text": "It retries 3 times."}, calls)
            server.stop()
    yield Figure(
        "CPU of a claim checked by code / of a bare server's echo",
        own_s / bare_s,
        f"{1000 * own_s:.1f} ms, {1000 * bare_s:.1f} ms of the server's process, one client, {calls} calls",
        "<= 2",
    )
    answered, wrong = crowd.calls, len(crowd.problems)
    yield Figure(
        "calls answered / calls made",
        answered / (answered + wrong),
        f"{answered:,} of {clients} clients, half of each era, {last.calls / (settled_s + rest_s):.0f} a second on the "
        f"same cores as the clients; {'; '.join(crowd.problems[:3]) or 'no error'}",
        "1",
    )
    yield Figure(
        f"memory at the end / after {settled_s} s",
        last.rss_mib / first.rss_mib,
        f"{last.rss_mib:.0f} MiB, {first.rss_mib:.0f} MiB",
        "<= 1.1",
    )
    yield Figure(
        f"files at the end / after {settled_s} s", last.files / first.files, f"{last.files}, {first.files}", "<= 1.1"
    )


async def _seen(crowd: Crowd, server: ServerProcess, pauses_s: Sequence[float]) -> Sequence[_Seen]:
    seen = list[_Seen]()
    async with anyio.create_task_group() as group:
        group.start_soon(crowd.come)
        await crowd.all_there.wait()
        for pause_s in pauses_s:
            await anyio.sleep(pause_s)
            seen.append(_Seen(_rss_mib(server), _open_files(server), crowd.calls))
        crowd.go_home.set()
    return seen


def _open_files(server: ServerProcess) -> int:
    return len(list((PROCESSES / str(server.process.pid) / "fd").iterdir()))


def _rss_mib(server: ServerProcess) -> float:
    status = (PROCESSES / str(server.process.pid) / "status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


@contextmanager
def _bare_server() -> Generator[tuple[str, int]]:
    """Start a server of the SDK alone; its address and pid."""
    with subprocess.Popen(
        [sys.executable, "-c", _BARE_SERVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None  # noqa: S101 -- it is a pipe
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.terminate()


async def _cpu_of_a_call(url: str, pid: int, tool: str, arguments: Mapping[str, object], calls: int) -> float:
    """Return the CPU seconds that the process ``pid`` takes for a call; the first one, which imports, is left out."""
    async with visitor(url) as client:
        await client.call_tool(tool, dict(arguments))
        before_s = _cpu_s(pid)
        for _ in range(calls):
            await client.call_tool(tool, dict(arguments))
        return max(_cpu_s(pid) - before_s, _TICK_S) / calls


def _cpu_s(pid: int) -> float:
    fields = (PROCESSES / str(pid) / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S
