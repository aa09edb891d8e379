"""Cost of many clients to a server over HTTP: 200 that call without a pause, for a minute."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from bench.crowd import Crowd
from bench.figures import Figure, Figures, LeftOut, Scale
from support.http_server import ServerProcess
from support.workbench import Workbench

PROCESSES = Path("/proc")


@dataclass(frozen=True)
class _Seen:
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
