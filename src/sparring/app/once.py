"""Runs of which none is paid twice: what is measured.

The runs of a request lie in a folder that is named after all that decides their result: the texts, the seats, the
settings. So a call that was interrupted is simply made again: what has ended is read, what was begun is gone on with,
who failed is asked again, and what was changed meanwhile is another request. Whoever holds a run for it holds its lock,
and everybody else, in this process or another, waits and reads what came of it.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio import to_thread
from filelock import Timeout

from sparring.app.application import App, OpenRun
from sparring.app.keeping import file_late
from sparring.errors import StateCorruptError, StateLockedError, StateNewerError
from sparring.schema.runs import Limits, Request, Run, RunStatus, Spent, lost_seats, summed
from sparring.store.files import accessing, make_folder
from sparring.store.history import latest_run, load_run, opening_lock, pair_folder, set_aside

_LOOK_AGAIN_S = 0.2


@dataclass(frozen=True)
class _Earlier:
    """A run of the request that an earlier call has left, and where it is kept."""

    folder: Path
    run: Run


class RunsOnce:
    """Holds a run for each request, unless there is one.

    Attributes:
        spent: What was used for all of them here.
    """

    def __init__(self, app: App, limits: Limits) -> None:
        """``limits`` are for all runs together, but for the time."""
        self._app = app
        self._limits = limits
        self.spent = Spent()

    async def run(self, request: Request) -> Run | str:
        """The run for ``request``, to its end; or why there is none."""
        folder = self._folder(request)
        try:
            if (earlier := await to_thread.run_sync(self._earlier, folder)) and is_complete(earlier.run):
                return earlier.run
            async with _alone_with(folder):
                return await self._held(request, folder)
        except (StateLockedError, StateNewerError) as error:
            return str(error)

    def is_there(self, request: Request) -> bool:
        """Return whether a run for ``request`` has ended with everybody's answer; raises ``StateNewerError``."""
        earlier = self._earlier(self._folder(request))
        return earlier is not None and is_complete(earlier.run)

    def _folder(self, request: Request) -> Path:
        return pair_folder(self._app.place.state, request)

    async def _held(self, request: Request, folder: Path) -> Run | str:
        await to_thread.run_sync(self._sweep, folder)
        earlier = await to_thread.run_sync(self._earlier, folder)
        reason = self._limit_reached()
        if earlier and (is_complete(earlier.run) or (reason and earlier.run.outcome)):
            return earlier.run
        if reason:
            return reason
        opened = await to_thread.run_sync(self._opened, folder, request, earlier)
        run = await self._app.work(opened, lambda _: None)
        self.spent = summed((self.spent, run.spent))
        return run

    def _earlier(self, folder: Path) -> "_Earlier | None":
        """The last run of the request, unless it is broken; raises ``StateNewerError``."""
        latest = latest_run(self._app.place, folder)
        try:
            if latest:
                file_late(latest, self._app.place)
            return _Earlier(latest, load_run(latest)) if latest else None
        except StateNewerError:
            raise
        except StateCorruptError:
            return None

    def _sweep(self, folder: Path) -> None:
        """Set aside what is broken of the runs of the request, the newest first."""
        while latest := latest_run(self._app.place, folder):
            try:
                load_run(latest)
                break
            except StateNewerError:
                raise
            except StateCorruptError:
                set_aside(latest)

    def _opened(self, folder: Path, request: Request, earlier: "_Earlier | None") -> OpenRun:
        if earlier and earlier.run.status is not RunStatus.FINISHED:
            return self._app.take_up(earlier.folder)
        is_retried = earlier and lost_seats(earlier.run.transcript.turns)
        return self._app.begin(request, beside=folder, retry_of=earlier.folder.name if earlier and is_retried else None)

    def _limit_reached(self) -> str:
        limits, spent = self._limits, self.spent
        if limits.calls is not None and spent.calls >= limits.calls:
            return f"The limit of {'1 call' if limits.calls == 1 else f'{limits.calls} calls'} is used up."
        if limits.tokens is not None and spent.tokens >= limits.tokens:
            return f"The limit of {limits.tokens:,} tokens is used up."
        if limits.cost_usd is not None and spent.cost_usd >= limits.cost_usd:
            return f"The limit of ${limits.cost_usd:g} is used up."
        return ""


def is_complete(run: Run) -> bool:
    """Return whether ``run`` has ended, and everybody was heard who has a seat."""
    return run.outcome is not None and not lost_seats(run.transcript.turns)


@asynccontextmanager
async def _alone_with(folder: Path) -> AsyncGenerator[None]:
    """Hold the lock of the request whose runs lie in ``folder``; whoever else has it is waited for.

    Raises:
        StateUnwritableError: The folder cannot be made or written.
    """
    lock = opening_lock(folder)

    def is_taken() -> bool:
        with accessing(folder):
            make_folder(folder)
            try:
                lock.acquire(blocking=False)
            except Timeout:
                return False
        return True

    while not await to_thread.run_sync(is_taken):  # noqa: ASYNC110 -- another process can set no event
        await anyio.sleep(_LOOK_AGAIN_S)
    try:
        yield
    finally:
        lock.release()
