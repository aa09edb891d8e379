"""The life of a run from its beginning to its end, and access to earlier runs."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread
from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from sparring import __version__, errors
from sparring.app import artifacts
from sparring.app.configuration import Configuration
from sparring.app.local_project import (
    LocalProject,
    check_tools,
    participants,
    substituted,
    with_spare_tools,
)
from sparring.app.roster import Roster
from sparring.engine.capabilities import NoteTaking, RunLog
from sparring.engine.course import Asks
from sparring.engine.estimate import plan_of
from sparring.engine.format import Format
from sparring.engine.preparing import with_notes, with_stand_ins
from sparring.engine.runner import NOTHING_EARLIER, Deliberation, EarlierRun, Progress, ThreadedJournal, deliberate
from sparring.formats.registry import FORMATS
from sparring.participants.options import AccompanyingInput, Options
from sparring.processes import workers
from sparring.prompts import PromptLibrary
from sparring.providers import host, wrappers
from sparring.schema.base import RepoAccess, RunId, ToolName, utc_now
from sparring.schema.consultation import Failure
from sparring.schema.runs import (
    AskRepeated,
    Expected,
    Limits,
    Request,
    Run,
    RunEvent,
    RunHeader,
    RunStatus,
    RunSummary,
    lost_seats,
)
from sparring.schema.transcript import NOTE_LIMIT, Ask, Transcript
from sparring.settings import Settings
from sparring.store import history
from sparring.store.files import StateFolder, sweep_unfinished
from sparring.store.hosts import Place
from sparring.store.journal import JOURNAL_NAME, JournalWriter, foreign, read_journal, salvaged_journal
from sparring.store.last_run import next_moment, record_last_run
from sparring.store.notes import add_note, notes_of
from sparring.store.provenance import StateKey
from sparring.store.run_lock import is_locked

if TYPE_CHECKING:
    from sparring.schema.dry_run import DryRun

NO_LIMITS, NOTHING = Limits(), AccompanyingInput()

_TIDIED = 5
"""Newest runs of each kind that a new run files late; listing the runs files all of them."""

Q = TypeVar("Q", bound=Request)


class OpenRun(Struct, frozen=True):
    """A run whose journal is open here. It must be given to ``App.work``, which closes it.

    Attributes:
        earlier: The run whose answers are reused.
    """

    header: RunHeader
    journal: JournalWriter
    progress: Progress
    earlier: EarlierRun = NOTHING_EARLIER

    @property
    def run_id(self) -> str:
        """Id of the run."""
        return self.header.run_id

    @property
    def answered(self) -> frozenset[str]:
        """Ids of the asks that already have a turn."""
        turns = (*self.progress.transcript.turns, *self.progress.pending)
        return frozenset(turn.ask_id for turn in turns)


class App:
    """sparring in one project, for one user.

    Args:
        settings: The user's settings.
        client: Name of the calling MCP client, if known.
        attended: Whether the caller is an agent that can be asked; then ``work`` is given a mailbox.
    """

    def __init__(self, settings: Settings, *, client: str | None = None, attended: bool = False) -> None:
        self.prompts = PromptLibrary()
        self.settings = settings
        self.place = Place.find(settings, client)
        self.key = self.place.provenance.key
        self.configuration = Configuration.of(settings, self.place.project)
        self.roster = Roster(settings, self.place, self.prompts, client=client, attended=attended)

    def request(self, options: Options[Q], given: AccompanyingInput = NOTHING) -> Q:
        """Return ``options`` as a complete, checked request; raises as ``LocalProject.complete``."""
        return self.project_context(given).complete(options)

    def requests(self, options: Options[Q], given: AccompanyingInput) -> Callable[[Mapping[str, object]], Q]:
        """Return a function that completes ``options`` for many rows; see ``LocalProject.completer``.

        Availability of tools is looked up once as well: a tool that is removed meanwhile fails when it is asked.
        """
        project = replace(self.project_context(given), tools=self.roster.with_fixed_availability())
        return project.completer(options)

    def project_context(self, given: AccompanyingInput = NOTHING) -> LocalProject:
        """Return the context of the project, with ``given``, in which options are completed."""
        return LocalProject(self.roster, self.place, self.settings, self.configuration, given)

    def redact(self, text: str) -> str:
        """Return ``text`` without secrets."""
        return self.roster.redactor.redact(text).text

    def begin(
        self,
        request: Request,
        limits: Limits = NO_LIMITS,
        *,
        runs_folder: Path | None = None,
        retry_of: RunId | None = None,
    ) -> OpenRun:
        """Open a new run. Anything that would prevent storing its result is an error here, before anything is paid.

        Args:
            request: The complete request.
            limits: Limits of the run.
            runs_folder: The folder in which the run is created; by default that of all runs of its kind.
            retry_of: A run in that folder; its answers are reused for the same asks.

        Raises:
            UsageError: ``limits`` are too low for a verdict, or for asks that are all sent at once.
            StoreError: The state directory cannot be written, or contains a file that must not be overwritten.
        """
        format_ = FORMATS[request.kind]
        runs = runs_folder or history.run_folders(self.place.state, request.kind)
        earlier = self._earlier(runs, retry_of)
        estimated = self._estimated(format_, request, limits, earlier)
        is_listed = self._are_all(runs, request)
        now = next_moment(utc_now(), self.place) if is_listed else utc_now()
        request = self._with_problem_of_key(request)
        self._prepare(runs, request, Transcript(), runs / retry_of if retry_of else None)
        header = RunHeader(
            run_id=history.unused_run_id(runs, request.kind, now),
            request=request,
            limits=limits,
            estimate=estimated if estimated.most > 1 else None,
            created_at=now,
            sparring_version=__version__,
            retry_of=retry_of,
            families=self.roster.families(participants(request)),
        )
        journal = JournalWriter.create(runs / header.run_id, header, key=self.key)
        if is_listed:
            record_last_run(journal.folder, now, self.place)
        return OpenRun(header, journal, Progress(), earlier)

    def dry_run(self, request: Request, limits: Limits = NO_LIMITS, *, with_prompt: bool = False) -> "DryRun":
        """Return the calls and tokens that a run would take; nothing is begun, written or asked.

        Raises:
            UsageError: As ``begin``.
        """
        from sparring.engine.dry_run import dry_run  # noqa: PLC0415 -- a run does not need it

        format_ = FORMATS[request.kind]
        self._estimated(format_, request, limits)
        estimate = dry_run(format_, (request,), self.prompts, self.roster.is_paid)
        prompt = self.redact(estimate.first_prompt) if with_prompt else ""
        return estimate.model_copy(update={"first_prompt": prompt, "notices": request.notices})

    def _estimated(
        self, format_: Format, request: Request, limits: Limits, earlier: EarlierRun = NOTHING_EARLIER
    ) -> Expected:
        """Return the estimate of the asks that are left; raises ``UsageError`` where ``limits`` are too low for it."""
        estimated = plan_of(format_, request, self.prompts).expected.without(earlier.reused)
        if format_.asks_at_once:
            _refuse_too_much(estimated, limits)
        elif not earlier.answered:
            _refuse_too_little(estimated, limits)
        return estimated

    def retry(self, run_id: str, *, substitute: str = "", salvages: bool = False) -> OpenRun:
        """Open a new run of the same request that repeats the failed asks, and reuses the answers.

        Args:
            run_id: A run that has ended.
            substitute: The tool that replaces one that fails for good, if it changes.
            salvages: Whether to use the intact beginning of a journal that is damaged in the middle.

        Raises:
            UsageError: It can be resumed, nothing failed, or it was retried before.
            ForeignStateError: It came with the project.
            StoreError: As ``reopen``; or a retry of it is running.
        """
        folder = history.find_run(run_id, self.place)
        history.refuse_foreign(folder, self.place)
        with suppress(errors.StoreError):  # a journal that is broken may be salvaged
            artifacts.file_if_finished(folder, self.place)
        with history.reopening(folder):
            request, limits = _retried(folder, self.key, salvages=salvages)
            _refuse_second_retry(folder, self.place)
            request = with_spare_tools(substituted(request, substitute, self.roster), self.roster)
            check_tools(request, self.roster)
            return self.begin(request, limits, runs_folder=folder.parent, retry_of=folder.name)

    def find_substitute(self, run: Run) -> ToolName | None:
        """Return a ready tool that could answer for those that failed in ``run``: ``retry`` takes it as a substitute.

        None where nothing failed, every seat can be filled without it, or there is no such tool.
        """
        request, turns = run.header.request, run.transcript.turns
        lost = lost_seats(turns)
        if not lost:
            return None
        failed = {turn.tool for turn in lost}
        # A tool must not take a seat against itself.
        rivals = {rival.tool for turn in lost for rival in request.rivals(turn.role, turn.number)}
        refused = failed | rivals | {request.substitute}
        ready = [tool for tool in self.roster.ai_tools() if tool not in refused]
        # First a tool that has no seat, then one of a family that has none.
        answered = {turn.answer.tool for turn in turns if turn.answer}
        families = {self.roster.family(tool) or tool for tool in failed | answered if tool in self.roster.tool_names}
        ready.sort(key=lambda tool: (tool in answered, (self.roster.family(tool) or tool) in families))
        return next(iter(ready), None)

    def file_finished_run(self, run_id: str) -> Run | None:
        """File the run of that id if it ended without being filed, and return it; else None."""
        folder = history.find_run(run_id, self.place)
        return history.load_run(folder) if artifacts.file_if_finished(folder, self.place) else None

    def reopen(self, run_id: str) -> OpenRun:
        """Resume an interrupted run; checks the same as ``begin``, since the environment may have changed.

        Raises:
            UsageError: It has ended, or a tool that it needs is no longer known.
            ToolNotFoundError: A tool that it needs is no longer installed.
            ForeignStateError: It came with the project.
            StoreError: As ``begin``; or there is no such run, another process works on it, or its journal cannot be
                trusted.
        """
        folder = history.find_run(run_id, self.place)
        history.refuse_foreign(folder, self.place)
        return self.adopt_run(folder)

    def adopt_run(self, folder: Path) -> OpenRun:
        """Resume the interrupted run in ``folder``; see ``reopen``."""
        journal, kept = JournalWriter.reopen(folder, key=self.key)
        sweep_unfinished(folder, older_than_s=0)  # no other process writes there now
        for call in kept.answered:
            self.roster.settle(call)  # the process may have ended before it did this
        try:
            if kept.outcome is not None:
                hint = f"See it with `sparring runs show {folder.name}`."
                if lost_seats(kept.transcript.turns):
                    hint = f"Retry only the failed calls with `sparring runs retry {folder.name}`."
                raise errors.UsageError(f"Run {folder.name} is finished; there is nothing to resume.", hint=hint)
            progress = Progress(kept.steps, kept.pending, kept.unanswered)
            self._prepare(folder.parent, kept.header.request, progress.transcript)
            check_tools(kept.header.request, self.roster)
        except errors.SparringError:
            journal.close()
            raise
        if self._are_all(folder.parent, kept.header.request):
            record_last_run(folder, kept.header.created_at, self.place)
        return OpenRun(kept.header, journal, progress, self._earlier(folder.parent, kept.header.retry_of))

    async def work(self, run: OpenRun, observe: Callable[[RunEvent], None], mailbox: host.Mailbox | None = None) -> Run:
        """Bring ``run`` to its end and store the result. If cancelled, it leaves a run that ``reopen`` resumes.

        Raises:
            HostSilentError: The calling agent was asked through ``mailbox`` and is gone; ``reopen`` resumes the run.
            StoreError: The run can no longer be stored.
        """
        request, folder = run.header.request, run.journal.folder
        format_ = FORMATS[request.kind]
        logged = None
        if format_.capability(RunLog):
            project = self.place.project
            logged = artifacts.LoggingJournal(run.journal, request, run.progress, folder=folder, project=project)
        taking_notes = format_.capability(NoteTaking)

        def prepare(asks: Asks, transcript: Transcript) -> Asks:
            asks = with_stand_ins(asks, request, transcript)
            if taking_notes is None:
                return asks
            return with_notes(asks, transcript, taking_notes.kinds, self._render_note)

        try:
            if logged:
                await anyio.to_thread.run_sync(logged.catch_up)
            roster = self.roster.with_named_files(await self._named_files(request))
            deliberation = Deliberation(
                run_id=run.run_id,
                format=format_.rules(request, self.prompts),
                consultant=roster.consultant_of_run(mailbox, _retry_observer(run.run_id, observe)),
                journal=ThreadedJournal(logged or run.journal),
                limits=run.header.limits,
                observe=observe,
                calls=roster,
                earlier=run.earlier,
                prepare=prepare,
                notes=partial(notes_of, folder, self.key) if taking_notes else None,
            )
            async with roster.connections.acquired():
                await deliberate(deliberation, run.progress)
            # While the journal is locked, no other process takes the run for one that was left unfiled.
            return await self._filed(folder, logged.notices if logged else ())
        finally:
            run.journal.close()

    def note(self, run_id: str, text: str) -> tuple[RunId, RunStatus]:
        """Add a note for the speakers of a run; they are shown it with the next speech that is requested.

        Returns the id of the run, and whether it is under way.

        Raises:
            UsageError: The text is empty or too long, the run has ended, or its format takes no notes.
            ForeignStateError: It came with the project.
            StoreError: There is no such run, or the note cannot be stored.
        """
        folder = history.find_run(run_id, self.place)
        history.refuse_foreign(folder, self.place)
        run = history.load_run(folder)
        if not FORMATS[run.header.kind].capability(NoteTaking):
            taking = ", ".join(sorted(name for name in FORMATS if FORMATS[name].capability(NoteTaking)))
            raise errors.UsageError(f"A {run.header.kind} takes no notes.", hint=f"These do: {taking}.")
        if run.status is RunStatus.FINISHED:
            raise errors.UsageError(
                f"Run {folder.name} has finished and takes no notes.",
                hint=f"Ask one of its participants a question: `sparring runs ask {folder.name} SEAT TEXT`.",
            )
        text = self.redact(text.strip())
        try:
            add_note(folder, text, self.key)
        except ValidationError as error:
            raise errors.UsageError(
                f"A note has 1 to {NOTE_LIMIT:,} characters and no control characters; this one has {len(text):,}."
            ) from error
        return folder.name, run.status

    def _render_note(self, note: str) -> str:
        return self.prompts.render("run/note", {"note": note})

    def runs(self) -> tuple[RunSummary, ...]:
        """Return all runs of this project, the user's own first, then the newest first."""
        listed = history.list_runs(self.place)
        ended = (run.run_id for run in listed if run.is_own and run.status is RunStatus.FINISHED)
        self._file_late(history.folders_of(ended, self.place))
        return listed

    def run(self, run_id: str) -> Run:
        """Return the run of that id or unique beginning of one, or the last run (``last``); raises ``StoreError``."""
        folder = history.find_run(run_id, self.place)
        artifacts.file_if_finished(folder, self.place)
        return history.load_run(folder, self.place)

    def folder(self, run: Run) -> Path:
        """Return the folder of ``run``."""
        folders = [history.run_folder(state, run.header.kind, run.header.run_id) for state in self.place.states]
        return next((folder for folder in folders if folder.is_dir()), folders[0])

    async def _named_files(self, request: Request) -> tuple[str, ...]:
        """Return the files that participants who read the project see in this run although git does not track them."""
        if all(each.repo_access is RepoAccess.NONE for each in request.needed()):
            return ()
        from sparring.app.exhibits import files_named  # noqa: PLC0415 -- only formats that show a project need it

        given = (part.name for parts in request.material.values() for part in parts)
        return await files_named(request.subject, given, self.place.project, self.settings.environment)

    def _with_problem_of_key(self, request: Q) -> Q:
        """Return ``request``, with a notice if its run cannot be signed: it is begun nevertheless."""
        try:
            self.key.ensure()
        except errors.StateKeyError as error:
            notice = f"[WARN] {error} Until then runs can be shown, but not resumed or used as the last one."
            return request.model_copy(update={"notices": (*request.notices, notice)})
        return request

    def _earlier(self, runs: Path, retry_of: RunId | None) -> EarlierRun:
        """Return the reusable answers of that run, as far as it can be read; none if it was removed."""
        if retry_of is None:
            return NOTHING_EARLIER
        try:
            kept = salvaged_journal(runs / retry_of, self.key)
        except errors.StoreError:
            return NOTHING_EARLIER
        if not kept.is_own:
            raise foreign(retry_of)
        return EarlierRun.of(retry_of, (*kept.steps, kept.pending))

    def _are_all(self, runs: Path, request: Request) -> bool:
        """Return whether ``runs`` is the folder of all runs of a kind, not that of a row of a table."""
        return runs == history.run_folders(self.place.state_of(runs), request.kind)

    def _prepare(self, runs: Path, request: Request, transcript: Transcript, retried: Path | None = None) -> None:
        state = self.place.state_of(runs)
        folder = StateFolder(state)
        folder.ensure_writable(history.run_folders(state, request.kind))
        for path, record in artifacts.last_files(state, request.kind):
            folder.ensure_writable(path.parent)
            folder.check_replaceable(path, record)
        folder.hide_from_git(state / request.kind)
        if self._are_all(runs, request):  # a table does it once
            self.roster.sweep()
            self._tidy(state)
        for copy in request.folders:
            log, files = artifacts.log_so_far(request, transcript), FORMATS[request.kind].presentation().files
            if retried:
                artifacts.clear_for_retry(copy, self.place.project, retried, files)
            artifacts.refuse_others_files(copy, self.place.project, log, files)

    async def _filed(self, folder: Path, recorded: tuple[str, ...]) -> Run:
        if (folder / JOURNAL_NAME).stat().st_size <= workers.SHORT:
            return await anyio.to_thread.run_sync(_filed, folder, self.place, recorded)
        try:
            return await workers.run_in_worker(_filed, folder, self.place, recorded)
        except errors.WorkerEndedError as error:  # the next access to the run files it
            run = await anyio.to_thread.run_sync(history.load_run, folder)
            notice = f"[WARN] The run is complete, but its result could not be filed: {error}"
            return run.model_copy(update={"notices": (*run.notices, *recorded, notice)})

    def _tidy(self, state: Path) -> None:
        """Clean up and file the newest runs whose process was killed."""
        for kind in FORMATS:
            sweep_unfinished(state / kind)
            self._file_late(history.unfiled_runs(history.run_folders(state, kind), _TIDIED, self.key))

    def _file_late(self, folders: Iterable[Path]) -> None:
        for folder in folders:
            with suppress(errors.StoreError):  # a broken run is reported when it is read
                artifacts.file_if_finished(folder, self.place)


