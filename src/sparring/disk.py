"""Durable writes: the order in which bytes and names reach the disk, and the state after a power failure.

All data that must survive are written through a ``Disk``. ``SYSTEM`` is the real one; ``sparring.testing`` has one
that can lose unsynced data. Reading needs no such seam.
"""

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags with which a file is opened: a link or a pipe that was put in its place must neither lead us elsewhere nor hold
us up; on Windows bytes must stay bytes."""


@contextmanager
def alone(folder: Path) -> Generator[None]:
    """Wait until no other process is in such a block for ``folder``; nothing is written there.

    Where folders cannot be locked, as on Windows, or this one cannot be opened, nothing is waited for.
    """
    descriptor = None
    with suppress(ImportError, OSError):
        import fcntl  # noqa: PLC0415 -- Windows has none

        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


class Disk:
    """The calls of the system that change what a disk holds. They raise ``OSError``, as those of ``os`` do."""

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        """A descriptor of ``path``, made with ``mode`` if ``flags`` say so."""
        return os.open(path, flags, mode)

    def write(self, descriptor: int, content: bytes | memoryview) -> int:
        """Write the beginning of ``content``, and say how many bytes that was."""
        return os.write(descriptor, content)

    def truncate(self, descriptor: int, size: int) -> None:
        """Cut the file down to ``size`` bytes."""
        os.ftruncate(descriptor, size)

    def sync(self, descriptor: int) -> None:
        """Wait until the content of the file is safe. Its name need not be: see ``sync_folder``."""
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Close the descriptor; unsynced data may be lost."""
        os.close(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        """Give the file ``source`` the name ``target``; a reader of that name sees the old file or the new one.

        A device or a pipe is not replaced: a process with all rights, as in a container, would lose ``/dev/null``.
        """
        with suppress(FileNotFoundError):
            mode = target.lstat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
                raise OSError(errno.EEXIST, "a device or a pipe has that name", str(target))
        source.replace(target)

    def remove(self, path: Path) -> None:
        """Take a file's name away."""
        path.unlink()

    def make_folder(self, path: Path, mode: int = 0o700) -> None:
        """Make a folder whose parent exists."""
        path.mkdir(mode=mode)

    def remove_folder(self, path: Path) -> None:
        """Remove an empty folder."""
        path.rmdir()

    def sync_folder(self, path: Path) -> None:
        """Wait until the names in ``path`` are durable, as far as its file system reports that."""
        if sys.platform == "win32":
            return  # a folder cannot be opened there; NTFS journals names by itself
        with suppress(
            OSError
        ):  # some network file systems refuse this; the content of the files is synced all the same
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


SYSTEM = Disk()


@contextmanager
def closing(disk: Disk, descriptor: int) -> Generator[int]:
    """``descriptor``, which is closed at the end."""
    try:
        yield descriptor
    finally:
        disk.close(descriptor)


def write_through(disk: Disk, descriptor: int, *parts: bytes) -> None:
    """Write all of ``parts``, and return when they are safe."""
    for part in parts:
        rest = memoryview(part)
        while rest:
            rest = rest[disk.write(descriptor, rest) :]
    disk.sync(descriptor)


def system_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of temporary files: the one that ``environment`` names if it can be used.

    ``tempfile`` finds out by writing one, which a kill at that moment would leave.

    Raises:
        FileNotFoundError: Nowhere.
    """
    if sys.platform != "win32":
        named = (environment.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
        for folder in filter(None, (*named, "/tmp", "/var/tmp")):  # noqa: S108 -- nothing is written here
            if Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK):
                return Path(folder).absolute()
    return Path(tempfile.gettempdir())
