"""Private folders: one for each call of a program, and temporary ones for other purposes.

The folder of a call contains its input, its output and the record of its end. A prompt travels as the program's
standard input and is never in argv, where every user of the machine could read it. A file is preferred to a pipe: it
cannot block, whatever its size and however late the program reads. Output goes to files as well: they lose
nothing that is written in the last moment, and survive the process that asked.

The owner of a folder holds its lock: the process that asks, and the supervisor that it starts. When the
lock is free and the program has ended, any process may take over its answer; otherwise the folder is abandoned, and
the next sweep removes it.
"""

import errno
import os
import re
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from sparring.disk import system_folder
from sparring.processes.records import ExitRecord, LaunchOrder
from sparring.processes.supervisor import DONE_SIGNAL, ENDED, ERRORS, MARK_VARIABLE, ORDER, OUTPUT, PID
from sparring.processes.tree import end_marked, started_at

_T = TypeVar("_T")

KEPT_S = 7 * 24 * 3600
"""Seconds for which an unclaimed answer is kept: seven days."""

_BEGINNING_S = 60
"""Longer than it takes to make a folder; until then another process may be at it."""

_CALLS = "calls"
_LOCK = "lock"
_PROMPT = "prompt"
_OWN = "own"
_NAME = re.compile(r"[0-9a-f]{32}")
_BEGUN = ".begun-"
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)  # Windows has only the second, POSIX the first


def new_call() -> str:
    """Return a name for a call that is unique and cannot be guessed."""
    return secrets.token_hex(16)


class CallFolder:
    """The folder of one call, locked by this process."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self.lock = lock

    @property
    def mark(self) -> str:
        """The mark by which all descendants of the program can be recognised."""
        return self.path.name

    @property
    def output(self) -> Path:
        """File of the program's standard output."""
        return self.path / OUTPUT

    @property
    def errors(self) -> Path:
        """File of the program's standard error."""
        return self.path / ERRORS

    def write_prompt(self, text: str) -> Path:
        """A file that only this user can read, with ``text`` in it.

        Raises:
            OSError: It cannot be written.
        """
        # Half of a surrogate pair is no text; JSON can carry one, UTF-8 cannot.
        return self._write(_PROMPT, text.encode("utf-8", errors="replace"))

    def make_own(self) -> Path:
        """Create an empty folder for the program's files other than its prompt; raises ``OSError``."""
        own = self.path / _OWN
        own.mkdir(mode=0o700)
        return own

    def write_order(self, order: LaunchOrder) -> None:
        """Write the supervisor's order; raises ``OSError``."""
        self._write(ORDER, order.encoded())

    def ended(self) -> ExitRecord | None:
        """Return how the program ended; None if that is not recorded."""
        return self._record(ENDED, ExitRecord.decoded)

    def order(self) -> LaunchOrder | None:
        """Return the order that the supervisor received; None if it is not recorded."""
        return self._record(ORDER, LaunchOrder.decoded)

    def end_remaining(self) -> None:
        """End processes of the program that are no longer watched, and remove its temporary files."""
        end_marked(f"{MARK_VARIABLE}={self.mark}")
        if (order := self.order()) and order.tmp:
            shutil.rmtree(order.tmp, ignore_errors=True)

    def remove(self) -> None:
        """Remove the folder with everything in it, and give up the lock."""
        # Targets of links in it are not touched. A sweep finds what cannot be removed now.
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()

    def release(self) -> None:
        """Give up the lock, and leave the folder as it is. May be called again."""
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    def _write(self, name: str, content: bytes) -> Path:
        file = self.path / name
        with os.fdopen(os.open(file, _CREATE | _SAFELY, 0o600), "wb") as stream:
            stream.write(content)
        return file

    def _record(self, name: str, decoded: Callable[[bytes], _T]) -> _T | None:
        try:
            return decoded((self.path / name).read_bytes())
        except (OSError, ValueError):  # after a power cut its end may be missing
            return None


