"""The records that a finished run leaves for others to read. Where they are written is not known here.

Text is kept as it was said: the files are JSON, which escapes whatever would act on a terminal.
"""

from sparring.reports.kinds import presentation
from sparring.schema.base import Record
from sparring.schema.runs import Run


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
    return presentation(run).last(run)
