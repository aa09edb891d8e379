"""What Claude Code may not read when it may read a project.

``--restricted`` keeps its tools inside the project, but for one place: its own temporary folder, where earlier
sessions left things (2.1.329). And inside the project there may be secrets.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sparring.consult.confinement.secret_names import FILES, FOLDERS, in_any_case

_SPECIAL = re.compile(r"([\\*?\[\]!#])")


def reading_rules(environment: Mapping[str, str], project: Path) -> tuple[str, ...]:
    """The arguments that deny what must not be read; a denial outweighs whatever else is allowed."""
    rules = [f"Read({pattern})" for pattern in _denied(environment, project)]
    return ("--settings", json.dumps({"permissions": {"deny": rules}}))


def _denied(environment: Mapping[str, str], project: Path) -> Iterator[str]:
    yield from (f"**/{in_any_case(name)}" for name in FILES)
    yield from (f"**/{in_any_case(name)}/**" for name in FOLDERS)
    temporary = Path(environment.get("TMPDIR") or "/tmp")  # noqa: S108 - Claude Code puts it there, not we
    for folder in dict.fromkeys((temporary, temporary.resolve())):
        # An agent may have been given a folder in there to work in; then that is the project.
        if not any(parent.parent == folder for parent in project.parents if parent.name.startswith("claude-")):
            escaped = _SPECIAL.sub(r"\\\1", str(folder))
            yield f"/{escaped}/claude-*/**"  # a second slash makes it begin at the root
