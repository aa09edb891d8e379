"""What a team costs its server: 200 clients over HTTP that call without a pause, for a minute."""  # noqa: A005 -- a part of this package, never on the path by itself

import sys
import tempfile
from pathlib import Path

import anyio

from support.crowd import Crowd
from support.team import TeamServer, write_members
from support.workbench import Workbench

CLIENTS = 200
SECONDS = 60
SETTLED_S = 10
"""After so many seconds everything that is made once has been made."""

TOKENS = tuple(letter * 40 for letter in "abcd")
MOST_GROWTH = 1.1


def main() -> None:
    """Print errors (aim: 0), calls per second, and memory and files at 10 s and at the end (aim: no more than 1.1)."""
    with tempfile.TemporaryDirectory() as name:
        bench = Workbench.below(Path(name))
        members = "".join(f'[members.{token[0]}]\ntoken = "{token}"\n' for token in TOKENS)
        with TeamServer(bench, ("--tokens", str(write_members(bench, members)))) as server:
            wrong = anyio.run(_measure, server)
            rest = server.stop()
    if wrong or rest != "Ended.\n":
        sys.exit(f"Something went wrong: {wrong[:5]} {rest}")


async def _measure(server: TeamServer) -> list[str]:
    crowd, seen = Crowd(server, TOKENS, "ann", CLIENTS), list[tuple[float, int, int]]()

    async def watch() -> None:
        await crowd.all_there.wait()
        for pause_s in (SETTLED_S, SECONDS - SETTLED_S):
            await anyio.sleep(pause_s)
            seen.append((_mib(server), server.open_files(), crowd.calls))
        crowd.go_home.set()

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        await crowd.come()
    (first_mib, first_files, _), (last_mib, last_files, calls) = seen
    print(f"{CLIENTS} clients of {len(TOKENS)} members, half of each era, {SECONDS} s: {calls} calls answered")
    print(f"errors                 {len(crowd.problems)}  (aim 0)")
    print(f"calls per second       {calls / SECONDS:.0f}, on the same cores as the clients")
    growth = last_mib / first_mib
    print(f"memory at {SETTLED_S} s, at end  {first_mib:.0f}, {last_mib:.0f} MiB: {growth:.3f}  (aim <= {MOST_GROWTH})")
    print(f"files at {SETTLED_S} s, at end   {first_files}, {last_files}")
    return crowd.problems


def _mib(server: TeamServer) -> float:
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
