"""Answers of git about a project, each from a git process that sees only the files of ``repository``.

Its arguments come from models, so they travel on standard input, never in argv. Commits are looked
up in people's spelling without git's own references, which may lead anywhere: the name among the files of the
repository, the rest (``~2``, ``^``) through git's standard input, beginning with a hash.
"""

import os
import re
import stat
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec import Struct

from sparring.errors import GitMissingError, UsageError, raising_first
from sparring.lookup.repository import HINT, Repository, find_repository, not_read
from sparring.processes.call_folders import temporary_folder
from sparring.processes.children import Command, FinishedProcess, find_program, run_child
from sparring.schema.lookups import CommitPresence, FileRemoval
from sparring.text.authorship import ATTRIBUTES
from sparring.text.tidying import one_line

_LISTING_LIMIT = 64 * 1024 * 1024
_ANSWER_LIMIT = 16 * 1024 * 1024
_MEMORY_KIB = 1536 * 1024
"""Limit of git's memory: an object or an index of a few kilobytes can unfold to terabytes. Mapped parts of packs
count as well (``repository``)."""

_PROCESSOR_S = 90
"""More than the longest time that git is given, of one processor: several threads of it end sooner."""

_MAX_WAIT_S = 2.0
"""A repository that is in order is nearly always read sooner; after that it is looked for what holds git up."""

_OPENED = (".gitattributes", ".gitignore")
"""Files of a working tree that git opens whatever their type; it would read a pipe without an end."""

_MOST_ENTRIES = 500_000
"""Files and folders among which such a file is looked for."""

GIT_TIMEOUT_S = 60.0
"""Seconds for results that a caller needs; optional ones take no longer than the following limits."""

_LOOKING_S = 20.0
_HISTORY_S = 5.0
"""A long history is searched no longer than this; what became of a file is a help and decides nothing."""

_MOST_COMMITS = 100
"""Most commits in which removed files are searched: each touches one of them."""

_BLOB_LIMIT, _BLOBS_LIMIT = 1024 * 1024, 16 * 1024 * 1024
"""Most bytes of one content, and of all together, that are read in addition to a difference."""

_UNSPECIFIED = "unspecified"
_MESSAGE_SHOWN = 160
_SHORT_HASH = re.compile(r"[0-9a-f]{4,64}")
_HASH = re.compile(r"[0-9a-f]{40,64}")


Attributes = Mapping[str, Mapping[str, str]]
"""Attributes of each file."""


