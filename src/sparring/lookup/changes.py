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
    ComparedStates,
    ListedFile,
    batches,
    exclusion_reason,
    read_raw,
    split_rename,
)
from sparring.lookup.context import PLAIN_DIFF
from sparring.lookup.git import GIT_TIMEOUT_S, Git, checked_output, split_names
from sparring.lookup.repository import Repository
from sparring.processes.children import FinishedProcess
from sparring.schema.changes import ExcludedFile, ExclusionReason, FileChange, Hunk, LineMark, ReviewedFile
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


class ReadFiles(Struct, frozen=True):
    """The files that were read, with their secrets, and those that were not; each in the order of their paths."""

    files: tuple[ReviewedFile, ...] = ()
    left_out: tuple[ExcludedFile, ...] = ()


_Read = ReviewedFile | ExcludedFile


class ByteBudget:
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

    async def read(self, compared: ComparedStates, scope: ChangeScope) -> ReadFiles:
        """Return the changes; raises ``UsageError``."""
        listed = [file for file in await self._listed(compared) if any(map(scope.holds, file.names))]
        if compared.head is None:
            await self._refuse_conflicts(scope)
        paths = {name for file in listed for name in file.names}
        before = await self.git.attributes(self.repository, paths, tree=compared.base)
        now = await self.git.attributes(self.repository, paths, tree=compared.tree_now)
        listed = [part for file in listed for part in split_rename(file, scope, before)]

        read, wanted = list[_Read](), list[ListedFile]()
        for file in listed:
            before_change, after_change = before.get(file.path, {}), now.get(file.path, {})
            reason = exclusion_reason(file, scope, before_change, is_of_working_tree=compared.is_of_working_tree)
            if reason is not None:
                read.append(ExcludedFile(path=file.path, reason=reason, facts=file.facts))
                continue
            if authorship.adds_conversion(before_change, after_change):
                read.append(ExcludedFile(path=file.path, reason=ExclusionReason.CONVERTED, facts=file.facts))
                if compared.is_of_working_tree:
                    continue  # the working tree has it in the clear, and git would keep it encrypted, for example
            wanted.append(file)
        read += await self._contents(compared, wanted)

        if compared.is_of_working_tree:
            hidden = [*await self._overlooked(), *await self._newly_ignored(listed)]
            read += [file for file in hidden if scope.holds(file.path)]
        return _in_order(read, listed)

    async def _listed(self, compared: ComparedStates) -> list[ListedFile]:
        """Return the files that differ, and those that git does not know yet."""
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

    async def _overlooked(self) -> list[ExcludedFile]:
        """Return the files that differ from the index and that git overlooks (assume-unchanged, skip-worktree)."""
        blobs = dict[str, str]()  # in the index, by path
        for entry in split_names(await self._answer("ls-files", "-v", "--stage", "-z")):
            row, _, path = entry.partition("\t")  # the row has a tag, a mode, a hash and a stage
            # A lower-case tag is assume-unchanged, S is skip-worktree.
            is_overlooked = row[:1].islower() or row[:1] == "S"
            can_be_asked = LOSSY not in path and "\n" not in path  # paths are given to git line by line
            if is_overlooked and can_be_asked and (self.project / path).is_file():
                blobs[path] = row.split(" ")[2]
        if not blobs:
            return []
        paths = "".join(f"{path}\n" for path in blobs)
        finished = await self._run("hash-object", "--stdin-paths", limit=_LIST_LIMIT, stdin=paths)
        hashes = _listing_of(finished).split()
        differing = [path for (path, blob), blob_now in zip(blobs.items(), hashes, strict=True) if blob != blob_now]
        return [ExcludedFile(path=path, reason=ExclusionReason.OVERLOOKED) for path in differing]

    async def _newly_ignored(self, listed: Iterable[ListedFile]) -> list[ExcludedFile]:
        """Return new files that a ``.gitignore`` ignores only because of additions in the change.

        One that ignores itself, as tools create it in their caches, is no part of the change.
        """
        files = {file.path: file for file in listed if file.path.rpartition("/")[2] == _IGNORE}
        if not files:
            return []
        contents_before = await self.git.contents(self.repository, [file.base for file in files.values() if file.base])
        contents_now = await self._content_of(list(files.values()))
        known_patterns = dict[str, frozenset[str]]()
        for path, file in files.items():
            before, now = contents_before.get(file.base, b""), contents_now.get(path, b"")
            known_patterns[path] = _known_patterns(before, now)

        ignored = await self._answer("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
        finished = await self._run("check-ignore", "-v", "-z", "--stdin", limit=_LIST_LIMIT, stdin=ignored)
        # Four fields for each file: the .gitignore, the number of its line, the pattern there, and the file.
        fields = finished.stdout.split("\0")
        newly_ignored = list[ExcludedFile]()
        for source, pattern, path in zip(fields[::4], fields[2::4], fields[3::4], strict=False):
            if source in known_patterns and pattern not in known_patterns[source]:
                newly_ignored.append(ExcludedFile(path=path, reason=ExclusionReason.IGNORED))
        return newly_ignored

    async def _contents(self, compared: ComparedStates, wanted: Sequence[ListedFile]) -> list[_Read]:
        """Return the content of files that can be shown, and for others the reason."""
        room, read = ByteBudget(), list[_Read]()
        known_to_git = {file.path: file for file in wanted if file.letter}
        renamed = [file for file in known_to_git.values() if file.old_path is not None]
        others = [file for file in known_to_git.values() if file.old_path is None]
        for is_renamed, files in ((False, others), (True, renamed)):
            for names in batches(files):
                patched = await self._patched(compared, names, room, is_renamed=is_renamed)
                texts = await self._texts(known_to_git, patched)
                read += [_with_facts(file, known_to_git, texts) for file in patched]

        # A renamed file without a changed line has no hunks: its content is read in another way.
        moved = {file.path for file in read if isinstance(file, ReviewedFile) and not file.hunks and file.old_path}
        read = [file for file in read if file.path not in moved]
        read += await self._moved([known_to_git[path] for path in moved], room)

        new = [file.path for file in wanted if not file.letter]
        read += await to_thread.run_sync(lambda: [read_whole(self.project, path, LineMark.ADDED, room) for path in new])
        return read

    async def _patched(
        self,
        compared: ComparedStates,
        names: Sequence[str],
        room: ByteBudget,
        *,
        is_renamed: bool,
        as_text: bool = False,
    ) -> list[_Read]:
        """Return the files of these names with their hunks; those of which no line has changed have none.

        Args:
            compared: The two states.
            names: Paths; of a renamed file both, the old one first.
            room: Bytes that may still be read.
            is_renamed: Whether all of them are of renamed files.
            as_text: Whether git is to show the lines of files that it calls binary.
        """
        if room.left <= 0:
            return [ExcludedFile(path=name, reason=ExclusionReason.NO_ROOM) for name in names]
        options = [
            f"-U{_ALL_OF_IT if is_renamed else _SURROUNDINGS}",
            f"--inter-hunk-context={_JOINED}",
            "-M" if is_renamed else "--no-renames",
        ]
        if as_text:
            options.append("--text")
        limit = _BINARY_LIMIT if as_text else self.limit
        finished = await self._run(
            "diff", *options, *_PLAIN, *compared.arguments, "--", *names, limit=limit, errors="surrogateescape"
        )
        room.take(len(finished.stdout))
        names_of_file = 2 if is_renamed else 1
        if finished.overflowed and len(names) > names_of_file:
            middle = len(names) // names_of_file // 2 * names_of_file  # both names of a renamed file stay together
            first_half = await self._patched(compared, names[:middle], room, is_renamed=is_renamed)
            second_half = await self._patched(compared, names[middle:], room, is_renamed=is_renamed)
            return [*first_half, *second_half]
        if finished.overflowed:
            return [ExcludedFile(path=names[-1], reason=ExclusionReason.BINARY if as_text else ExclusionReason.NO_ROOM)]
        try:
            differing = unified_diff.read_diff(_listing_of(finished))
        except unified_diff.DiffError as error:  # pragma: no cover -- git writes this form
            raise UsageError(f"The output of git cannot be read: {error}") from error
        read = list[_Read]()
        for each in differing:
            if each.is_binary and not as_text:
                # git takes a file for binary because of a NUL or an attribute. The change may have added either, so the
                # lines decide.
                own_names = dict.fromkeys(
                    name for name in (each.old_path, each.path) if name is not None and name in names
                )
                read += await self._patched(compared, list(own_names), room, is_renamed=is_renamed, as_text=True)
            elif each.is_text and not each.is_binary:
                read.append(_shown(each))
            else:
                read.append(ExcludedFile(path=each.path, reason=ExclusionReason.BINARY))
        return list(_joined(read))

    async def _texts(self, known: Mapping[str, ListedFile], files: Iterable[_Read]) -> dict[str, Sequence[str]]:
        """Return the lines of the files as they are now, by path, if a hunk begins in the midst of one."""
        wanted = list[ListedFile]()
        for file in files:
            if isinstance(file, ReviewedFile) and file.path in known and any(hunk.first > 1 for hunk in file.hunks):
                wanted.append(known[file.path])
        contents = await self._content_of(wanted)
        return {path: source_lines.file_lines(content) for path, content in contents.items()}

    async def _content_of(self, wanted: Sequence[ListedFile]) -> dict[str, bytes]:
        """Return the content of files as they are now, by path, without those that are too large, or are no text."""
        present = [file for file in wanted if file.letter != "D"]
        # Without a hash, git has not stored the content yet: the file of the working tree has it.
        blobs = {file.path: file.blobs[1] for file in present if file.blobs[1].strip("0")}
        contents = await self.git.contents(self.repository, list(blobs.values()))
        by_path = {path: contents[blob] for path, blob in blobs.items() if blob in contents}
        for file in present:
            if file.path not in blobs:
                content = await to_thread.run_sync(_content_or_none, self.project, file.path)
                if content is not None:
                    by_path[file.path] = content
        return by_path

    async def _moved(self, moved: Sequence[ListedFile], room: ByteBudget) -> list[_Read]:
        """Return files of which nothing but the name, or the mode too, has changed; they are shown whole."""
        contents = await self._content_of(moved)
        result = list[_Read]()
        for file in moved:
            if file.path not in contents:
                result.append(ExcludedFile(path=file.path, reason=ExclusionReason.NO_ROOM, facts=file.facts))
                continue
            read = _whole_of(file.path, contents[file.path], LineMark.KEPT, room)
            if isinstance(read, ExcludedFile):
                result.append(ExcludedFile(path=file.path, reason=read.reason, facts=file.facts))
                continue
            facts = (*file.facts, "none of its lines has changed")
            update = {"change": FileChange.RENAMED, "old_path": file.old_path, "base": file.base, "facts": facts}
            result.append(read.model_copy(update=update))
        return result

    async def _answer(self, *arguments: str) -> str:
        return _listing_of(await self._run(*arguments, limit=_LIST_LIMIT))

    async def _run(self, *arguments: str, limit: int, stdin: str = "", errors: str = "replace") -> FinishedProcess:
        # Names are no patterns. check-ignore takes no patterns, and refuses the option.
        literal = () if arguments[0] == "check-ignore" else ("--literal-pathspecs",)
        return await self.git.run(
            self.repository, *literal, *arguments, timeout_s=GIT_TIMEOUT_S, limit=limit, stdin=stdin, errors=errors
        )


def _known_patterns(before: bytes, now: bytes) -> frozenset[str]:
    """Return the patterns of a ``.gitignore`` that ignored the same before a change.

    Where the change removes an exception, each of them may ignore more than before.
    """
    patterns = {line.strip() for line in before.decode(errors="replace").split("\n")}
    patterns_now = {line.strip() for line in now.decode(errors="replace").split("\n")}
    removes_exception = any(line.startswith("!") for line in patterns - patterns_now)
    return frozenset() if removes_exception else frozenset(patterns)


def _shown(diff: unified_diff.FileDiff) -> ReviewedFile:
    if diff.is_deleted:
        change = FileChange.DELETED
    elif diff.old_path is None:
        change = FileChange.ADDED
    else:
        change = FileChange.MODIFIED if diff.old_path == diff.path else FileChange.RENAMED
    facts = tuple[str, ...]()
    had_end, has_end = LineMark.REMOVED not in diff.unended, LineMark.ADDED not in diff.unended
    if change not in (FileChange.ADDED, FileChange.DELETED) and had_end != has_end:
        facts = ("its last line has no line end",) if had_end else ("its last line had no line end",)
    return ReviewedFile(
        path=diff.path,
        old_path=diff.old_path if change is FileChange.RENAMED else None,
        change=change,
        facts=facts,
        hunks=diff.hunks,
    )


def _joined(grouped: Iterable[_Read]) -> Iterator[_Read]:
    """Yield ``files`` with one entry for each: git lists a file twice when its type has changed."""
    by_path = defaultdict[str, list[_Read]](list)
    for part in grouped:
        by_path[part.path].append(part)
    for path, parts in by_path.items():
        files = [part for part in parts if isinstance(part, ReviewedFile)]
        if len(parts) == 1:
            yield parts[0]
        elif len(files) == len(parts):
            hunks = tuple(hunk for file in files for hunk in file.hunks)
            yield ReviewedFile(path=path, change=FileChange.MODIFIED, hunks=hunks)
        else:
            yield ExcludedFile(path=path, reason=ExclusionReason.BINARY)


def _with_facts(read: _Read, known: Mapping[str, ListedFile], texts: Mapping[str, Sequence[str]]) -> _Read:
    """Return ``read`` with git's facts about it, and each hunk with the lines that enclose it."""
    listed = known.get(read.path)
    if listed is None:
        return read
    facts = (*listed.facts, *read.facts)
    if isinstance(read, ReviewedFile) and not read.hunks and listed.letter in ("A", "D"):
        facts = (*facts, "empty")
    if isinstance(read, ExcludedFile):
        return read.model_copy(update={"facts": facts})
    lines = texts.get(read.path, ())
    hunks = list[Hunk]()
    for hunk in read.hunks:
        if hunk.first > 1:
            hunks.append(hunk.model_copy(update={"above": source_lines.enclosing(lines, hunk.first - 1)}))
        else:
            hunks.append(hunk)
    return read.model_copy(update={"facts": facts, "base": listed.base, "hunks": tuple(hunks)})


def _in_order(files: Iterable[_Read], listed: Iterable[ListedFile]) -> ReadFiles:
    """Return all files read, and those that were listed and not read, which must not be omitted silently."""
    shown, left_out, paths = list[ReviewedFile](), list[ExcludedFile](), set[str]()
    for file in files:
        paths.add(file.path)
        if isinstance(file, ReviewedFile):
            shown.append(file)
        else:
            left_out.append(file)
    left_out += [
        ExcludedFile(path=file.path, reason=ExclusionReason.UNREADABLE) for file in listed if file.path not in paths
    ]
    shown.sort(key=lambda file: file.path)
    left_out.sort(key=lambda file: file.path)
    return ReadFiles(tuple(shown), tuple(left_out))


def read_whole(project: Path, path: str, mark: LineMark, room: ByteBudget) -> _Read:
    """Return a file of the project as it stands, each of its lines with ``mark``."""
    if room.left <= 0:
        return ExcludedFile(path=path, reason=ExclusionReason.NO_ROOM)
    try:
        mode, content = _content(project.resolve(), path)
    except (OSError, ValueError):
        return ExcludedFile(path=path, reason=ExclusionReason.UNREADABLE)
    file = _whole_of(path, content, mark, room)
    facts = ListedFile(path, modes=(NO_FILE, mode)).facts if mark is LineMark.ADDED else ()
    return file.model_copy(update={"facts": (*facts, *file.facts)})


def _whole_of(path: str, content: bytes, mark: LineMark, room: ByteBudget) -> _Read:
    if room.left <= 0:
        return ExcludedFile(path=path, reason=ExclusionReason.NO_ROOM)
    room.take(len(content))
    text = content.decode("utf-8", errors="surrogateescape")
    if "\0" in text and not source_lines.is_text(text.split("\n")):
        return ExcludedFile(path=path, reason=ExclusionReason.BINARY)
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
    return checked_output(finished)
