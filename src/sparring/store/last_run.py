"""The run of a project that was written last, as its user has noted it: no name and no time of a file decides that."""

from contextlib import suppress
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path

from pydantic import ValidationError

from sparring.errors import StoreError
from sparring.formats.registry import FORMATS
from sparring.schema.base import Moment, Record, RunId
from sparring.store import files
from sparring.store.hosts import Place


class LastRun(Record):
    """``.last.json`` in the folder of a kind: which of its runs was written last.

    Attributes:
        number: Higher than in every such file of the project that was written before.
    """

    run_id: RunId
    number: int
    created_at: Moment


_LAST_NAME = ".last.json"
_LAST_KIND = "last run"
_LAST_LIMIT = 4096


def record_last_run(folder: Path, created_at: datetime, place: Place) -> None:
    """Record that the run in ``folder`` is the last one written. A failure to write is ignored."""
    number = 1 + max((each.number for _, each in noted_runs(place)), default=0)
    content = LastRun(run_id=folder.name, number=number, created_at=created_at).model_dump_json().encode()
    with suppress(StoreError):
        files.replace_file(folder.parents[1] / _LAST_NAME, place.provenance.key.sealed(_LAST_KIND, content))


def noted_runs(place: Place) -> list[tuple[Path, LastRun]]:
    """Return this user's notes, with the folders of those runs, the last one first."""
    noted_list = list[tuple[Path, LastRun]]()
    for state, kind in product(place.states, FORMATS):
        folder = state / kind
        with suppress(StoreError, ValidationError):
            files.refuse_links(state, folder)
            content = files.read_bounded(folder / _LAST_NAME, _LAST_LIMIT) or b""
            opened = place.provenance.key.opened(_LAST_KIND, content)
            if opened.is_own:
                noted = LastRun.model_validate_json(opened.content)
                noted_list.append((folder / "runs" / noted.run_id, noted))
    return sorted(noted_list, key=lambda each: each[1].number, reverse=True)


def next_moment(now: datetime, place: Place) -> datetime:
    """Return ``now``, or a second after the last run if the clock was set back behind that; a wrong day is ignored."""
    until = now + timedelta(days=1)
    newest = max((each.created_at for _, each in noted_runs(place) if each.created_at < until), default=now)
    return newest + timedelta(seconds=1) if now < newest else now