class Git:
    """git in one project; the questions other than ``run`` are answered with nothing where it cannot be asked."""

    def __init__(self, project: Path, environment: Mapping[str, str]) -> None:
        self._project = project
        self._environment = environment

    async def find(self) -> Repository | None:
        """See ``find_repository``."""
        return await to_thread.run_sync(find_repository, self._project, self._environment)

    async def empty_tree(self, repository: Repository) -> str:
        """Return the hash of the empty tree, with which the first commit is compared; raises ``UsageError``."""
        arguments = ("hash-object", "-t", "tree", "--stdin")
        return checked_output(await self.run(repository, *arguments, timeout_s=GIT_TIMEOUT_S)).strip()

    async def refusal(self) -> str:
        """Return the reason why the repository is not read; empty if it is, or if there is none."""
        try:
            await self.find()
        except UsageError as error:
            return str(error)
        return ""

    async def run(
        self,
        repository: Repository,
        *arguments: str,
        timeout_s: float,
        limit: int = _LISTING_LIMIT,
        stdin: str = "",
        tree: str = "",
        errors: str = "replace",
    ) -> FinishedProcess:
        """Run git with these ``arguments`` and ``stdin`` as its standard input.

        Args:
            repository: The repository as git sees it.
            arguments: Arguments of git.
            timeout_s: Seconds after which it is ended.
            limit: Most bytes of its output.
            stdin: Its standard input.
            tree: A commit or tree whose files replace the index; empty: the index stays.
            errors: Treatment of bytes in its output that are no UTF-8.

        Raises:
            UsageError: It cannot be started, the tree does not exist, or a special file blocks it.
        """
        blocking = list[Path]()

        async def look() -> None:
            await anyio.sleep(min(_MAX_WAIT_S, timeout_s))
            if path := await to_thread.run_sync(_blocking_file, repository.top, abandon_on_cancel=True):
                blocking.append(path)
                group.cancel_scope.cancel()

        finished: FinishedProcess | None = None
        with temporary_folder() as made:
            prompt = made / "asked"  # a file cannot block, as a pipe could
            try:
                view = _prepared(repository, prompt, stdin)
                with raising_first():
                    async with anyio.create_task_group() as group:
                        group.start_soon(look)
                        if tree:
                            view["GIT_INDEX_FILE"] = str(made / "git" / "index")
                            reading = self._command(view, ("read-tree", tree))
                            checked_output(await run_child(reading, prompt=None, timeout_s=timeout_s))
                        asking = self._command(view, arguments)
                        finished = await run_child(
                            asking, prompt=prompt, timeout_s=timeout_s, output_limit=limit, errors=errors
                        )
                        group.cancel_scope.cancel()
            except (OSError, ValueError) as error:
                raise not_read(repository.top, one_line(str(error), _MESSAGE_SHOWN)) from error
        if finished is None:
            raise not_read(repository.top, f"{one_line(str(blocking[0]), _MESSAGE_SHOWN)} is not a regular file")
        return finished

    def _command(self, view: Mapping[str, str], arguments: Sequence[str]) -> Command:
        path = self._environment.get("PATH")
        program = find_program("git", path)
        if program is None:
            raise GitMissingError("git is not installed.", hint=HINT)
        kept = {name: self._environment[name] for name in ("PATH", "SYSTEMROOT") if name in self._environment}
        argv = (program, "--no-pager", *arguments)
        if sys.platform != "win32":
            limits = f"ulimit -v {_MEMORY_KIB} 2>/dev/null; ulimit -t {_PROCESSOR_S} 2>/dev/null"
            argv = ("/bin/sh", "-c", f'{limits}; exec "$@"', "git", *argv)
        return Command(argv=argv, env={**kept, **view}, cwd=self._project.resolve())

    async def files(self, *, timeout_s: float) -> list[str] | None:
        """Return tracked files that still exist, and new ones that are not ignored; None without a repository."""
        listed = await self._answer("ls-files", "-z", "--cached", "--others", "--exclude-standard", timeout_s=timeout_s)
        if listed is None:
            return None
        gone = await self._answer("ls-files", "-z", "--deleted", timeout_s=timeout_s)
        missing = set(split_names(gone or ""))
        return [path for path in split_names(listed) if path not in missing]

    async def tracked(self) -> tuple[str, ...] | None:
        """Return the files below the project that git tracks, also removed ones; None where it cannot be asked."""
        listed = await self._answer("ls-files", "-z", "--cached", timeout_s=_LOOKING_S)
        return None if listed is None else tuple(split_names(listed))

    async def text(self, commit: str, path: str) -> str | None:
        """Return the text of the file at ``path``, from the project's root, in a ``commit`` that is named by its hash.

        None where it has no such file. Raises ``UsageError`` like ``run``.
        """
        repository = await self.find()
        if repository is None or not _HASH.fullmatch(commit) or "\0" in path:
            return None
        return await self.answer(repository, "cat-file", "blob", f"{commit}:./{path}")

    async def changed(self) -> frozenset[str]:
        """Return the files that differ from the last commit; none where there is none."""
        arguments = ("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--relative", "HEAD", "--")
        return frozenset(split_names(await self._answer(*arguments, timeout_s=_LOOKING_S) or ""))

    async def commits(self, hashes: Collection[str]) -> dict[str, CommitPresence]:
        """Return for each of ``hashes`` whether there are commits whose names begin with it."""
        asked = [name for name in hashes if _SHORT_HASH.fullmatch(name)]
        stdin = "".join(f"{name}^{{commit}}\n{name}\n" for name in asked)  # only the second line shows ambiguity
        answer = await self._answer("cat-file", "--batch-check", timeout_s=_LOOKING_S, stdin=stdin)
        if answer is None:
            return dict.fromkeys(hashes, CommitPresence.NO_REPOSITORY)
        repository = await self.find()
        is_shallow = repository is not None and repository.is_shallow
        seen = dict.fromkeys(hashes, CommitPresence.PARTIAL_HISTORY if is_shallow else CommitPresence.MISSING)
        lines = answer.splitlines()
        for name, as_commit, as_object in zip(asked, lines[::2], lines[1::2], strict=False):
            if not as_commit.endswith((" missing", " ambiguous")):
                seen[name] = CommitPresence.THERE
            elif as_object.endswith(" ambiguous"):
                seen[name] = CommitPresence.AMBIGUOUS
        return seen

    async def removed_files(self, paths: Collection[str]) -> dict[str, FileRemoval]:
        """Return the latest removal or renaming of each of ``paths``, from the project's root, in the last commits."""
        askable = sorted(path for path in paths if "\n" not in path and "\0" not in path)
        stdin = "--\n" + "".join(f"{path}\n" for path in askable)
        limit = f"--max-count={_MOST_COMMITS}"
        commits = await self._answer("rev-list", limit, "--stdin", "HEAD", timeout_s=_HISTORY_S, stdin=stdin)
        if not commits:
            return {}
        options = ("--stdin", "-r", "--root", "-M", "--diff-filter=DR", "--name-status", "-z", "--relative")
        changes = await self._answer("diff-tree", *options, timeout_s=_HISTORY_S, stdin=commits)
        departures: dict[str, FileRemoval] = {}
        for path, departure in _departures(changes or ""):
            if path in askable:
                departures.setdefault(path, departure)  # the latest commit comes first
        return departures

    async def attributes(self, repository: Repository, paths: Collection[str], *, tree: str | None) -> Attributes:
        """Return the attributes of ``paths`` that bear on a review: those of ``tree``, or of the working tree.

        An empty ``tree`` stands for the index. Unspecified attributes are left out.

        Raises:
            UsageError: git cannot answer.
        """
        if not paths:
            return {}
        source = () if tree is None else ("--cached",)
        arguments = ("check-attr", *source, "--stdin", "-z", *ATTRIBUTES)
        asked = "".join(f"{path}\0" for path in paths)
        finished = await self.run(
            repository, *arguments, timeout_s=GIT_TIMEOUT_S, limit=_ANSWER_LIMIT, stdin=asked, tree=tree or ""
        )
        fields = checked_output(finished).split("\0")
        attributes = defaultdict[str, dict[str, str]](dict)
        for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            if value != _UNSPECIFIED:
                attributes[path][name] = value
        return dict(attributes)

    async def contents(self, repository: Repository, blobs: Sequence[str]) -> dict[str, bytes]:
        """Return the contents of ``blobs`` by their hashes, as far as they are of a bounded size."""
        if not blobs:
            return {}
        asked = "".join(f"{blob}\n" for blob in dict.fromkeys(blobs))
        listed = await self.answer(repository, "cat-file", "--batch-check", stdin=asked)
        room, chosen = _BLOBS_LIMIT, ""
        for line in (listed or "").splitlines():
            blob, kind, size = line.split(" ") if line.count(" ") == 2 else ("", "", "")
            if kind == "blob" and int(size) <= min(_BLOB_LIMIT, room):
                room -= int(size)
                chosen += f"{blob}\n"
        if not chosen:
            return {}
        finished = await self.run(
            repository, "cat-file", "--batch", timeout_s=GIT_TIMEOUT_S, stdin=chosen, errors="surrogateescape"
        )
        return dict(_contents(checked_output(finished).encode(errors="surrogateescape")))

    async def answer(
        self,
        repository: Repository,
        *arguments: str,
        timeout_s: float = _LOOKING_S,
        limit: int = _ANSWER_LIMIT,
        stdin: str = "",
    ) -> str | None:
        """Run git and return its output; None unless it succeeds in time. Raises like ``run``."""
        finished = await self.run(repository, *arguments, timeout_s=timeout_s, limit=limit, stdin=stdin)
        return finished.stdout if finished.exit_code == 0 and not finished.overflowed else None

    async def _answer(
        self, *arguments: str, timeout_s: float, limit: int = _LISTING_LIMIT, stdin: str = ""
    ) -> str | None:
        """Return the same for the repository of the project; None also where there is none."""
        with suppress(UsageError):
            if (repository := await self.find()) is not None:
                literal = ("--literal-pathspecs", *arguments)
                return await self.answer(repository, *literal, timeout_s=timeout_s, limit=limit, stdin=stdin)
        return None


