"""Which files a project has, and which of them may be read as evidence. Knows nothing of their meaning.

Inside git these are the tracked files and the new ones that git does not ignore; elsewhere a bounded walk. No evidence
are: what may hold secrets, what machines wrote (lock files, minified code), samples for tests, folders in which tools
keep their state, our own sentences and the records of earlier deliberations (a debate must not quote itself), and
names that no citation can spell.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from sparring.checks.citations import find_citations
from sparring.consult.working_tree.git import Git
from sparring.text.secret_files import may_hold_secrets

FILE_LIMIT = 512 * 1024
"""Most bytes of a file that is read as evidence; larger ones are left out, since they are rarely written by hand."""

WALK_LIMIT = 50_000
"""Most entries that are looked at outside git."""

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

_DEBATE_LOG = "debate-log.jsonl"
_OF_A_DEBATE = frozenset({_DEBATE_LOG, "transcript.md", "summary.md", "metadata.json"})


async def list_evidence_files(
    project: Path, environment: Mapping[str, str], *, timeout_s: float, walk_limit: int = WALK_LIMIT
) -> tuple[str, ...]:
    """Relative paths with forward slashes, sorted. Empty when there is nothing to read; that is no error."""
    paths = await list_files(project, environment, timeout_s=timeout_s, walk_limit=walk_limit)
    return tuple(path for path in without_debates(paths) if is_evidence(path))


async def list_files(
    project: Path, environment: Mapping[str, str], *, timeout_s: float, walk_limit: int = WALK_LIMIT
) -> tuple[str, ...]:
    """Relative paths of everything, with forward slashes, sorted. Empty when there is nothing; that is no error."""
    tracked = await Git(project, environment).files(timeout_s=timeout_s)
    paths: Iterable[str] = _walked(project, walk_limit) if tracked is None else tracked
    return tuple(sorted(set(paths)))


def without_debates(paths: Collection[str]) -> Iterator[str]:
    """``paths`` without what chaired debates have left beside their logs, wherever they were told to leave it."""
    held = {folder for folder, _, name in (path.rpartition("/") for path in paths) if name == _DEBATE_LOG}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name not in _OF_A_DEBATE or folder not in held:
            yield path


def is_evidence(path: str) -> bool:
    """Whether a file of that name may be read and cited."""
    if not is_searched(path) or not _SAMPLES.isdisjoint(path.split("/")[:-1]):
        return False
    citations = find_citations(f"`{path}:1`")
    return len(citations) == 1 and citations[0].path == path


def is_searched(path: str) -> bool:
    """Whether names are looked for in a file of that name: also in samples, and wherever people write.

    A deliberation's own records are left out, or whatever a debater makes up would be found there.
    """
    folder, _, name = path.rpartition("/")
    if not _is_searched_folder(folder) or may_hold_secrets(name):
        return False
    return not (_MACHINE_WRITTEN.fullmatch(name) or _OWN_WORDS.fullmatch(path))


@lru_cache(maxsize=4096)
def _is_searched_folder(folder: str) -> bool:
    parts = folder.split("/") if folder else []
    return not any(part in _NOT_OURS or _is_hidden(part) for part in parts) and not may_hold_secrets(f"{folder}/-")


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
