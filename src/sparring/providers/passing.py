"""Folders for as long as something takes. What a process that was killed has left goes with the next sweep."""

import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sparring.disk import system_folder
from sparring.providers.cli.call_folder import lock_file

_PREFIX = "sparring-of-"


@contextmanager
def passing_folder(within: Path | None = None) -> Generator[Path]:
    """A private folder that goes with all that is in it; by default where the system has such files."""
    name = f"{_PREFIX}{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=name, dir=within or system_folder(), ignore_cleanup_errors=True) as made:
        lock = _locked(Path(made))
        try:
            yield Path(made)
        finally:
            if lock is not None:
                os.close(lock)


def sweep_passing(*within: Path) -> None:
    """Remove what dead processes of this user have left in these folders, and where the system has such files."""
    with suppress(OSError):  # there is no such place on a disk that is full; whoever needs it says so
        within = (*within, system_folder())
    for root in within:
        for folder in root.glob(f"{_PREFIX}*-*"):
            pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
            # A container that has these files as well counts its processes otherwise: so the lock is asked, too.
            if pid.isdecimal() and not _lives(int(pid)) and (lock := _locked(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _locked(folder: Path) -> int | None:
    """A descriptor of ``folder``, a folder of this user, with its lock; None where there is none to be had."""
    if sys.platform == "win32":
        return None
    with suppress(OSError), ExitStack() as undo:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        undo.callback(os.close, descriptor)
        lock_file(descriptor)
        if os.fstat(descriptor).st_uid == os.geteuid():
            undo.pop_all()
            return descriptor
    return None
