"""The owner of a ledger: a file of answers that came with a project could replace real answers.

A ledger is recognised as a whole, by a random id in it and a code of that id under the user's key. Only a file can come
with a project: the content of a database server comes from its users.
"""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from sparring.errors import ForeignStateError
from sparring.store.provenance import Provenance

LEDGER = Path("batch") / "ledger.sqlite"
"""Path of the ledger with a project's answers below its state folder, unless another is given."""

_KIND = "ledger"
_FIND = "SELECT name, value FROM sparring_ledger WHERE name IN ('id', 'code')"


def ledger_code(id_: str, provenance: Provenance) -> str:
    """Return the code that a new ledger with this id keeps with it.

    Raises:
        StateKeyError: There is no key: answers that are paid for could not be used again.
    """
    provenance.key.ensure()
    return provenance.key.sign(_KIND, id_.encode())


def check_ledger(settings: Mapping[str, str], path: Path, provenance: Provenance) -> None:
    """Check that this user made the ledger in the file ``path``, which holds ``settings``.

    Raises:
        ForeignStateError: It came with the project.
    """
    if problem := _problem(settings, path, provenance):
        hint = "Move it away, or name another one with --set ledger=FILE; those who share one set SPARRING_STATE_KEY."
        raise ForeignStateError(problem, hint=hint)


def ledger_problem(path: Path, provenance: Provenance) -> str:
    """Return why the answers in the ledger ``path`` are not used; empty where they are. The file is only read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            return _problem(dict(connection.execute(_FIND).fetchall()), path, provenance)
    except sqlite3.Error:
        return f"{path} is not a readable ledger: its answers are not used."


def _problem(settings: Mapping[str, str], path: Path, provenance: Provenance) -> str:
    is_signed = provenance.key.is_signed(_KIND, str(settings.get("code", "")), str(settings.get("id", "")).encode())
    why = provenance.foreign_reason(path, is_signed=is_signed)
    return f"The ledger {path} {why}: its answers are not used." if why else ""
