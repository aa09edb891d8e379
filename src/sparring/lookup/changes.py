"""Read a change in hunks: between two commits, or between a commit and the index or the working tree.

Every changed file ends in one of two lists: shown, or left out with a reason. Properties that the change itself gives
its files (``.gitattributes``, a NUL in a comment, a folder's name, ``.gitignore``) leave nothing out; only the
attributes of the base do. ``git`` asks git, in a repository that ``repository`` allows to read, and only about
names that git has listed itself. Files whose names are meant for secrets are not read.
"""

import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from sparring.disk import SAFELY
from sparring.errors import UsageError
from sparring.lookup.change_list import (
    LINK,
    LOSSY,
    NO_FILE,
    ChangeScope,
    Compared,
    ListedFile,
    as_one_or_two,
    batches,
    exclusion_reason,
    read_raw,
)
from sparring.lookup.context import PLAIN_DIFF
from sparring.lookup.git import GIT_TIMEOUT_S, Git, needed, split_names
from sparring.lookup.repository import Repository
from sparring.processes.children import FinishedProcess
from sparring.schema.changes import FileChange, Hunk, LeftOut, LineMark, NotShown, ReviewedFile
from sparring.text import authorship, source_lines, tidying, unified_diff

_LIST_LIMIT = 16 * 1024 * 1024
_PATCH_LIMIT = 16 * 1024 * 1024
"""Most bytes of one answer, and of one file."""

_TOTAL_LIMIT = 64 * 1024 * 1024
"""Most bytes that are read of a change; larger ones are beyond any review."""

_BINARY_LIMIT = 1024 * 1024
"""Most bytes of a difference of a file that git calls binary, for a NUL or an attribute; larger ones are no text."""

_SURROUNDINGS, _JOINED = 12, 6
_ALL_OF_IT = 10_000_000
"""Lines around a change in a renamed file: it may do something else under its new name, and is shown whole."""

_PLAIN = (*PLAIN_DIFF, "-l400")
_IGNORE = ".gitignore"
_MESSAGE_SHOWN = 160


