"""What is reviewed: a change as its hunks, files as they stand, or the lines of a plan (design: Review)."""

from enum import StrEnum
from functools import cached_property
from hashlib import sha256

from pydantic import Field

from sparring.schema.base import Record


class LineMark(StrEnum):
    """What became of a line; every line of a hunk begins with one, as in a unified diff."""

    KEPT = " "
    ADDED = "+"
    REMOVED = "-"


class Hunk(Record):
    """A touched place of a file with what surrounds it, or lines of a file that is reviewed whole.

    Attributes:
        first: Number in the new file of the first line that is kept or added. A hunk of nothing but removed lines has
            that of the line before which they stood.
        lines: Each with its mark in front, without its line end and without secrets.
    """

    first: int = Field(ge=1)
    lines: tuple[str, ...] = Field(min_length=1)

    @cached_property
    def numbered(self) -> tuple[tuple[int, str, str], ...]:
        """Each line as its number in the new file, its mark and its text; a removed one has that of the line behind."""
        number, found = self.first, list[tuple[int, str, str]]()
        for line in self.lines:
            found.append((number, line[:1], line[1:]))
            number += line[:1] != LineMark.REMOVED
        return tuple(found)

    def digest(self, path: str) -> str:
        """What tells whether this was reviewed before: what was touched in which file, wherever it stands there."""
        touched = [line for line in self.lines if not line.startswith(LineMark.KEPT)] or self.lines
        return sha256("\n".join((path, *touched)).encode(errors="replace")).hexdigest()[:32]


class FileChange(StrEnum):
    """What became of a file; WHOLE: nothing is compared, its lines are reviewed as they stand."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    WHOLE = "whole"


class ReviewedFile(Record):
    """A file that is shown, by its ``path`` from the root, with ``/``; of a renamed one where it ``was`` before."""

    path: str = Field(min_length=1)
    was: str | None = None
    change: FileChange
    hunks: tuple[Hunk, ...] = ()


class NotShown(StrEnum):
    """Why reviewers are not shown a changed file.

    SUBMODULE to MODE: there is nothing to be read. GENERATED, VENDORED: nobody here has written it. SEEN: an earlier
    review has. All others keep a review from being whole.
    """

    SUBMODULE = "submodule"
    BINARY = "binary"
    MODE = "mode"
    GENERATED = "generated"
    VENDORED = "vendored"
    SEEN = "seen"
    SECRET = "secret"  # noqa: S105 -- a reason, not one
    NO_ROOM = "no_room"
    UNREADABLE = "unreadable"

    @property
    def is_gap(self) -> bool:
        """Whether something that should have been reviewed was not."""
        return self in _GAPS


_GAPS = frozenset({NotShown.SECRET, NotShown.NO_ROOM, NotShown.UNREADABLE})


class LeftOut(Record):
    """A changed file, or some hunks of it, that nobody is shown."""

    path: str
    why: NotShown


class ChangeKind(StrEnum):
    """What is reviewed: a difference, files as they stand, or a plan or document."""

    DIFF = "diff"
    FILES = "files"
    PLAN = "plan"


class ReviewedChange(Record):
    """What is reviewed, as it was read: a resumed run needs no second look at the world.

    Attributes:
        title: What people call it, e.g. ``the uncommitted changes``, ``main..topic``, ``PLAN.md``.
        base, head: The commits that are compared; None: none, and the working tree or the index.
        parts: How the files are handed out: places in ``files``, each of them once, in parts small enough to be read.
        seen: The digests of all hunks that this review or an earlier one it goes on from has shown.
    """

    kind: ChangeKind
    title: str = Field(min_length=1)
    base: str | None = None
    head: str | None = None
    files: tuple[ReviewedFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    parts: tuple[tuple[int, ...], ...] = ()
    seen: tuple[str, ...] = ()
