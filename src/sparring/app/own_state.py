"""The user's own records in the state folders of a project: what came with the project decides nothing."""

from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TypeVar

from sparring.formats.registry import FORMATS
from sparring.formats.views import RunView
from sparring.schema.base import Record
from sparring.store import history
from sparring.store.hosts import Place
from sparring.store.own_records import OwnRecords

R = TypeVar("R", bound=Record)

_MOST_LOOKED_AT = 20
"""Maximum number of finished runs that are searched for the last result of one kind."""


def own_record(place: Place, path: str, kind: type[R]) -> R | None:
    """Return the user's own record at ``path`` in a state folder: of several, the one that was written last.

    The last result of a format is derived again from its run: its file may be committed, and so it decides nothing.
    """
    format_ = FORMATS[PurePosixPath(path).parts[0]]
    if (path, kind) in format_.last_files:
        return _last_result(place, format_.name, kind)
    records = (_records(place, file).read(file, kind) for file in reversed(_files(place, path)))
    return next(filter(None, records), None)


def foreign_records(place: Place, path: str) -> tuple[str, ...]:
    """Return why records at ``path`` decide nothing: one sentence for each that is not the user's own."""
    return tuple(problem for file in _files(place, path) if (problem := _records(place, file).foreign(file)))


def _files(place: Place, path: str) -> list[Path]:
    """Return the files at that path, the one that was written last at the end."""
    files = [state / path for state in place.states if (state / path).is_file()]
    return sorted(files, key=lambda file: file.stat().st_mtime_ns)


def _records(place: Place, file: Path) -> OwnRecords:
    return OwnRecords(place.state_of(file), place.provenance)


def _last_result(place: Place, kind: str, record_type: type[R]) -> R | None:
    for folder in islice(history.last_runs(kind, place), _MOST_LOOKED_AT):
        run = history.load_run(folder)
        record = RunView(run).last() if run.outcome else None
        if isinstance(record, record_type):
            return record
    return None
