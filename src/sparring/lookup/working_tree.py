"""A project on the disk: its files, their content, and the commits in git.

The name of a file or a commit may come from a model. So files outside of the project are not read, nor names
meant for secrets; ``git`` asks git.
"""

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

import anyio.from_thread

from sparring.checks.citations import (
    DEFINING_WORDS,
    CommitPresence,
    FileRemoval,
    Listing,
    NameMatches,
    TooLongError,
    find_citations,
)
from sparring.checks.citations.tree import composed
from sparring.disk import SAFELY
from sparring.lookup.git import Git
from sparring.text.secret_shapes import may_hold_secrets

SEARCHED_FILE_LIMIT = 8 * 1024 * 1024
"""Most bytes of a file that is looked up or searched; larger ones are hardly ever written by hand."""


class SpelledFiles:
    """The files of a project by their names exactly as they are spelled, also where the disk does not care.

    What may hold secrets, be it behind a link, is not read.
    """

    def __init__(self, project: Path) -> None:
        self._project = project.resolve()
        self._names_in = cache(_names_in)

    def read(self, path: str) -> str | None:
        """Return the text of the file at ``path`` from the root, with slashes; None if there is none of that name.

        Raises:
            TooLongError: There is one, with more than ``SEARCHED_FILE_LIMIT`` bytes.
        """
        spelled = self._on_disk(path)
        if spelled is None or may_hold_secrets(path):
            return None
        try:
            resolved = (self._project / spelled).resolve()
            if not resolved.is_relative_to(self._project):
                return None
            # A link with a harmless name may lead to a file with another one.
            if may_hold_secrets(resolved.relative_to(self._project).as_posix()):
                return None
            return _text(resolved)
        except (OSError, RuntimeError, ValueError):
            return None

    def _on_disk(self, path: str) -> str | None:
        """Return ``path`` as the disk spells it, which may compose letters in another way; None if it is not there."""
        folder, parts = self._project, list[str]()
        for part in path.split("/"):
            names = self._names_in(folder)
            spelled = part if part in names else names.get(composed(part))
            if part in ("", ".", "..") or spelled is None:
                return None
            folder /= spelled
            parts.append(spelled)
        return "/".join(parts)


def _text(file: Path) -> str | None:
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        content = stream.read(SEARCHED_FILE_LIMIT + 1)
    text = content[:SEARCHED_FILE_LIMIT].decode("utf-8", errors="replace")
    if len(content) > SEARCHED_FILE_LIMIT:
        raise TooLongError(text[: text.rfind("\n") + 1])
    return text


def _names_in(folder: Path) -> Mapping[str, str]:
    """Return the names in ``folder`` by their spellings: each as it is, and with its letters composed."""
    try:
        names = [file.name for file in folder.iterdir()]
    except (OSError, ValueError):
        return {}
    by_spelling = {composed(name): name for name in names}
    by_spelling |= {name: name for name in names}  # a name as it is counts before another one's composed form
    return by_spelling


TOTAL_LIMIT = 512 * 1024 * 1024
"""Most bytes that are searched; beyond them, a missing name may still exist."""

_WORDS_ONLY = bytes(byte if chr(byte).isalnum() or byte == ord("_") or byte >= 128 else 32 for byte in range(256))
"""Turns everything else into spaces; non-ASCII bytes belong to words."""

_DEFINING = frozenset(word.encode() for word in DEFINING_WORDS)
_WORD_BEFORE = 16
"""Bytes before a name in which the word stands that defines it."""

_MOST_DEFINING = 40
_MOST_TRIED = 400
"""Files in which a definition of one name is looked for: a word that so many files use and none defines is plain."""

_FILES_PER_PAUSE = 256

_BEGINNING = 8192
"""First bytes of a long file, which decide whether it is text."""


