"""A working tree in memory, for checks that ask one."""

import re
from collections.abc import Collection, Mapping

from msgspec import Struct, field

from sparring.checks.citations import DEFINING_WORDS, CommitPresence, FileRemoval, Listing, NameMatches, TooLongError


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
    commits_seen: Mapping[str, CommitPresence] = field(default_factory=dict[str, CommitPresence])
    gone: Mapping[str, FileRemoval] = field(default_factory=dict[str, FileRemoval])
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

    def search(self, names: Collection[str], *, defined: Collection[str]) -> NameMatches:
        self.asked += 1
        words = "|".join(DEFINING_WORDS)
        return NameMatches(
            holding={name: self._with(rf"(?<!\w){re.escape(name)}(?!\w)") for name in names},
            defining={name: self._with(rf"\b(?:{words})\s+{re.escape(name)}(?!\w)") for name in defined},
            is_complete=self.is_complete,
        )

    def commits(self, hashes: Collection[str]) -> Mapping[str, CommitPresence]:
        return {name: self.commits_seen.get(name, CommitPresence.MISSING) for name in hashes}

    def removed_files(self, paths: Collection[str]) -> Mapping[str, FileRemoval]:
        return {path: self.gone[path] for path in paths if path in self.gone}

    def _with(self, pattern: str) -> frozenset[str]:
        return frozenset(path for path, text in self.files.items() if re.search(pattern, text))
