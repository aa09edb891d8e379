"""Sessions that are kept to be continued: each program's in a folder of ours, for a time.

They hold what was asked and answered as the program wrote it, secrets included. So nobody but the user can look into
the folder, and what was not continued for some weeks is removed.
"""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

KEPT_DAYS = 30
"""How long a session is kept after it was last continued."""

_DAY_S = 24 * 60 * 60


def kept_sessions(folder: Path, each: str = "*", *, now: float | None = None) -> Path:
    """The ``folder`` of one program's sessions, made where it is missing, without those that nobody has continued.

    ``each`` is a pattern of what belongs to one session.

    Raises:
        OSError: The folder cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    oldest = (time.time() if now is None else now) - KEPT_DAYS * _DAY_S
    for session in folder.glob(each):
        if max(_changes(session), default=oldest) < oldest:
            _remove(session)
    return folder


def _changes(session: Path) -> Iterator[float]:
    for path in (session, *session.rglob("*")):
        try:
            yield path.lstat().st_mtime
        except OSError:  # another process removes it just now
            continue


def _remove(session: Path) -> None:
    # What cannot be removed now is found again the next time.
    if session.is_dir() and not session.is_symlink():
        shutil.rmtree(session, ignore_errors=True)
        return
    try:
        session.unlink(missing_ok=True)
    except OSError:
        return
