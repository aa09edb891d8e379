"""What the runs of a state directory have used since some moment, as their journals have it."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from sparring.errors import StoreError
from sparring.schema.limits import Spent
from sparring.schema.runs import RunKind
from sparring.schema.spending import spent
from sparring.schema.transcript import Turn
from sparring.store.files import accessing, refuse_links
from sparring.store.history import run_folders
from sparring.store.replay import JOURNAL_NAME, read_journal


def spent_since(state_root: Path, moment: datetime) -> Spent:
    """What was used from ``moment`` on, by every run that can be read.

    What a damaged journal holds is not known, and is no reason to refuse all further runs.

    Raises:
        StateUnwritableError: The state directory itself cannot be read.
    """
    return spent(turn for folder in _written_since(state_root, moment) for turn in _turns(folder) if turn.at >= moment)


def _written_since(state_root: Path, moment: datetime) -> Iterator[Path]:
    for kind in RunKind:
        runs = run_folders(state_root, kind)
        refuse_links(state_root, runs)
        with accessing(runs), suppress(FileNotFoundError):
            for folder in runs.iterdir():
                with suppress(FileNotFoundError, NotADirectoryError):
                    if (folder / JOURNAL_NAME).lstat().st_mtime >= moment.timestamp():
                        yield folder


def _turns(folder: Path) -> tuple[Turn, ...]:
    try:
        journal = read_journal(folder)
    except StoreError:
        return ()
    return (*journal.transcript.turns, *journal.pending)
