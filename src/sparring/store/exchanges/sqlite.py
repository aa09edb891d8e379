"""SQLite for an exchange ledger: one private file beside its log, for any number of processes of one machine.

SQLite itself recovers the log of a killed process. The log needs memory shared by all processes, so the file must be
on a local disk. A process that is stopped inside a transaction keeps all others from writing, and no program can take
the lock from it: the others wait as long as it lives, and report which process it is.
"""

import glob
import os
import re
import sqlite3
import stat
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from sparring.errors import StateCorruptError, StateUnwritableError, StoreError, TryAgainError
from sparring.store.exchanges.database import Rows, SqlStatement, WorkerLiveness, spelled
from sparring.store.files import accessing, lock_file, make_folder, open_regular

FILE_NAME = "ledger.sqlite"
"""Name of the file when only its folder is given."""

BUSY_S = 1.0
"""Seconds that SQLite itself waits for another process before that process is reported."""

_OLDEST = (3, 35, 0)
"""``UPDATE … FROM`` and ``RETURNING`` (March 2021)."""
_PAGE = 16384
"""Bytes of a page: rows of 3 KB waste 0.4 KB of these and 1.0 KB of pages of 4 KB, and are written twice as fast."""
_CACHE_KB = 8192
"""For each connection. The system caches frequent reads; a larger cache made nothing faster, at a million rows."""
_LOG_LIMIT = 64 * 1024 * 1024
_WORKER = re.compile(r"[\w-]{1,64}", re.ASCII)
"""Pattern of a worker's name that is safe in a file name: the ledger may come from another place."""
_COMPANIONS = ("-wal", "-shm", "-journal")
_WRITE_LOCK = b" 120 120"
"""The byte of the shared memory that a writer has locked (SQLite's file format, "WAL-Index", UNIX_SHM_BASE)."""
_KEPT = "Nothing was deleted, and earlier answers are kept."
_MOVE = "It was left as it is: move it and the files beside it away, or put a copy in its place, and start again."
_WORDS = {
    "{now}": "sparring_now()",
    "{wall}": "sparring_wall()",
    "{next_fence}": "UPDATE sparring_counter SET value = value + 1",
    "{fence}": "(SELECT value FROM sparring_counter)",
    "{share}": "",
    "{update}": "",
}


