"""Index of the runs in one folder, derived from their journals and kept next to them.

It saves time and decides nothing. A run is read again when its journal has another size or date; an index that is
damaged, of another version, not this user's or not writable only costs the time that it would have saved.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct
from pydantic import ValidationError

from sparring.errors import StoreError
from sparring.schema.base import Record
from sparring.schema.runs import RunStatus, RunSummary
from sparring.store.files import read_bounded, replace_file
from sparring.store.journal import JOURNAL_NAME
from sparring.store.provenance import StateKey
from sparring.store.run_lock import is_locked

INDEX_NAME = ".index.json"
_KIND = "index of runs"
_LIMIT = 64 * 1024 * 1024
"""Most bytes of an index: 100,000 runs with long subjects."""


class _Entry(Record):
    size: int
    changed_ns: int
    run: RunSummary


class _Index(Record):
    version: Literal[1] = 1
    entries: tuple[_Entry, ...] = ()


class RunIndex(Struct, frozen=True):
    """The runs of one folder, with the index file that saves reading each.

    Attributes:
        folder: The folder of the runs.
        read_summary: Reads the summary of a run from its journal.
        key: Signs the index file, and verifies it.
    """

    folder: Path
    read_summary: Callable[[Path], RunSummary]
    key: StateKey

    def summaries(self, run_ids: Iterable[str]) -> list[RunSummary]:
        """Return the summary of each run; those read from journals are written down for the next time."""
        known = self._known()
        entries = [self._current(run_id, known) for run_id in run_ids]
        kept = tuple(entry for entry in entries if not entry.run.problem)
        if len(kept) != len(known) or any(known.get(entry.run.run_id) is not entry for entry in kept):
            self._keep(kept)
        return [self._current_summary(entry) for entry in entries]

    def _current(self, run_id: str, known: Mapping[str, _Entry]) -> _Entry:
        size, changed_ns = self._state_of(run_id)
        entry = known.get(run_id)
        if entry and (entry.size, entry.changed_ns) == (size, changed_ns):
            return entry
        return _Entry(size=size, changed_ns=changed_ns, run=self.read_summary(self.folder / run_id))

    def _current_summary(self, entry: _Entry) -> RunSummary:
        """Return the summary of an entry; whether an unfinished run is active is looked up, since no file can say."""
        run = entry.run
        if run.problem or run.status is RunStatus.FINISHED:
            return run
        folder = self.folder / run.run_id
        if is_locked(folder):
            return run.model_copy(update={"status": RunStatus.RUNNING})
        # It may have ended since its journal was read.
        is_same = self._state_of(run.run_id) == (entry.size, entry.changed_ns)
        return run.model_copy(update={"status": RunStatus.INTERRUPTED}) if is_same else self.read_summary(folder)

    def _known(self) -> dict[str, _Entry]:
        try:
            stored = self.key.opened(_KIND, read_bounded(self.folder / INDEX_NAME, _LIMIT) or b"")
            entries = _Index.model_validate_json(stored.content).entries if stored.is_own else ()
        except (StoreError, ValidationError):
            return {}
        return {entry.run.run_id: entry for entry in entries}

    def _keep(self, entries: tuple[_Entry, ...]) -> None:
        with suppress(StoreError):
            content = _Index(entries=entries).model_dump_json().encode()
            replace_file(self.folder / INDEX_NAME, self.key.sealed(_KIND, content))

    def _state_of(self, run_id: str) -> tuple[int, int]:
        try:
            status = os.stat(f"{self.folder}/{run_id}/{JOURNAL_NAME}")  # noqa: PTH116 -- of thousands; a path costs more
        except OSError:
            return -1, 0
        return status.st_size, status.st_mtime_ns + status.st_ctime_ns  # a backup may keep the one, and never the other
