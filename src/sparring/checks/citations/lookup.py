"""What a ledger has asked a working tree for, kept together for the checks of single names."""

from collections.abc import Collection
from functools import lru_cache
from heapq import nsmallest

from sparring.checks.citations.definitions import Source
from sparring.checks.citations.tree import Listing, WorkingTree

MOST_CANDIDATES = 40
"""Most files in which names are looked for together: where more hold them all, they say little."""

_MOST_NAMED = 200
"""Files of which it is asked whether they are named after what is looked for."""

_SOURCES_KEPT = 256


class Lookup:
    """A working tree, asked for all names at once."""

    def __init__(self, tree: WorkingTree, names: Collection[str], *, defined: Collection[str]) -> None:
        self._sightings = tree.search(names, defined=defined)
        self.listing: Listing = tree.listing
        self._tree = tree
        self.source = lru_cache(maxsize=_SOURCES_KEPT)(self._source)

    @property
    def is_complete(self) -> bool:
        """Whether what was not found is nowhere."""
        return self._sightings.is_complete

    def holding(self, *names: str) -> frozenset[str]:
        """The files that hold all of these names."""
        first, *others = (self._sightings.holding.get(name, frozenset[str]()) for name in names)
        return first.intersection(*others)

    def shallowest(self, name: str) -> str:
        """The file by which it is said where a name stands that some file holds."""
        return min(self.holding(name), key=self.listing.rank.__getitem__)

    def candidates(self, *names: str) -> tuple[str, ...]:
        """Some files that hold all of these names, first those that are named after the first of them."""
        found = nsmallest(_MOST_NAMED, self.holding(*names), key=self.listing.rank.__getitem__)
        topic = names[0].lower()
        found.sort(key=lambda path: topic not in path.lower().replace("_", ""))
        return tuple(found[:MOST_CANDIDATES])

    def defining(self, name: str) -> tuple[str, ...]:
        """Files that seem to define a name of which that was asked."""
        found = self._sightings.defining.get(name, frozenset[str]())
        return tuple(sorted(found, key=self.listing.rank.__getitem__)[:MOST_CANDIDATES])

    def _source(self, path: str) -> Source | None:
        text = self._tree.read(path)
        return None if text is None else Source(text)
