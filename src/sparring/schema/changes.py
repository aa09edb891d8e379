"""Material of a review: a change as its hunks, whole files, or the lines of a plan (design: Review)."""

import json
from enum import StrEnum
from functools import cached_property
from hashlib import sha256

from pydantic import Field

from sparring.schema.base import Record


class LineMark(StrEnum):
    """Kind of a line in a hunk, as in a unified diff."""

    KEPT = " "
    ADDED = "+"
    REMOVED = "-"


class Hunk(Record):
    """A changed place of a file with its context, or lines of a file that is reviewed whole.

    Attributes:
        first: Number in the new file of the first line that is kept or added. A hunk of removed lines only has
            that of the line before them.
        old_first: The same in the file before the change; 0 where there is none.
        lines: Each with its mark in front, without its line end and without secrets.
        above: The lines further up in the file that enclose the first one, the outermost first: the class and the
            function, by their indentation.
    """

    first: int = Field(ge=1)
    old_first: int = Field(default=0, ge=0)
    lines: tuple[str, ...] = Field(min_length=1)
    above: tuple[str, ...] = ()

    @cached_property
    def numbered(self) -> tuple[tuple[int, str, str], ...]:
        """Each line as its number in the new file, its mark and its text; a removed one has that of the line behind."""
        number, numbered_lines = self.first, list[tuple[int, str, str]]()
        for line in self.lines:
            numbered_lines.append((number, line[:1], line[1:]))
            number += line[:1] != LineMark.REMOVED
        return tuple(numbered_lines)


class FileChange(StrEnum):
    """Kind of change to a file; WHOLE: nothing is compared, its lines are reviewed as they are."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    WHOLE = "whole"


class ReviewedFile(Record):
    """A file that is shown, by its ``path`` from the root, with ``/``; of a renamed one where it ``old_path`` before.

    Attributes:
        base: The hash of its content before the change; empty where there was none, or nothing is compared.
        facts: Changes other than its lines, in words: its mode, its type, its line ends.
    """

    path: str = Field(min_length=1)
    old_path: str | None = None
    change: FileChange
    base: str = ""
    facts: tuple[str, ...] = ()
    hunks: tuple[Hunk, ...] = ()

    @property
    def has_facts(self) -> bool:
        """Return whether there are changes other than its lines."""
        return bool(self.facts) or not self.hunks

    def identity(self, terms: str, hunk: Hunk | None = None) -> str:
        """Return the identity of one of its hunks, or of its facts.

        Two changes have the same identity if they make the same lines of the same lines, at the same place of the same
        content, and are reviewed under the same ``terms``. A place elsewhere in the file has another one.
        """
        file = (terms, self.path, self.old_path, self.change, self.base)
        return digest_of(*file, hunk.old_first, hunk.above, hunk.lines) if hunk else digest_of(*file, self.facts)


def digest_of(*parts: object) -> str:
    """Return a digest that only the same ``parts`` have, which JSON can write."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:32]


class ExclusionReason(StrEnum):
    """Reasons why reviewers are not shown a changed file, or not all of it.

    GENERATED, VENDORED, NO_DIFF, FILTERED: the attributes of the base say so. OWN: it is a record that sparring itself
    keeps. SEEN: an earlier review has seen it. All others keep a review from being complete.
    """

    GENERATED = "generated"
    VENDORED = "vendored"
    NO_DIFF = "no_diff"
    FILTERED = "filtered"
    OWN = "own"
    SEEN = "seen"
    SUBMODULE = "submodule"
    BINARY = "binary"
    CONVERTED = "converted"
    OVERLOOKED = "overlooked"
    IGNORED = "ignored"
    SECRET = "secret"  # noqa: S105 -- a reason, not one
    REDACTED = "redacted"
    LONG_LINE = "long_line"
    NO_ROOM = "no_room"
    UNREADABLE = "unreadable"

    @property
    def is_gap(self) -> bool:
        """True if something that should have been reviewed was not."""
        return self not in _EXCLUDED


_EXCLUDED = frozenset(
    {
        ExclusionReason.GENERATED,
        ExclusionReason.VENDORED,
        ExclusionReason.NO_DIFF,
        ExclusionReason.FILTERED,
        ExclusionReason.OWN,
        ExclusionReason.SEEN,
    }
)


class ExcludedFile(Record):
    """A changed file, or a part of one, that is not shown; ``facts`` as those of a file that is."""

    path: str
    reason: ExclusionReason
    facts: tuple[str, ...] = ()


class ChangeKind(StrEnum):
    """Kind of material: a difference, whole files, or a plan or document."""

    DIFF = "diff"
    FILES = "files"
    PLAN = "plan"


class ReviewedChange(Record):
    """Material of a review as it was read: a resumed run does not read it again.

    Attributes:
        title: Title for people, e.g. ``the uncommitted changes``, ``main..topic``, ``PLAN.md``.
        base, head: The commits that are compared; None: none, and the working tree or the index.
        parts: Division between prompts: indexes of ``files``, each of them once, in parts small enough to read.
        terms: A digest of the reviewers and their rules.
        seen: The identities of all parts shown by this review or an earlier one that it continues, under these terms.
    """

    kind: ChangeKind
    title: str = Field(min_length=1)
    base: str | None = None
    head: str | None = None
    files: tuple[ReviewedFile, ...] = ()
    left_out: tuple[ExcludedFile, ...] = ()
    parts: tuple[tuple[int, ...], ...] = ()
    terms: str = ""
    seen: tuple[str, ...] = ()
