"""What a confinement asks for, as a private file or folder that is there while the program runs."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sparring.consult.confinement import Confinement
from sparring.consult.prompt_file import PromptFiles

REPORT_LIMIT = 1024 * 1024
"""Most bytes of a report that are read."""


@contextmanager
def settings_written(confinement: Confinement, files: PromptFiles) -> Generator[Confinement]:
    """``confinement`` with its settings in one of ``files`` and the file's path in its variables.

    Where it asks for a folder, it gets a new one beside those files.
    """
    if (furnish := confinement.furnish) is not None:
        files.sweep()  # what a crash left behind may hold more than a prompt
        with files.holding_folder() as folder, settings_written(furnish(folder), files) as confined:
            yield confined
        return
    if (settings := confinement.settings) is None:
        yield confinement
        return
    with files.holding(settings.content, name="settings.json") as file:
        yield replace(confinement, variables={**confinement.variables, settings.variable: str(file)})


def report_of(confined: Confinement) -> str:
    """What the program wrote into its report; empty when there is none, or it cannot be read."""
    return _beginning(confined.report) if confined.report is not None else ""


def _beginning(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(REPORT_LIMIT).decode("utf-8", errors="replace")
    except OSError:  # a program that fails early reports nothing
        return ""
