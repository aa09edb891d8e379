"""The journal of one run: written line by line during the run, read back, and continued after an interruption.

A run is a folder ``{state}/{kind}/runs/{run_id}/`` with ``journal.jsonl``, ``journal.lock`` (locked while a process
works on the run; the lock ends with the process) and, if a line was ever torn, ``journal.torn``. ``lines`` knows the
form of a line. On reading, every line is checked, and the turns are put into asking order. This module does not know
the meaning of turns.
"""

import os
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Self

from filelock import FileLock
from msgspec import Struct, field

from sparring.disk import SYSTEM, Disk, closing, write_through
from sparring.errors import (
    ForeignStateError,
    StateCorruptError,
    StateNewerError,
    StateUnwritableError,
)
from sparring.schema.base import Record, utc_now
from sparring.schema.runs import Outcome, RunHeader
from sparring.schema.transcript import PendingAsk, Transcript, Turn
from sparring.store import lines
from sparring.store.files import accessing, append_safely, make_folder, open_regular
from sparring.store.provenance import NO_KEY, StateKey
from sparring.store.run_lock import LOCK_NAME, take_lock

JOURNAL_NAME = "journal.jsonl"

_JOURNAL_LIMIT = 1024 * 1024 * 1024
"""Most bytes of a journal that are read."""


class ReadJournal(Struct, frozen=True):
    """Content of a journal.

    Attributes:
        steps: The turns of each complete step, in asking order.
        pending: The turns of the last, incomplete step, in asking order; mostly empty.
        outcome: None while the run is not finished.
        notices: Notices for the reader, e.g. that a torn last line was ignored.
        unanswered: The last call names of unanswered asks, by the ids of the asks.
        maybe_paid_twice: Number of asks that were repeated, and may have been paid for before.
        answered: The call names of asks whose turns are in the journal.
        is_own: Whether this user wrote all of it.
    """

    header: RunHeader
    steps: tuple[tuple[Turn, ...], ...]
    pending: tuple[Turn, ...]
    outcome: Outcome | None
    notices: tuple[str, ...]
    unanswered: Mapping[str, str] = field(default_factory=dict[str, str])
    maybe_paid_twice: int = 0
    answered: tuple[str, ...] = ()
    is_own: bool = False

    @property
    def transcript(self) -> Transcript:
        """The turns of all complete steps, in asking order."""
        return Transcript.of_steps(self.steps)


@contextmanager
def journal_stream(folder: Path) -> Generator[BinaryIO]:
    """Open the journal of ``folder`` for reading.

    Raises:
        StateCorruptError: There is none, or it is too large for a journal.
        StateUnwritableError: It cannot be read.
    """
    path = folder / JOURNAL_NAME
    with accessing(path):
        try:
            descriptor = open_regular(path, os.O_RDONLY)
        except FileNotFoundError:
            raise StateCorruptError(f"{folder} contains no {JOURNAL_NAME}.", hint="Move the folder away.") from None
        with os.fdopen(descriptor, "rb") as stream:
            if os.fstat(descriptor).st_size > _JOURNAL_LIMIT:
                raise StateCorruptError(f"{path} is larger than {_JOURNAL_LIMIT:,} bytes.", hint="Move it away.")
            yield stream


def untrusted(folder: Path, number: int, problem: str) -> StateCorruptError:
    """The refusal of line ``number``, counted from 1 as editors do."""
    message = f"{folder / JOURNAL_NAME}, line {number}: {problem}."
    if problem == lines.Defect.NEWER:
        return StateNewerError(message, hint="Update sparring.")
    hint = f"Nothing was changed; move {folder} away."
    if number > 1:
        hint = (
            f"Nothing was changed. `sparring runs retry {folder.name} --set salvage=true` keeps what comes before it."
        )
    return StateCorruptError(message, hint=hint)


def foreign(name: str) -> ForeignStateError:
    """Return the refusal to continue the run of that ``name``."""
    return ForeignStateError(
        f"Run {name} came with the project or was signed with another key: it can be shown but not resumed.",
        hint=f"See it with `sparring runs show {name}`, and start a new one.",
    )


