"""Which workers of a ledger on this machine have died: each holds a lock that ends with its process.

A lease tells it too, but only when it has expired, and whoever starts a killed batch again would wait for that. Where
there are no such locks, or no file of a worker, nothing is known, and the lease decides.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

from sparring.store.files import lock_file

_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)
"""What may be part of the name of a file: a ledger may be somebody else's."""


class SignsOfLife(Protocol):
    """What workers tell of themselves without a word."""

    def begin(self, worker: str) -> None:
        """Be seen to live, from now on."""
        ...

    def end(self) -> None:
        """Be seen no longer."""
        ...

    def has_ended(self, worker: str) -> bool:
        """Whether a worker that has begun is known to be gone."""
        ...


class NoSigns:
    """Nothing is known of workers on other machines."""

    def begin(self, worker: str) -> None:
        """See ``SignsOfLife``."""

    def end(self) -> None:
        """See ``SignsOfLife``."""

    def has_ended(self, worker: str) -> bool:  # noqa: ARG002 -- nothing is known of any
        """See ``SignsOfLife``."""
        return False


class LockedFiles:
    """A file for each living worker beside the ledger at ``path``, of which that worker holds the lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: FileLock | None = None

    def begin(self, worker: str) -> None:
        """See ``SignsOfLife``; to be called before others know of this worker."""
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
        if not _NAME.fullmatch(worker):
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
