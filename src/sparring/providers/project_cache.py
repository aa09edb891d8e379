"""The user's own cache of data derived from one project, outside of it: nothing in it can come with the project."""

import os
import shutil
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

KEPT_DAYS = 30
"""Days for which data derived from a project are kept after their last use."""

_PROJECTS = "projects"
_NAME_LENGTH = 24


def project_cache(private_dir: Path, project: Path, *, now: float | None = None) -> Path:
    """Return the private folder below ``private_dir`` for data derived from ``project``; remove those long unused.

    Raises:
        OSError: It cannot be made.
    """
    root = private_dir / _PROJECTS
    folder = root / sha256(os.fsencode(project.resolve())).hexdigest()[:_NAME_LENGTH]
    for each in (private_dir, root, folder):
        each.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.utime(folder)
    oldest = (time.time() if now is None else now) - KEPT_DAYS * 24 * 60 * 60
    for other in root.iterdir():
        with suppress(OSError):  # another process removes it just now
            if other != folder and other.lstat().st_mtime < oldest:
                shutil.rmtree(other, ignore_errors=True)
    return folder
