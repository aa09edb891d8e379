"""What is kept of a finished run beside its journal: result, report, and the ``last-*.json`` of its kind."""

from pathlib import Path

from sparring.app.continuing import session_files
from sparring.errors import StoreError
from sparring.reports.markdown import report
from sparring.reports.state import last_debate, last_sessions, result
from sparring.schema.base import Record
from sparring.schema.consult import LastMultiSession, LastSession
from sparring.schema.debate import DebateStatus, LastDebate
from sparring.schema.runs import Run, RunKind
from sparring.store.files import StateFolder, record_parts, replace_file

LastFiles = tuple[tuple[Path, type[Record]], ...]


def last_files(state: Path, kind: RunKind) -> LastFiles:
    """The files that may hold the last result of ``kind``, and the record in each."""
    match kind:
        case RunKind.DEBATE:
            return ((state / "debate" / "last-debate.json", LastDebate),)
        case RunKind.CONSULT:
            single, several = session_files(state)
            return ((single, LastSession), (several, LastMultiSession))


def keep_result(run: Run, folder: Path, state: Path) -> tuple[str, ...]:
    """Write what is kept of ``run``; says what could not be written. The journal has everything in any case."""
    try:
        replace_file(folder / "result.json", *record_parts(result(run)))
        replace_file(folder / "report.md", report(run).encode())
        if last := _last(run):
            (path,) = (path for path, record in last_files(state, run.header.kind) if isinstance(last, record))
            StateFolder(state).replace(path, last)
    except StoreError as error:
        return (f"[WARN] The run is complete, but its result could not be filed: {error}",)
    return ()


def _last(run: Run) -> Record | None:
    """The record for ``last-*.json``, unless the run has nothing that is worth taking an earlier one's place."""
    if run.header.kind is RunKind.CONSULT:
        return last_sessions(run)
    failed = run.outcome is None or run.outcome.status == DebateStatus.FAILED
    return None if failed else last_debate(run)