def uptime_s() -> float:
    """Return the seconds since this machine started, the same for all of its processes.

    Read from the kernel if possible: a library that shifts the clock of one process (``faketime``) shifts Python's
    monotonic clock as well.
    """
    try:
        with open("/proc/uptime", "rb") as file:  # noqa: PTH123 -- a third of the time of a Path, in each transaction
            return float(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return time.monotonic()


class SqliteConnection:
    """See ``database.Connection``."""

    merges = True

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._path = path
        self._spelled: dict[str, str] = {}
        with _translating(path):
            self._inner = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            try:
                self._inner.create_function("sparring_now", 0, clock)
                self._inner.create_function("sparring_wall", 0, time.time)
                self._prepare()
            except BaseException:
                self._inner.close()
                raise

    def transact(self, statements: Sequence[SqlStatement]) -> list[Rows]:
        """See ``database.Connection``."""
        only_reads = all(statement.text.startswith("SELECT") for statement in statements)
        with _translating(self._path):
            self._inner.execute("BEGIN" if only_reads else "BEGIN IMMEDIATE")
            try:
                results = [self._executed(statement) for statement in statements]
                self._inner.execute("COMMIT")
            except BaseException:
                if self._inner.in_transaction:  # SQLite itself has rolled back if the disk was full
                    self._inner.execute("ROLLBACK")
                raise
        return results

    def close(self) -> None:
        """Close the connection; after the last one only one file is left."""
        with _translating(self._path):
            self._inner.close()

    def _executed(self, statement: SqlStatement) -> Rows:
        text = self._spelled.get(statement.text)
        if text is None:
            text = statement.text
            for word, ours in _WORDS.items():
                text = text.replace(word, ours)
            self._spelled[statement.text] = text
        if statement.each is not None:
            self._inner.executemany(text, statement.each)
            return []
        keys = statement.keys
        return self._inner.execute(spelled(text, keys), (*statement.values, *(keys or ()), *statement.more)).fetchall()

    def _prepare(self) -> None:
        self._refuse_other_programs()
        self._inner.execute(f"PRAGMA page_size = {_PAGE}")
        self._inner.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        self._inner.execute("PRAGMA temp_store = MEMORY")
        self._inner.execute("PRAGMA synchronous = FULL")
        self._inner.execute(f"PRAGMA journal_size_limit = {_LOG_LIMIT}")
        self._log_ahead()

    def _refuse_other_programs(self) -> None:
        """Check before any change: the file may be the database of another program."""
        tables = self._inner.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        names = {name for (name,) in tables}
        if names and "sparring_ledger" not in names:
            raise StateCorruptError(
                f"{self._path} is not an exchange ledger: it was made by another program or an older sparring.",
                hint="Name another, or move it away.",
            )

    def _log_ahead(self) -> None:
        # SQLite does not wait when several processes convert a new file to one with a log at once.
        until = time.monotonic() + 30 * BUSY_S
        while True:
            try:
                self._inner.execute("PRAGMA journal_mode = WAL").fetchall()
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
                time.sleep(0.01)
            else:
                return


class LockedFiles(WorkerLiveness):
    """A file for each living worker next to the ledger at ``path``, locked by the process of that worker.

    A lease also shows that a worker is dead, but only when it has expired, and a user who restarts a killed batch would
    wait for that. Without such locks, or without a file, nothing is known, and the lease decides.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: FileLock | None = None

    def begin(self, worker: str) -> None:
        """See ``WorkerLiveness``."""
        self.end()
        if file := self._file(worker):
            self._lock = _locked(file)

    def end(self) -> None:
        """See ``WorkerLiveness``."""
        if self._lock is not None:
            _remove(self._lock)
            self._lock = None

    def has_ended(self, worker: str) -> bool:
        """See ``WorkerLiveness``."""
        file = self._file(worker)
        lock = _locked(file) if file and file.exists() else None
        if lock is not None:
            lock.release()
        return lock is not None

    def forget(self, living: Collection[str]) -> None:
        """See ``WorkerLiveness``."""
        beginning = f"{self._path.name}-alive-"
        for file in self._path.parent.glob(f"{glob.escape(beginning)}*"):
            worker = file.name.removeprefix(beginning)
            if worker not in living and self._file(worker) and (lock := _locked(file)):
                _remove(lock)

    def _file(self, worker: str) -> Path | None:
        if not _WORKER.fullmatch(worker):
            return None
        file = self._path.with_name(f"{self._path.name}-alive-{worker}")
        return None if file.is_symlink() else file


def _locked(file: Path) -> FileLock | None:
    """Return the lock of that file; None if another process has it, or locks are not supported."""
    lock = lock_file(file)
    with suppress(Timeout, OSError):
        lock.acquire(blocking=False)
    return lock if lock.is_locked else None


def _remove(lock: FileLock) -> None:
    with suppress(OSError):  # a system that cannot remove an open file leaves it, unlocked
        Path(lock.lock_file).unlink()
    lock.release()


class SqliteDatabase:
    """The file at ``path``, which is created if needed; in a folder its name is ``FILE_NAME``.

    ``clock`` returns seconds, the same for all processes that use the file.
    """

    number = "INTEGER PRIMARY KEY"
    octets = "BLOB"
    compact = " WITHOUT ROWID"
    is_there = "SELECT count(*) FROM sqlite_master WHERE name = 'sparring_ledger'"
    alone = ()
    extra = (
        "CREATE TABLE sparring_counter (value INTEGER NOT NULL)",
        "INSERT INTO sparring_counter SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM sparring_counter)",
    )

    def __init__(self, path: Path, *, clock: Callable[[], float] = uptime_s) -> None:
        path = Path(os.path.abspath(path))  # noqa: PTH100 -- links are refused below and must not be resolved before
        self.path = path / FILE_NAME if path.is_dir() else path
        self.name = str(self.path)
        self._clock = clock

    def connect(self) -> SqliteConnection:
        """See ``database.Database``."""
        if sqlite3.sqlite_version_info < _OLDEST:
            raise StateUnwritableError(
                f"A ledger in a file needs SQLite 3.35 or later; this Python has {sqlite3.sqlite_version}.",
                hint="Use another Python, or --set ledger=postgresql://….",
            )
        with accessing(self.path):
            make_folder(self.path.parent)
            self._make()
        for companion in _companions(self.path):
            if companion.is_symlink():
                raise StateCorruptError(f"{companion} is a symbolic link, which is not followed.", hint="Move it away.")
        return SqliteConnection(self.path, self._clock)

    def liveness(self) -> LockedFiles:
        """Return the locks: all processes that have the file open are on this machine."""
        return LockedFiles(self.path)

    def instance(self) -> str:
        """Return the boot id: the clock restarts whenever the machine does."""
        with suppress(OSError):
            return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return ""

    def _make(self) -> None:
        """Ensure that there is a regular file.

        An existing file is checked without being opened: closing a descriptor of a file releases all locks of this
        process on the file (POSIX), those of its other connections too. If another process closed its own connection
        then, it would take itself for the last one, and remove the log that this process still writes to.
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
def _translating(path: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(path, error) from error


def _translated(path: Path, error: sqlite3.Error) -> StoreError:
    code = _code(error)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        holder = writer_of(path)
        named = f"Process {holder}" if holder else "Another process"
        message = f"{named} keeps the ledger {path} from being written."
        return TryAgainError(message, is_locked=True, waits_for=holder)
    if code == sqlite3.SQLITE_NOTADB:
        return StateCorruptError(f"{path} is not an exchange ledger.", hint=_MOVE)
    if code == sqlite3.SQLITE_CORRUPT:
        return StateCorruptError(f"The ledger {path} is damaged.", hint=_MOVE)
    if code == sqlite3.SQLITE_FULL:
        return TryAgainError(f"The disk is full: the ledger {path} takes no more.", hint=f"Make room. {_KEPT}")
    name = getattr(error, "sqlite_errorname", "")  # the name of one of thirty disk errors
    kind = TryAgainError if code == sqlite3.SQLITE_IOERR else StateUnwritableError
    return kind(f"The ledger {path} cannot be used: {error} ({name}).", hint=_KEPT)


def writer_of(path: Path) -> str:
    """Return the process that blocks writing to the ledger, e.g. ``4711 (stopped)``; empty if it is unknown."""
    try:
        status = path.with_name(path.name + "-shm").stat()
        locks = Path("/proc/locks").read_bytes().splitlines()
    except OSError:
        return ""
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}".encode()
    for line in locks:
        fields = line.split()
        if line.endswith(_WRITE_LOCK) and place in fields and b"WRITE" in fields and b"->" not in fields:
            number = fields[fields.index(b"WRITE") + 1].decode()
            return number + (" (stopped)" if _is_stopped(number) else "") if number.isdecimal() else ""
    return ""


def _is_stopped(process: str) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2][1] == "T"
    return False
