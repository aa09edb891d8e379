"""Prompts as private temporary files, and private temporary folders.

A prompt travels as the child's standard input and is never in argv, where every user of the machine could read it.
A file is preferred to a pipe: it cannot block, whatever its size and however late the child reads.
"""

import errno
import os
import re
import secrets
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from sparring.providers.cli.process_tree import ProcessTable

_FOLDER = "folder"
_NAME = re.compile(r"(?:prompt|folder)-(?P<pid>\d{1,9})-(?P<started>\d{1,19})-[0-9a-f]{16}(?:\.txt)?")
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)  # Windows has only the second, POSIX the first


class PromptFiles:
    """Files in one folder, each holding one prompt, for as long as it is needed.

    What is too much for a file gets a folder there, on the same terms.

    A file's name says which process owns it: its pid and, where ``/proc`` tells, its start. The pid alone would not
    do, since in a container every server has the same one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes = ProcessTable()

    def sweep(self) -> int:
        """Remove the files and folders whose owner is gone, and return how many that were.

        What cannot be removed stays; whoever writes to the folder next will be told.
        """
        if self._folder.is_symlink():
            return 0
        try:
            files = list(self._folder.iterdir())
        except OSError:
            return 0
        return sum(_removed(file) for file in files if self._is_abandoned(file.name))

    @contextmanager
    def holding(self, text: str) -> Generator[Path]:
        """A new file that only this user can read, with ``text`` in it, removed on every path.

        Raises:
            OSError: The folder cannot be made or written, or is a symbolic link.
        """
        self._prepare_folder()
        file = self._folder / f"{self._new_name('prompt')}.txt"
        descriptor = os.open(file, _CREATE | _SAFELY, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                # Half of a surrogate pair is no text; JSON can carry one, UTF-8 cannot.
                stream.write(text.encode("utf-8", errors="replace"))
            yield file
        finally:
            file.unlink(missing_ok=True)

    @contextmanager
    def holding_folder(self) -> Generator[Path]:
        """A new folder that only this user can look into, removed on every path with everything in it.

        Raises:
            OSError: As ``holding``.
        """
        self._prepare_folder()
        folder = self._folder / self._new_name(_FOLDER)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            # What a link in it leads to is not touched. What cannot be removed now is found by the next sweep.
            shutil.rmtree(folder, ignore_errors=True)

    def _new_name(self, stem: str) -> str:
        return f"{stem}-{self._owner()}-{secrets.token_hex(8)}"

    def _prepare_folder(self) -> None:
        # A cloned repository could bring such a link and so choose where prompts are written.
        if self._folder.is_symlink():
            raise NotADirectoryError(errno.ENOTDIR, "is a symbolic link", str(self._folder))
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)

    def _owner(self) -> str:
        entry = self._processes.entry(os.getpid())
        return f"{os.getpid()}-{entry.started if entry else 0}"

    def _is_abandoned(self, name: str) -> bool:
        match = _NAME.fullmatch(name)
        if match is None:
            return False
        pid, started = int(match["pid"]), int(match["started"])
        if started and self._processes.is_readable():
            owner = self._processes.entry(pid)
            return owner is None or owner.started != started
        return not _is_alive(pid)


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 - kernel32 is there on Windows only

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, pid)  # noqa: FBT003 - the foreign signature
        ctypes.windll.kernel32.CloseHandle(handle)
        return bool(handle)
    try:
        with suppress(PermissionError):  # somebody else's, but alive
            os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _removed(file: Path) -> bool:
    try:
        if file.name.startswith(f"{_FOLDER}-"):
            shutil.rmtree(file)
        else:
            file.unlink()
    except OSError:
        return False
    return True
