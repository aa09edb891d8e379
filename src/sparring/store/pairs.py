"""Where the runs of a pair are kept: in a folder named after all that decides its verdict."""

import hashlib
import re
from pathlib import Path

from sparring.schema.jury import JuryRequest
from sparring.schema.runs import RunKind
from sparring.store.files import accessing, refuse_links
from sparring.store.replay import JOURNAL_NAME

_DIGEST_LENGTH = 20
_RUN = re.compile(r"jury-(\d{8}T\d{6}Z)-[0-9a-f]{4}")
_BESIDE = {"notices", "redactions"}
"""What a request tells about how it came about; it decides nothing."""


def pairs_folder(state: Path) -> Path:
    """Where all pairs are kept."""
    return state / RunKind.JURY / "pairs"


def pair_folder(state: Path, request: JuryRequest) -> Path:
    """Where the runs of that request are kept, whether or not there are any."""
    said = request.model_dump_json(exclude=_BESIDE)
    return pairs_folder(state) / hashlib.sha256(said.encode()).hexdigest()[:_DIGEST_LENGTH]


def latest_run(state: Path, folder: Path) -> Path | None:
    """The newest run in the folder of a pair, if there is one.

    Raises:
        StateUnwritableError: The folder cannot be read, or is a link.
    """
    return max(_runs(state, folder), key=_beginning, default=None)


def runs_of_pairs(state: Path) -> tuple[Path, ...]:
    """Every run of every pair; raises like ``latest_run``."""
    return tuple(run for pair in _entries(state, pairs_folder(state)) if pair.is_dir() for run in _runs(state, pair))


def _runs(state: Path, folder: Path) -> list[Path]:
    return [entry for entry in _entries(state, folder) if _is_run(entry)]


def _is_run(entry: Path) -> bool:
    return bool(_RUN.fullmatch(entry.name)) and not entry.is_symlink() and (entry / JOURNAL_NAME).is_file()


def _entries(state: Path, folder: Path) -> list[Path]:
    refuse_links(state, folder)
    with accessing(folder):
        return list(folder.iterdir()) if folder.is_dir() else []


def _beginning(run: Path) -> tuple[str, int]:
    # Two runs of one second are told apart by their files.
    return run.name.split("-")[1], (run / JOURNAL_NAME).stat().st_mtime_ns
