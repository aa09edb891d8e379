"""The live log of a chaired debate: whatever is safe in the journal stands in ``debate-log.jsonl`` at once.

The log is made from the transcript, never the other way round, so that a resumed run comes to the same log. That it
cannot be written somewhere is told at the end of the run, and does not end it: the journal has everything.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from sparring.app.debate_folder import open_folder
from sparring.disk import SYSTEM, Disk
from sparring.engine.runner import Journal, Progress
from sparring.errors import StoreError
from sparring.formats.chaired_debate.rules import log_of
from sparring.schema.chaired_debate import ChairedDebateOutcome, ChairedDebateRequest, LogEntry
from sparring.schema.runs import Outcome
from sparring.schema.transcript import Turn
from sparring.store.debate_log import LOG_NAME, DebateLog


def log_so_far(request: ChairedDebateRequest, progress: Progress) -> tuple[LogEntry, ...]:
    """What the log of a run holds that has come so far."""
    return log_of(request, progress.transcript)


class RecordingJournal:
    """A journal that keeps the log of its debate beside it; see ``runner.Journal``.

    Args:
        journal: What every turn goes to first.
        request: The debate.
        progress: How far it has come.
        folder: The run's own folder.
        project: The output folder lies below it.
        disk: Where the logs are written.
    """

    def __init__(
        self,
        journal: Journal,
        request: ChairedDebateRequest,
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
        """What the user should know when the run is over."""
        return tuple(f"[WARN] A log could not be kept: {problem}" for problem in self._problems.values())

    def catch_up(self) -> None:
        """Bring the log to where the run was broken off: its last entries may have been lost with the process."""
        self._sync(log_of(self._request, self._transcript))

    def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``runner.Journal``. The turns of a step enter the log when all of them are there."""
        self._journal.turn(turn, step=step, of=of, index=index)
        self._open_step[index] = turn
        if len(self._pending) + len(self._open_step) == of:
            before = iter(self._pending)  # in asking order; they fill the places that were not asked again
            turns = tuple(self._open_step.get(place) or next(before) for place in range(of))
            self._pending, self._open_step = (), {}
            self._transcript = self._transcript.extended(turns)
            self._sync(log_of(self._request, self._transcript))

    def end(self, outcome: Outcome) -> None:
        """See ``runner.Journal``."""
        self._journal.end(outcome)
        if isinstance(outcome, ChairedDebateOutcome):
            self._sync(outcome.log)

    def _sync(self, entries: Sequence[LogEntry]) -> None:
        self._sync_in("", lambda: self._folder, entries)
        if output_dir := self._request.output_dir:
            self._sync_in(output_dir, lambda: open_folder(output_dir, self._project), entries)

    def _sync_in(self, name: str, folder: Callable[[], Path], entries: Sequence[LogEntry]) -> None:
        try:
            DebateLog(folder() / LOG_NAME, disk=self._disk).sync(entries)
        except StoreError as error:
            self._problems[name] = str(error)