def _filed(folder: Path, place: Place, recorded: tuple[str, ...]) -> Run:
    """File the run that has ended in ``folder``, and return it."""
    run = history.load_run(folder)
    return run.model_copy(update={"notices": run.notices + recorded + artifacts.file_run(run, folder, place)})


def _retried(folder: Path, key: StateKey, *, salvages: bool) -> tuple[Request, Limits]:
    """Return the request and limits of the run in ``folder``, if it has something to retry."""
    if is_locked(folder):
        raise errors.StateLockedError(f"Run {folder.name} is still running.", hint="Wait until it has finished.")
    try:
        kept = read_journal(folder, key)
    except errors.StateCorruptError:
        if not salvages:
            raise
        kept = salvaged_journal(folder, key)
    else:
        if kept.outcome is None:
            raise errors.UsageError(
                f"Run {folder.name} has not finished.", hint=f"Resume it with `sparring runs resume {folder.name}`."
            )
        if not lost_seats(kept.transcript.turns):
            raise errors.UsageError(f"No call of run {folder.name} failed; there is nothing to retry.")
    if not kept.is_own:
        raise foreign(folder.name)
    return kept.header.request, kept.header.limits


def _refuse_second_retry(folder: Path, place: Place) -> None:
    """Refuse to ask, and pay, twice for the failed asks of the run in ``folder``."""
    for again in history.retries_of(folder, place):
        at_work = is_locked(again)  # checked first: the run may end between the two checks
        with suppress(errors.StateCorruptError):
            run = history.load_run(again)
            sentence = f"The failed calls of run {folder.name} are retried in run {again.name}"
            if at_work:
                raise errors.StateLockedError(
                    f"{sentence}, which is still running.", hint=f"Watch it with `sparring runs watch {again.name}`."
                )
            if run.outcome is None:
                hint = f"Resume it with `sparring runs resume {again.name}`."
                raise errors.UsageError(f"{sentence}, which was interrupted.", hint=hint)
            way_on = (
                "Retry it with `sparring runs retry" if lost_seats(run.transcript.turns) else "See `sparring runs show"
            )
            raise errors.UsageError(f"{sentence}, which has finished.", hint=f"{way_on} {again.name}`.")


