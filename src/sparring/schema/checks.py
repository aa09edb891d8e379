"""Results of the commands that a user has a gate run."""

from sparring.schema.base import Record


class CheckResult(Record):
    """The result of a command that the user has configured for the gate.

    Attributes:
        exit_code: None: it did not end in time, or could not be started.
        lines: The last lines of its output, without secrets.
    """

    command: str
    exit_code: int | None = None
    lines: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """E.g. ``make test: exit code 2``."""
        return f"{self.command}: {'no end in time' if self.exit_code is None else f'exit code {self.exit_code}'}"
