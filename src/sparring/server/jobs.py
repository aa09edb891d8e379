"""Runs that outlive the call that started them.

A call takes 45 seconds at most, and a deliberation many minutes (design: The MCP surface). So the work runs in a task
group of the server's, and a call only waits for it, as often as the caller likes. A call that is cancelled ends its
run: a user who presses Escape does not want it any more, and must not pay for the rest. Its answers are kept, and the
run can be resumed.
"""

import math
from collections.abc import Awaitable, Callable

import anyio
import anyio.abc
import anyio.lowlevel
from msgspec import Struct, field

from sparring.errors import SparringError
from sparring.providers.host import Mailbox
from sparring.schema.runs import Run, RunEvent, RunHeader, TurnCompleted

Observer = Callable[[RunEvent], None]
Work = Callable[[Observer], Awaitable[Run]]


class RunJob(Struct):
    """One run under way in this process, or ended in it.

    Attributes:
        latest: The last event, for progress messages.
        result: The finished run.
        error: The error that ended the work instead. A job that has ended without either was stopped.
        mailbox: Asks for the calling agent, and the place for its answers.
    """

    header: RunHeader
    mailbox: Mailbox
    latest: RunEvent | None = None
    result: Run | None = None
    error: SparringError | None = None
    ended: anyio.Event = field(default_factory=anyio.Event)
    _waiting: int = 0
    _scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    _changed: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        self.mailbox.on_posted(self._notify_waiters)

    @property
    def needs_host(self) -> bool:
        """True if it waits for an answer of the calling agent."""
        return not self.ended.is_set() and self.mailbox.needs_answer

    def observe(self, event: RunEvent) -> None:
        """Record an event and wake the waiting calls."""
        self.latest = event
        if isinstance(event, TurnCompleted):
            self.mailbox.kept(event.ask_id)
        self._notify_waiters()

    async def call(self, waiting: Awaitable[None]) -> None:
        """Await ``waiting`` for a call. If that is cancelled, and no other call waits, the work is stopped."""
        self._waiting += 1
        try:
            await waiting
        except anyio.get_cancelled_exc_class():
            if self._waiting == 1:
                self.stop()
            raise
        finally:
            self._waiting -= 1

    async def wait(self, budget_s: float, on_change: Callable[["RunJob"], Awaitable[None]], *, every_s: float) -> None:
        """Return when the job has ended or needs the host, or after ``budget_s`` seconds, whichever is first.

        ``on_change`` is called at once, after every event, and at least every ``every_s`` seconds.
        """
        with anyio.move_on_after(budget_s):
            while not (self.ended.is_set() or self.needs_host):
                # Taken before the call: what happens during it must not be waited for a second time.
                news = self._changed
                await on_change(self)
                with anyio.move_on_after(every_s):
                    await news.wait()

    def stop(self) -> None:
        """Stop the work; a job that has ended stays as it is."""
        self._scope.cancel()

    async def cancel(self) -> None:
        """Stop the work and return when everything it started has ended."""
        self.stop()
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
            self._notify_waiters()

    def _notify_waiters(self) -> None:
        news, self._changed = self._changed, anyio.Event()
        news.set()


class Jobs:
    """The jobs of this process. They end with the task group they run in; their runs stay resumable."""

    def __init__(self, group: anyio.abc.TaskGroup) -> None:
        self._group = group
        self._jobs: dict[str, RunJob] = {}

    def start(self, header: RunHeader, work: Work, mailbox: Mailbox | None = None) -> RunJob:
        """Begin ``work`` as the job of the run that ``header`` describes.

        ``mailbox`` is where it asks the calling agent, if it does.
        """
        job = self._jobs[header.run_id] = RunJob(header, mailbox or Mailbox(header.run_id))
        self._group.start_soon(self._run, job, work, name=header.run_id)
        return job

    def get(self, run_id: str) -> RunJob | None:
        """The job of that run while it is under way, or when it ended in an error; else None: the disk knows more."""
        return self._jobs.get(run_id)

    @property
    def unfinished(self) -> tuple[RunJob, ...]:
        """The jobs that have not ended, in the order in which they were begun."""
        return tuple(job for job in self._jobs.values() if not job.ended.is_set())

    async def wait_until_idle(self) -> None:
        """Return when every job has ended or needs the host; one that begins meanwhile is waited for as well."""

        async def on_change(_: RunJob) -> None:
            await anyio.lowlevel.checkpoint()

        while at_work := [job for job in self.unfinished if not job.needs_host]:
            await at_work[0].wait(math.inf, on_change, every_s=math.inf)

    async def cancel_all(self) -> int:
        """Stop every job, and return how many did not finish when all that they started has ended."""
        stopped = self.unfinished
        for job in stopped:
            job.stop()
        for job in stopped:
            await job.ended.wait()
        return sum(job.result is None for job in stopped)

    async def _run(self, job: RunJob, work: Work) -> None:
        await job.run(work)
        # All other outcomes are on disk; kept here as well, every transcript would stay in memory.
        if job.error is None and self._jobs.get(job.header.run_id) is job:
            del self._jobs[job.header.run_id]
