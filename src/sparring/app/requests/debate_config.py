"""``config/debate-config.json``: what a project, or a file that is named, says about its chaired debates.

It belongs to the repository under work. So it can say what is argued about, for how long, where the files go below the
project and which of the *known* tools sit where, and nothing about how a tool is called.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic_core import from_json

from sparring.app.place import Place
from sparring.app.requests.validating import valid
from sparring.app.wishes import NamedFile
from sparring.consult.context import read_named_file, read_project_file
from sparring.errors import UsageError
from sparring.reports.runs import byte_size
from sparring.schema.chaired_debate import DebateConfig
from sparring.settings import Settings
from sparring.text.tidying import one_line

CONFIG_PATH = "config/debate-config.json"
CONFIG_LIMIT = 64 * 1024

_NAMES_SHOWN = 10
_NAME_SHOWN = 60


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
    shown = ", ".join(one_line(name, _NAME_SHOWN) for name in members.unknown[:_NAMES_SHOWN])
    more = f" and {len(members.unknown) - _NAMES_SHOWN} more" if len(members.unknown) > _NAMES_SHOWN else ""
    return (f"[WARN] Ignored in {path}, since sparring does not know it: {shown}{more}.",)
