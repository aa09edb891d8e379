"""Runs that outlive the call that started them.

A host that gives up on a tool call must not end the deliberation behind it (design: The MCP surface). So the work
runs in a task group of the server's, and a call only waits for it: as long as the caller likes, as often as it likes.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio
import anyio.abc

from sparring.errors import SparringError
from sparring.schema.runs import Run, RunEvent, RunHeader

Observer = Callable[[RunEvent], None]
Work = Callable[[Observer], Awaitable[Run]]


@dataclass
class Job:
    """One run under way in this process, or ended in it.

    Attributes:
        latest: The last thing that happened, for progress messages.
        result: The finished run.
        error: What ended the work instead. With neither, a job that has ended was stopped.
    """

    header: RunHeader
    latest: RunEvent | None = None
    result: Run | None = None
    error: SparringError | None = None
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
                # Taken before the call: what happens during it must not be waited for a second time.
                news = self._news
                await on_news(self)
                with anyio.move_on_after(every_s):
                    await news.wait()

    async def cancel(self) -> None:
        """Stop the work and return when everything it started has ended. A job that has ended stays as it is."""
        self._scope.cancel()
        await self.ended.wait()

    async def run(self, work: Work) -> None:
        """Do the work, once. Only a ``SparringError`` is expected of it; any other error passes."""
        try:
            with self._scope:
                self.result = await work(self.observe)
        except SparringError as error:
            self.error = error
        finally:
            self.ended.set()
            self._wake()

    def _wake(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()


class Jobs:
    """The jobs of this process. They end with the task group they run in; their runs stay resumable."""

    def __init__(self, group: anyio.abc.TaskGroup) -> None:
        self._group = group
        self._jobs: dict[str, Job] = {}

    def start(self, header: RunHeader, work: Work) -> Job:
        """Begin ``work`` as the job of the run that ``header`` describes."""
        job = self._jobs[header.run_id] = Job(header)
        self._group.start_soon(self._run, job, work, name=header.run_id)
        return job

    def get(self, run_id: str) -> Job | None:
        """The job of that run while it is under way, or when it ended in an error; else None: the disk knows more."""
        return self._jobs.get(run_id)

    async def _run(self, job: Job, work: Work) -> None:
        await job.run(work)
        # Whatever else a run ends in is on disk; kept here as well, every transcript would stay in memory.
        if job.error is None and self._jobs.get(job.header.run_id) is job:
            del self._jobs[job.header.run_id]
