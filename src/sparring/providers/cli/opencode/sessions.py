"""Where OpenCode's kept sessions lie: each in a database of its own, since one for all would only ever grow.

A session gets its name from OpenCode when it has begun, so it is found by looking into the databases.
"""

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sparring.providers.cli.confinement import kept_sessions
from sparring.schema.consultation import Question

_NAME = "session.db"
_OF_ALL = "sessions.db"
"""In which earlier versions of ours kept all of them."""


def session_database(folder: Path, question: Question) -> Path | None:
    """The database in which the session of ``question`` is or will be kept; None where there is none, or need not be.

    Raises:
        OSError: The folder of sessions cannot be made.
    """
    if not (question.keep_session or question.session_id):
        return None
    kept = kept_sessions(folder / "sessions")
    kept_sessions(folder, f"{_OF_ALL}*")
    if question.session_id is not None:
        session_id = question.session_id
        return next((file for file in _databases(folder, kept) if _holds(file, session_id)), None)
    own = kept / secrets.token_hex(8)
    own.mkdir(mode=0o700)
    return own / _NAME


def _databases(folder: Path, kept: Path) -> Iterator[Path]:
    yield from kept.glob(f"*/{_NAME}")
    yield folder / _OF_ALL


def _holds(database: Path, session_id: str) -> bool:
    if not database.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as sessions:
            return sessions.execute("SELECT 1 FROM session WHERE id = ?", (session_id,)).fetchone() is not None
    except sqlite3.Error:  # broken off while it was made, or of a version that keeps them elsewhere
        return False
