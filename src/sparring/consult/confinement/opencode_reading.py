"""What OpenCode may do when it may read a project, as its permission rules: of several that fit, the last one counts.

It is given one tool, ``read``, which also lists folders. The others cannot be confined by path: ``grep`` and ``glob``
are asked for by the words that are searched, and follow a link that they are pointed at (1.18.33). ``read`` follows
links as well and is asked for by the path that leads to them, so each link that leads somewhere else is named here.
"""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

from sparring.consult.confinement.secret_names import FILES, FOLDERS
from sparring.errors import ConfigurationError
from sparring.text.secret_files import may_hold_secrets

Rules = dict[str, str | dict[str, str]]

ENTRY_LIMIT = 500_000
"""Most files and folders of a project that are looked at."""

DOOR_LIMIT = 200
"""Most paths that are denied one by one; where there are more, all that is beside them in a folder of the root is."""

NOTHING: Rules = {"*": "deny"}
"""The permissions of one who only answers."""


def reading_rules(
    project: Path, worktree: Path, *, ignores_case: bool = False, entry_limit: int = ENTRY_LIMIT
) -> Rules:
    """The permissions of one who may read ``project``, which has no links in its own path, and nothing outside it.

    ``worktree`` is where OpenCode takes the paths that it asks about to begin. ``ignores_case`` says whether the file
    system there finds a file by its name in capitals, too.

    Raises:
        ConfigurationError: The project is too large to be looked through, or its path cannot be written as a rule.
    """
    if {"*", "?"} & set(str(project)):
        raise ConfigurationError(f"opencode cannot be kept to {project}: its path holds a `*` or a `?`.")
    # As OpenCode writes it: the root of what it works in is an empty path.
    root = "" if project == worktree else os.path.relpath(project, worktree).replace(os.sep, "/")
    below = f"{root}/" if root else ""
    reading = {"*": "deny", root: "allow", f"{below}*": "allow"}
    reading |= dict.fromkeys(_secrets(below), "deny")
    doors = _doors(project, entry_limit, secrets=ignores_case)
    reading |= dict.fromkeys(_exceptions(doors, below, ignores_case=ignores_case), "deny")
    inside = str(project).replace(os.sep, "/")
    return {**NOTHING, "read": reading, "external_directory": {"*": "deny", f"{inside}/*": "allow"}}


def _secrets(below: str) -> Iterator[str]:
    # Rules know no letters in either case, so names are denied in the usual spellings. On a system where case does not
    # matter, the secrets that are really there are denied in any (see below).
    places = ("*/",) if below else ("", "*/")
    for place, name in itertools.product(places, (*FILES, *FOLDERS, *(f"{folder}/*" for folder in FOLDERS))):
        yield from (place + spelling for spelling in (name, name.upper(), name.title()))


def _exceptions(doors: list[str], below: str, *, ignores_case: bool) -> Iterator[str]:
    for path in doors:
        pattern = "".join(map(_however_spelled, path)) if ignores_case else path
        # JavaScript puts what looks like a number before all other rules, where it would not count.
        pattern = below + ("?" * len(pattern) if pattern.isdecimal() else pattern)
        yield from (pattern, f"{pattern}/*")


def _however_spelled(letter: str) -> str:
    # What ignores case often ignores how accents are written, too, and then one letter may be several.
    return ("?" if letter.isalpha() else letter) if letter.isascii() else "*"


def _doors(project: Path, entry_limit: int, *, secrets: bool) -> list[str]:
    """The paths in the project that lead out of it or to a secret under another name; with ``secrets`` these, too."""
    found: list[str] = []
    seen = 0
    for folder, folders, files in os.walk(project):
        seen += len(folders) + len(files)
        if seen > entry_limit:
            raise ConfigurationError(f"{project} holds too much for opencode to be kept to what it may read of it.")
        folders[:] = [name for name in folders if name not in FOLDERS]
        # A folder has more than one path as soon as a link leads to it, wherever it lies.
        found += [path for name in folders if (project / (path := _path(project, folder, name))).is_symlink()]
        paths = (_path(project, folder, name) for name in files)
        found += [path for path in paths if _leads_away(project, path) or (secrets and may_hold_secrets(path))]
    if len(found) > DOOR_LIMIT:
        return list(dict.fromkeys(path.split("/", maxsplit=1)[0] for path in found))
    return found


def _path(project: Path, folder: str, name: str) -> str:
    return os.path.relpath(Path(folder, name), project).replace(os.sep, "/")


def _leads_away(project: Path, path: str) -> bool:
    if not (project / path).is_symlink():
        return False
    target = Path(os.path.realpath(project / path))
    return not target.is_relative_to(project) or may_hold_secrets(target.relative_to(project).as_posix())