class CallFolders:
    """The folders of all calls of a user, in ``private_dir``.

    Those of a run stay until their answers are stored elsewhere (``settle``), even if this process ends before.
    """

    def __init__(self, private_dir: Path) -> None:
        self._root = private_dir / _CALLS
        self._kept: dict[str, CallFolder] = {}

    @contextmanager
    def new_folder(self, call: str = "") -> Generator[CallFolder]:
        """A new folder. That of a ``call`` with a name is kept when the block ends as it should; else it is removed.

        Raises:
            OSError: It cannot be made, or the folder of all is a symbolic link.
        """
        if earlier := self._kept.pop(call, None):  # the same question is asked again
            earlier.remove()
        folder = self._begin(call or new_call())
        try:
            yield folder
            if call:
                self._kept[call] = folder
        finally:
            if self._kept.get(call) is not folder:
                folder.remove()

    def has_folder(self, call: str) -> bool:
        """Return whether there is a folder of that call, of any process."""
        # Asked for each question, also of those that no program answers; a Path takes five times as long.
        is_there = bool(_NAME.fullmatch(call)) and os.path.isdir(os.path.join(self._root, call))  # noqa: PTH112, PTH118
        return is_there and not self._root.is_symlink()

    def take_up(self, call: str) -> CallFolder | None:
        """Lock and return the folder that another process has left; None while that process holds its lock."""
        folder = self._kept.get(call) or self._locked(self._root / call)  # of a run that could not be written on, ours
        if folder:
            self._kept[call] = folder
        return folder

    def stop(self, call: str) -> None:
        """Have the supervisor of that call end it."""
        self._signal(call, signal.SIGTERM)

    def dismiss(self, call: str) -> None:
        """Make the supervisor of that call end its program, whose output is no longer needed."""
        self._signal(call, DONE_SIGNAL)

    def path(self, call: str) -> Path:
        """The folder of that call, which another process may hold."""
        return self._root / call

    def _signal(self, call: str, signum: int) -> None:
        """Send ``signum`` to the supervisor of that call, unless its pid belongs to another process by now."""
        with suppress(OSError, ValueError):
            pid, started = map(int, (self._root / call / PID).read_text().split())
            if started_at(pid) == started:
                os.kill(pid, signum)

    def settle(self, call: str) -> None:
        """Remove the folder of a call whose answer is stored elsewhere, whichever process asked."""
        folder = self._kept.pop(call, None)
        if folder or (self.has_folder(call) and (folder := self._locked(self._root / call))):
            folder.remove()

    def sweep(self) -> int:
        """End and remove what dead processes have left, and return how many calls that were."""
        return sum(map(self._swept, self._names()))

    def _names(self) -> Iterator[str]:
        if self._root.is_symlink():
            return
        with suppress(OSError):
            yield from [path.name for path in self._root.iterdir()]

    def _swept(self, name: str) -> bool:
        path = self._root / name
        is_begun = name.startswith(_BEGUN) and _age_s(path) > _BEGINNING_S
        # It came with its lock, so it was half removed.
        if is_begun or (_NAME.fullmatch(name) and not (path / _LOCK).exists()):
            shutil.rmtree(path, ignore_errors=True)
            return True
        if not _NAME.fullmatch(name) or name in self._kept or (folder := self._locked(path)) is None:
            return False
        if folder.ended() is not None and _age_s(path / ENDED) < KEPT_S:
            folder.release()
            return False
        folder.end_remaining()
        folder.remove()
        return True

    def _begin(self, name: str) -> CallFolder:
        self._prepare_root()
        begun = self._root / f"{_BEGUN}{name}"
        begun.mkdir(mode=0o700)
        lock = os.open(begun / _LOCK, _CREATE | _SAFELY, 0o600)
        _lock_file(lock)
        begun.rename(self._root / name)  # only now may others look after it
        return CallFolder(self._root / name, lock)

    def _prepare_root(self) -> None:
        # Another user could create such a link and so choose where prompts are written.
        if self._root.is_symlink():
            raise NotADirectoryError(errno.ENOTDIR, "is a symbolic link", str(self._root))
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._root.chmod(0o700)

    def _locked(self, path: Path) -> CallFolder | None:
        """Lock and return the folder; None while another process holds its lock, or if there is none."""
        lock = _locked(path / _LOCK, os.O_WRONLY)
        return None if lock is None else CallFolder(path, lock)


def _locked(path: Path, flags: int) -> int | None:
    """Return a descriptor of ``path``, no link, with its lock; None where that is impossible."""
    with suppress(OSError), ExitStack() as undo:
        descriptor = os.open(path, flags | _SAFELY)
        undo.callback(os.close, descriptor)
        _lock_file(descriptor)
        undo.pop_all()
        return descriptor
    return None


def _lock_file(descriptor: int) -> None:
    """Lock a file; raises ``OSError`` while another has it. It is free when every copy of the descriptor is closed."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 -- exists on Windows only

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 -- does not exist on Windows

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0


_PASSING = "sparring-of-"


@contextmanager
def temporary_folder(within: Path | None = None) -> Generator[Path]:
    """A private folder that goes with all that is in it; by default where the system has such files."""
    name = f"{_PASSING}{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=name, dir=within or system_folder(), ignore_cleanup_errors=True) as made:
        lock = _locked_folder(Path(made))
        try:
            yield Path(made)
        finally:
            if lock is not None:
                os.close(lock)


def sweep_temporary(*within: Path) -> None:
    """Remove what dead processes of this user have left in these folders, and where the system has such files."""
    with suppress(OSError):  # fails on a disk that is full; the later use of the folder reports it
        within = (*within, system_folder())
    for root in within:
        for folder in root.glob(f"{_PASSING}*-*"):
            pid = folder.name.removeprefix(_PASSING).partition("-")[0]
            # A container that has these files as well counts its processes otherwise: so the lock is asked, too.
            if pid.isdecimal() and not _is_alive(int(pid)) and (lock := _locked_folder(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _locked_folder(folder: Path) -> int | None:
    """Return a descriptor of ``folder``, a folder of this user, with its lock; None where that is impossible."""
    lock = None if sys.platform == "win32" else _locked(folder, os.O_RDONLY | os.O_DIRECTORY)
    if lock is not None and os.fstat(lock).st_uid != os.geteuid():
        os.close(lock)
        return None
    return lock
