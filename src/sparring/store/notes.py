"""Notes to a run that another process holds: a file each in the folder of the run, signed by the user.

The process that holds the run looks for them between two steps, and writes each into the journal as a turn. A note that
came with the project is not signed with the user's key, or names another run: it is left alone.
"""

import secrets
import time
from pathlib import Path

from pydantic import ValidationError

from sparring.errors import StoreError
from sparring.schema.base import Record, RunId
from sparring.schema.transcript import NOTE_ID, NOTE_LIMIT, Note
from sparring.store.files import read_bounded, replace_file
from sparring.store.provenance import StateKey

_KIND = "note"
_SUFFIX = ".json"
_MOST = 20
"""Most notes of one run. More would crowd out the speeches."""


class _Kept(Record):
    run_id: RunId
    note: Note


def add_note(folder: Path, text: str, key: StateKey) -> Note:
    """Leave a note for the run in ``folder``.

    Raises:
        StateKeyError: There is no key to sign it with.
        StoreError: It cannot be written.
    """
    key.ensure()
    note = Note(id=f"note.{time.time_ns():020d}-{secrets.token_hex(4)}", text=text)
    content = _Kept(run_id=folder.name, note=note).model_dump_json().encode()
    replace_file(folder / f"{note.id}{_SUFFIX}", key.sealed(_KIND, content))
    return note


def notes_of(folder: Path, key: StateKey) -> tuple[Note, ...]:
    """Return the user's own notes for the run in ``folder``, the oldest first, without those that cannot be read."""
    try:
        names = sorted(each.name for each in folder.iterdir() if NOTE_ID.fullmatch(each.name.removesuffix(_SUFFIX)))
    except OSError:
        return ()
    notes = (_read(folder / name, key) for name in names[:_MOST])
    return tuple(note for note in notes if note is not None)


def _read(path: Path, key: StateKey) -> Note | None:
    try:
        opened = key.opened(_KIND, read_bounded(path, NOTE_LIMIT * 8) or b"")
        kept = _Kept.model_validate_json(opened.content)
    except (StoreError, ValidationError):
        return None
    is_meant = opened.is_own and kept.run_id == path.parent.name and path.name == f"{kept.note.id}{_SUFFIX}"
    return kept.note if is_meant else None
