"""Programs on this machine: the one that hosts start as our server, and those of the hosts themselves."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from sparring.errors import ToolNotFoundError
from sparring.hosts.known import SERVER, KnownHost
from sparring.hosts.places import Surroundings, places
from sparring.schema.installations import Scope


def server_program(scope: Scope, python: Path, environment: Mapping[str, str]) -> str:
    """What an entry is to start.

    For a user that is the path of the script beside ``python``, which runs us, or else of the one on PATH: hosts that
    were started from a desktop know little of PATH. A project's settings are shared, so they hold the name alone.

    Raises:
        ToolNotFoundError: There is no script to be started.
    """
    if scope is Scope.PROJECT:
        return SERVER
    found = shutil.which(SERVER, path=str(python.parent)) or on_path(SERVER, environment)
    if found is None:
        raise ToolNotFoundError(
            f"There is no `{SERVER}` beside {python} or on PATH that a host could start.",
            hint="Install it, e.g. with `pipx install .` in the checkout.",
        )
    return str(Path(found).absolute())


def host_program(host: KnownHost, environment: Mapping[str, str]) -> str | None:
    """Where the program of ``host`` is, if it is on PATH."""
    return on_path(host.program, environment)


def on_path(program: str, environment: Mapping[str, str]) -> str | None:
    """Where ``program`` is. A relative entry of PATH does not count: the folder we are in must not choose."""
    folders = [folder for folder in environment.get("PATH", "").split(os.pathsep) if Path(folder).is_absolute()]
    found = shutil.which(program, path=os.pathsep.join(folders))
    return found if found and Path(found).is_absolute() else None  # Windows looks into the current folder first


def is_here(host: KnownHost, around: Surroundings) -> bool:
    """Whether ``host`` is installed or has left its folder here."""
    has_program = host_program(host, around.environment) is not None
    return has_program or places(host, Scope.USER, around).own.is_dir()
