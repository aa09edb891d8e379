"""SQLite, as the answer ledger writes it: one file beside its log, private to the user, and errors of ours.

Several processes of one machine may have the same file open. What a killed process leaves in the log beside the file
is taken over by SQLite itself. The log needs memory shared by those processes, so the file must be on a local disk.
"""

import os
import re
import sqlite3
import stat
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from sparring.errors import StateCorruptError, StateLockedError, StateUnwritableError, StoreError
from sparring.store.files import accessing, lock_file, make_folder, open_regular
from sparring.store.ledger_tables import MARK, SignsOfLife

FILE_NAME = "ledger.sqlite"
"""What the file is called where only its folder was named."""

_PAGE = 16384
"""Bytes a page: rows of 3 KB waste 0.4 KB of these and 1.0 KB of pages of 4 KB, and are written twice as fast."""
_CACHE_KB = 8192
"""For each connection. The system keeps what is read often; more of ours made nothing faster, at a million rows."""
_LOG_LIMIT = 64 * 1024 * 1024
_WORKER = re.compile(r"[\w-]{1,64}", re.ASCII)
"""What may be part of the name of a file: a ledger may be somebody else's."""
_COMPANIONS = ("-wal", "-shm", "-journal")
_KEPT = "Nothing was deleted, and what was answered before is kept."
_MOVE = "It was left as it is: move it and the files beside it away, or put a copy in its place, and start again."


