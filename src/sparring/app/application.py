"""The life of a run: begun, worked on, finished; and looking at runs afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread

from sparring import __version__
from sparring.app.estimating import estimate
from sparring.app.keeping import keep_result, last_files
from sparring.app.place import Place
from sparring.app.requests import Desk, check_tools, complete_consult, complete_debate
from sparring.app.roster import Roster
from sparring.app.wishes import ConsultWish, DebateWish
from sparring.errors import SparringError, UsageError
from sparring.formats import Format
from sparring.formats.consultation import Consultation
from sparring.formats.debate import Debate
from sparring.prompts import PromptLibrary
from sparring.runner import Deliberation, Progress, deliberate
from sparring.schema.base import utc_now
from sparring.schema.consult import ConsultRequest
from sparring.schema.debate import DebateRequest
from sparring.schema.estimates import Estimate
from sparring.schema.limits import Limits
from sparring.schema.runs import Request, Run, RunEvent, RunHeader, RunKind, RunSummary
from sparring.settings import Settings
from sparring.store.files import StateFolder
from sparring.store.history import find_run, list_runs, load_run, new_run_id, run_folder, run_folders
from sparring.store.journal import JournalWriter

NO_LIMITS = Limits()


@dataclass(frozen=True)
class OpenRun:
    """A run whose journal we hold. It must be given to ``App.work``, which closes it."""

    header: RunHeader
    journal: JournalWriter
    progress: Progress

    @property
    def run_id(self) -> str:
        """Its id, for everything that is said about it."""
        return self.header.run_id


class App:
    """sparring in one project, for one user."""

    def __init__(self, settings: Settings, *, client: str | None = None) -> None:
        self.prompts = PromptLibrary()
        self.settings = settings
        self.place = Place.find(settings, client)
        self.roster = Roster(settings, self.place, self.prompts)
        self._desk = Desk(self.roster, self.place, settings)

    def debate_request(self, wish: DebateWish) -> DebateRequest:
        """``wish`` as a complete, checked request (see ``requests.complete_debate``)."""
        return complete_debate(wish, self._desk)

    def consult_request(self, wish: ConsultWish) -> ConsultRequest:
        """``wish`` as a complete, checked request (see ``requests.complete_consult``)."""
        return complete_consult(wish, self._desk)

    def redact(self, text: str) -> str:
        """``text`` without secrets."""
        return self.roster.redactor.redact(text).text

    def begin(self, request: Request, limits: Limits = NO_LIMITS) -> OpenRun:
        """Open a new run. Whatever would keep its result from being stored is found out here, before anything is paid.

        Raises:
            UsageError: What is asked for at once is more than ``limits`` allow.
            StoreError: The state directory cannot be written, or holds a file that must not be overwritten.
        """
        kind = RunKind(request.kind)
        now = utc_now()
        expected = estimate(self._format(request))
        if isinstance(request, ConsultRequest):
            _refuse_too_much(expected, limits)
        self._prepare(kind)
        header = RunHeader(
            run_id=new_run_id(kind, now),
            request=request,
            limits=limits,
            estimate=expected if expected.calls > 1 else None,
            created_at=now,
            sparring_version=__version__,
        )
        journal = JournalWriter.create(run_folder(self.place.state, kind, header.run_id), header)
        return OpenRun(header, journal, Progress())

    def reopen(self, run_id: str) -> OpenRun:
        """Take up an interrupted run; finds out the same as ``begin``, since the world may have changed.

        Raises:
            UsageError: It is finished, or a tool that it needs is not known any more.
            ToolNotFoundError: A tool that it needs is not installed any more.
            StoreError: As ``begin``; or there is no such run, another process works on it, or its journal cannot be
                trusted.
        """
        folder = find_run(self.place.state, run_id)
        journal, kept = JournalWriter.reopen(folder)
        try:
            if kept.outcome is not None:
                raise UsageError(
                    f"Run {folder.name} is finished; there is nothing to resume.",
                    hint=f"See it with `sparring runs show {folder.name}`.",
                )
            self._prepare(kept.header.kind)
            check_tools(kept.header.request, self.roster)
        except SparringError:
            journal.close()
            raise
        return OpenRun(kept.header, journal, Progress(kept.steps, kept.pending))

    async def work(self, run: OpenRun, observe: Callable[[RunEvent], None]) -> Run:
        """Bring ``run`` to its end and keep the result. Cancelled, it leaves a run that ``reopen`` takes up."""
        try:
            deliberation = Deliberation(
                run_id=run.run_id,
                format=self._format(run.header.request),
                consultant=self.roster.consultant,
                journal=run.journal,
                limits=run.header.limits,
                observe=observe,
            )
            async with self.roster.connections.held():
                await deliberate(deliberation, run.progress)
        finally:
            run.journal.close()
        return await anyio.to_thread.run_sync(self._kept, run.journal.folder)

    def runs(self) -> tuple[RunSummary, ...]:
        """All runs of this project, newest first."""
        return list_runs(self.place.state)

    def run(self, run_id: str) -> Run:
        """The run of that id, of the only one that begins so, or the newest (``last``); raises ``StoreError``."""
        return load_run(find_run(self.place.state, run_id))

    def folder(self, run: Run) -> Path:
        """Where ``run`` is kept."""
        return run_folder(self.place.state, run.header.kind, run.header.run_id)

    def _prepare(self, kind: RunKind) -> None:
        folder = StateFolder(self.place.state)
        folder.ensure_writable(run_folders(self.place.state, kind))
        for path, record in last_files(self.place.state, kind):
            folder.ensure_writable(path.parent)
            folder.check_replaceable(path, record)
        folder.ensure_writable(self.place.state / "consult")
        self.roster.sweep()

    def _format(self, request: Request) -> Format:
        match request:
            case DebateRequest():
                return Debate(request, self.prompts)
            case ConsultRequest():
                return Consultation(request, self.prompts)

    def _kept(self, folder: Path) -> Run:
        run = load_run(folder)
        notices = keep_result(run, folder, self.place.state)
        return run.model_copy(update={"notices": run.notices + notices})


def _refuse_too_much(expected: Estimate, limits: Limits) -> None:
    """All asks of a consultation are put at once, so that nothing but their prompts can be held against a limit."""
    if limits.calls is not None and expected.calls > limits.calls:
        raise UsageError(f"{expected.calls} are asked; the limit is {limits.calls} calls.", hint="Nobody was asked.")
    if limits.tokens is not None and expected.prompt_tokens > limits.tokens:
        raise UsageError(
            f"The prompts alone have about {expected.prompt_tokens:,} tokens; the limit is {limits.tokens:,}.",
            hint="Nobody was asked.",
        )