def read_journal(folder: Path, key: StateKey = NO_KEY) -> ReadJournal:
    """Return the journal of the run in ``folder``; the disk is not changed.

    An unfinished last line is ignored with a notice. ``key`` verifies that its user wrote it.

    Raises:
        StateCorruptError: Any other line was changed, or there is no journal.
        StateUnwritableError: It cannot be read.
    """
    return _replay(folder, key).journal(folder)


def salvaged_journal(folder: Path, key: StateKey = NO_KEY) -> ReadJournal:
    """The same, up to the first line that is not as it was written; its first line must be."""
    return _replay(folder, key, is_salvaged=True).journal(folder)


def _replay(folder: Path, key: StateKey, *, is_salvaged: bool = False) -> "_Assembly":
    """Read the journal of ``folder``, with everything needed to continue it. Raises as ``read_journal``."""
    assembly = _Assembly(key)
    with journal_stream(folder) as stream:
        try:
            for line in lines_in(stream, folder, assembly.link):
                if problem := assembly.add(line):
                    raise untrusted(folder, assembly.link.seq + 1, problem)
        except StateCorruptError:
            if not is_salvaged:
                raise
    return assembly


def lines_in(stream: BinaryIO, folder: Path, link: lines.Link) -> Iterator[lines.Sealed | bytes]:
    """Yield every line of the journal of ``folder`` from the position of ``stream``; then an unfinished one.

    Raises:
        StateCorruptError: A line was changed, or does not continue the one before; ``link`` is the first.
    """
    for content in stream:
        if not content.endswith(b"\n"):  # the last byte of a line; perhaps it is being written at this moment
            yield content
            return
        sealed = lines.unseal(content, link)
        if isinstance(sealed, str):
            # After a power cut the end of a line can be on disk and its middle not.
            if sealed is lines.Defect.NOT_JSON and not stream.read(1):
                yield content
                return
            raise untrusted(folder, link.seq + 1, sealed)
        yield sealed
        link = sealed.following


class _Assembly(Struct):
    """The parts of a journal while its lines are read, with the length of its trusted part.

    Attributes:
        link: Hash that the next line must continue.
        size: Bytes of all complete lines.
        torn: Bytes after them.
        last: The last complete line, whose code covers all of them.
    """

    key: StateKey
    last: lines.Sealed | None = None
    link: lines.Link = field(default_factory=lines.Link)
    size: int = 0
    torn: bytes = b""
    header: RunHeader | None = None
    steps: list[tuple[Turn, ...]] = field(default_factory=list[tuple[Turn, ...]])
    open_step: dict[int, lines.TurnBody] = field(default_factory=dict[int, lines.TurnBody])
    open_asks: dict[int, PendingAsk] = field(default_factory=dict[int, PendingAsk])
    answered: list[str] = field(default_factory=list[str])
    maybe_paid_twice: int = 0
    outcome: Outcome | None = None
    notices: list[str] = field(default_factory=list[str])

    def add(self, line: lines.Sealed | bytes) -> str:
        """Add the next line; return what is wrong with its place, or an empty string."""
        if isinstance(line, bytes):
            self.torn = line
            return ""
        if not (problem := self._take(line.line)):
            self.link, self.size, self.last = line.following, self.size + len(line.content), line
        return problem

    def _take(self, line: lines.Line) -> str:
        if isinstance(line, lines.StartLine) != (self.header is None) or self.outcome is not None:
            return f"a line of type {line.type!r} has no place here"
        match line:
            case lines.StartLine():
                self.header = line.body
            case lines.AskedLine():
                return self._add_asks(line.body)
            case lines.TurnLine():
                return self._add_turn(line.body)
            case lines.ResumeLine():
                if line.body.set_aside:
                    at = line.at.isoformat(timespec="seconds")
                    self.notices.append(f"A torn line of {line.body.set_aside} bytes was set aside at {at}.")
            case lines.EndLine():
                self.outcome = line.body
        return ""

    def _add_asks(self, body: lines.AskedBody) -> str:
        places = {ask.index for ask in body.asks}
        if body.step != len(self.steps) or max(places) >= body.of or places & self.open_step.keys():
            return f"what is asked in step {body.step} has no place here"
        self.maybe_paid_twice += sum(ask.costs and ask.index in self.open_asks for ask in body.asks)
        self.open_asks |= {ask.index: ask for ask in body.asks}
        return ""

    def _add_turn(self, body: lines.TurnBody) -> str:
        fits = all(body.of == other.of for other in self.open_step.values())
        if body.step != len(self.steps) or body.index >= body.of or body.index in self.open_step or not fits:
            return f"turn {body.index} of step {body.step} has no place here"
        self.open_step[body.index] = body
        if body.index in self.open_asks:
            self.answered.append(self.open_asks[body.index].call)
        if len(self.open_step) == body.of:
            self.steps.append(self._open_turns())
            self.open_step.clear()
            self.open_asks.clear()
        return ""

    def _open_turns(self) -> tuple[Turn, ...]:
        return tuple(self.open_step[index].turn for index in sorted(self.open_step))

    def journal(self, folder: Path) -> ReadJournal:
        if self.header is None:
            raise untrusted(folder, 1, "the run was interrupted before its first line was written")
        size = len(self.torn)
        ignored = (f"The last line of the journal is incomplete; its {size} bytes are ignored.",) if size else ()
        left = {ask.ask_id: ask.call for index, ask in self.open_asks.items() if index not in self.open_step}
        return ReadJournal(
            self.header,
            tuple(self.steps),
            self._open_turns(),
            self.outcome,
            (*self.notices, *ignored),
            left,
            self.maybe_paid_twice,
            tuple(self.answered),
            is_own=self.is_own,
        )

    @property
    def is_own(self) -> bool:
        return self.last is not None and self.last.is_signed(self.key)


