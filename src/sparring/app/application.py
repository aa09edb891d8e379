"""The life of a run: begun, worked on, finished; and looking at runs afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread

from sparring import __version__
from sparring.app.completion import (
    Desk,
    check_tools,
    complete_chaired_debate,
    complete_consult,
    complete_debate,
    complete_fact_check,
    complete_jury,
)
from sparring.app.debate_folder import refuse_others_files
from sparring.app.estimating import estimate
from sparring.app.keeping import keep_debate_files, keep_result, last_files
from sparring.app.place import Place
from sparring.app.roster import Roster
from sparring.app.wishes import ChairedDebateWish, ConsultWish, DebateWish, FactCheckWish, JuryWish, Wish
from sparring.engine.runner import Deliberation, Progress, deliberate
from sparring.errors import SparringError, UsageError
from sparring.formats.registry import rules
from sparring.prompts import PromptLibrary
from sparring.providers.host import Mailbox
from sparring.schema.base import utc_now
from sparring.schema.chaired_debate import ChairedDebateRequest
from sparring.schema.consult import ConsultRequest
from sparring.schema.debate import DebateRequest
from sparring.schema.fact_check import FactCheckRequest
from sparring.schema.jury import JuryRequest
from sparring.schema.limits import Estimate, Limits
from sparring.schema.runs import Request, Run, RunEvent, RunHeader, RunKind, RunSummary
from sparring.settings import Settings
from sparring.store.files import StateFolder
from sparring.store.history import find_run, list_runs, load_run, run_folder, run_folders, unused_run_id
from sparring.store.journal import JournalWriter

if TYPE_CHECKING:
    from sparring.app.recording import RecordingJournal

NO_LIMITS = Limits()

R = TypeVar("R", DebateRequest, ChairedDebateRequest, ConsultRequest, FactCheckRequest, JuryRequest)


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

    @property
    def answered(self) -> frozenset[str]:
        """Ids of the asks that have their turns already."""
        turns = (*self.progress.transcript.turns, *self.progress.pending)
        return frozenset(turn.ask_id for turn in turns)


class App:
    """sparring in one project, for one user.

    Args:
        settings: What the user has set.
        client: The name of the MCP client that called, if there is one and it says.
        attended: Whether an agent called that can be asked in turn; then ``work`` is given a mailbox.
    """

    def __init__(self, settings: Settings, *, client: str | None = None, attended: bool = False) -> None:
        self.prompts = PromptLibrary()
        self.settings = settings
        self.place = Place.find(settings, client)
        self.roster = Roster(settings, self.place, self.prompts, client=client, attended=attended)
        self._desk = Desk(self.roster, self.place, settings)

    def request(self, wish: Wish) -> Request:
        """``wish`` as a complete, checked request.

        Raises:
            UsageError: It contradicts itself or names what does not exist; one sentence says what to do.
            ToolNotFoundError: A tool that it needs is not installed.
        """
        match wish:
            case DebateWish():
                return self.debate_request(wish)
            case ChairedDebateWish():
                return self.chaired_debate_request(wish)
            case ConsultWish():
                return self.consult_request(wish)
            case FactCheckWish():
                return self.fact_check_request(wish)
            case JuryWish():
                return self.jury_request(wish)

    def debate_request(self, wish: DebateWish) -> DebateRequest:
        """See ``request``."""
        return self._checked(complete_debate(wish, self._desk))

    def chaired_debate_request(self, wish: ChairedDebateWish) -> ChairedDebateRequest:
        """See ``request``."""
        return self._checked(complete_chaired_debate(wish, self._desk))

    def consult_request(self, wish: ConsultWish) -> ConsultRequest:
        """See ``request``."""
        return self._checked(complete_consult(wish, self._desk))

    def fact_check_request(self, wish: FactCheckWish) -> FactCheckRequest:
        """See ``request``."""
        return self._checked(complete_fact_check(wish, self._desk))

    def jury_request(self, wish: JuryWish) -> JuryRequest:
        """See ``request``."""
        return self._checked(complete_jury(wish, self._desk))

    def redact(self, text: str) -> str:
        """``text`` without secrets."""
        return self.roster.redactor.redact(text).text

    def begin(self, request: Request, limits: Limits = NO_LIMITS, *, beside: Path | None = None) -> OpenRun:
        """Open a new run. Whatever would keep its result from being stored is found out here, before anything is paid.

        Args:
            request: What is asked for, complete.
            limits: Most that it may use.
            beside: The folder of the runs that it is one of; by default that of all runs of its kind.

        Raises:
            UsageError: What is asked for at once is more than ``limits`` allow.
            StoreError: The state directory cannot be written, or holds a file that must not be overwritten.
        """
        kind = RunKind(request.kind)
        now = utc_now()
        expected = estimate(rules(request, self.prompts))
        if isinstance(request, ConsultRequest):
            _refuse_too_much(expected, limits)
        self._prepare(kind)
        self._prepare_output(request, Progress())
        runs = beside or run_folders(self.place.state, kind)
        header = RunHeader(
            run_id=unused_run_id(runs, kind, now),
            request=request,
            limits=limits,
            estimate=expected if expected.calls > 1 else None,
            created_at=now,
            sparring_version=__version__,
        )
        journal = JournalWriter.create(runs / header.run_id, header)
        return OpenRun(header, journal, Progress())

    def reopen(self, run_id: str) -> OpenRun:
        """Take up an interrupted run; finds out the same as ``begin``, since the world may have changed.

        Raises:
            UsageError: It is finished, or a tool that it needs is not known any more.
            ToolNotFoundError: A tool that it needs is not installed any more.
            StoreError: As ``begin``; or there is no such run, another process works on it, or its journal cannot be
                trusted.
        """
        return self.take_up(find_run(self.place.state, run_id))

    def take_up(self, folder: Path) -> OpenRun:
        """Take up the interrupted run that is kept in ``folder``; see ``reopen``."""
        journal, kept = JournalWriter.reopen(folder)
        try:
            if kept.outcome is not None:
                raise UsageError(
                    f"Run {folder.name} is finished; there is nothing to resume.",
                    hint=f"See it with `sparring runs show {folder.name}`.",
                )
            progress = Progress(kept.steps, kept.pending)
            self._prepare(kept.header.kind)
            self._prepare_output(kept.header.request, progress)
            check_tools(kept.header.request, self.roster)
        except SparringError:
            journal.close()
            raise
        return OpenRun(kept.header, journal, progress)

    async def work(self, run: OpenRun, observe: Callable[[RunEvent], None], mailbox: Mailbox | None = None) -> Run:
        """Bring ``run`` to its end and keep the result. Cancelled, it leaves a run that ``reopen`` takes up.

        Raises:
            HostSilentError: The calling agent was asked by way of ``mailbox`` and has gone away; ``reopen`` as well.
            StoreError: The run cannot be kept any more.
        """
        recording = self._recording(run)
        try:
            if recording:
                await anyio.to_thread.run_sync(recording.catch_up)
            deliberation = Deliberation(
                run_id=run.run_id,
                format=rules(run.header.request, self.prompts),
                consultant=self.roster.answering(mailbox),
                journal=recording or run.journal,
                limits=run.header.limits,
                observe=observe,
            )
            async with self.roster.connections.held():
                await deliberate(deliberation, run.progress)
        finally:
            run.journal.close()
        notices = recording.notices if recording else ()
        return await anyio.to_thread.run_sync(self._kept, run.journal.folder, notices)

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

    def _prepare_output(self, request: Request, progress: Progress) -> None:
        if isinstance(request, ChairedDebateRequest) and request.output_dir:
            from sparring.app.recording import log_so_far  # noqa: PLC0415 -- see _recording

            refuse_others_files(request.output_dir, self.place.project, log_so_far(request, progress))

    def _recording(self, run: OpenRun) -> "RecordingJournal | None":
        request = run.header.request
        if not isinstance(request, ChairedDebateRequest):
            return None
        # Its rules are imported when a run of its kind begins, like those of every other (see rules).
        from sparring.app.recording import RecordingJournal  # noqa: PLC0415

        folder, project = run.journal.folder, self.place.project
        return RecordingJournal(run.journal, request, run.progress, folder=folder, project=project)

    def _checked(self, request: R) -> R:
        check_tools(request, self.roster)
        return request

    def _kept(self, folder: Path, recorded: tuple[str, ...]) -> Run:
        run = load_run(folder)
        notices = keep_result(run, folder, self.place.state) + keep_debate_files(run, folder, self.place.project)
        return run.model_copy(update={"notices": run.notices + recorded + notices})


def _refuse_too_much(expected: Estimate, limits: Limits) -> None:
    """All asks of a consultation are put at once, so that nothing but their prompts can be held against a limit."""
    if limits.calls is not None and expected.calls > limits.calls:
        raise UsageError(f"{expected.calls} are asked; the limit is {limits.calls} calls.", hint="Nobody was asked.")
    if limits.tokens is not None and expected.prompt_tokens > limits.tokens:
        raise UsageError(
            f"The prompts alone have about {expected.prompt_tokens:,} tokens; the limit is {limits.tokens:,}.",
            hint="Nobody was asked.",
        )
