"""A run as it is shown, whatever its kind: the one place that a new kind has to be added to.

Where records are written is not known here. Their text is kept as it was said: the files are JSON, which escapes
whatever would act on a terminal.
"""

from typing import Protocol

from sparring.reports import chaired_debate, consultation, debate, fact_check, jury
from sparring.reports.progress import where_it_stands
from sparring.schema.base import Record
from sparring.schema.runs import Run


class Presentation(Protocol):
    """How runs of one kind are shown.

    Each function raises ``DeliberationError`` for another kind of run, all but ``remaining`` for an unfinished one.
    """

    def report(self, run: Run) -> str:
        """All of it, as Markdown."""
        ...

    def decision(self, run: Run, *, limit: int) -> str:
        """What carries the decision, as Markdown, in fewer than ``limit`` characters."""
        ...

    def result(self, run: Run) -> Record:
        """All of it, for programs."""
        ...

    def last(self, run: Run) -> Record | None:
        """What the ``last-*.json`` of this kind is to hold; None: an earlier run's is worth more."""
        ...

    def remaining(self, run: Run) -> tuple[str, ...]:
        """What is still to be said if nothing (more) fails. What a failure leads to is a rule of the format."""
        ...


_SHOWN: dict[str, Presentation] = {
    "debate": debate,
    "chaired-debate": chaired_debate,
    "consult": consultation,
    "fact-check": fact_check,
    "jury": jury,
}


def presentation(run: Run) -> Presentation:
    """How runs of the kind of ``run`` are shown."""
    return _SHOWN[run.header.kind]


DECISION_LIMIT = 9_000
"""Characters of a decision: a tool's result must stay below 10,000, and carries a little more than this text."""


def report(run: Run) -> str:
    """``report.md``: all of a finished run; of an unfinished one where it stands."""
    return progress_text(run) if run.outcome is None else presentation(run).report(run)


def decision(run: Run, *, limit: int = DECISION_LIMIT) -> str:
    """What carries the decision, in fewer than ``limit`` characters; of an unfinished run where it stands.

    Long sections are cut to the same length and say so; ``limit`` should be 2,000 at the least.
    """
    return progress_text(run, limit=limit) if run.outcome is None else presentation(run).decision(run, limit=limit)


def progress_text(run: Run, *, limit: int = DECISION_LIMIT) -> str:
    """Who has spoken in an unfinished run, what is missing, how to go on."""
    return where_it_stands(run, presentation(run).remaining(run), limit=limit)


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