_TORN_NAME = "journal.torn"

_APPENDING = os.O_WRONLY | os.O_APPEND


class JournalWriter:
    """Appends to the journal of one run and holds its lock; made by ``create`` or ``reopen`` and closed by its user.

    Safe to call from several threads. After a failed write the journal is closed: a half-written line must stay the
    last one, so that the next ``reopen`` can set it aside.
    """

    def __init__(
        self, folder: Path, lock: FileLock, link: lines.Link, key: StateKey, clock: Callable[[], datetime], disk: Disk
    ) -> None:
        self.folder = folder
        self._key = key
        self._lock = lock
        self._link = link
        self._clock = clock
        self._disk = disk
        self._file: int | None = None
        self._order = threading.Lock()

    @classmethod
    def create(
        cls,
        folder: Path,
        header: RunHeader,
        *,
        key: StateKey,
        clock: Callable[[], datetime] = utc_now,
        disk: Disk = SYSTEM,
    ) -> Self:
        """Begin the run that is kept in ``folder``, which is made if needed; ``key`` signs each line.

        Raises:
            StateUnwritableError: The folder cannot be made or written, or holds a journal already.
            StateLockedError: Another process works on the same run.
        """
        with accessing(folder):
            make_folder(folder, disk)
        with ExitStack() as undo:
            undo.callback(_remove_if_empty, folder, disk)
            writer = cls(folder, take_lock(folder), lines.Link(), key, clock, disk)
            undo.callback(writer.close)
            writer._open(os.O_CREAT | os.O_EXCL)
            undo.callback(_remove_unstarted, folder, disk)
            writer._append(lines.StartLine, header)
            disk.sync_folder(folder)
            undo.pop_all()
        return writer

    @classmethod
    def reopen(
        cls, folder: Path, *, key: StateKey, clock: Callable[[], datetime] = utc_now, disk: Disk = SYSTEM
    ) -> tuple[Self, ReadJournal]:
        """Continue the run in ``folder``.

        A torn last line is moved to ``journal.torn``, and a resume line is written. A run that has ended stays as it
        is and takes no more turns: see ``ReadJournal.outcome`` first.

        Raises:
            ForeignStateError: It was not written by the user of ``key``; nothing was changed.
            StateLockedError: Another process works on the run.
            StateCorruptError: The journal cannot be trusted; nothing was changed.
            StateUnwritableError: The folder cannot be written.
        """
        with ExitStack() as undo:
            lock = take_lock(folder)
            undo.callback(lock.release)
            assembly = _replay(folder, key)
            journal = assembly.journal(folder)
            if not journal.is_own:
                raise foreign(folder.name)
            writer = cls(folder, lock, assembly.link, key, clock, disk)
            if journal.outcome is None:
                undo.callback(writer.close)
                _move_torn_lines(folder, assembly, disk)
                writer._open(0)
                writer._append(lines.ResumeLine, lines.ResumeBody(set_aside=len(assembly.torn)))
            undo.pop_all()
        return writer, journal

    def asked(self, asks: Sequence[PendingAsk], *, step: int, of: int) -> None:
        """Record that ``asks`` of the ``of`` asks of step number ``step`` are sent; raises as ``turn``."""
        self._append(lines.AskedLine, lines.AskedBody(step=step, of=of, asks=tuple(asks)))

    def turn(self, turn: Turn, *, step: int, index: int, of: int) -> None:
        """Keep ``turn``: the answer to ask number ``index`` of ``of`` in step number ``step``, both counted from 0.

        The turns of a step may come in any order. When this returns, the turn survives a crash.

        Raises:
            StateUnwritableError: It could not be written; the writer is closed.
        """
        self._append(lines.TurnLine, lines.TurnBody(step=step, of=of, index=index, turn=turn))

    def end(self, outcome: Outcome) -> None:
        """Record the end of the run. No line can follow it; the lock is held until ``close``.

        Raises:
            StateUnwritableError: It could not be written; the writer is closed.
        """
        self._append(lines.EndLine, outcome)
        with self._order:
            self._close_file()

    def close(self) -> None:
        """Release the run. May be called again."""
        with self._order:
            self._close_file()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, flags: int) -> None:
        path = self.folder / JOURNAL_NAME
        with accessing(path):
            self._file = open_regular(path, _APPENDING | flags, self._disk)

    def _append(self, line: Callable[..., lines.Line], body: Record) -> None:
        path = self.folder / JOURNAL_NAME
        with self._order:
            if self._file is None:
                raise StateUnwritableError(f"{path} is closed: the run has ended, or an earlier write failed.")
            link = self._link
            new = line(seq=link.seq, prev=link.prev, at=self._clock(), body=body)
            sealed = lines.seal(new, self._key, link.root)
            try:
                with accessing(path):
                    _refuse_removed(path, self._file)
                    write_through(self._disk, self._file, sealed.content)
            except StateUnwritableError:
                self._close_file()
                raise
            self._link = sealed.following

    def _close_file(self) -> None:
        if self._file is not None:
            self._disk.close(self._file)
            self._file = None


def _remove_unstarted(folder: Path, disk: Disk) -> None:
    """Remove what a run that could not begin has left; it would be listed for ever, and be the newest."""
    for name in (JOURNAL_NAME, LOCK_NAME):
        with suppress(OSError):
            disk.remove(folder / name)


def _remove_if_empty(folder: Path, disk: Disk) -> None:
    with suppress(OSError):
        disk.remove_folder(folder)


def _move_torn_lines(folder: Path, assembly: _Assembly, disk: Disk) -> None:
    if not assembly.torn:
        return
    journal, torn = folder / JOURNAL_NAME, folder / _TORN_NAME
    append_safely(torn, assembly.torn, disk)
    with accessing(journal), closing(disk, open_regular(journal, _APPENDING, disk)) as file:
        disk.truncate(file, assembly.size)
        disk.sync(file)


def _refuse_removed(path: Path, file: int) -> None:
    # A file without a name is lost with all later lines; stop before more answers are paid for.
    if not os.fstat(file).st_nlink:
        raise StateUnwritableError(f"{path} was removed during the run.", hint="Its answers are lost; start again.")
