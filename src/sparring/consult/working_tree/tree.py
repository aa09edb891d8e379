"""The working tree of a project, as a ledger asks for it."""

from collections.abc import Collection, Mapping
from pathlib import Path

import anyio.from_thread

from sparring.checks.citations import CommitSeen, Departure, Listing, Sightings
from sparring.consult.working_tree.git import Git
from sparring.consult.working_tree.listing import is_searched, list_files, without_debates
from sparring.consult.working_tree.reading import SpelledFiles
from sparring.consult.working_tree.searching import search_names


class ProjectTree:
    """See ``WorkingTree``. Its methods are called in a worker thread of the event loop in which it was made.

    The listing is one moment's; files are read when they are asked for.
    """

    def __init__(self, project: Path, git: Git, paths: Collection[str]) -> None:
        self._project = project
        self._git = git
        self._files = SpelledFiles(project)
        self.listing = Listing(paths)

    def read(self, path: str) -> str | None:
        """See ``WorkingTree``."""
        return self._files.read(path)

    def search(self, names: Collection[str], *, defined: Collection[str]) -> Sightings:
        """See ``WorkingTree``. Ends when whoever waits for it no longer does."""
        searched = filter(is_searched, without_debates(self.listing.in_order))
        breathe = anyio.from_thread.check_cancelled
        return search_names(self._project, searched, names, defined=defined, breathe=breathe)

    def commits(self, hashes: Collection[str]) -> Mapping[str, CommitSeen]:
        """See ``WorkingTree``."""
        return anyio.from_thread.run(self._git.commits, hashes)

    def departed(self, paths: Collection[str]) -> Mapping[str, Departure]:
        """See ``WorkingTree``."""
        return anyio.from_thread.run(self._git.departed, paths)


async def look_at(project: Path, environment: Mapping[str, str], *, timeout_s: float) -> ProjectTree:
    """The working tree of ``project`` as it is now; ``environment`` is what git may see."""
    paths = await list_files(project, environment, timeout_s=timeout_s)
    return ProjectTree(project, Git(project, environment), paths)
