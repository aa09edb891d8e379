"""Files of a run in addition to its journal, and the folder in which users may find them.

While it runs, the log, in formats that have one. At its end result, report, the ``last-*.json`` of its kind, and the
exported files of its format. All are made from the journal, never the other way round.
"""

import filecmp
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from sparring.disk import SYSTEM, Disk
from sparring.engine.capabilities import RunLog
from sparring.engine.runner import BlockingJournal, Progress
from sparring.errors import StateUnwritableError, StoreError, UsageError
from sparring.formats.registry import FORMATS
from sparring.formats.views import RunView
from sparring.schema.base import Record
from sparring.schema.runs import Outcome, Request, Run
from sparring.schema.transcript import PendingAsk, Transcript, Turn
from sparring.store import history, hosts
from sparring.store.files import StateFolder, accessing, make_folder, record_parts, replace_file, sweep_unfinished
from sparring.store.journal import read_journal
from sparring.store.last_run import record_last_run
from sparring.store.provenance import NO_KEY, StateKey
from sparring.store.run_lock import is_locked
from sparring.text.tidying import one_line

if TYPE_CHECKING:
    from sparring.schema.chaired_debate import LogEntry

PAGE_NAME = "report.html"
_NAME_SHOWN = 200


def named_folder(spelled: str, project: Path) -> str | None:
    """Return the folder that ``spelled`` names, from the project's root and with slashes; None if it names none.

    Raises:
        UsageError: It is outside the project, not a folder, or hidden.
    """
    if not spelled.strip():
        return None
    shown = one_line(repr(spelled), _NAME_SHOWN)
    if problem := _problem(spelled):
        raise UsageError(f"The output folder {shown} {problem}.", hint="Name a folder below the project's root.")
    folder = project / spelled
    if not _is_inside(folder, project):
        raise UsageError(f"The output folder {shown} points outside the project {project}.")
    if os.path.lexists(folder) and not folder.is_dir():
        raise UsageError(f"The output folder {shown} is not a folder.")
    return PurePosixPath(*PureWindowsPath(spelled).parts).as_posix()


def open_folder(output_dir: str, project: Path) -> Path:
    """Return the folder, which is created if needed.

    Raises:
        StateUnwritableError: It cannot be created, or has been replaced by a link to a place outside the project.
    """
    folder = project / output_dir
    if not _is_inside(folder, project):
        raise StateUnwritableError(f"{folder} points outside the project {project}.")
    try:
        make_folder(folder)
    except OSError as error:
        raise StateUnwritableError(f"The folder {folder} cannot be made: {error.strerror or error}.") from error
    return folder


def clear_for_retry(output_dir: str, project: Path, earlier: Path, names: Iterable[str]) -> None:
    """Remove the files that the run in the folder ``earlier``, which is retried, left and has copies of.

    Raises:
        UsageError: A file there has been changed since; nothing was removed.
        StoreError: The folder cannot be read or written.
    """
    from sparring.store import debate_log  # noqa: PLC0415 -- only one format has such a log

    folder = open_folder(output_dir, project)
    with accessing(folder):
        left = [name for name in (debate_log.LOG_NAME, *names) if os.path.lexists(folder / name)]
        if changed := [name for name in left if not _are_alike(folder / name, earlier / name)]:
            raise UsageError(
                f"{folder} contains {', '.join(changed)}, which has changed since run {earlier.name}.",
                hint="Move it away, and ask again.",
            )
        for name in left:
            (folder / name).unlink()


