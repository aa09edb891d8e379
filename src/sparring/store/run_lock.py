"""The lock of a run, locked while some process works on it; it dies with that process."""

from pathlib import Path

from filelock import FileLock, Timeout

from sparring.errors import StateLockedError
from sparring.store.files import accessing, lock_file

LOCK_NAME = "journal.lock"

_MAX_WAIT_S = 0.5
"""Seconds. ``is_locked`` takes the lock for an instant; a worker of the run waits longer than that."""

_LOOK_WAIT_S = 0.1
"""Seconds to wait for a concurrent look, in this process or in another."""


def is_locked(folder: Path) -> bool:
    """Report whether some process, this one included, works on the run that is kept in ``folder``."""
    try:
        if not (folder / LOCK_NAME).is_file():
            return False  # asking must not make the file
        with lock_file(folder / LOCK_NAME).acquire(timeout=_LOOK_WAIT_S, poll_interval=0.01):
            return False
    except Timeout:
        return True
    except OSError:
        return False  # what cannot be opened here cannot be worked on here either


def take_lock(folder: Path) -> FileLock:
    """The lock of the run that is kept in ``folder``, taken.

    Raises:
        StateLockedError: Another process works on the run.
        StateUnwritableError: It cannot be made.
    """
    lock = lock_file(folder / LOCK_NAME)
    with accessing(folder / LOCK_NAME):
        try:
            lock.acquire(timeout=_MAX_WAIT_S)
        except Timeout as error:
            raise StateLockedError(
                f"Another process is working on the run {folder.name}.", hint="Wait until it has finished."
            ) from error
    return lock
