"""What Gemini CLI may do when it may read a project, as rules about the arguments of its tools.

The tools themselves stay inside the folders that they were told of, links followed (0.61.0). But these are not the
project alone: the folder of the session is one of them. And inside the project there may be secrets. So a rule denies
every path that is not the project's, and others what is made to hold secrets, by name.

A rule is a regular expression over the arguments as JSON, where a NUL stands before each name. Paths are decoded like
parts of URLs, resolved, and matched against globs only after the rules were asked; what could become another path by
that is denied altogether.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from sparring.consult.confinement.secret_names import FILES, FOLDERS
from sparring.errors import ConfigurationError
from sparring.text.secret_files import may_hold_secrets

ENTRY_LIMIT = 500_000
"""Most files and folders of a project that are looked at."""

LINK_LIMIT = 200
"""Most links to secrets that are denied one by one; where there are more, the folders that hold them are."""

PATTERN_LIMIT = 2048
"""Most characters of a rule; it drops a longer one (0.61.0)."""

_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\/]")
_UNWRITABLE = re.compile(r'[%\\"${}\x00-\x1f\x7f\ud800-\udfff]')


def reading_policies(project: Path, *, entry_limit: int = ENTRY_LIMIT) -> str:
    """The rules, as a file, of one who may read ``project``, which has no links in its own path.

    Raises:
        ConfigurationError: The project is too large to be looked through, or its path cannot be written as a rule.
    """
    root = project.as_posix()
    if found := _UNWRITABLE.search(root):
        raise ConfigurationError(f"gemini cannot be kept to {project}: its path holds a {found[0]!r}.")
    paths = f"Name files and folders by their whole path, which begins with {root}."
    straight = "Paths and patterns may hold neither empty parts nor dots in place of names."
    rules = [
        _rule(rf'\x00"file_path":"(?!{_escaped(root)}/)', paths),
        _rule(rf'\x00"dir_path":"(?!{_escaped(root)}["/])', paths),
        _rule(r'\x00"pattern":"/', "A pattern may not begin with a slash."),
        _rule(r'["/]\.\.["/]', straight),
        _rule(r"/\.?/", straight),
        # The one brace that the arguments themselves end with has a NUL before it.
        _rule(r"[%\\]|[^\x00]\}", "Neither paths nor patterns may hold a percent sign, a backslash or a brace."),
    ]
    rules += (_rule(pattern, "This may hold secrets.") for pattern in _secrets(project, entry_limit))
    return "\n".join(rules)


def _rule(pattern: str, message: str) -> str:
    if len(pattern) > PATTERN_LIMIT:
        raise ConfigurationError("gemini cannot be kept to a project with a path of that length.")
    rule = {"toolName": "*", "argsPattern": pattern, "decision": "deny", "priority": 999, "denyMessage": message}
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in rule.items())
    return "\n".join(("[[rule]]", *lines, ""))


def _secrets(project: Path, entry_limit: int) -> Iterator[str]:
    # What follows a name would be dropped when the path is resolved.
    yield from (rf'["/]{_any_case(name)}[/.]*"' for name in FILES)
    yield from (rf'["/]{_any_case(name)}["/]' for name in FOLDERS)
    yield from (rf'/{_any_case(path)}["/]' for path in _links_to_secrets(project, entry_limit))


def _any_case(name: str) -> str:
    """``name``, in which ``*`` stands for anything, as a regular expression that no other spelling of it escapes."""
    return "".join(map(_spelled, name))


def _spelled(letter: str) -> str:
    if letter == "*" or not letter.isascii() or not letter.isprintable():
        return '[^/"]*'
    return f"[{letter.lower()}{letter.upper()}]" if letter.isalpha() else _escaped(letter)


def _escaped(path: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", path)


def _links_to_secrets(project: Path, entry_limit: int) -> list[str]:
    found: list[str] = []
    seen = 0
    for folder, folders, files in os.walk(project):
        seen += len(folders) + len(files)
        if seen > entry_limit:
            raise ConfigurationError(f"{project} holds too much for gemini to be kept to what it may read of it.")
        folders[:] = [name for name in folders if name not in FOLDERS]
        links = (Path(folder, name) for name in (*folders, *files))
        found += (link.relative_to(project).as_posix() for link in links if _leads_to_secret(project, link))
    if len(found) > LINK_LIMIT:
        return list(dict.fromkeys(path.split("/", maxsplit=1)[0] for path in found))
    return found


def _leads_to_secret(project: Path, link: Path) -> bool:
    if not link.is_symlink():
        return False
    target = Path(os.path.realpath(link))
    if not target.is_relative_to(project):
        return False  # the tools themselves do not follow it
    path = target.relative_to(project).as_posix()
    return may_hold_secrets(path) or may_hold_secrets(f"{path}/anything")