def search_names(
    project: Path,
    paths: Iterable[str],
    names: Collection[str],
    *,
    defined: Collection[str] = (),
    pause: Callable[[], object],
    total_limit: int = TOTAL_LIMIT,
) -> NameMatches:
    """Find ``names`` in the files at ``paths``, as whole words and in their letter case.

    One pass, whatever the number of names: each file is cut into words, and the names among them are kept. On a tree of
    20,000 files that takes about a second, most of it for the cutting, so it is done once for a whole speech.

    Args:
        project: The folder of the paths.
        paths: Regular files; links and unreadable files are skipped.
        names: Words of letters, digits and underscores.
        defined: Those whose apparent definitions are needed as well.
        pause: Called every few files; may raise to end the search.
        total_limit: Most bytes that are searched.
    """
    search = _Search(names, defined)
    room, is_complete = total_limit, True
    for number, path in enumerate(paths if names else ()):
        if number % _FILES_PER_PAUSE == 0:
            pause()
        if room <= 0:
            return search.sightings(is_complete=False)
        content = _content(os.path.join(project, path))  # noqa: PTH118 -- ten times as fast as Path, 20,000 times
        if content is None:
            is_complete = False
            continue
        room -= len(content)
        search.look_into(path, content)
    return search.sightings(is_complete=is_complete)


class _Search:
    """Search of several files for names, with the results so far."""

    def __init__(self, names: Collection[str], defined: Collection[str]) -> None:
        self._names = {name.encode(): name for name in names}
        self._wanted = frozenset(self._names)
        self._holding: dict[bytes, list[str]] = {name: [] for name in self._names}
        self._defining: dict[bytes, list[str]] = {name.encode(): [] for name in defined}

    def look_into(self, path: str, content: bytes) -> None:
        for name in self._wanted.intersection(content.translate(_WORDS_ONLY).split()):
            holding, defining = self._holding[name], self._defining.get(name)
            holding.append(path)
            if defining is None or len(holding) > _MOST_TRIED or len(defining) >= _MOST_DEFINING:
                continue
            if _seems_to_define(content, name):
                defining.append(path)

    def sightings(self, *, is_complete: bool) -> NameMatches:
        return NameMatches(
            holding={self._names[name]: frozenset(paths) for name, paths in self._holding.items()},
            defining={self._names[name]: frozenset(paths) for name, paths in self._defining.items()},
            is_complete=is_complete,
        )


def _seems_to_define(content: bytes, name: bytes) -> bool:
    position = content.find(name)
    while position >= 0:
        before = content[max(position - _WORD_BEFORE, 0) : position].split()
        if before and before[-1] in _DEFINING:
            return True
        position = content.find(name, position + len(name))
    return False


def _content(file: str) -> bytes | None:
    """Return the bytes of a regular file of text; nothing of any other, and None of one that is too long to be read."""
    try:
        descriptor = os.open(file, os.O_RDONLY | SAFELY)
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return b""
        is_long = status.st_size > SEARCHED_FILE_LIMIT
        content = os.read(descriptor, _BEGINNING if is_long else status.st_size)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
    if b"\0" in content:
        return b""
    return None if is_long else content


FILE_LIMIT = 512 * 1024
"""Most bytes of a file that is read as evidence; larger ones are left out, since they are rarely written by hand."""

_LISTING_S = 20.0
"""Seconds for git to list the files, by default."""

WALK_LIMIT = 50_000
"""Most entries that are examined outside git."""

_MACHINE_WRITTEN = re.compile(
    r".*\.lock|.*-lock\.(?:json|ya?ml)|go\.sum|.*\.min\.[a-z]+|.*\.(?:map|svg|ipynb|csv|tsv|jsonl|log)|npm-shrinkwrap\.json",
    re.IGNORECASE,
)
_NOT_OURS = frozenset({"node_modules", "__pycache__", "site-packages", "vendor", "third_party"})
_BUILT = frozenset({"build", "dist", "target", "venv"})
"""Folders that git usually ignores, for projects without git."""

_SAMPLES = frozenset({"golden", "fixtures", "snapshots", "__snapshots__", "testdata", "cassettes"})
_VISIBLE_ANYWAY = frozenset({".github", ".ci"})
"""Hidden folders that people write into; all others belong to tools, ours among them."""

_OWN_WORDS = re.compile(
    r"(?:.*/)?(?:(?P<kind>[a-z]+(?:-[a-z]+)*)/(?:runs/(?P=kind)-\d{8}T|last-(?:(?P=kind)|(?:multi-)?session|verdict)\.)"
    r"|prompts/offline/).*"
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
    project: Path, environment: Mapping[str, str], *, timeout_s: float = _LISTING_S, walk_limit: int = WALK_LIMIT
) -> tuple[str, ...]:
    """Relative paths of everything, with forward slashes, sorted. Empty when there is nothing; that is no error.

    Inside git these are the tracked files and the new ones that git does not ignore; elsewhere a bounded walk.
    """
    if is_in_repository(project):
        paths = await Git(project, environment).files(timeout_s=timeout_s)
        if paths is not None:
            return tuple(sorted(set(paths)))
    return tuple(sorted(set(_walked(project, walk_limit))))


