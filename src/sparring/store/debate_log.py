"""``debate-log.jsonl``: the log of a chaired debate for agents and people to follow, one entry a line.

Several processes may write to one log, and others read it without a lock. Writers take turns by a lock file next to it.
Every change replaces the whole file at once, a new entry too: readers may see half of a line that one ``write`` wrote
(ext4 on Linux 6.18, November 2026: 3,000-byte lines were seen in half where they crossed a page). A reader opens the
log by its name at each look, as ``tail -F`` does; at the size of a debate writing all of it costs nothing.

This module does not know the meaning of entries: ``append`` gets a function that refuses drafts.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from filelock import FileLock, Timeout
from msgspec import Struct
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from sparring.disk import SYSTEM, Disk
from sparring.errors import StateCorruptError, StateLockedError, StateUnwritableError
from sparring.schema.base import utc_now
from sparring.schema.chaired_debate import LogDraft, LogEntry
from sparring.store.files import append_safely, make_folder, read_bounded, replace_file

LOG_NAME = "debate-log.jsonl"
LOG_LIMIT = 64 * 1024 * 1024
"""Most bytes of a log that are read: a thousand of the longest entries."""

FIELDS = (
    "seq",
    "timestamp",
    "phase",
    "speaker",
    "type",
    "content",
    "sources",
    "rebuttal_to_seq",
    "target_seq",
)
"""The members of a line, in the specification's order."""

LOCK_WAIT_S = 30.0
"""Seconds. A log is locked for milliseconds at a time; several writers may be waiting."""

Refusals = Callable[[LogDraft, Sequence[LogEntry]], tuple[str, ...]]
"""Returns why a draft may not follow the entries of the log, a sentence each; nothing if it may."""


class ReadLog(Struct, frozen=True):
    """Content of a log.

    Attributes:
        torn: A last line that is no entry and was never finished; it is set aside by the next writer.
    """

    entries: tuple[LogEntry, ...] = ()
    torn: bytes = b""

    @property
    def notices(self) -> tuple[str, ...]:
        """Warnings for the reader."""
        size = len(self.torn)
        return (f"The last line of the log is incomplete; its {size} bytes are ignored.",) if size else ()


class RefusedEntry(Struct, frozen=True):
    """Refusal of an entry, with the reasons, a sentence each."""

    reasons: tuple[str, ...]


class DebateLog:
    """One log; it need not exist."""

    def __init__(self, path: Path, *, max_wait_s: float = LOCK_WAIT_S, disk: Disk = SYSTEM) -> None:
        self.path = path
        self._disk = disk
        self._max_wait_s = max_wait_s

    def read(self) -> ReadLog:
        """Every entry, with seqs from 1 on without a gap; empty when there is no such file.

        Raises:
            StateCorruptError: A line other than a torn last one is no entry.
            StateUnwritableError: It cannot be read.
        """
        lines = (read_bounded(self.path, LOG_LIMIT) or b"").removesuffix(b"\n").split(b"\n")
        entries: list[LogEntry] = []
        for number, line in enumerate(lines, start=1):
            try:
                entry = from_json(line) if line.strip() else None
            except ValueError as error:
                if number == len(lines):
                    return ReadLog(tuple(entries), line)
                raise self._damaged(number, "it is not JSON") from error
            if entry is not None:
                entries.append(self._entry(entry, number, len(entries) + 1))
        return ReadLog(tuple(entries))

    def append(
        self,
        draft: LogDraft,
        refusals: Refusals,
        *,
        revise: Callable[[Sequence[LogEntry]], Sequence[LogEntry]] = tuple,
        clock: Callable[[], datetime] = utc_now,
    ) -> LogEntry | RefusedEntry:
        """Write ``draft`` as the next entry, unless it is refused; when this returns, it survives a crash.

        Args:
            draft: The entry.
            refusals: Function that refuses it.
            revise: Turns all entries, the new one last, into the new content of the log: earlier words may be removed.
            clock: Supplies its time.

        Raises:
            StateCorruptError: The log cannot be parsed; nothing was changed.
            StateLockedError: Other processes have kept it locked for too long.
            StateUnwritableError: It cannot be written.
        """
        with self._locked():
            log = self.read()
            if reasons := refusals(draft, log.entries):
                return RefusedEntry(reasons)
            entry = LogEntry(seq=len(log.entries) + 1, timestamp=clock(), **dict(draft))
            self._replace(log, revise((*log.entries, entry)))
        return entry

    def sync(self, entries: Sequence[LogEntry]) -> None:
        """Replace the entries of the log by ``entries``.

        Raises:
            StateCorruptError: It has entries of another debate, or cannot be parsed; nothing was changed.
            StateLockedError: See ``append``.
            StateUnwritableError: See ``append``.
        """
        with self._locked():
            log = self.read()
            if not are_continued(log.entries, entries):
                raise StateCorruptError(
                    f"{self.path} contains entries of another debate.", hint="It was left as it is."
                )
            if log.torn or log.entries != tuple(entries):
                self._replace(log, entries)

    def _replace(self, log: ReadLog, entries: Sequence[LogEntry]) -> None:
        if log.torn:
            append_safely(self.path.with_name(f"{self.path.name}.torn"), log.torn + b"\n", self._disk)
        replace_file(self.path, *map(line_of, entries), disk=self._disk)

    @contextmanager
    def _locked(self) -> Generator[None]:
        # Hidden, since it has to stay: after its removal, a waiting process would lock another file than later ones.
        path = self.path.with_name(f".{self.path.name}.lock")
        lock = FileLock(path, mode=0o600, thread_local=False)
        try:
            make_folder(path.parent, self._disk)
            lock.acquire(timeout=self._max_wait_s, poll_interval=0.01)
        except Timeout as error:
            raise StateLockedError(f"Another process is writing to {self.path}.", hint="Try again.") from error
        except OSError as error:
            raise StateUnwritableError(f"{self.path} cannot be written: {error.strerror or error}.") from error
        try:
            yield
        finally:
            lock.release()

    def _entry(self, value: Any, number: int, seq: int) -> LogEntry:
        try:
            entry = LogEntry.model_validate(_without_null_sources(value))
        except ValidationError as error:
            raise self._damaged(number, "it is not an entry of a debate") from error
        if entry.seq != seq:
            raise self._damaged(number, f"its seq is {entry.seq} and should be {seq}")
        return entry

    def _damaged(self, number: int, problem: str) -> StateCorruptError:
        return StateCorruptError(f"{self.path}, line {number}: {problem}.", hint="It was left as it is.")


def line_of(entry: LogEntry) -> bytes:
    """``entry`` as its line: exactly the specification's fields, in its order."""
    fields = entry.model_dump(mode="json")
    return to_json({field: fields[field] for field in FIELDS}) + b"\n"


def are_continued(earlier: Sequence[LogEntry], entries: Sequence[LogEntry]) -> bool:
    """Return whether ``earlier`` may be the beginning of a log that now has ``entries``.

    The words of an entry may have been removed since; speakers and order do not change.
    """
    return [_origin(entry) for entry in earlier] == [_origin(entry) for entry in entries[: len(earlier)]]


def _origin(entry: LogEntry) -> tuple[datetime, str, str, str]:
    return entry.timestamp, entry.phase, entry.speaker, entry.type


def _without_null_sources(value: Any) -> Any:
    """An entry as other writers of the specification's log have it: ``null`` where there are no sources."""
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    return members if members.get("sources") is not None else members | {"sources": ()}
