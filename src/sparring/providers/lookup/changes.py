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

from sparring.disk import SAFELY
from sparring.errors import UsageError
from sparring.providers.cli.process import FinishedProcess
from sparring.providers.lookup.context import PLAIN_DIFF
from sparring.providers.lookup.git import GIT_TIMEOUT_S, Attributes, Git, needed, split_names
from sparring.providers.lookup.repository import Repository
from sparring.schema.changes import FileChange, Hunk, LeftOut, LineMark, NotShown, ReviewedFile
from sparring.text import authorship, secret_shapes, tidying, unified_diff

_LIST_LIMIT = 16 * 1024 * 1024
_PATCH_LIMIT = 16 * 1024 * 1024
"""Most bytes of one answer, and of one file."""

_TOTAL_LIMIT = 64 * 1024 * 1024
"""Most bytes that are read of a change; nobody reviews a larger one."""

_SURROUNDINGS, _JOINED = 12, 6
_MOST_NAMES, _NAMES_BYTES = 100, 32 * 1024
"""Of one question: what every system takes as arguments."""

_PLAIN = (*PLAIN_DIFF, "-M", "-l400")
_SUBMODULE = "160000"
_LOSSY = "\ufffd"
_SAID = 160
_LOOKED_AT = 8000
"""Where git looks for a NUL, which makes a file binary."""

_LONGEST_PATH = 1000


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
    def new_side(self) -> tuple[str, ...]:
        """How git is told where the files stand as they are now."""
        return ("--cached",) if self.is_staged else () if self.head is None else (self.head,)

    @property
    def arguments(self) -> tuple[str, ...]:
        """As ``git diff`` takes it."""
        return ("--cached", self.base) if self.is_staged else (self.base, *self.new_side)


@dataclass(frozen=True)
class ChangeScope:
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

    def refusal(self, path: str) -> NotShown | None:
        """Why the content of a file of that name is not even asked for."""
        if not self.secrets_allowed and secret_shapes.may_hold_secrets(path):
            return NotShown.SECRET
        is_plain = (
            tidying.visible(tidying.for_terminal(path)) == path
            and len(path) <= _LONGEST_PATH
            and not {"\n", "\t"} & {*path}
        )
        return None if is_plain and _LOSSY not in path else NotShown.UNREADABLE