def is_in_repository(project: Path) -> bool:
    """Return whether git could know anything of ``project``; it is not asked."""
    return any(os.path.lexists(folder / ".git") for folder in (project, *project.parents))


def without_debates(paths: Collection[str]) -> Iterator[str]:
    """Yield ``paths`` without the logs of chaired debates and the files next to them, in any output folder."""
    folders_of_debates = set[str]()
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name == _DEBATE_LOG:
            folders_of_debates.add(folder)
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name not in _OF_A_DEBATE or folder not in folders_of_debates:
            yield path


def is_evidence(path: str) -> bool:
    """Return whether a file of that name may be read and cited.

    Excluded are names meant for secrets, generated files (lock files, minified code), samples for tests, folders
    in which tools keep their state, our own sentences and the records of earlier deliberations (a debate must not quote
    itself), and names that no citation can spell.
    """
    if not _is_searched(path) or not _SAMPLES.isdisjoint(path.split("/")[:-1]):
        return False
    citations = find_citations(f"`{path}:1`", _may_be_file)
    return len(citations) == 1 and citations[0].path == path


def _may_be_file(path: str, *, is_with_line: bool) -> bool:
    return is_with_line and "." in path.rpartition("/")[2].lstrip(".")  # `.gitignore` is a name without a suffix


def _is_searched(path: str) -> bool:
    """Return whether names are searched in a file of that name: also in samples, and in all kinds of text.

    A deliberation's own records are left out, because they contain every invention of a debater.
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
    excluded = _NOT_OURS | _SAMPLES | _BUILT
    for folder, subfolders, names in os.walk(project):  # links to folders are not followed
        entered = [name for name in subfolders if name not in excluded and not _is_hidden(name)]
        # In place, since ``os.walk`` goes on with this list.
        subfolders[:] = sorted(name for name in entered if not _is_mounted(folder, name))
        for name in sorted(names):
            path = (Path(folder) / name).relative_to(project).as_posix()
            # Decoded like output of git: a name that is no text cannot be shown, and no longer names a file.
            yield os.fsencode(path).decode(errors="replace")
        seen += 1 + len(names)
        if seen > limit:
            return


def _is_mounted(folder: str, name: str) -> bool:
    """Return whether another file system begins there; a read from ``/proc``, for example, may never end."""
    return os.path.ismount(os.path.join(folder, name))  # noqa: PTH118 -- as above


def _is_hidden(folder: str) -> bool:
    return folder.startswith(".") and folder not in _VISIBLE_ANYWAY


class ProjectTree:
    """See ``WorkingTree``. Its methods are called in a worker thread of the event loop in which it was made.

    The listing is that of one moment; files are read on request.
    """

    def __init__(self, project: Path, git: Git, paths: Collection[str]) -> None:
        self._project = project
        self._git = git
        self._files = SpelledFiles(project)
        self.roots = tuple(f"{root.as_posix().rstrip('/')}/" for root in {project.absolute(), project.resolve()})
        self.listing = Listing(paths)

    def read(self, path: str) -> str | None:
        """See ``WorkingTree``."""
        return self._files.read(path)

    def search(self, names: Collection[str], *, defined: Collection[str]) -> NameMatches:
        """See ``WorkingTree``. Ends when its caller is cancelled."""
        searched = filter(_is_searched, without_debates(self.listing.in_order))
        pause = anyio.from_thread.check_cancelled
        return search_names(self._project, searched, names, defined=defined, pause=pause)

    def commits(self, hashes: Collection[str]) -> Mapping[str, CommitPresence]:
        """See ``WorkingTree``."""
        return anyio.from_thread.run(self._git.commits, hashes)

    def removed_files(self, paths: Collection[str]) -> Mapping[str, FileRemoval]:
        """See ``WorkingTree``."""
        return anyio.from_thread.run(self._git.removed_files, paths)


async def look_at(project: Path, environment: Mapping[str, str], *, timeout_s: float) -> ProjectTree:
    """The working tree of ``project`` as it is now; ``environment`` is what git may see."""
    paths = await list_files(project, environment, timeout_s=timeout_s)
    return ProjectTree(project, Git(project, environment), paths)
