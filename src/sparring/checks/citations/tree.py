"""What a ledger has to know of a working tree, whoever looks it up."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class CommitSeen(StrEnum):
    """Whether a repository has a commit. In a part of a history (a shallow clone) one that is missing may be."""

    THERE = "there"
    MISSING = "missing"
    AMBIGUOUS = "ambiguous"
    PARTIAL_HISTORY = "partial_history"
    NO_REPOSITORY = "no_repository"


@dataclass(frozen=True)
class Departure:
    """How a file left the working tree.

    Attributes:
        commit: The commit that took it away, shortened.
        now: Its later path; empty when it was deleted.
    """

    commit: str
    now: str = ""


@dataclass(frozen=True)
class Sightings:
    """Where names stand.

    Attributes:
        holding: For each name the files that hold it as a whole word, in this letter case.
        defining: For each name of which that was asked, files that seem to define it; whoever relies on one has to
            look.
        is_complete: Whether every file was searched.
    """

    holding: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    defining: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    is_complete: bool = True


class Listing:
    """The paths of a working tree, as they are spelled there, with forward slashes.

    Attributes:
        in_order: All files, shallow ones first: they are the ones that readers know.
        rank: The place of each in that order.
        folders: All folders that hold files, at any depth.
    """

    def __init__(self, paths: Collection[str]) -> None:
        self.files = frozenset(paths)
        self.in_order = tuple(sorted(self.files, key=depth))
        self.rank = {path: number for number, path in enumerate(self.in_order)}
        self.folders: set[str] = set()
        self._by_name: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        self._by_lower_case: dict[str, str] = {}
        for path in self.in_order:
            self._add(path)

    def _add(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        self._by_name.setdefault(name, []).append(path)
        self._by_stem.setdefault(name.partition(".")[0], []).append(path)
        self._by_lower_case[path.lower()] = path
        while folder and folder not in self.folders:
            self.folders.add(folder)
            self._by_stem.setdefault(folder.rpartition("/")[2], []).append(f"{folder}/")
            self._by_lower_case.setdefault(folder.lower(), folder)
            folder = folder.rpartition("/")[0]

    def in_other_case(self, path: str) -> str:
        """What is there under that path but for the case of its letters; empty for nothing."""
        return self._by_lower_case.get(path.lower(), "")

    def ending_with(self, path: str) -> tuple[str, ...]:
        """The files whose path ends with ``path``, at a slash."""
        name = path.rpartition("/")[2]
        return tuple(each for each in self._by_name.get(name, ()) if each == path or each.endswith(f"/{path}"))

    def modules(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """The files and folders (these with a slash at their end) that bear a dotted name, be it without its head."""
        tail = "/".join(parts)
        return tuple(each for each in self._by_stem.get(parts[-1], ()) if _is_module(each, tail))


class WorkingTree(Protocol):
    """One state of a working tree. Nothing that may hold secrets, or lies outside of the project, is read."""

    @property
    def listing(self) -> Listing:
        """The files that people wrote."""
        ...

    def read(self, path: str) -> str | None:
        """The text of a file, listed or not; None if there is none of exactly that spelling."""
        ...

    def search(self, names: Collection[str], *, defined: Collection[str]) -> Sightings:
        """Where the names stand, and where those of them that are in ``defined`` are defined."""
        ...

    def commits(self, hashes: Collection[str]) -> Mapping[str, CommitSeen]:
        """Whether there are commits whose names begin so."""
        ...

    def departed(self, paths: Collection[str]) -> Mapping[str, Departure]:
        """Those of ``paths``, which are not there, that once were."""
        ...


def depth(path: str) -> tuple[int, str]:
    """Sorts shallow paths first."""
    return path.count("/"), path


def _is_module(path: str, tail: str) -> bool:
    folder, _, name = path.rstrip("/").rpartition("/")
    dotted = f"{folder}/{name.partition('.')[0]}" if folder else name.partition(".")[0]
    return dotted == tail or dotted.endswith(f"/{tail}")
