"""Which files of a project may be read as evidence, and how a cited one is read. Knows nothing of their meaning.

Inside git these are the tracked files and the new ones that git does not ignore; elsewhere a bounded walk. Left out
are: what may hold secrets, what machines wrote (lock files, minified code), samples for tests, folders in which tools
keep their state, our own sentences and the records of earlier deliberations (a debate must not quote itself), and
names that no citation can spell.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sparring.checks.citations import find_citations
from sparring.consult.process import Command, run_child

FILE_LIMIT = 512 * 1024
"""Most bytes of a file that is read as evidence; larger ones are left out, since they are rarely written by hand."""

WALK_LIMIT = 50_000
"""Most entries that are looked at outside git."""

_LISTING_LIMIT = 64 * 1024 * 1024
_CITED_FILE_LIMIT = 8 * 1024 * 1024
_GIT = (
    *("git", "-c", "core.fsmonitor=false"),  # a repository's own configuration may name a program there
    *("ls-files", "-z", "--cached", "--others", "--exclude-standard"),
)
_ENVIRONMENT = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT")
"""What git needs; GIT_DIR and its like are left out, so that the project alone decides."""

_SECRET_NAME = re.compile(
    r"\.env(?:\..*)?|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg)|id_[a-z0-9]+(?:\.pub)?|"
    r"\.(?:netrc|npmrc|pypirc|pgpass|htpasswd)|credentials(?:\..*)?|secrets?\.(?:json|toml|ya?ml)",
    re.IGNORECASE,
)
_MACHINE_WRITTEN = re.compile(
    r".*\.lock|.*-lock\.(?:json|ya?ml)|go\.sum|.*\.min\.[a-z]+|.*\.(?:map|svg|ipynb|csv|tsv|jsonl|log)|npm-shrinkwrap\.json",
    re.IGNORECASE,
)
_NOT_OURS = frozenset({"node_modules", "__pycache__", "site-packages", "vendor", "third_party"})
_SAMPLES = frozenset({"golden", "fixtures", "snapshots", "__snapshots__", "testdata", "cassettes"})
_VISIBLE_ANYWAY = frozenset({".github", ".ci"})
"""Hidden folders that people write into; all others belong to tools, ours among them."""

_OWN_WORDS = re.compile(
    r"(?:.*/)?(?:(?:debate|consult|fact-check|jury|chaired-debate)/(?:runs/|last-)|prompts/offline/).*"
)


async def list_evidence_files(
    project: Path, environment: Mapping[str, str], *, timeout_s: float, walk_limit: int = WALK_LIMIT
) -> tuple[str, ...]:
    """Relative paths with forward slashes, sorted. Empty when there is nothing to read; that is no error."""
    tracked = await _tracked(project, environment, timeout_s)
    paths: Iterable[str] = _walked(project, walk_limit) if tracked is None else tracked
    return tuple(sorted({path for path in paths if is_evidence(path)}))


def is_evidence(path: str) -> bool:
    """Whether a file of that name may be read and cited."""
    *folders, name = path.split("/")
    if any(folder in _NOT_OURS | _SAMPLES or _is_hidden(folder) for folder in folders):
        return False
    if _SECRET_NAME.fullmatch(name) or _MACHINE_WRITTEN.fullmatch(name) or _OWN_WORDS.fullmatch(path):
        return False
    citations = find_citations(f"`{path}:1`")
    return len(citations) == 1 and citations[0].path == path


def read_cited(project: Path, path: str) -> str | None:
    """The text of a file that somebody cites, None unless it is a regular file inside the project.

    Follows links only as far as they stay inside. Undecodable bytes are replaced.
    """
    try:
        resolved = (project / path).resolve()
        if not resolved.is_relative_to(project.resolve()) or not resolved.is_file():
            return None
        with resolved.open("rb") as file:
            return file.read(_CITED_FILE_LIMIT).decode("utf-8", errors="replace")
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None


async def _tracked(project: Path, environment: Mapping[str, str], timeout_s: float) -> list[str] | None:
    """What git lists; None where there is no git, no repository, or one that git does not trust."""
    env = {name: environment[name] for name in _ENVIRONMENT if name in environment} | {"GIT_OPTIONAL_LOCKS": "0"}
    command = Command(argv=_GIT, env=env, cwd=project)
    try:
        finished = await run_child(command, prompt=None, timeout_s=timeout_s, output_limit=_LISTING_LIMIT)
    except OSError:
        return None
    return [path for path in finished.stdout.split("\0") if path] if finished.exit_code == 0 else None


def _walked(project: Path, limit: int) -> Iterator[str]:
    seen = 0
    for folder, subfolders, names in os.walk(project):  # links to folders are not followed
        subfolders[:] = sorted(name for name in subfolders if name not in _NOT_OURS | _SAMPLES and not _is_hidden(name))
        for name in sorted(names):
            yield (Path(folder) / name).relative_to(project).as_posix()
        seen += 1 + len(names)
        if seen > limit:
            return


def _is_hidden(folder: str) -> bool:
    return folder.startswith(".") and folder not in _VISIBLE_ANYWAY
