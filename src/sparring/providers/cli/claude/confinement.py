"""Files that Claude Code must not read when it may read the project, and its folder when it may not.

It reads the user's ``~/.claude.json`` even without settings (2.1.329). ``verbose`` there changes its
output, so that is switched off. Everything else is set by its arguments and variables.

``--restricted`` keeps its tools inside the project, except for its own temporary folder, where earlier sessions
left things (2.1.329). And inside the project there may be secrets. A denial outweighs every permission.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from sparring.providers.cli.confinement import (
    FILES,
    FOLDERS,
    Addition,
    MakeOwn,
    Surroundings,
    empty_folder,
    in_any_case,
)
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import QuestionTerms
from sparring.schema.providers import ProgramProvider

_SPECIAL = re.compile(r"([\\*?\[\]!#])")


_ALWAYS: dict[str, JsonValue] = {"verbose": False}


def confine(spec: ProgramProvider, terms: QuestionTerms, surroundings: Surroundings, own: MakeOwn) -> Addition:
    """Return the additions for ``terms``."""
    del own
    if terms.repo_access is not RepoAccess.READ:
        # Always the same one: it keeps sessions, and notes on each folder, by path.
        return Addition(arguments=_settings(_ALWAYS), cwd=empty_folder(surroundings, spec.name))
    rules: list[JsonValue] = [f"Read({pattern})" for pattern in _denied(surroundings)]
    return Addition(arguments=_settings({**_ALWAYS, "permissions": {"deny": rules}}))


def _settings(settings: JsonValue) -> tuple[str, ...]:
    return "--settings", json.dumps(settings)


def _denied(surroundings: Surroundings) -> Iterator[str]:
    project = surroundings.project
    yield from (f"**/{in_any_case(name)}" for name in FILES)
    yield from (f"**/{in_any_case(name)}/**" for name in FOLDERS)
    yield from (f"{_from_the_root(project.resolve() / folder)}/**" for folder in surroundings.closed_inside())
    temporary = Path(surroundings.environment.get("TMPDIR") or "/tmp")  # noqa: S108 - the place is that of Claude Code, not ours
    for folder in dict.fromkeys((temporary, Path(os.path.realpath(temporary)))):
        # An agent may have been given a folder in there to work in; then that is the project.
        if not any(parent.parent == folder for parent in project.parents if parent.name.startswith("claude-")):
            yield f"{_from_the_root(folder)}/claude-*/**"


def _from_the_root(folder: Path) -> str:
    return "/" + _SPECIAL.sub(r"\\\1", str(folder))  # a second slash makes it begin at the root
