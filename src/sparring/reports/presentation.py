"""What each kind of run brings along to be shown: a package beside this module, with these functions."""

from typing import Protocol

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
