"""The folder that a chaired debate leaves its files in (specification: seed 003)."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

from sparring.errors import StateUnwritableError, UsageError
from sparring.schema.chaired_debate import LogEntry
from sparring.store.debate_log import LOG_NAME, DebateLog, are_continued
from sparring.store.files import make_folder
from sparring.text.tidying import one_line

_NAME_SHOWN = 200


def named_folder(spelled: str, project: Path) -> str | None:
    """The folder that ``spelled`` names, from the project's root and with slashes; None when it names none.

    Raises:
        UsageError: It lies elsewhere, is no folder, or is hidden.
    """
    if not spelled.strip():
        return None
    shown = one_line(repr(spelled), _NAME_SHOWN)
    if problem := _problem(spelled):
        raise UsageError(f"The output folder {shown} {problem}.", hint="Name a folder below the project's root.")
    folder = project / spelled
    if not _lies_in(folder, project):
        raise UsageError(f"The output folder {shown} leads out of the project {project}.")
    if os.path.lexists(folder) and not folder.is_dir():
        raise UsageError(f"The output folder {shown} is not a folder.")
    return PurePosixPath(*PureWindowsPath(spelled).parts).as_posix()


def open_folder(output_dir: str, project: Path) -> Path:
    """The folder, made if needed.

    Raises:
        StateUnwritableError: It cannot be made, or has been replaced by a link that leads out of the project.
    """
    folder = project / output_dir
    if not _lies_in(folder, project):
        raise StateUnwritableError(f"{folder} leads out of the project {project}.")
    try:
        make_folder(folder)
    except OSError as error:
        raise StateUnwritableError(f"The folder {folder} cannot be made: {error.strerror or error}.") from error
    return folder


def refuse_others_files(output_dir: str, project: Path, said: Sequence[LogEntry], names: Iterable[str]) -> None:
    """Find out before anybody is asked whether files of those ``names`` may be written, and ``said`` be gone on with.

    Raises:
        UsageError: The folder holds the log of another debate, or files that would be overwritten.
        StoreError: It cannot be written, or its log cannot be understood.
    """
    folder = open_folder(output_dir, project)
    log = DebateLog(folder / LOG_NAME).read()
    if not are_continued(log.entries, said):
        raise UsageError(f"{folder / LOG_NAME} is the log of another debate.", hint="Name another output folder.")
    if found := [name for name in names if os.path.lexists(folder / name)]:
        raise UsageError(
            f"{folder} holds {', '.join(found)} already, which would be overwritten.",
            hint="Name another output folder, or move them away.",
        )


def _problem(spelled: str) -> str:
    if any(ord(character) < 32 for character in spelled):
        return "holds control characters"
    windows = PureWindowsPath(spelled)  # which knows both kinds of slashes
    is_home = spelled.startswith("~")  # a shell would have replaced it; a folder of that name is a trap
    if windows.drive or windows.root or PurePosixPath(spelled).is_absolute() or is_home:
        return "is not relative to the project"
    if ".." in windows.parts:
        return "leads upwards with `..`"
    # Such folders belong to git and to hosts, which may act on what they find there.
    return "is a hidden one" if any(part.startswith(".") for part in windows.parts) else ""


def _lies_in(folder: Path, project: Path) -> bool:
    try:
        return folder.resolve().is_relative_to(project.resolve())
    except (OSError, RuntimeError):  # RuntimeError: links in a circle, before Python 3.13
        return False