class SqliteConnection:
    """One connection; whoever has it sees to it that one thread at a time uses it."""

    number = "INTEGER PRIMARY KEY"
    octets = "BLOB"
    compact = " WITHOUT ROWID"
    held = ""

    def __init__(self, path: Path, busy_s: float) -> None:
        self._path = path
        self._busy_s = busy_s
        with _telling(path):
            self._inner = sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._inner.close()
                raise

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows that ``statement`` gives, which has a ``?`` for each of ``values``."""
        with _telling(self._path):
            return self._inner.execute(statement, values).fetchall()

    def execute_each(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute ``statement`` for each of ``rows``."""
        with _telling(self._path):
            self._inner.executemany(statement, rows)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """All or nothing of what is written inside; safe on disk when this ends. Nobody else writes meanwhile.

        Raises:
            StateLockedError: Another process has been writing for longer than this one may wait.
        """
        with _telling(self._path):
            self._inner.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._inner.execute("COMMIT")
            except BaseException:
                if self._inner.in_transaction:  # SQLite has rolled back by itself where the disk was full
                    self._inner.execute("ROLLBACK")
                raise

    def exclude(self, name: str) -> None:
        """Let no other transaction that excludes by this ``name`` go on beside this one: none does here."""

    def has_tables(self, name: str) -> bool:
        """Whether the table of that ``name`` is there.

        Raises:
            StateCorruptError: It is not, but others are: this is the database of another program.
        """
        names = {row[0] for row in self.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if names and name not in names:
            raise StateCorruptError(f"{self._path} is no answer ledger: another program made it.", hint="Name another.")
        return name in names

    def now(self) -> float:
        """Seconds since 1970 by the clock of this machine, on which all are who have the file open."""
        return time.time()

    def close(self) -> None:
        """The last one to close it leaves one file."""
        with _telling(self._path):
            self._inner.close()

    def _prepare(self) -> None:
        self.has_tables(MARK)  # before anything is changed of what may be another program's
        self._inner.execute(f"PRAGMA page_size = {_PAGE}")
        self._inner.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        self._inner.execute("PRAGMA temp_store = MEMORY")
        self._inner.execute("PRAGMA synchronous = FULL")
        self._inner.execute(f"PRAGMA journal_size_limit = {_LOG_LIMIT}")
        self._log_ahead()

    def _log_ahead(self) -> None:
        # SQLite does not wait by itself when several processes turn a new file into one with a log at once.
        until = time.monotonic() + self._busy_s
        while True:
            try:
                self._inner.execute("PRAGMA journal_mode = WAL").fetchall()
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
                time.sleep(0.01)
            else:
                return


class LockedFiles(SignsOfLife):
    """A file for each living worker beside the ledger at ``path``, of which that worker holds the lock.

    A lease tells who has died, too, but only when it has expired, and whoever starts a killed batch again would wait
    for that. Where there are no such locks, or no file of a worker, nothing is known, and the lease decides.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: FileLock | None = None

    def begin(self, worker: str) -> None:
        """See ``SignsOfLife``."""
        if file := self._file(worker):
            self._held = _locked(file)

    def end(self) -> None:
        """See ``SignsOfLife``."""
        if self._held is not None:
            _remove(self._held)
            self._held = None

    def has_ended(self, worker: str) -> bool:
        """See ``SignsOfLife``."""
        file = self._file(worker)
        held = _locked(file) if file and file.exists() else None
        if held is not None:
            _remove(held)
        return held is not None

    def _file(self, worker: str) -> Path | None:
        if not _WORKER.fullmatch(worker):
            return None
        file = self._path.with_name(f"{self._path.name}-alive-{worker}")
        return None if file.is_symlink() else file


def _locked(file: Path) -> FileLock | None:
    """The lock of that file; None where somebody else has it, or none can be had."""
    lock = lock_file(file)
    with suppress(Timeout, OSError):
        lock.acquire(blocking=False)
    return lock if lock.is_locked else None


def _remove(held: FileLock) -> None:
    with suppress(OSError):  # a system that removes no file that is open leaves it, and nobody holds it
        Path(held.lock_file).unlink()
    held.release()


class SqliteDatabase:
    """The file at ``path``, which is made if needed; a folder is where ``FILE_NAME`` is looked for."""

    def __init__(self, path: Path, *, busy_s: float) -> None:
        path = Path(os.path.abspath(path))  # noqa: PTH100 -- links are refused below and must not be resolved before
        self.path = path / FILE_NAME if path.is_dir() else path
        self.name = str(self.path)
        self._busy_s = busy_s

    def connect(self) -> SqliteConnection:
        """A connection of its own.

        Raises:
            StateCorruptError: It is damaged, no database, or no regular file.
            StateUnwritableError: It cannot be read or written.
        """
        with accessing(self.path):
            make_folder(self.path.parent)
            self._make()
        for companion in _companions(self.path):
            if companion.is_symlink():
                raise StateCorruptError(f"{companion} is a symbolic link, which is not followed.", hint="Move it away.")
        return SqliteConnection(self.path, self._busy_s)

    def signs(self) -> LockedFiles:
        """All who have the file open are on this machine."""
        return LockedFiles(self.path)

    def _make(self) -> None:
        """See that the file is there, and that it is one.

        What is there already is looked at and never opened: to close a descriptor of a file takes from this process
        all locks that it has on the file (POSIX), those of its other connections too. Another process that closed its
        own would then take itself for the last one, and remove the log that these go on writing to.
        """
        try:
            os.close(open_regular(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            if not stat.S_ISREG(self.path.lstat().st_mode):
                raise StateCorruptError(f"{self.path} is not a regular file.", hint="Move it away.") from None


def _companions(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in _COMPANIONS]


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


@contextmanager
def _telling(path: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _told(path, error) from error


def _told(path: Path, error: sqlite3.Error) -> StoreError:
    code = _code(error)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return StateLockedError(f"Another process has kept the ledger {path} from being written.", hint="Start again.")
    if code == sqlite3.SQLITE_NOTADB:
        return StateCorruptError(f"{path} is no answer ledger.", hint=_MOVE)
    if code == sqlite3.SQLITE_CORRUPT:
        return StateCorruptError(f"The ledger {path} is damaged.", hint=_MOVE)
    if code == sqlite3.SQLITE_FULL:
        return StateUnwritableError(f"The disk is full: the ledger {path} takes no more.", hint=f"Make room. {_KEPT}")
    name = getattr(error, "sqlite_errorname", "")  # which of thirty disk errors it is
    return StateUnwritableError(f"The ledger {path} cannot be used: {error} ({name}).", hint=_KEPT)
