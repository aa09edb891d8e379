"""The folder that a chaired debate is configured in and leaves its files in (specification: seed 003)."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, cast

from pydantic_core import from_json

from sparring.app.place import Place
from sparring.app.validation import valid
from sparring.app.wishes import NamedFile
from sparring.errors import StateUnwritableError, UsageError
from sparring.providers.lookup.context import read_named_file, read_project_file
from sparring.reports.runs import byte_size
from sparring.schema.chaired_debate import DebateConfig, LogEntry
from sparring.settings import Settings
from sparring.store.debate_log import LOG_NAME, DebateLog, are_continued
from sparring.store.files import make_folder
from sparring.text.tidying import one_line

CONFIG_PATH = "config/debate-config.json"
CONFIG_LIMIT = 64 * 1024

_NAMES_SHOWN = 10
_MEMBER_SHOWN = 60


@dataclass(frozen=True)
class ReadConfig:
    """What the file says.

    Attributes:
        path: Where it stands; empty when there is none.
        notices: What the user should know about it.
    """

    config: DebateConfig = field(default_factory=DebateConfig)
    path: str = ""
    notices: tuple[str, ...] = ()


def read_config(file: NamedFile | None, place: Place, settings: Settings) -> ReadConfig:
    """The config that ``file`` names, else the project's own if there is one.

    Raises:
        UsageError: It cannot be read or understood; or the one that was named is not there.
    """
    if file is None:
        if not os.path.lexists(place.project / CONFIG_PATH):
            return ReadConfig()
        file = NamedFile(str(place.project / CONFIG_PATH))
    path, text = _text(file, place, settings)
    try:
        members = _members(text)
        config = valid(lambda: DebateConfig.model_validate(members.known))
    except UsageError as error:
        raise UsageError(f"{path} cannot be used: {error}") from error
    return ReadConfig(config, path, (*_taken(path, members), *_ignored(path, members)))


@dataclass(frozen=True)
class _Members:
    known: Mapping[str, Any]
    unknown: tuple[str, ...]


def _text(file: NamedFile, place: Place, settings: Settings) -> tuple[str, str]:
    if file.is_named_by_user:
        found = read_named_file(
            file.path, folder=settings.cwd, limit=CONFIG_LIMIT, secrets_allowed=file.secrets_allowed
        )
    else:
        folders = (settings.cwd, place.project)
        found = read_project_file(file.path, project=place.project, folders=folders, limit=CONFIG_LIMIT)
    if found.text is None:
        limit = byte_size(CONFIG_LIMIT)
        raise UsageError(f"{found.path} has more than {limit}, the most that a config file may have.")
    return found.path, found.text


def _members(text: str) -> _Members:
    try:
        found = from_json(text)
    except ValueError as error:
        raise UsageError(f"It is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise UsageError("It must hold one JSON object.")
    said = cast("dict[str, Any]", found)
    # What is null is as if it were not there: config files are made from templates.
    known = {name: said[name] for name in DebateConfig.model_fields if said.get(name) is not None}
    return _Members(known, tuple(sorted(said.keys() - DebateConfig.model_fields.keys())))


def _taken(path: str, members: _Members) -> tuple[str, ...]:
    return (f"From {path}, where nothing else is said: {', '.join(members.known)}.",) if members.known else ()


def _ignored(path: str, members: _Members) -> tuple[str, ...]:
    if not members.unknown:
        return ()
    shown = ", ".join(one_line(name, _MEMBER_SHOWN) for name in members.unknown[:_NAMES_SHOWN])
    more = f" and {len(members.unknown) - _NAMES_SHOWN} more" if len(members.unknown) > _NAMES_SHOWN else ""
    return (f"[WARN] Ignored in {path}, since sparring does not know it: {shown}{more}.",)


TRANSCRIPT_NAME, SUMMARY_NAME, METADATA_NAME = "transcript.md", "summary.md", "metadata.json"
_LAST_FILES = (TRANSCRIPT_NAME, SUMMARY_NAME, METADATA_NAME)
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


def refuse_others_files(output_dir: str, project: Path, said: Sequence[LogEntry]) -> None:
    """Find out before anybody is asked whether the files may be written, where ``said`` was said so far.

    Raises:
        UsageError: The folder holds the log of another debate, or files that would be overwritten.
        StoreError: It cannot be written, or its log cannot be understood.
    """
    folder = open_folder(output_dir, project)
    log = DebateLog(folder / LOG_NAME).read()
    if not are_continued(log.entries, said):
        raise UsageError(f"{folder / LOG_NAME} is the log of another debate.", hint="Name another output folder.")
    if found := [name for name in _LAST_FILES if os.path.lexists(folder / name)]:
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
