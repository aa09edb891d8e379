"""What git says has changed, in hunks: between two commits, or a commit and the index or the working tree.

Reading is all that happens here, and only of a repository that ``repository`` lets be read. What git is asked for by
name are names that it has listed itself; of files whose names are made for secrets, and of those that nobody here has
written, no content is asked for.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from sparring.errors import UsageError
from sparring.providers.cli.process import Finished
from sparring.providers.lookup.context import GIT_TIMEOUT_S
from sparring.providers.lookup.git import Git, split_names
from sparring.providers.lookup.repository import Repository
from sparring.schema.review import FileChange, Hunk, LeftOut, NotShown, ReviewedFile
from sparring.text.secret_shapes import may_hold_secrets
from sparring.text.tidying import one_line
from sparring.text.unified_diff import DiffError, FileDiff, read_diff

FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_LIST_LIMIT = 16 * 1024 * 1024
_PATCH_LIMIT = 16 * 1024 * 1024
"""Most bytes of one answer; where it is longer, fewer files are asked for."""

_SURROUNDINGS, _JOINED = 12, 6
_MOST_NAMES, _NAMES_BYTES = 100, 32 * 1024
"""Of one question: what every system takes as arguments."""

_PLAIN = (
    *("--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty", "--relative"),
    *("--src-prefix=a/", "--dst-prefix=b/", "-M", "-l400"),
)
_SUBMODULE = "160000"
_LOSSY = "\ufffd"
_SAID = 160
_LOOKED_AT = 8000
"""Where git looks for a NUL, which makes a file binary."""


@dataclass(frozen=True)
class Compared:
    """What is compared.

    Attributes:
        base: A commit, or the empty tree.
        head: A commit; None: the index if ``is_staged``, else the working tree.
    """

    base: str
    head: str | None = None
    is_staged: bool = False

    @property
    def is_of_working_tree(self) -> bool:
        """Whether files count that git does not know yet."""
        return self.head is None and not self.is_staged

    @property
    def arguments(self) -> tuple[str, ...]:
        """As ``git diff`` takes it."""
        return (*(("--cached",) if self.is_staged else ()), self.base, *((self.head,) if self.head else ()))


@dataclass(frozen=True)
class Scope:
    """Which changed files count.

    Attributes:
        paths: Files and folders; only what they name, or what lies below them. Empty: everything.
        ignored: Beginnings of paths that are nobody's work.
    """

    paths: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    secrets_allowed: bool = False

    def holds(self, path: str) -> bool:
        """Whether that file counts."""
        inside = not self.paths or any(path == each or path.startswith(f"{each}/") for each in self.paths)
        return inside and not path.startswith(self.ignored)

    def denies(self, path: str) -> bool:
        """Whether that file may hold secrets that nobody has allowed."""
        return not self.secrets_allowed and may_hold_secrets(path)


@dataclass(frozen=True)
class FilesRead:
    """The files that were read, with their secrets, and those that were not; each in the order of their paths."""

    files: tuple[ReviewedFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


Read = ReviewedFile | LeftOut


@dataclass(frozen=True)
class _Listed:
    """A changed file as git lists it.

    Attributes:
        was: What it was called, if that was something else.
    """

    path: str
    was: str | None = None
    is_submodule: bool = False
    is_unmerged: bool = False


@dataclass(frozen=True)
class ChangedFiles:
    """git, asked what has changed in one project."""

    project: Path
    git: Git
    repository: Repository

    async def read(self, compared: Compared, scope: Scope) -> FilesRead:
        """What has changed; raises ``UsageError``."""
        listed = [each for each in await self._listed(compared) if scope.holds(each.path)]
        if unmerged := next((each.path for each in listed if each.is_unmerged), None):
            raise UsageError(f"{one_line(unmerged, _SAID)} has conflicts of a merge; resolve them and `git add` it.")
        new = [path for path in await self._new(compared) if scope.holds(path)]
        found: list[Read] = []
        wanted: list[_Listed] = []
        for each in (*listed, *map(_Listed, new)):
            why = _why_not(each, scope)
            if why is None:
                wanted.append(each)
            else:
                found.append(LeftOut(path=each.path, why=why))
        fresh = frozenset(new)
        for batch in _batches([each for each in wanted if each.path not in fresh], scope):
            found += await self._patched(compared, batch)
        found += await to_thread.run_sync(
            lambda: [read_new(self.project, each.path) for each in wanted if each.path in fresh]
        )
        found.sort(key=lambda each: each.path)
        return FilesRead(
            tuple(each for each in found if isinstance(each, ReviewedFile)),
            tuple(each for each in found if isinstance(each, LeftOut)),
        )

    async def _listed(self, compared: Compared) -> list[_Listed]:
        said = await self._answer("diff", "--raw", "-z", *_PLAIN, *compared.arguments, "--")
        return list(_raw(said))

    async def _new(self, compared: Compared) -> list[str]:
        if not compared.is_of_working_tree:
            return []
        return split_names(await self._answer("ls-files", "--others", "--exclude-standard", "-z"))

    async def _patched(self, compared: Compared, names: Sequence[str]) -> list[Read]:
        """The hunks of the files of these names; of a single one that is too long, that there is no room for it."""
        context = (f"-U{_SURROUNDINGS}", f"--inter-hunk-context={_JOINED}")
        finished = await self._run("diff", *context, *_PLAIN, *compared.arguments, "--", *names, limit=_PATCH_LIMIT)
        if not finished.overflowed:
            try:
                return [_shown(each) for each in read_diff(_said(finished))]
            except DiffError as error:
                raise UsageError(f"What git says of the change cannot be read: {error}") from error
        if len(names) == 1:
            return [LeftOut(path=names[0], why=NotShown.NO_ROOM)]
        middle = len(names) // 2
        return [*await self._patched(compared, names[:middle]), *await self._patched(compared, names[middle:])]

    async def _answer(self, *arguments: str) -> str:
        return _said(await self._run(*arguments, limit=_LIST_LIMIT))

    async def _run(self, *arguments: str, limit: int) -> Finished:
        asked = ("--literal-pathspecs", *arguments)
        return await self.git.run(self.repository, *asked, timeout_s=GIT_TIMEOUT_S, limit=limit)


def _raw(said: str) -> Iterator[_Listed]:
    """What ``--raw -z`` lists: modes, hashes and a letter, then a name, or two of what is renamed."""
    fields = iter(said.split("\0"))
    for field in fields:
        old, new, *_, letter = field.removeprefix(":").split(" ") if field.startswith(":") else ("", "", "")
        if not letter:
            continue
        first = next(fields, "")
        path, was = (next(fields, ""), first) if letter[0] in "RC" else (first, None)
        yield _Listed(path, was, is_submodule=_SUBMODULE in (old, new), is_unmerged=letter == "U")


def _why_not(listed: _Listed, scope: Scope) -> NotShown | None:
    """Why no content of it is asked for."""
    if listed.is_submodule or listed.path.endswith("/"):  # another repository that lies in the working tree
        return NotShown.SUBMODULE
    if scope.denies(listed.path):
        return NotShown.SECRET
    return NotShown.UNREADABLE if _LOSSY in listed.path else None


def _batches(listed: Iterable[_Listed], scope: Scope) -> Iterator[list[str]]:
    """The names that git is asked for at once; what a file was called goes with it, unless that may hold secrets."""
    batch, size = list[str](), 0
    for each in listed:
        was = each.was if each.was and not scope.denies(each.was) and _LOSSY not in each.was else None
        names = [name for name in (was, each.path) if name]
        added = sum(len(name.encode(errors="replace")) for name in names)
        if batch and (size + added > _NAMES_BYTES or len(batch) >= _MOST_NAMES):
            yield batch
            batch, size = [], 0
        batch += names
        size += added
    if batch:
        yield batch


def _shown(found: FileDiff) -> Read:
    if found.is_binary:
        return LeftOut(path=found.path, why=NotShown.BINARY)
    if not found.hunks:
        return LeftOut(path=found.path, why=NotShown.MODE)
    is_renamed = found.was not in (None, found.path)
    change = (
        FileChange.DELETED
        if found.is_deleted
        else FileChange.ADDED
        if found.was is None
        else FileChange.RENAMED
        if is_renamed
        else FileChange.MODIFIED
    )
    return ReviewedFile(path=found.path, was=found.was if is_renamed else None, change=change, hunks=found.hunks)


def read_new(project: Path, path: str) -> Read:
    """A file that git does not know yet."""
    try:
        text = _text_of(project / path)
    except (OSError, ValueError):
        return LeftOut(path=path, why=NotShown.UNREADABLE)
    if text is None:
        return LeftOut(path=path, why=NotShown.BINARY)
    lines = tuple(f"+{line.removesuffix(chr(13))}" for line in lines_of(text))
    if not lines:
        return LeftOut(path=path, why=NotShown.MODE)
    return ReviewedFile(path=path, change=FileChange.ADDED, hunks=(Hunk(first=1, lines=lines),))


def _text_of(file: Path) -> str | None:
    """What stands in a regular file, or where a link leads, which is what git keeps of it; None: it is no text."""
    status = file.lstat()
    if stat.S_ISLNK(status.st_mode):
        return os.fsencode(file.readlink()).decode(errors="replace")
    if not stat.S_ISREG(status.st_mode) or status.st_size > _PATCH_LIMIT:
        raise ValueError("it is no file that can be read")
    with os.fdopen(os.open(file, FLAGS), "rb") as stream:
        content = stream.read(_PATCH_LIMIT)
    return None if b"\0" in content[:_LOOKED_AT] else content.decode(errors="replace")


def lines_of(text: str) -> list[str]:
    """The lines of ``text`` as git counts them: a line feed ends one, and nothing else does."""
    return text.removesuffix("\n").split("\n") if text else []


def _said(finished: Finished) -> str:
    if finished.timed_out:
        raise UsageError(f"git did not answer within {GIT_TIMEOUT_S:g} s.")
    if finished.overflowed:
        raise UsageError("More files have changed than can be listed.", hint="Name the folders to review.")
    if finished.exit_code != 0:
        why = one_line(finished.stderr, _SAID).rstrip(".") or f"it ended with {finished.exit_code}"
        raise UsageError(f"git refused: {why}.")
    return finished.stdout
