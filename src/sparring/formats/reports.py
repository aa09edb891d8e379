"""A run as it is shown, whatever its format: whole, or in fewer characters, or as a record.

Where records are written is not known here. Their text is kept as it was said: the files are JSON, which escapes
whatever would act on a terminal.
"""

from sparring.engine.format import Presentation
from sparring.errors import DeliberationError, ExitCode
from sparring.formats.registry import FORMATS
from sparring.reports.markdown import Sections, SideBySide, fitted, joined
from sparring.reports.progress import where_it_stands
from sparring.schema.base import Record
from sparring.schema.runs import Request, Run

DECISION_LIMIT = 9_000
"""Characters of a decision: a tool's result must stay below 10,000, and carries a little more than this text."""


def presentation(run: Run) -> Presentation:
    """How runs of the format of ``run`` are shown."""
    return FORMATS[run.header.kind].presentation()


def report(run: Run) -> str:
    """``report.md``: all of a finished run; of an unfinished one where it stands."""
    return progress_text(run) if run.outcome is None else joined(presentation(run).report(run))


def decision(run: Run, *, limit: int = DECISION_LIMIT) -> str:
    """What carries the decision, in fewer than ``limit`` characters; of an unfinished run where it stands.

    Long sections are cut to the same length and say so; ``limit`` should be 2,000 at the least.
    """
    if run.outcome is None:
        return progress_text(run, limit=limit)
    return fitted(presentation(run).decision(run), limit=limit)


def side_by_side(run: Run) -> SideBySide | None:
    """The decision of a finished run as columns for a wide terminal; None where it has no such parts."""
    columns = presentation(run).columns
    return columns(run) if columns else None


def progress_text(run: Run, *, limit: int = DECISION_LIMIT) -> str:
    """Who has spoken in an unfinished run, what is missing, how to go on."""
    return where_it_stands(run, case(run.header.request), presentation(run).remaining(run), limit=limit)


def case(request: Request) -> Sections:
    """What is shown before anybody speaks; empty where that is nothing but the subject."""
    shown = FORMATS[request.kind].presentation().case
    return shown(request) if shown else ()


def result(run: Run) -> Record:
    """``result.json`` of a finished run; but for a consultation, what its state file holds until the next run's.

    Raises:
        DeliberationError: The run has not finished.
    """
    return presentation(run).result(run)


def last(run: Run) -> Record | None:
    """What ``last-*.json`` is to hold after ``run``, or None: it has nothing that is worth an earlier run's place.

    Raises:
        DeliberationError: The run has not finished.
    """
    if run.outcome is None:
        raise DeliberationError(f"Run {run.header.run_id} has not finished.")
    format_, shown = FORMATS[run.header.kind], presentation(run)
    if shown.last:
        return shown.last(run)
    failed = format_.exit_codes[run.outcome.status] is ExitCode.FAILED
    return shown.result(run) if format_.last_files and not failed else None
