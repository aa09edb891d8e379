"""The private folder that a confinement asks for, there while the program runs."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sparring.consult.confinement import Confinement
from sparring.consult.prompt_file import PromptFiles

REPORT_LIMIT = 1024 * 1024
"""Most bytes of a report that are read."""


@contextmanager
def furnished(confinement: Confinement, files: PromptFiles) -> Generator[Confinement]:
    """``confinement``, or what it becomes with a new folder among ``files`` where it asks for one."""
    if (furnish := confinement.furnish) is None:
        yield confinement
        return
    files.sweep()  # what a crash left behind may hold more than a prompt
    with files.holding_folder() as folder:
        yield furnish(folder)


def report_of(confined: Confinement) -> str:
    """What the program wrote into its report; empty when there is none, or it cannot be read."""
    return _beginning(confined.report) if confined.report is not None else ""


def _beginning(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(REPORT_LIMIT).decode("utf-8", errors="replace")
    except OSError:  # a program that fails early reports nothing
        return ""
