"""The server for a team from its start to its end."""

import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import anyio
import uvicorn
from filelock import FileLock, Timeout

from sparring.errors import UsageError
from sparring.server.http.address import Address
from sparring.server.http.bounds import Bounds
from sparring.server.http.door import PATH, Door
from sparring.server.http.members import FILE_VARIABLE, TOKEN_VARIABLE, Members, read_members
from sparring.server.http.slow_peers import protocol
from sparring.server.http.team import Served, Team
from sparring.server.pace import Pace
from sparring.settings import Settings
from sparring.signals import ending_signals
from sparring.store.files import accessing, make_folder
from sparring.store.hosts import project_root

GRACE_S = 30.0
"""Seconds that runs have to finish when the server is asked to end."""

_KEEP_ALIVE_S = 75
"""Longer than clients keep an idle connection, so that none is closed while its client begins to use it again."""

_LOCK_NAME = "server.lock"

Say = Callable[[str], None]

Asks = Callable[[], AbstractContextManager[AsyncIterator[object]]]
"""Listens for those who ask the server to end: whatever comes asks, once more each time."""


def signals() -> AbstractContextManager[AsyncIterator[signal.Signals]]:
    """Those that ask a process to end."""
    return anyio.open_signal_receiver(*ending_signals())


def serve(
    spelled: str,
    tokens: Path | None,
    say: Say,
    *,
    grace_s: float = GRACE_S,
    bounds: Bounds | None = None,
    settings: Settings | None = None,
    asks: Asks = signals,
) -> None:
    """Serve at the address ``spelled`` until we are asked to end; every run is finished then, or can be resumed.

    Args:
        spelled: ``HOST:PORT``; any but a loopback address needs tokens.
        tokens: The file of the members; by default the environment says who they are.
        say: Takes a line when the server is there, and one when it has ended.
        grace_s: Seconds that runs have to finish in at the end. Whoever asks a second time cuts them short.
        bounds: What is taken from those who come.
        settings: By default those of this process.
        asks: By default signals, which only the main thread gets.

    Raises:
        UsageError: The address cannot be used, or must not be without tokens.
        ConfigurationError: The environment or the file of tokens cannot be used.
        StateUnwritableError: The folder of the team cannot be made.
    """
    bounds = bounds or Bounds()
    address = Address.parse(spelled)
    settings = settings or Settings.of_process()
    project = project_root(settings.cwd, settings.environment)
    members = read_members(settings.environment, tokens, project)
    if not (address.is_loopback or members.members):
        raise UsageError(
            f"Without tokens only this machine is served, and {address.host} can be reached from others.",
            hint=f"Set {TOKEN_VARIABLE}, or name a file of tokens with --tokens or {FILE_VARIABLE}.",
        )
    served = Served.find(settings, Pace.of(settings.environment), project, members)
    _be_quiet()
    with _alone(served, members), address.listen() as listening:
        who = _counted(len(members.members), "member") if members.members else "this machine"
        hello = f"Serving {address.of(listening).url}{PATH} for {who}; runs are kept in {served.state}."
        stopped = anyio.run(_serve, listening, members, served, grace_s, bounds, asks, lambda: say(hello))
    say("Ended." if not stopped else f"Ended; {_counted(stopped, 'run')} stopped, to be taken up again with resume.")


async def _serve(
    listening: socket.socket,
    members: Members,
    served: Served,
    grace_s: float,
    bounds: Bounds,
    asks: Asks,
    hello: Callable[[], None],
) -> int:
    """Serve until somebody asks us to end; the number of runs that could not finish."""
    stopped = 0
    # Signals are taken until all is done: one more must not cut off the ending of children.
    with asks() as asked:
        async with anyio.create_task_group() as group:
            async with Team.open(members, served, bounds) as team:
                door = Door(team, bounds)
                server = _Uvicorn(_configuration(door, bounds))
                group.start_soon(server.serve, [listening])
                hello()
                await anext(asked)
                door.close()
                stopped = await _brought_to_rest(team, asked, grace_s)
                # Whoever waits for a run is told now how it ended.
                with anyio.move_on_after(bounds.flush_s):
                    await door.empty()
                door.lock()
            server.should_exit = True
    return stopped


async def _brought_to_rest(team: Team, asked: AsyncIterator[object], grace_s: float) -> int:
    """Let runs finish for so long, or until we are asked again, and stop the others; how many these were."""
    with anyio.move_on_after(grace_s):
        async with anyio.create_task_group() as grace:
            grace.start_soon(_until_next, asked, grace.cancel_scope)
            await team.at_rest()
            grace.cancel_scope.cancel()
    return await team.stop()


async def _until_next(asked: AsyncIterator[object], grace: anyio.CancelScope) -> None:
    await anext(asked)
    grace.cancel()


class _Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave the signals to us: uvicorn would end connections while their calls still wait for runs."""
        yield


def _configuration(door: Door, bounds: Bounds) -> uvicorn.Config:
    return uvicorn.Config(
        door,
        http=protocol(bounds.head_s),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_connections(bounds.connections),
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=1,
    )


def _connections(most: int) -> int:
    """As many as are wanted, or half of what the system lets us open: runs need files as well."""
    if sys.platform == "win32":
        return most
    import resource  # noqa: PLC0415 -- there is none on Windows

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if limit == resource.RLIM_INFINITY else max(1, min(most, limit // 2))


@contextmanager
def _alone(served: Served, members: Members) -> Generator[None]:
    """Hold the folder of a team: a second server would count what members use on its own."""
    if not members.members:
        yield
        return
    with accessing(served.state):
        make_folder(served.state)
    try:
        with FileLock(served.state / _LOCK_NAME, timeout=0, mode=0o600):
            yield
    except Timeout:
        raise UsageError(f"Another server serves this team; it keeps the runs in {served.state}.") from None


def _be_quiet() -> None:
    """No line for each request or peer that does something odd; accidents are still logged."""
    for name in ("uvicorn", "mcp"):
        logging.getLogger(name).setLevel(logging.ERROR)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
