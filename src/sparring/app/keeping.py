"""What is kept of a finished run beside its journal.

Result, report, and the ``last-*.json`` of its kind; of a chaired debate also the files that its specification names.
"""

from pathlib import Path

from sparring.app.debate_folder import METADATA_NAME, SUMMARY_NAME, TRANSCRIPT_NAME, open_folder
from sparring.disk import SYSTEM, Disk
from sparring.errors import StoreError
from sparring.formats.chaired_debate.report import summary
from sparring.formats.registry import format_of
from sparring.formats.reports import last, report, result
from sparring.schema.base import Record
from sparring.schema.chaired_debate import ChairedDebateRequest
from sparring.schema.runs import Run, RunKind
from sparring.store.files import StateFolder, record_parts, replace_file
from sparring.store.history import run_folders

LastFiles = tuple[tuple[Path, type[Record]], ...]


def last_files(state: Path, kind: RunKind) -> LastFiles:
    """The files that may hold the last result of ``kind``, and the record in each."""
    return tuple((state / path, record) for path, record in format_of(kind).last_files)


def keep_result(run: Run, folder: Path, state: Path, disk: Disk = SYSTEM) -> tuple[str, ...]:
    """Write what is kept of ``run``; says what could not be written. The journal has everything in any case.

    One of many, kept elsewhere than the runs of its kind, takes no earlier result's place.
    """
    try:
        replace_file(folder / "result.json", *record_parts(result(run)), disk=disk)
        replace_file(folder / "report.md", report(run).encode(), disk=disk)
        if folder.parent == run_folders(state, run.header.kind) and (record := last(run)):
            (path,) = (path for path, kind in last_files(state, run.header.kind) if isinstance(record, kind))
            StateFolder(state, disk).replace(path, record)
    except StoreError as error:
        return (f"[WARN] The run is complete, but its result could not be filed: {error}",)
    return ()


def keep_debate_files(run: Run, folder: Path, project: Path) -> tuple[str, ...]:
    """Write what a finished chaired debate leaves beside its log, in its own folder and in the one it was told.

    Says what could not be written; nothing is done for runs of other kinds.
    """
    request = run.header.request
    if not isinstance(request, ChairedDebateRequest):
        return ()
    try:
        _write_debate_files(run, folder)
        if request.output_dir:
            _write_debate_files(run, open_folder(request.output_dir, project))
    except StoreError as error:
        return (f"[WARN] The debate is complete, but some of its files could not be written: {error}",)
    return ()


def _write_debate_files(run: Run, folder: Path) -> None:
    replace_file(folder / TRANSCRIPT_NAME, report(run).encode())
    replace_file(folder / SUMMARY_NAME, summary(run).encode())
    replace_file(folder / METADATA_NAME, *record_parts(result(run)))
