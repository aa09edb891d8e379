"""A private folder for each call of a program: what it is started with, what it says, and how it ended.

A prompt travels as the program's standard input and is never in argv, where every user of the machine could read it. A
file is preferred to a pipe: it cannot block, whatever its size and however late the program reads. What it says goes
to files as well: they lose nothing that is written in the last moment, and outlive us.

Whoever is responsible for a folder holds its lock: the process that asks, and the supervisor that it starts. When the
lock is free and the program has ended, its answer is there for whoever takes it up; else what is left is nobody's.
"""

import errno
import json
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

from sparring.supervisor.program import ENDED, ERRORS, MARK_VARIABLE, ORDER, OUTPUT, PID, Ended, Launch
from sparring.supervisor.tree import end_marked

KEPT_S = 7 * 24 * 3600
"""How long an answer that nobody has taken up is kept."""

_BEGINNING_S = 60
"""Longer than it takes to make a folder; until then another process may be at it."""

_LOCK = "lock"
_PROMPT = "prompt"
_OWN = "own"
_NAME = re.compile(r"[0-9a-f]{32}")
_BEGUN = ".begun-"
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)  # Windows has only the second, POSIX the first


def new_call() -> str:
    """A name for a call that no other has, and that nobody can guess."""
    return secrets.token_hex(16)


class CallFolder:
    """The folder of one call, whose lock we hold."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self.lock = lock

    @property
    def mark(self) -> str:
        """By what everything that the program starts is found again."""
        return self.path.name

    @property
    def output(self) -> Path:
        """What the program says."""
        return self.path / OUTPUT

    @property
    def errors(self) -> Path:
        """What it says on its standard error."""
        return self.path / ERRORS

    def write_prompt(self, text: str) -> Path:
        """A file that only this user can read, with ``text`` in it.

        Raises:
            OSError: It cannot be written.
        """
        # Half of a surrogate pair is no text; JSON can carry one, UTF-8 cannot.
        return self._write(_PROMPT, text.encode("utf-8", errors="replace"))

    def make_own(self) -> Path:
        """An empty folder for what the program needs beside its prompt; raises ``OSError``."""
        own = self.path / _OWN
        own.mkdir(mode=0o700)
        return own

    def write_order(self, order: Launch) -> None:
        """Put down what the supervisor is to do; raises ``OSError``."""
        self._write(ORDER, json.dumps(order).encode())

    def ended(self) -> Ended | None:
        """How the program ended; None when nothing tells."""
        return cast("Ended | None", self._json(ENDED))

    def order(self) -> Launch | None:
        """What the supervisor was to do; None when nothing tells."""
        return cast("Launch | None", self._json(ORDER))

    def end_rest(self) -> None:
        """End what the program has started and nobody watches any more, and remove its temporary files."""
        end_marked(f"{MARK_VARIABLE}={self.mark}")
        if (order := self.order()) and order["tmp"]:
            shutil.rmtree(order["tmp"], ignore_errors=True)

    def remove(self) -> None:
        """Remove the folder with everything in it, and give up the lock."""
        # What a link in it leads to is not touched. What cannot be removed now is found by a sweep.
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

    def _json(self, name: str) -> object:
        try:
            return json.loads((self.path / name).read_bytes())
        except (OSError, ValueError):  # after a power cut its end may be missing
            return None


class CallFolders:
    """The folders of all calls of a user.

    Those of a run stay until their answers are safe elsewhere (``settle``), whatever becomes of us meanwhile.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._kept: dict[str, CallFolder] = {}

    @contextmanager
    def holding(self, call: str = "") -> Generator[CallFolder]:
        """A new folder. That of a ``call`` with a name is kept when the block ends as it should; else it is removed.

        Raises:
            OSError: It cannot be made, or the folder of all is a symbolic link.
        """
        if earlier := self._kept.pop(call, None):  # the same is asked once more
            earlier.remove()
        folder = self._begin(call or new_call())
        try:
            yield folder
            if call:
                self._kept[call] = folder
        finally:
            if self._kept.get(call) is not folder:
                folder.remove()

    def left(self, call: str) -> bool:
        """Whether there is a folder of that call, by whomever."""
        return bool(_NAME.fullmatch(call)) and (self._root / call).is_dir() and not self._root.is_symlink()

    def take_up(self, call: str) -> CallFolder | None:
        """The folder that another process has left, once nobody is responsible for it any more; None until then."""
        folder = self._kept.get(call) or self._locked(self._root / call)  # of a run that could not be written on, ours
        if folder:
            self._kept[call] = folder
        return folder

    def stop(self, call: str) -> None:
        """Have whoever watches over that call end it."""
        with suppress(OSError, ValueError):
            os.kill(int((self._root / call / PID).read_text()), 15)

    def settle(self, call: str) -> None:
        """What the call has brought is safe elsewhere, whoever had asked for it."""
        folder = self._kept.pop(call, None)
        if folder or (self.left(call) and (folder := self._locked(self._root / call))):
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
        folder.end_rest()
        folder.remove()
        return True

    def _begin(self, name: str) -> CallFolder:
        self._prepare_root()
        begun = self._root / f"{_BEGUN}{name}"
        begun.mkdir(mode=0o700)
        lock = os.open(begun / _LOCK, _CREATE | _SAFELY, 0o600)
        lock_file(lock)
        begun.rename(self._root / name)  # only now may others look after it
        return CallFolder(self._root / name, lock)

    def _prepare_root(self) -> None:
        # Somebody else could bring such a link and so choose where prompts are written.
        if self._root.is_symlink():
            raise NotADirectoryError(errno.ENOTDIR, "is a symbolic link", str(self._root))
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._root.chmod(0o700)

    def _locked(self, path: Path) -> CallFolder | None:
        """The folder with its lock; None while somebody else is responsible for it, or there is none."""
        try:
            lock = os.open(path / _LOCK, os.O_WRONLY | _SAFELY)
        except OSError:
            return None
        try:
            lock_file(lock)
        except OSError:
            os.close(lock)
            return None
        return CallFolder(path, lock)


def lock_file(descriptor: int) -> None:
    """Lock a file; raises ``OSError`` while another has it. It is free when every copy of the descriptor is closed."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 -- there is none elsewhere

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 -- there is none on Windows

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0