def _are_alike(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and filecmp.cmp(one, other, shallow=False)


def refuse_others_files(output_dir: str, project: Path, entries: "Sequence[LogEntry]", names: Iterable[str]) -> None:
    """Refuse files of those ``names`` that another run has written, or that ``entries`` do not continue.

    Raises:
        UsageError: The folder contains the log of another debate, or files that would be overwritten.
        StoreError: It cannot be written, or its log cannot be parsed.
    """
    from sparring.store import debate_log  # noqa: PLC0415 -- only one format has such a log

    folder = open_folder(output_dir, project)
    log = debate_log.DebateLog(folder / debate_log.LOG_NAME).read()
    if not debate_log.are_continued(log.entries, entries):
        raise UsageError(
            f"{folder / debate_log.LOG_NAME} is the log of another debate.",
            hint="Name another output folder, or move it away.",
        )
    if existing := [name for name in names if os.path.lexists(folder / name)]:
        raise UsageError(
            f"{folder} already contains {', '.join(existing)}, which would be overwritten.",
            hint="Name another output folder, or move them away.",
        )


def _problem(spelled: str) -> str:
    if any(ord(character) < 32 for character in spelled):
        return "contains control characters"
    windows = PureWindowsPath(spelled)  # it accepts both kinds of slashes
    is_home = spelled.startswith("~")  # a shell would have replaced it; a folder of that name would be dangerous
    if windows.drive or windows.root or PurePosixPath(spelled).is_absolute() or is_home:
        return "is not relative to the project"
    if ".." in windows.parts:
        return "leads upwards with `..`"
    # Such folders belong to git and to hosts, which may act on their content.
    return "is a hidden one" if any(part.startswith(".") for part in windows.parts) else ""


def _is_inside(folder: Path, project: Path) -> bool:
    try:
        return folder.resolve().is_relative_to(project.resolve())
    except (OSError, RuntimeError):  # RuntimeError: circular links, before Python 3.13
        return False


def last_files(state: Path, kind: str) -> tuple[tuple[Path, type[Record]], ...]:
    """Return the files that may contain the last result of ``kind``, and the record type of each."""
    return tuple((state / path, record) for path, record in FORMATS[kind].last_files)


def file_if_finished(folder: Path, place: hosts.Place) -> bool:
    """File a run that has ended, if its process was killed before it did; return whether that was so.

    Nothing is written for a run that came with the project.

    Raises:
        StoreError: Its journal cannot be trusted or read.
    """
    if history.is_filed(folder) or read_journal(folder).outcome is None:
        return False
    if is_locked(folder) or history.is_filed(folder):  # the process that locks it files it, or has done so meanwhile
        return False
    if not history.is_own(folder, place):
        return False
    sweep_unfinished(folder, older_than_s=0)
    file_run(history.load_run(folder), folder, place, is_late=True)
    return True


def file_run(run: Run, folder: Path, place: hosts.Place, *, is_late: bool = False) -> tuple[str, ...]:
    """Write all files of ``run``, its result last as the mark of completeness; return notices of failed writes."""
    state, view = place.state_of(folder), RunView(run)
    key = place.provenance.key
    kept = keep_files(view, folder, place.project) + keep_result(view, folder, state, key=key, is_late=is_late)
    if not is_late and folder.parent == history.run_folders(state, run.header.kind):
        record_last_run(folder, run.header.created_at, place)
    return kept


def keep_result(
    view: RunView, folder: Path, state: Path, disk: Disk = SYSTEM, *, key: StateKey = NO_KEY, is_late: bool = False
) -> tuple[str, ...]:
    """Write the files of the run of ``view``; return notices of failed writes. The journal is complete in any case.

    The result of a row of a table, in its own folder, replaces no earlier last result; nor does one that is filed
    late, after a newer run was filed. A page is written only when it is requested.
    """
    kind = view.run.header.kind
    is_listed = folder.parent == history.run_folders(state, kind)
    try:
        if is_listed and not (is_late and history.has_later_result(folder, key)) and (record := view.last()):
            (path,) = (path for path, type_ in last_files(state, kind) if isinstance(record, type_))
            StateFolder(state, disk).replace(path, record)
        replace_file(folder / "report.md", view.report().encode(), disk=disk)
        if is_listed:
            keep_page(view.page(), folder, disk)
        replace_file(folder / history.RESULT_NAME, *record_parts(view.result()), disk=disk)
    except StoreError as error:
        return (f"[WARN] The run is complete, but its result could not be filed: {error}",)
    return ()


def keep_page(page: str, folder: Path, disk: Disk = SYSTEM) -> Path:
    """Write the page of the run in ``folder``, and return its path.

    Raises:
        StoreError: It cannot be written.
    """
    file = folder / PAGE_NAME
    replace_file(file, page.encode(), disk=disk)
    return file


def keep_files(view: RunView, folder: Path, project: Path) -> tuple[str, ...]:
    """Write the exported files of the run of ``view``, into its own folder and the folders of its request.

    Returns notices of failed writes.
    """
    contents = {name: _parts(content) for name, content in view.files().items()}
    try:
        _write(contents, folder)
        for copy in view.run.header.request.folders:
            _write(contents, open_folder(copy, project))
    except StoreError as error:
        return (f"[WARN] The debate is complete, but some of its files could not be written: {error}",)
    return ()


def _parts(content: str | Record) -> tuple[bytes, ...]:
    return (content.encode(),) if isinstance(content, str) else record_parts(content)


def _write(files: Mapping[str, tuple[bytes, ...]], folder: Path) -> None:
    for name, parts in files.items():
        replace_file(folder / name, *parts)


def log_so_far(request: Request, transcript: Transcript) -> "tuple[LogEntry, ...]":
    """Return the log of a run up to ``transcript``; empty if its format keeps none."""
    log = FORMATS[request.kind].capability(RunLog)
    return log.entries(request, transcript) if log else ()


class LoggingJournal:
    """A journal that keeps the log of its run next to it; see ``engine.runner.BlockingJournal``.

    What is safe in the journal is written to the log at once, and a resumed run produces the same log. A failed write
    is reported at the end of the run and does not end it: the journal is complete.

    Args:
        journal: Receives every turn first.
        request: The request of the run, in a format that has a log.
        progress: The state of the run.
        folder: The run's own folder.
        project: The root of the other folders.
        disk: Writes the logs.
    """

    def __init__(
        self,
        journal: BlockingJournal,
        request: Request,
        progress: Progress,
        *,
        folder: Path,
        project: Path,
        disk: Disk = SYSTEM,
    ) -> None:
        self._journal = journal
        self._request = request
        self._transcript = progress.transcript
        self._pending = progress.pending
        self._open_step: dict[int, Turn] = {}
        self._folder = folder
        self._project = project
        self._disk = disk
        self._problems: dict[str, str] = {}

    @property
    def notices(self) -> tuple[str, ...]:
        """Return notices for the user at the end of the run."""
        return tuple(f"[WARN] A log could not be kept: {problem}" for problem in self._problems.values())

    def catch_up(self) -> None:
        """Bring the log up to date: its last entries may have been lost with the process."""
        entries = log_so_far(self._request, self._transcript)
        self._sync("", lambda: self._folder, entries)
        for name in self._request.folders:
            self._sync(name, lambda name=name: open_folder(name, self._project), entries)

    def asked(self, asks: Sequence[PendingAsk], *, step: int, of: int) -> None:
        """See ``BlockingJournal``."""
        self._journal.asked(asks, step=step, of=of)

    def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``BlockingJournal``. The turns of a step enter the log when all of them are present."""
        self._journal.turn(turn, step=step, of=of, index=index)
        self._open_step[index] = turn
        if len(self._pending) + len(self._open_step) == of:
            before = iter(self._pending)  # in asking order; they fill the places that were not asked again
            turns = tuple(self._open_step.get(place) or next(before) for place in range(of))
            self._pending, self._open_step = (), {}
            self._transcript = self._transcript.extended(turns)
            self.catch_up()

    def end(self, outcome: Outcome) -> None:
        """See ``BlockingJournal``. The log is complete with the last turn."""
        self._journal.end(outcome)

    def _sync(self, name: str, folder: Callable[[], Path], entries: "Sequence[LogEntry]") -> None:
        from sparring.store import debate_log  # noqa: PLC0415 -- only one format has such a log

        try:
            debate_log.DebateLog(folder() / debate_log.LOG_NAME, disk=self._disk).sync(entries)
        except StoreError as error:
            self._problems[name] = str(error)
