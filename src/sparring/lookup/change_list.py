"""The files of a change as git lists them: the kind of each change, and whether its content is read."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sparring.lookup.git import Attributes
from sparring.schema.changes import ExclusionReason, FileChange
from sparring.text import authorship, secret_shapes, tidying

LINK, _SUBMODULE, NO_FILE = "120000", "160000", "000000"
_TYPES = {
    "100644": "a file",
    "100755": "an executable file",
    LINK: "a symbolic link",
    _SUBMODULE: "a submodule",
}
LOSSY = "\ufffd"
"""Replaces bytes of a name that are no UTF-8."""

_LONGEST_PATH = 1000
_SHORT = 12
_LISTED_PARTS = 5
_MOST_NAMES, _NAMES_BYTES = 100, 32 * 1024
"""Limits of one call, which every system accepts as arguments."""


class ComparedStates(Struct, frozen=True):
    """Two states that a change lies between.

    Attributes:
        base: A commit, or the empty tree.
        head: A commit; None: the index if ``is_staged``, else the working tree.
    """

    base: str
    head: str | None = None
    is_staged: bool = False

    @property
    def is_of_working_tree(self) -> bool:
        """True if files count that git does not know yet."""
        return self.head is None and not self.is_staged

    @property
    def arguments(self) -> tuple[str, ...]:
        """As ``git diff`` takes it."""
        if self.is_staged:
            return ("--cached", self.base)
        return (self.base,) if self.head is None else (self.base, self.head)

    @property
    def tree_now(self) -> str | None:
        """The tree with the attributes as they are now, as ``Git.attributes`` takes it."""
        return "" if self.is_staged else self.head


class ChangeScope(Struct, frozen=True):
    """Rule for the changed files that are included.

    Attributes:
        paths: Files and folders; only these, or files below them. Empty: everything.
        is_own: Returns whether a file of that path, in the working tree, is a record of sparring.
    """

    paths: tuple[str, ...] = ()
    is_own: Callable[[str], bool] = lambda _: False
    secrets_allowed: bool = False

    def holds(self, path: str) -> bool:
        """Return whether that file counts."""
        return not self.paths or any(path == listed or path.startswith(f"{listed}/") for listed in self.paths)

    def refusal(self, path: str) -> ExclusionReason | None:
        """Return the reason why the content of a file of that name is not requested; None if it may be."""
        if not self.secrets_allowed and secret_shapes.may_hold_secrets(path):
            return ExclusionReason.SECRET
        if len(path) > _LONGEST_PATH or any(character in path for character in ("\n", "\t", LOSSY)):
            return ExclusionReason.UNREADABLE
        has_invisible = tidying.visible(tidying.for_terminal(path)) != path
        return ExclusionReason.UNREADABLE if has_invisible else None


class ListedFile(Struct, frozen=True):
    """A changed file as git lists it.

    Attributes:
        old_path: Its old name, if that was different.
        letter: Kind of its change, in git's spelling; empty for a file that git does not know yet.
        modes, blobs: Its mode and the hash of its content before and now; zeros where there is none, or git has not
            computed it yet.
    """

    path: str
    old_path: str | None = None
    letter: str = ""
    modes: tuple[str, str] = (NO_FILE, "")
    blobs: tuple[str, str] = ("", "")

    @property
    def names(self) -> tuple[str, ...]:
        """Its names: the earlier one, if it had another, and the present one."""
        return (self.path,) if self.old_path is None else (self.old_path, self.path)

    @property
    def base(self) -> str:
        """The hash of its content before; empty where there was none."""
        return self.blobs[0].strip("0") and self.blobs[0]

    @property
    def change(self) -> FileChange:
        """The kind of its change."""
        kinds = {"": FileChange.ADDED, "A": FileChange.ADDED, "D": FileChange.DELETED, "R": FileChange.RENAMED}
        return kinds.get(self.letter, FileChange.MODIFIED)

    @property
    def facts(self) -> tuple[str, ...]:
        """Changes other than those of its lines."""
        facts = list[str]()
        if self.old_path is not None:
            facts.append(f"renamed from {self.old_path}")
        if _SUBMODULE in self.modes:
            commits = [blob[:_SHORT] for mode, blob in zip(self.modes, self.blobs, strict=True) if mode == _SUBMODULE]
            facts.append(f"commit of a submodule: {' → '.join(commits)}")
        before, now = self.modes
        is_new, is_gone = before == NO_FILE, now in (NO_FILE, "")
        if is_new or is_gone:
            mode = now if is_new else before
            if mode not in ("", "100644"):  # an ordinary file needs no word
                facts.append(f"{'new' if is_new else 'gone'}: {_TYPES.get(mode, mode)}")
        elif before != now:
            facts.append(f"mode {before} → {now}: {_TYPES.get(before, before)} is now {_TYPES.get(now, now)}")
        return tuple(facts)

    @property
    def parts(self) -> "tuple[ListedFile, ListedFile]":
        """Return a renamed file as two: a removed and a new one."""
        mode_before, mode_now = self.modes
        _, blob_now = self.blobs
        removed = replace(self, path=self.old_path or "", old_path=None, letter="D", modes=(mode_before, NO_FILE))
        added = replace(self, old_path=None, letter="A", modes=(NO_FILE, mode_now), blobs=("", blob_now))
        return removed, added


def read_raw(listing: str) -> Iterator[ListedFile]:
    """Read the output of ``--raw -z``: modes, hashes and a letter, then a name, or two of a renamed file.

    Entries without these five parts are skipped.
    """
    fields = iter(listing.split("\0"))
    for field in fields:
        parts = field.removeprefix(":").split(" ")
        if not field.startswith(":") or len(parts) != _LISTED_PARTS:
            continue
        mode_before, mode_now, blob_before, blob_now, status = parts
        letter = status[:1]  # followed by a percentage, for a renamed file
        was = next(fields, "") if letter in "RC" else None
        path = next(fields, "")
        yield ListedFile(path, was, letter, (mode_before, mode_now), (blob_before, blob_now))


def split_rename(listed: ListedFile, scope: ChangeScope, before: Attributes) -> tuple[ListedFile, ...]:
    """Return a renamed file as one, if both of its names are treated alike; else as a removed and a new one."""
    if listed.old_path is None:
        return (listed,)
    treatments = {
        (authorship.excluded(before.get(name, {})), scope.refusal(name), scope.holds(name)) for name in listed.names
    }
    file_types = {mode[:3] for mode in listed.modes}  # the first digits of a mode; the others are permissions
    if len(treatments) == 1 and len(file_types) == 1:
        return (listed,)
    return tuple(part for part in listed.parts if scope.holds(part.path))


def exclusion_reason(
    listed: ListedFile, scope: ChangeScope, before: Mapping[str, str], *, is_of_working_tree: bool
) -> ExclusionReason | None:
    """Return why its content is not read, or None; ``before`` are its attributes in the base."""
    if is_of_working_tree and scope.is_own(listed.path):
        return ExclusionReason.OWN
    if (why := authorship.excluded(before)) is not None:
        return why
    if _SUBMODULE in listed.modes or listed.path.endswith("/"):  # another repository lies in the working tree
        return ExclusionReason.SUBMODULE
    return scope.refusal(listed.path)


def batches(listed: Iterable[ListedFile]) -> Iterator[list[str]]:
    """Yield groups of names, one for each call of git; the old name of a file precedes its new one."""
    batch, size = list[str](), 0
    for file in listed:
        names = file.names
        added = sum(len(name.encode(errors="replace")) for name in names)
        if batch and (size + added > _NAMES_BYTES or len(batch) >= _MOST_NAMES):
            yield batch
            batch, size = [], 0
        batch += names
        size += added
    if batch:
        yield batch
