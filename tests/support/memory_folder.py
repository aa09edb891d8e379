"""Folder in memory for what tests write: every record is synced to the disk, and half of the time is spent waiting."""

import os
import shutil
from pathlib import Path

_FOLDER = Path("/dev/shm")  # noqa: S108 -- below it pytest makes a private folder
_ENOUGH = 4 * 1024**3
"""Bytes; far more than the files of all tests that run at a time."""


def memory_folder() -> Path | None:
    """Return the folder; None where there is none, too little room, or no program may be started from it."""
    if not (_FOLDER.is_dir() and os.access(_FOLDER, os.W_OK | os.X_OK)):
        return None
    may_start = not os.statvfs(_FOLDER).f_flag & os.ST_NOEXEC
    return _FOLDER if may_start and shutil.disk_usage(_FOLDER).free >= _ENOUGH else None
