"""The runs of one project as tool calls see them: begun, resumed, read, stopped.

Knows nothing of MCP. Importing it imports everything that a deliberation needs, so the server does so only when a
call needs it.
"""

import logging
import traceback
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
from msgspec import Struct

from sparring.app import App
from sparring.app.application import OpenRun
from sparring.app.verification import VerifyRequest, verify
from sparring.errors import SparringError, UsageError, raising_exhausted
from sparring.formats.views import report
from sparring.participants.options import Options
from sparring.processes.workers import run_pure
from sparring.prompts import PromptLibrary
from sparring.providers.host import Mailbox
from sparring.schema.dry_run import DryRun
from sparring.schema.runs import Run, RunHeader, RunStatus, RunSummary
from sparring.schema.verification import Verified
from sparring.server.jobs import Jobs, Observer, RunJob, Work
from sparring.server.limits import RUNS_VARIABLE, ServerLimits
from sparring.server.wording import error_for_agents

log = logging.getLogger(__name__)


class RunState(Struct, frozen=True):
    """State of a run, with its error in this process if there was one."""

    run: Run
    problem: str = ""


class Deliberations:
    """The runs of ``app``, of which ``jobs`` are under way in this process, at the ``limits`` of the server."""

    def __init__(self, app: App, jobs: Jobs, limits: ServerLimits) -> None:
        self._app = app
        self._jobs = jobs
        self._limits = limits
        # One run is opened at a time, so that two calls that resume the same one meet in the same job.
        self._opening = anyio.Lock()
        # The check whether a run is at work takes its lock for an instant; two checks at once would see each other.
        self._looking = anyio.Lock()

    async def begin(self, options: Options[Any]) -> RunJob:
        """Begin a run; raises ``SparringError`` before anything is started, e.g. where too many are under way."""
        async with self._opening:
            return await self._start(lambda: self._app.begin(self._app.request(options)))

    async def estimate(self, options: Options[Any]) -> DryRun:
        """Return what a run would take; raises ``SparringError`` where it could not begin."""

        def planned() -> DryRun:
            return self._app.dry_run(self._app.request(options))

        return await anyio.to_thread.run_sync(planned)

    async def resume(self, run_id: str, kind: str) -> RunJob | Run:
        """Go on with an interrupted run. One that is under way here or finished is not begun a second time.

        Raises:
            UsageError: It is not of that kind.
            StoreError: It does not exist, cannot be trusted, or another process works on it.
        """
        async with self._opening:
            run = await self.find(run_id)
            _refuse_other_kind(run.header, kind)
            if isinstance(run, RunJob) and not run.ended.is_set():
                return run
            if isinstance(run, Run) and run.status is RunStatus.FINISHED:
                return run
            return await self._start(lambda: self._app.reopen(run.header.run_id))

    async def retry(self, run_id: str, kind: str) -> RunJob:
        """Repeat a run that has ended, asking the failed participants again; raises like ``resume``."""
        async with self._opening:
            run = await self.find(run_id)
            _refuse_other_kind(run.header, kind)
            under_way = (job for job in self._jobs.unfinished if job.header.retry_of == run.header.run_id)
            return next(under_way, None) or await self._start(lambda: self._app.retry(run.header.run_id))

    async def find(self, run_id: str) -> RunJob | Run:
        """The job of that run, else the run as it is on disk; raises ``StoreError``."""
        if job := self._jobs.get(run_id):
            return job
        run = await self._load(run_id)
        if run.status is RunStatus.RUNNING and not self._jobs.get(run.header.run_id):
            run = await self._load(run.header.run_id)  # its job may have ended since its journal was read
        return self._jobs.get(run.header.run_id) or run

    async def note(self, run_id: str, text: str) -> None:
        """Add a note for the participants of a run; raises ``SparringError``."""
        await anyio.to_thread.run_sync(self._app.note, run_id, text)

    async def run_state(self, current: RunJob | Run) -> RunState:
        """Return the current state of a run; raises ``StoreError``."""
        if isinstance(current, Run):
            return RunState(current)
        run = current.result or await self._load(current.header.run_id)
        if run.status is RunStatus.FINISHED:  # a client that gets this status may look for its files at once
            await current.ended.wait()
        problem = self._app.redact(error_for_agents(current.error)) if current.error else ""
        return RunState(current.result or run, problem)

    async def cancel(self, run_id: str) -> tuple[RunState, str]:
        """Stop a run of this process; return its state then, and a sentence about the effect.

        Raises:
            StoreError: There is no such run.
            UsageError: Another process works on it.
        """
        run = await self.find(run_id)
        if isinstance(run, RunJob) and not run.ended.is_set():
            await run.cancel()
            state = await self.run_state(run)
            ended_first = state.run.status is RunStatus.FINISHED
            return state, "It finished before it could be cancelled." if ended_first else "It was cancelled."
        state = await self.run_state(run)
        if state.run.status is RunStatus.RUNNING:
            raise UsageError(f"{state.run.header.run_id} is running in another process.", hint="Cancel it there.")
        return state, f"Nothing was cancelled: it was {state.run.status} already."

    @property
    def prompts(self) -> PromptLibrary:
        """Prompts by which the host learns that an ask waits for it."""
        return self._app.prompts

    async def report(self, run_id: str) -> tuple[Run, str]:
        """A run and its whole report; raises ``StoreError``."""
        run = await self._load(run_id)
        return run, await run_pure(report, run, texts=run.transcript.responses)

    async def verify(self, request: VerifyRequest) -> Verified:
        """Verify by code; raises ``UsageError``."""
        return await verify(request, self._app)

    async def runs(self) -> tuple[RunSummary, ...]:
        """All runs of the project, newest first."""
        async with self._looking:
            return await anyio.to_thread.run_sync(self._app.runs)

    async def tools(self) -> tuple[str, ...]:
        """Return the tools that can be asked (see ``Roster.names``)."""
        return await anyio.to_thread.run_sync(self._app.roster.names)

    async def _load(self, run_id: str) -> Run:
        async with self._looking:
            return await anyio.to_thread.run_sync(self._app.run, run_id)

    async def _start(self, opened: Callable[[], OpenRun]) -> RunJob:
        self._check_capacity()
        # Between the opening and the start nothing is awaited: a call that is given up cannot leave an open run behind.
        run = await anyio.to_thread.run_sync(opened)
        mailbox = Mailbox(run.run_id, answered=run.answered, silence_limit_s=self._limits.silence_limit_s)
        work = containing_errors(lambda observe: self._app.work(run, observe, mailbox), self._app.redact)
        return self._jobs.start(run.header, work, mailbox)

    def _check_capacity(self) -> None:
        under_way = [job.header.run_id for job in self._jobs.unfinished]
        if len(under_way) >= self._limits.most_runs:
            way_out = "Call wait with one of these, or cancel"
            raise UsageError(
                f"{len(under_way)} runs are in progress, which is the limit: {', '.join(under_way)}.",
                hint=f"{way_out}; {RUNS_VARIABLE} in the server's environment sets the limit.",
            )


def _refuse_other_kind(header: RunHeader, kind: str) -> None:
    if header.kind != kind:
        raise UsageError(f"{header.run_id} is not a {kind}.", hint=f"It is one of the tool {tool_of(header.kind)}.")


def tool_of(kind: str) -> str:
    """The tool that begins runs of that kind."""
    return kind.replace("-", "_")


def containing_errors(work: Work, redact: Callable[[str], str]) -> Work:
    """Return ``work``, whose unforeseen errors end only itself: they are logged, and raised as a ``SparringError``."""

    async def guarded(observe: Observer) -> Run:
        try:
            with raising_exhausted():
                return await work(observe)
        except SparringError:
            raise
        except Exception as error:  # the one place for it: an accident in one run must not end all others
            log.error("%s", redact(traceback.format_exc()))  # noqa: TRY400 -- a traceback may hold secrets
            raise SparringError(
                f"sparring itself failed ({type(error).__name__}).", hint="Its log has the details."
            ) from error

    return guarded
