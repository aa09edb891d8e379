"""Runs that outlive the call that started them.

A host that gives up on a tool call must not end the deliberation behind it (design: The MCP surface). So the work
runs in a task group of the server's, and a call only waits for it: as long as the caller likes, as often as it likes.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import anyio.abc

from sparring.errors import SparringError
from sparring.schema.runs import Run, RunEvent

Observer = Callable[[RunEvent], None]
Work = Callable[[Observer], Awaitable[Run]]


@dataclass
class Job:
    """One run under way in this process, or ended in it.

    Attributes:
        latest: The last thing that happened, for progress messages.
        beats: How many things have happened; it only grows.
        result: The finished run.
        error: What ended the work instead, if it was not finished.
        cancelled: Whether the work was stopped before it was finished.
    """

    run_id: str
    latest: RunEvent | None = None
    beats: int = 0
    result: Run | None = None
    error: SparringError | None = None
    cancelled: bool = False
    ended: anyio.Event = field(default_factory=anyio.Event)
    _scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    _news: anyio.Event = field(default_factory=anyio.Event)

    def observe(self, event: RunEvent) -> None:
        """Note what happened and wake who waits for it."""
        self.latest = event
        self._wake()

    async def wait(self, budget_s: float, on_news: Callable[["Job"], Awaitable[None]], *, every_s: float) -> None:
        """Return when the job has ended or ``budget_s`` seconds are over, whichever is first.

        ``on_news`` is called at once, after whatever happens, and at least every ``every_s`` seconds.
        """
        with anyio.move_on_after(budget_s):
            while not self.ended.is_set():
                await on_news(self)
                with anyio.move_on_after(every_s):
                    await self._news.wait()

    async def cancel(self) -> None:
        """Stop the work and return when everything it started has ended. A job that has ended stays as it is."""
        self._scope.cancel()
        await self.ended.wait()

    async def _run(self, work: Work) -> None:
        try:
            with self._scope:
                self.result = await work(self.observe)
        except SparringError as error:
            self.error = error
        finally:
            self.cancelled = self.result is None and self.error is None
            self.ended.set()
            self._wake()

    def _wake(self) -> None:
        self.beats += 1
        news, self._news = self._news, anyio.Event()
        news.set()


class Jobs:
    """The jobs of this process. Closing it stops them; their runs stay resumable."""

    def __init__(self, group: anyio.abc.TaskGroup) -> None:
        self._group = group
        self._jobs: dict[str, Job] = {}

    @classmethod
    @asynccontextmanager
    async def open(cls) -> AsyncIterator["Jobs"]:
        """Jobs that live as long as the context."""
        async with anyio.create_task_group() as group:
            yield cls(group)
            group.cancel_scope.cancel()

    def start(self, run_id: str, work: Work) -> Job:
        """Begin ``work`` as the job of ``run_id``."""
        job = self._jobs[run_id] = Job(run_id)
        self._group.start_soon(job._run, work, name=run_id)  # noqa: SLF001 -- a job is run only here
        return job

    def get(self, run_id: str) -> Job | None:
        """The job of that run, or None when this process does not have it."""
        return self._jobs.get(run_id)
