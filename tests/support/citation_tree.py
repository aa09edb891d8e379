"""A small repository with a history: files of this project as they were at one moment, kept in ``tests/data``.

Its commits always have the same names. A clone of the real history would not do: it may be shallow, and it grows.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from support.projects import archived, git, make_project

ARCHIVE = Path(__file__).resolve().parents[1] / "data" / "citation_tree.txt"
_GONE = "- "
RENAMED = {
    "src/sparring/consult/process.py": "src/sparring/consult/process/child.py",
    "src/sparring/consult/process_table.py": "src/sparring/consult/process/table.py",
    "src/sparring/consult/codex_config.py": "src/sparring/consult/confinement/codex.py",
    "src/sparring/reports/debates.py": "src/sparring/reports/debate/markdown.py",
    "src/sparring/consult/offline/judging.py": "src/sparring/consult/offline/debating/judging.py",
}
"""Names of files before the second commit."""

_LATE = ("docs/checks.md", "src/sparring/checks/citations.py", "src/sparring/consult/citing.py")
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_NAME": "A. Person" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "a.person@example.org" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{when}_DATE": "2026-01-02T03:04:05Z" for when in ("AUTHOR", "COMMITTER")},
}


def build(root: Path) -> Path:
    """The repository, with its working tree, in the new folder ``root``."""
    files = archived(ARCHIVE)
    here = {path: text for path, text in files.items() if not path.startswith(_GONE)}
    gone = {path.removeprefix(_GONE): text for path, text in files.items() if path.startswith(_GONE)}
    now = {new: old for old, new in RENAMED.items()}
    first = {now.get(path, path): text for path, text in here.items() if path not in _LATE}
    root.mkdir(parents=True)
    _git(root, "init", "-q", "--object-format=sha1", "--initial-branch=main", "--template=")
    _commit(root, first | gone, "Begin with a runner and the errors that it raises")
    for old, new in RENAMED.items():
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        (root / old).rename(root / new)
    _commit(root, {}, "Give processes and confinement folders of their own")
    for path in gone:
        (root / path).unlink()
    _commit(root, {}, "Drop what nobody needs any more")
    _commit(root, {path: here[path] for path in _LATE}, "Check what texts cite")
    return root


def _commit(root: Path, files: Mapping[str, str], message: str) -> None:
    make_project(root, files, git=False)
    _git(root, "add", "-A", ".")
    _git(root, "-c", "core.autocrlf=false", "commit", "-q", "-m", message)


def _git(root: Path, *arguments: str) -> None:
    git(root, *arguments, environment={"PATH": os.environ["PATH"]} | _ENVIRONMENT)
