"""The start of a program for a question, and the additions for a known one, below one folder of a test."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from sparring.providers.cli import confinement
from sparring.providers.cli.confinement import Addition, Confinement, MakeOwn, Surroundings
from sparring.schema.providers import ProgramProvider
from support.desk import command_line, question


def furnished(
    tool: str | ProgramProvider,
    root: Path,
    name: str = "folder",
    environment: Mapping[str, str] | None = None,
    **asked: Any,
) -> Addition:
    """Return the additions to a call of ``tool``, a known program, below ``root``; fills the folder of that name.

    ``root`` has the user's ``home``, the ``project`` and what is ``private``.
    """
    spec = command_line(tool) if isinstance(tool, str) else tool
    known = import_module(f"{confinement.__package__}.{spec.confinement}.confinement")
    return known.confine(spec, question(**asked), _surroundings(root, environment), _own(root / name))


def started(
    tool: str | ProgramProvider,
    root: Path,
    name: str = "folder",
    environment: Mapping[str, str] | None = None,
    **asked: Any,
) -> Confinement:
    """Return how ``tool`` is started, in the same surroundings."""
    spec = command_line(tool) if isinstance(tool, str) else tool
    return confinement.confine(spec, question(**asked), _surroundings(root, environment), _own(root / name))


def _surroundings(root: Path, environment: Mapping[str, str] | None) -> Surroundings:
    (root / "project").mkdir(exist_ok=True)
    return Surroundings(environment or {"HOME": str(root / "home")}, root / "project", root / "private")


def _own(folder: Path) -> MakeOwn:
    def make() -> Path:
        folder.mkdir()
        return folder

    return make
