"""What a program of a user's is given beside a question, below one folder of a test."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sparring.providers.cli.confinement import Confinement, Surroundings, confine
from sparring.schema.providers import ProgramProvider
from support.desk import command_line, question


def furnished(
    tool: str | ProgramProvider,
    root: Path,
    name: str = "folder",
    environment: Mapping[str, str] | None = None,
    **asked: Any,
) -> Confinement:
    """What is added to a call of ``tool`` below ``root``; the folder of that name is filled for it.

    ``root`` has the user's ``home``, the ``project`` and what is ``private``.
    """

    def own() -> Path:
        (root / name).mkdir()
        return root / name

    (root / "project").mkdir(exist_ok=True)
    spec = command_line(tool) if isinstance(tool, str) else tool
    surroundings = Surroundings(environment or {"HOME": str(root / "home")}, root / "project", root / "private")
    return confine(spec, question(**asked), surroundings, own)
