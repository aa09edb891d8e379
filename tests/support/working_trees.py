"""A working tree in memory, for checks that ask one."""

import re
from collections.abc import Collection, Mapping

from msgspec import Struct, field

from sparring.checks.citations import DEFINING_WORDS, CommitSeen, Departure, Listing, Sightings, TooLongError


class MemoryTree(Struct):
    """See ``WorkingTree``.

    Attributes:
        commits_seen: What is known of commits; every other is missing.
        gone: What became of files that are no more.
        too_long: The beginnings of files that are too long to be read.
        is_complete: Whether a search says that it saw every file.
        asked: How often it was searched.
    """

    files: Mapping[str, str]
    commits_seen: Mapping[str, CommitSeen] = field(default_factory=dict[str, CommitSeen])
    gone: Mapping[str, Departure] = field(default_factory=dict[str, Departure])
    too_long: Mapping[str, str] = field(default_factory=dict[str, str])
    is_complete: bool = True
    asked: int = 0
    roots: Collection[str] = ()

    @property
    def listing(self) -> Listing:
        return Listing((*self.files, *self.too_long))

    def read(self, path: str) -> str | None:
        if path in self.too_long:
            raise TooLongError(self.too_long[path])
        return self.files.get(path)

    def search(self, names: Collection[str], *, defined: Collection[str]) -> Sightings:
        self.asked += 1
        words = "|".join(DEFINING_WORDS)
        return Sightings(
            holding={name: self._with(rf"(?<!\w){re.escape(name)}(?!\w)") for name in names},
            defining={name: self._with(rf"\b(?:{words})\s+{re.escape(name)}(?!\w)") for name in defined},
            is_complete=self.is_complete,
        )

    def commits(self, hashes: Collection[str]) -> Mapping[str, CommitSeen]:
        return {name: self.commits_seen.get(name, CommitSeen.MISSING) for name in hashes}

    def departed(self, paths: Collection[str]) -> Mapping[str, Departure]:
        return {path: self.gone[path] for path in paths if path in self.gone}

    def _with(self, pattern: str) -> frozenset[str]:
        return frozenset(path for path, text in self.files.items() if re.search(pattern, text))