class FilesRead(Struct, frozen=True):
    """The files that were read, with their secrets, and those that were not; each in the order of their paths."""

    files: tuple[ReviewedFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


_Read = ReviewedFile | LeftOut


class Room:
    """Budget of bytes that may still be read."""

    def __init__(self) -> None:
        self.left = _TOTAL_LIMIT

    def take(self, size: int) -> None:
        """So many more were read."""
        self.left -= size


class ChangedFiles(Struct, frozen=True):
    """Queries to git about the changes of one project.

    Attributes:
        limit: Most bytes of one answer; with a longer one, fewer files are requested.
    """

    project: Path
    git: Git
    repository: Repository
    limit: int = _PATCH_LIMIT

    async def read(self, compared: Compared, scope: ChangeScope) -> FilesRead:
        """Return the changes; raises ``UsageError``."""
        listed = [each for each in await self._listed(compared) if any(map(scope.holds, each.names))]
        if compared.head is None:
            await self._refuse_conflicts(scope)
        paths = {name for each in listed for name in each.names}
        before = await self.git.attributes(self.repository, paths, tree=compared.base)
        now = await self.git.attributes(self.repository, paths, tree=compared.tree_now)
        listed = [part for each in listed for part in as_one_or_two(each, scope, before)]
        read, wanted = list[_Read](), list[ListedFile]()
        for each in listed:
            attributes = before.get(each.path, {}), now.get(each.path, {})
            is_converted = authorship.adds_conversion(*attributes)
            why = exclusion_reason(each, scope, attributes[0], is_of_working_tree=compared.is_of_working_tree)
            if is_converted and why is None:
                read.append(LeftOut(path=each.path, why=NotShown.CONVERTED, facts=each.facts))
            if why is not None:
                read.append(LeftOut(path=each.path, why=why, facts=each.facts))
            elif not (is_converted and compared.is_of_working_tree):  # else it would be shown in the clear
                wanted.append(each)
        read += await self._contents(compared, wanted)
        if compared.is_of_working_tree:
            hidden = [*await self._overlooked(), *await self._newly_ignored(listed)]
            read += [each for each in hidden if scope.holds(each.path)]
        return _in_order(read, listed)

    async def _listed(self, compared: Compared) -> list[ListedFile]:
        """The files that differ, and those that git does not know yet."""
        arguments = ("diff", "--raw", "--no-abbrev", "-z", "-M", *_PLAIN, *compared.arguments, "--")
        listed = list(read_raw(await self._answer(*arguments)))
        if compared.is_of_working_tree:
            new = await self._answer("ls-files", "--others", "--exclude-standard", "-z")
            listed += map(ListedFile, split_names(new))
        return listed

    async def _refuse_conflicts(self, scope: ChangeScope) -> None:
        unmerged = split_names(await self._answer("ls-files", "--unmerged", "-z"))
        for path in (row.partition("\t")[2] for row in unmerged):
            if scope.holds(path):
                raise UsageError(
                    f"{tidying.one_line(path, _MESSAGE_SHOWN)} has conflicts of a merge; resolve them and `git add` it."
                )

    async def _overlooked(self) -> list[LeftOut]:
        """Return the files that differ from the index and that git overlooks (assume-unchanged, skip-worktree)."""
        tagged = split_names(await self._answer("ls-files", "-v", "--stage", "-z"))
        rows = (each.partition("\t") for each in tagged)
        overlooked = {path: row.split(" ")[2] for row, _, path in rows if _is_overlooked(row)}
        known = {path: blob for path, blob in overlooked.items() if LOSSY not in path and "\n" not in path}
        known = {path: blob for path, blob in known.items() if (self.project / path).is_file()}
        if not known:
            return []
        paths = "".join(f"{path}\n" for path in known)
        finished = await self._run("hash-object", "--stdin-paths", limit=_LIST_LIMIT, stdin=paths)
        hashes = _listing_of(finished).split()
        differing = [path for (path, blob), blob_now in zip(known.items(), hashes, strict=True) if blob != blob_now]
        return [LeftOut(path=path, why=NotShown.OVERLOOKED) for path in differing]

    async def _newly_ignored(self, listed: Iterable[ListedFile]) -> list[LeftOut]:
        """Return new files that a ``.gitignore`` ignores only because of additions in the change.

        One that ignores itself, as tools create it in their caches, is no part of the change.
        """
        files = {each.path: each for each in listed if each.path.rpartition("/")[2] == _IGNORE}
        if not files:
            return []
        ignored = await self._answer("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
        finished = await self._run("check-ignore", "-v", "-z", "--stdin", limit=_LIST_LIMIT, stdin=ignored)
        fields = iter(finished.stdout.split("\0"))
        contents = await self.git.contents(self.repository, [each.base for each in files.values() if each.base])
        now = await self._content_of(list(files.values()))
        known = {
            path: _known_patterns(contents.get(each.base, b""), now.get(path, b"")) for path, each in files.items()
        }
        return [
            LeftOut(path=path, why=NotShown.IGNORED)
            for source, _, pattern, path in zip(fields, fields, fields, fields, strict=False)
            if source in known and pattern not in known[source]
        ]

    async def _contents(self, compared: Compared, wanted: Sequence[ListedFile]) -> list[_Read]:
        """Return the content of files that can be shown, and for others the reason."""
        room, read = Room(), list[_Read]()
        known = {each.path: each for each in wanted if each.letter}
        renamed = [each for each in known.values() if each.was is not None]
        others = [each for each in known.values() if each.was is None]
        for is_renamed, files in ((False, others), (True, renamed)):
            for names in batches(files):
                patched = await self._patched(compared, names, room, is_renamed=is_renamed)
                texts = await self._texts(known, patched)
                read += [_with_facts(each, known, texts) for each in patched]
        moved = {each.path for each in read if isinstance(each, ReviewedFile) and not each.hunks and each.was}
        read = [each for each in read if each.path not in moved]
        read += await self._moved([known[path] for path in moved], room)
        new = [each for each in wanted if not each.letter]
        read += await to_thread.run_sync(
            lambda: [read_whole(self.project, each.path, LineMark.ADDED, room) for each in new]
        )
        return read

    async def _patched(
        self, compared: Compared, names: Sequence[str], room: Room, *, is_renamed: bool, as_text: bool = False
    ) -> list[_Read]:
        """The files of these names with their hunks; those of which no line has changed have none."""
        if room.left <= 0:
            return [LeftOut(path=name, why=NotShown.NO_ROOM) for name in names]
        lines = _ALL_OF_IT if is_renamed else _SURROUNDINGS
        context = (f"-U{lines}", f"--inter-hunk-context={_JOINED}", "-M" if is_renamed else "--no-renames")
        asked = ("diff", *context, *(("--text",) if as_text else ()), *_PLAIN, *compared.arguments, "--", *names)
        limit = _BINARY_LIMIT if as_text else self.limit
        finished = await self._run(*asked, limit=limit, errors="surrogateescape")
        room.take(len(finished.stdout))
        if finished.overflowed and len(names) > (2 if is_renamed else 1):
            middle = len(names) // 4 * 2 if is_renamed else len(names) // 2
            halves = names[:middle], names[middle:]
            parts = [await self._patched(compared, half, room, is_renamed=is_renamed) for half in halves]
            return [each for part in parts for each in part]
        if finished.overflowed:
            return [LeftOut(path=names[-1], why=NotShown.BINARY if as_text else NotShown.NO_ROOM)]
        try:
            differing = unified_diff.read_diff(_listing_of(finished))
        except unified_diff.DiffError as error:  # pragma: no cover -- git writes this form
            raise UsageError(f"The output of git cannot be read: {error}") from error
        read = list[_Read]()
        for each in differing:
            if each.is_binary and not as_text:
                pair = [name for name in (each.was, each.path) if name is not None and name in names]
                read += await self._patched(
                    compared, list(dict.fromkeys(pair)), room, is_renamed=is_renamed, as_text=True
                )
            else:
                is_shown = each.is_text and not each.is_binary
                read.append(_shown(each) if is_shown else LeftOut(path=each.path, why=NotShown.BINARY))
        return list(_joined(read))

    async def _texts(self, known: Mapping[str, ListedFile], files: Iterable[_Read]) -> dict[str, Sequence[str]]:
        """The lines of the files as they are now, as far as a hunk begins in the midst of one."""
        wanted = [
            known[each.path]
            for each in files
            if isinstance(each, ReviewedFile) and each.path in known and any(hunk.first > 1 for hunk in each.hunks)
        ]
        contents = await self._content_of(wanted)
        return {path: source_lines.file_lines(content) for path, content in contents.items()}

    async def _content_of(self, wanted: Sequence[ListedFile]) -> dict[str, bytes]:
        """The content of files as they are now, without those that are too large, or are no text here."""
        blobs = {each.path: each.blobs[1] for each in wanted if each.blobs[1].strip("0") and each.letter != "D"}
        contents = await self.git.contents(self.repository, list(blobs.values()))
        by_path = {path: contents[blob] for path, blob in blobs.items() if blob in contents}
        for each in wanted:
            if each.path not in blobs and each.letter != "D":
                content = await to_thread.run_sync(_content_or_none, self.project, each.path)
                if content is not None:
                    by_path[each.path] = content
        return by_path

    async def _moved(self, moved: Sequence[ListedFile], room: Room) -> list[_Read]:
        """Files of which nothing but the name, or the mode too, has changed; they are shown whole."""
        contents, read_again = await self._content_of(moved), list[_Read]()
        for each in moved:
            content = contents.get(each.path)
            read = _whole_of(each.path, content, LineMark.KEPT, room) if content is not None else None
            if isinstance(read, ReviewedFile):
                facts = (*each.facts, "none of its lines has changed")
                update = {"change": FileChange.RENAMED, "was": each.was, "base": each.base, "facts": facts}
                read_again.append(read.model_copy(update=update))
            else:
                read_again.append(LeftOut(path=each.path, why=read.why if read else NotShown.NO_ROOM, facts=each.facts))
        return read_again

    async def _answer(self, *arguments: str) -> str:
        return _listing_of(await self._run(*arguments, limit=_LIST_LIMIT))

    async def _run(self, *arguments: str, limit: int, stdin: str = "", errors: str = "replace") -> FinishedProcess:
        plain = () if arguments[0] == "check-ignore" else ("--literal-pathspecs",)  # which takes no patterns
        asked = (*plain, *arguments)
        return await self.git.run(
            self.repository, *asked, timeout_s=GIT_TIMEOUT_S, limit=limit, stdin=stdin, errors=errors
        )


def _known_patterns(before: bytes, now: bytes) -> frozenset[str]:
    """Return the patterns of a ``.gitignore`` that ignored the same before a change.

    Where the change removes an exception, each of them may ignore more than before.
    """
    lines = [{line.strip() for line in text.decode(errors="replace").split("\n")} for text in (before, now)]
    has_less = any(line.startswith("!") for line in lines[0] - lines[1])
    return frozenset() if has_less else frozenset(lines[0])


def _is_overlooked(row: str) -> bool:
    """Return whether a row of ``ls-files -v`` is about a file that git is set to overlook."""
    return row[:1].islower() or row[:1] == "S"


def _shown(diff: unified_diff.FileDiff) -> ReviewedFile:
    if diff.is_deleted:
        change = FileChange.DELETED
    elif diff.was is None:
        change = FileChange.ADDED
    else:
        change = FileChange.MODIFIED if diff.was == diff.path else FileChange.RENAMED
    was = diff.was if change is FileChange.RENAMED else None
    ends = {LineMark.REMOVED: "had no line end", LineMark.ADDED: "has no line end"}
    unended = [words for mark, words in ends.items() if mark in diff.unended]
    has_changed = len(unended) == 1 and change not in (FileChange.ADDED, FileChange.DELETED)
    return ReviewedFile(
        path=diff.path,
        was=was,
        change=change,
        facts=(f"its last line {unended[0]}",) if has_changed else (),
        hunks=diff.hunks,
    )


def _joined(grouped: Iterable[_Read]) -> Iterator[_Read]:
    """Yield ``files`` with one entry for each: git lists a file twice when its type has changed."""
    by_path = defaultdict[str, list[_Read]](list)
    for each in grouped:
        by_path[each.path].append(each)
    for path, parts in by_path.items():
        files = [each for each in parts if isinstance(each, ReviewedFile)]
        if len(parts) == 1:
            yield parts[0]
        elif len(files) == len(parts):
            hunks = tuple(hunk for file in files for hunk in file.hunks)
            yield ReviewedFile(path=path, change=FileChange.MODIFIED, hunks=hunks)
        else:
            yield LeftOut(path=path, why=NotShown.BINARY)


def _with_facts(read: _Read, known: Mapping[str, ListedFile], texts: Mapping[str, Sequence[str]]) -> _Read:
    """Return ``read`` with git's facts about it, and each hunk with the lines that enclose it."""
    listed = known.get(read.path)
    if listed is None:
        return read
    facts = (*listed.facts, *read.facts)
    if isinstance(read, ReviewedFile) and not read.hunks and listed.letter in ("A", "D"):
        facts = (*facts, "empty")
    if isinstance(read, LeftOut):
        return read.model_copy(update={"facts": facts})
    lines = texts.get(read.path, ())
    hunks = tuple(
        hunk.model_copy(update={"above": source_lines.enclosing(lines, hunk.first - 1)}) if hunk.first > 1 else hunk
        for hunk in read.hunks
    )
    return read.model_copy(update={"facts": facts, "base": listed.base, "hunks": hunks})


def _in_order(files: Iterable[_Read], listed: Iterable[ListedFile]) -> FilesRead:
    """Return all files read, and those that were listed and not read, which must not be omitted silently."""
    ordered = sorted(files, key=lambda each: each.path)
    paths = {each.path for each in ordered}
    lost = [LeftOut(path=each.path, why=NotShown.UNREADABLE) for each in listed if each.path not in paths]
    left_out = [*(each for each in ordered if isinstance(each, LeftOut)), *lost]
    return FilesRead(
        tuple(each for each in ordered if isinstance(each, ReviewedFile)),
        tuple(sorted(left_out, key=lambda each: each.path)),
    )


def read_whole(project: Path, path: str, mark: LineMark, room: Room) -> _Read:
    """Return a file of the project as it stands, each of its lines with ``mark``."""
    if room.left <= 0:
        return LeftOut(path=path, why=NotShown.NO_ROOM)
    try:
        mode, content = _content(project.resolve(), path)
    except (OSError, ValueError):
        return LeftOut(path=path, why=NotShown.UNREADABLE)
    file = _whole_of(path, content, mark, room)
    facts = ListedFile(path, modes=(NO_FILE, mode)).facts if mark is LineMark.ADDED else ()
    return file.model_copy(update={"facts": (*facts, *file.facts)})


def _whole_of(path: str, content: bytes, mark: LineMark, room: Room) -> _Read:
    if room.left <= 0:
        return LeftOut(path=path, why=NotShown.NO_ROOM)
    room.take(len(content))
    text = content.decode("utf-8", errors="surrogateescape")
    if "\0" in text and not source_lines.is_text(text.split("\n")):
        return LeftOut(path=path, why=NotShown.BINARY)
    return whole(path, content, mark)


def whole(path: str, content: bytes, mark: LineMark) -> ReviewedFile:
    """Return ``content`` as a file of one hunk; an empty one has none."""
    lines = tuple(f"{mark}{line}" for line in source_lines.file_lines(content))
    change = FileChange.ADDED if mark is LineMark.ADDED else FileChange.WHOLE
    if not lines:
        return ReviewedFile(path=path, change=change, facts=("empty",))
    return ReviewedFile(path=path, change=change, hunks=(Hunk(first=1, lines=lines),))


def _content_or_none(project: Path, path: str) -> bytes | None:
    try:
        return _content(project.resolve(), path)[1]
    except (OSError, ValueError):
        return None


def _content(project: Path, path: str) -> tuple[str, bytes]:
    """The mode and the content of a regular file; of a link where it leads, which is what git keeps of it."""
    file = project / path
    status = file.lstat()
    if not file.parent.resolve().is_relative_to(project):
        raise ValueError("a folder of it is a link that points outside the project")
    if stat.S_ISLNK(status.st_mode):
        return LINK, os.fsencode(file.readlink())
    if not stat.S_ISREG(status.st_mode) or status.st_size > _PATCH_LIMIT:
        raise ValueError("it is not a readable file")
    with os.fdopen(os.open(file, os.O_RDONLY | SAFELY), "rb") as stream:
        content = stream.read(_PATCH_LIMIT)
    return "100755" if status.st_mode & stat.S_IXUSR else "100644", content


def _listing_of(finished: FinishedProcess) -> str:
    if finished.overflowed and not finished.timed_out:
        raise UsageError("More files have changed than can be listed.", hint="Name two commits that are closer.")
    return needed(finished)