def _retry_observer(run_id: str, observe: Callable[[RunEvent], None]) -> Callable[[Ask], wrappers.Repeated]:
    """Return a function that informs ``observe`` of repeated asks of the run."""

    def of(ask: Ask) -> wrappers.Repeated:
        def observe_retry(failure: Failure, wait_s: float, next_tool: ToolName) -> None:
            observe(
                AskRepeated(
                    **ask.place,
                    run_id=run_id,
                    ask_id=ask.id,
                    at=utc_now(),
                    failure=failure,
                    wait_s=wait_s,
                    next_tool=next_tool,
                )
            )

        return observe_retry

    return of


def _refuse_too_little(need: Expected, limits: Limits) -> None:
    if shortfall := need.shortfall(limits.calls, limits.tokens):
        raise errors.UsageError(f"This {shortfall}.", hint="No tool was called. Raise the limit.")


def _refuse_too_much(expected: Expected, limits: Limits) -> None:
    """Refuse limits that the asks or their prompts exceed: all are sent at once, so nothing else can be checked."""
    if limits.calls is not None and expected.usual > limits.calls:
        raise errors.UsageError(
            f"{expected.usual} are asked; --max-calls is {limits.calls}.", hint="No tool was called."
        )
    if limits.tokens is not None and expected.prompt_tokens > limits.tokens:
        raise errors.UsageError(
            f"The prompts alone have about {expected.prompt_tokens:,} tokens; the limit is {limits.tokens:,}.",
            hint="No tool was called.",
        )
