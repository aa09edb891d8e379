"""What is kept of a finished run beside its journal: result, report, and the ``last-*.json`` of its kind."""

from pathlib import Path

from sparring.errors import StoreError
from sparring.reports.markdown import report
from sparring.reports.state import last_debate, last_session, result
from sparring.schema.base import Record
from sparring.schema.consult import LastSession
from sparring.schema.debate import DebateStatus, LastDebate
from sparring.schema.runs import Run, RunKind
from sparring.store.files import StateFolder, record_parts, replace_file


def last_file(state: Path, kind: RunKind) -> tuple[Path, type[Record]]:
    """The file that holds the last result of ``kind``, and the record in it."""
    match kind:
        case RunKind.DEBATE:
            return state / "debate" / "last-debate.json", LastDebate
        case RunKind.CONSULT:
            return state / "consult" / "last-session.json", LastSession


def keep_result(run: Run, folder: Path, state: Path) -> tuple[str, ...]:
    """Write what is kept of ``run``; says what could not be written. The journal has everything in any case."""
    try:
        replace_file(folder / "result.json", *record_parts(result(run)))
        replace_file(folder / "report.md", report(run).encode())
        if last := _last(run):
            path, _ = last_file(state, run.header.kind)
            StateFolder(state).replace(path, last)
    except StoreError as error:
        return (f"[WARN] The run is complete, but its result could not be filed: {error}",)
    return ()


def _last(run: Run) -> Record | None:
    """The record for ``last-*.json``, unless the run has nothing that is worth taking an earlier one's place."""
    if run.header.kind is RunKind.CONSULT:
        return last_session(run)
    failed = run.outcome is None or run.outcome.status == DebateStatus.FAILED
    return None if failed else last_debate(run)