def _blocking_file(top: Path) -> Path | None:
    """Return a file below ``top`` that would block git; None where there is none, or the search took too long."""
    seen = 0
    for folder, folders, files in os.walk(top):
        seen += len(folders) + len(files)
        if seen > _MOST_ENTRIES:
            return None
        for name in set(files).intersection(_OPENED):
            path = Path(folder, name)
            with suppress(OSError):
                if not stat.S_ISREG(path.stat().st_mode):
                    return path
    return None


def _prepared(repository: Repository, prompt: Path, stdin: str) -> dict[str, str]:
    """Write the input of git into ``prompt`` and make its folder next to it; return its variables."""
    prompt.write_text(stdin, encoding="utf-8", errors="surrogateescape", newline="\n")
    folder = prompt.with_name("git")
    folder.mkdir()
    return {**repository.view(folder)}


def checked_output(finished: FinishedProcess, *, hint: str = "") -> str:
    """Return the output of git; raises ``UsageError`` if it failed or the output is incomplete."""
    if finished.timed_out:
        raise UsageError(f"git did not answer within {GIT_TIMEOUT_S:g} s.", hint=hint)
    if finished.exit_code != 0 or finished.overflowed:
        why = one_line(finished.stderr, _MESSAGE_SHOWN).rstrip(".") or f"it ended with {finished.exit_code}"
        raise UsageError(f"git refused: {why}.", hint=hint)
    return finished.stdout