@dataclass(frozen=True)
class FilesRead:
    """The files that were read, with their secrets, and those that were not; each in the order of their paths."""

    files: tuple[ReviewedFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


_Read = ReviewedFile | LeftOut


@dataclass(frozen=True)
class _Listed:
    """A changed file as git lists it.

    Attributes:
        was: What it was called, if that was something else.
        letter: What became of it; none of a file that git does not know yet.
    """

    path: str
    was: str | None = None
    letter: str = ""
    is_submodule: bool = False


class Room:
    """How many more bytes may be read."""

    def __init__(self) -> None:
        self.left = _TOTAL_LIMIT

    def take(self, size: int) -> None:
        """So many more were read."""
        self.left -= size


@dataclass(frozen=True)
class ChangedFiles:
    """git, asked what has changed in one project.

    Attributes:
        limit: Most bytes of one answer; where it is longer, fewer files are asked for.
    """

    project: Path
    git: Git
    repository: Repository
    limit: int = _PATCH_LIMIT

    async def read(self, compared: Compared, scope: ChangeScope) -> FilesRead:
        """What has changed; raises ``UsageError``."""
        listed = [each for each in await self._listed(compared) if scope.holds(each.path)]
        if compared.head is None:
            await self._refuse_conflicts(scope)
        attributes = await self.git.attributes([each.path for each in listed])
        found, wanted = list[_Read](), list[_Listed]()
        for each in listed:
            why = _why_not(each, scope, attributes)
            if why is None:
                wanted.append(each)
            else:
                found.append(LeftOut(path=each.path, why=why))
        room = Room()
        for batch in _batches([each for each in wanted if each.letter], scope):
            found += await self._patched(compared, batch, room)
        new = [each.path for each in wanted if not each.letter]
        found += await to_thread.run_sync(
            lambda: [read_whole(self.project, path, LineMark.ADDED, room) for path in new]
        )
        marked = await self._marked(found, compared, attributes)
        return _in_order(
            LeftOut(path=each.path, why=NotShown.GENERATED) if each.path in marked else each for each in found
        )

    async def _listed(self, compared: Compared) -> list[_Listed]:
        """The files that differ, and those that git does not know yet."""
        listed = list(_raw(await self._answer("diff", "--raw", "-z", *_PLAIN, *compared.arguments, "--")))
        if compared.is_of_working_tree:
            new = await self._answer("ls-files", "--others", "--exclude-standard", "-z")
            listed += map(_Listed, split_names(new))
        return listed

    async def _refuse_conflicts(self, scope: ChangeScope) -> None:
        unmerged = split_names(await self._answer("ls-files", "--unmerged", "-z"))
        for path in (row.partition("\t")[2] for row in unmerged):
            if scope.holds(path):
                raise UsageError(
                    f"{tidying.one_line(path, _SAID)} has conflicts of a merge; resolve them and `git add` it."
                )

    async def _patched(self, compared: Compared, names: Sequence[str], room: Room) -> list[_Read]:
        """The hunks of the files of these names."""
        if room.left <= 0:
            return [LeftOut(path=name, why=NotShown.NO_ROOM) for name in names]
        context = (f"-U{_SURROUNDINGS}", f"--inter-hunk-context={_JOINED}")
        finished = await self._run("diff", *context, *_PLAIN, *compared.arguments, "--", *names, limit=self.limit)
        room.take(len(finished.stdout))
        if finished.overflowed and len(names) > 1:
            middle = len(names) // 2
            halves = names[:middle], names[middle:]
            return [each for half in halves for each in await self._patched(compared, half, room)]
        if finished.overflowed:
            return [LeftOut(path=names[0], why=NotShown.NO_ROOM)]
        try:
            return [_shown(each) for each in unified_diff.read_diff(_said(finished))]
        except unified_diff.DiffError as error:  # pragma: no cover -- git writes what is read here
            raise UsageError(f"What git says of the change cannot be read: {error}") from error

    async def _marked(self, found: Iterable[_Read], compared: Compared, attributes: Attributes) -> frozenset[str]:
        """The paths of those whose first lines say that they are generated, unless the project says otherwise."""
        unsaid = [
            each
            for each in found
            if isinstance(each, ReviewedFile) and authorship.GENERATED not in attributes.get(each.path, {})
        ]
        in_part = [each.path for each in unsaid if each.change in (FileChange.MODIFIED, FileChange.RENAMED)]
        marked = await self.git.marked(self.repository, compared.new_side, in_part)
        return marked | {each.path for each in unsaid if authorship.says_generated(_first_lines(each))}

    async def _answer(self, *arguments: str) -> str:
        return _said(await self._run(*arguments, limit=_LIST_LIMIT))

    async def _run(self, *arguments: str, limit: int) -> FinishedProcess:
        asked = ("--literal-pathspecs", *arguments)
        return await self.git.run(self.repository, *asked, timeout_s=GIT_TIMEOUT_S, limit=limit)


def _raw(said: str) -> Iterator[_Listed]:
    """What ``--raw -z`` lists: modes, hashes and a letter, then a name, or two of what is renamed."""
    fields = iter(said.split("\0"))
    for field in fields:
        if not field.startswith(":"):
            continue
        modes, letter, first = field[1:].split(" ")[:2], field.rpartition(" ")[2][:1], next(fields, "")
        path, was = (next(fields, ""), first) if letter in "RC" else (first, None)
        yield _Listed(path, was, letter, is_submodule=_SUBMODULE in modes)


def _why_not(listed: _Listed, scope: ChangeScope, attributes: Attributes) -> NotShown | None:
    """Why no content of it is asked for."""
    if listed.is_submodule or listed.path.endswith("/"):  # a repository of its own that lies in the working tree
        return NotShown.SUBMODULE
    return scope.refusal(listed.path) or authorship.written_elsewhere(listed.path, attributes.get(listed.path, {}))


def _batches(listed: Iterable[_Listed], scope: ChangeScope) -> Iterator[list[str]]:
    """The names that git is asked for at once; what a file was called goes with it, unless that may hold secrets."""
    batch, size = list[str](), 0
    for each in listed:
        names = [name for name in (each.was, each.path) if name and scope.refusal(name) is None]
        added = sum(len(name.encode(errors="replace")) for name in names)
        if batch and (size + added > _NAMES_BYTES or len(batch) >= _MOST_NAMES):
            yield batch
            batch, size = [], 0
        batch += names
        size += added
    if batch:
        yield batch


def _shown(found: unified_diff.FileDiff) -> _Read:
    if found.is_binary:
        return LeftOut(path=found.path, why=NotShown.BINARY)
    if not found.hunks:
        return LeftOut(path=found.path, why=NotShown.MODE)
    if found.is_deleted:
        change = FileChange.DELETED
    elif found.was is None:
        change = FileChange.ADDED
    else:
        change = FileChange.MODIFIED if found.was == found.path else FileChange.RENAMED
    was = found.was if change is FileChange.RENAMED else None
    return ReviewedFile(path=found.path, was=was, change=change, hunks=found.hunks)


def _first_lines(file: ReviewedFile) -> Iterator[str]:
    """Those of its first lines that are among its hunks."""
    is_gone = file.change is FileChange.DELETED
    for place, (number, mark, text) in enumerate(line for hunk in file.hunks for line in hunk.numbered):
        if (place if is_gone else number) > authorship.HEAD:
            return
        if is_gone or mark != LineMark.REMOVED:
            yield text


def _in_order(found: Iterable[_Read]) -> FilesRead:
    ordered = sorted(found, key=lambda each: each.path)
    return FilesRead(
        tuple(each for each in ordered if isinstance(each, ReviewedFile)),
        tuple(each for each in ordered if isinstance(each, LeftOut)),
    )


def read_whole(project: Path, path: str, mark: LineMark, room: Room) -> _Read:
    """A file of the project as it stands, each of its lines with ``mark``."""
    if room.left <= 0:
        return LeftOut(path=path, why=NotShown.NO_ROOM)
    try:
        text = _text_of(project.resolve(), path)
    except (OSError, ValueError):
        return LeftOut(path=path, why=NotShown.UNREADABLE)
    if text is None:
        return LeftOut(path=path, why=NotShown.BINARY)
    room.take(len(text))
    return whole(path, text, mark)


def whole(path: str, text: str, mark: LineMark) -> _Read:
    """``text`` as a file of one hunk. A line feed ends a line, as for git, and nothing else does."""
    if not text:
        return LeftOut(path=path, why=NotShown.MODE)
    lines = tuple(f"{mark}{line.removesuffix(chr(13))}" for line in text.removesuffix("\n").split("\n"))
    change = FileChange.ADDED if mark is LineMark.ADDED else FileChange.WHOLE
    return ReviewedFile(path=path, change=change, hunks=(Hunk(first=1, lines=lines),))


def _text_of(project: Path, path: str) -> str | None:
    """What stands in a regular file, or where a link leads, which is what git keeps of it; None: it is no text."""
    file = project / path
    status = file.lstat()
    if not file.parent.resolve().is_relative_to(project):
        raise ValueError("a folder of it is a link that leads out of the project")
    if stat.S_ISLNK(status.st_mode):
        return os.fsencode(file.readlink()).decode(errors="replace")
    if not stat.S_ISREG(status.st_mode) or status.st_size > _PATCH_LIMIT:
        raise ValueError("it is no file that can be read")
    with os.fdopen(os.open(file, os.O_RDONLY | SAFELY), "rb") as stream:
        content = stream.read(_PATCH_LIMIT)
    return None if b"\0" in content[:_LOOKED_AT] else content.decode(errors="replace")


def _said(finished: FinishedProcess) -> str:
    if finished.overflowed and not finished.timed_out:
        raise UsageError("More files have changed than can be listed.", hint="Name two commits that are closer.")
    return needed(finished)