def split_names(listed: str) -> list[str]:
    """Return the names in a listing of git that ends each with a NUL."""
    return [path for path in listed.split("\0") if path]


def _departures(changes: str) -> Iterator[tuple[str, FileRemoval]]:
    """Parse the output of ``diff-tree --stdin --name-status -z``: a commit, then its changes with one or two paths."""
    commit, fields = "", iter(changes.split("\0"))
    for field in fields:
        if _SHORT_HASH.fullmatch(field.strip()):
            commit = field.strip()[:7]
        elif field.startswith("R"):
            path = next(fields, "")
            yield path, FileRemoval(commit, next(fields, ""))
        elif field == "D":
            yield next(fields, ""), FileRemoval(commit)


def _contents(printed: bytes) -> Iterator[tuple[str, bytes]]:
    """Read what ``cat-file --batch`` prints: a line with hash, kind and size, the content, and a line feed."""
    position = 0
    while position < len(printed):
        line_end = printed.index(b"\n", position)
        blob, _, size = printed[position:line_end].decode().split(" ")
        content_end = line_end + 1 + int(size)
        yield blob, printed[line_end + 1 : content_end]
        position = content_end + 1


_SPELLED = re.compile(
    r"(?P<name>[^\s~^:?*\[\\\x00-\x20\x7f-]?[^\s~^:?*\[\\\x00-\x20\x7f]*)(?P<steps>(?:[~^][0-9]{0,6})*)"
)
_RANGE = re.compile(r"(?P<base>[^.](?:[^.]|\.(?!\.))*|)(?P<dots>\.{2,3})(?P<head>[^./].*|)", re.DOTALL)
_SHOWN = 120


class Range(Struct, frozen=True):
    """Two commits as they were spelled. ``is_since_fork``: what the second has done since it left the first."""

    base: str
    head: str
    is_since_fork: bool


def parse_range(spelled: str) -> Range | None:
    """Parse ``A..B`` or ``A...B``, with HEAD for a side that is left out; None if it is no range."""
    match = _RANGE.fullmatch(spelled)
    if match is None or not (match["base"] or match["head"]):
        return None
    return Range(match["base"] or "HEAD", match["head"] or "HEAD", match["dots"] == "...")


class Revisions(Struct, frozen=True):
    """The commits of one repository."""

    git: Git
    repository: Repository

    async def find(self, spelled: str) -> str | None:
        """Return the hash of the commit that ``spelled`` names; None if there is none."""
        match = _SPELLED.fullmatch(spelled)
        if match is None or not match["name"]:
            return None
        name = "HEAD" if match["name"] == "@" else match["name"]
        known = self.repository.reference(name) or (name if _SHORT_HASH.fullmatch(name) else None)
        if known is None:
            return None
        asked = f"{known}{match['steps']}^{{commit}}\n"
        kind = (await self.git.answer(self.repository, "cat-file", "--batch-check", stdin=asked) or "").split()
        return kind[0] if kind[1:2] == ["commit"] else None

    async def commit_hash(self, spelled: str, kind: str = "commit") -> str:
        """The hash of the commit that ``spelled`` names; raises ``UsageError`` that there is no such ``kind``."""
        commit = await self.find(spelled)
        if commit is not None:
            return commit
        shown = one_line(repr(spelled), _SHOWN)
        if "@{" in spelled:
            raise UsageError(
                f"{shown} names a commit by the log of a branch, which is not read.", hint="Name its hash."
            )
        raise UsageError(f"There is no {kind} {shown} here.", hint=self._fetch_hint())

    async def fork(self, base: str, head: str) -> str:
        """Return the last common commit of both; raises ``UsageError`` if there is none."""
        ancestor = (await self.git.answer(self.repository, "merge-base", base, head) or "").strip()
        if not ancestor:
            raise UsageError("The two commits have no history in common.", hint=self._fetch_hint())
        return ancestor

    def _fetch_hint(self) -> str:
        is_shallow = self.repository.is_shallow
        return "Only a part of the history is here; `git fetch --unshallow` gets the rest." if is_shallow else ""
