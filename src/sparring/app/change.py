"""Reader of the change to review: from git or the disk, without secrets."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import anyio
from msgspec import Struct

from sparring.errors import NothingToReviewError, UsageError
from sparring.lookup import changes, context, working_tree
from sparring.lookup.change_list import ChangeScope, ComparedStates
from sparring.lookup.git import Attributes, Git, Revisions, parse_range
from sparring.participants.change import notices, selected
from sparring.participants.options import MAX_KIB, MOST_KIB
from sparring.participants.seats import ChangeQuery, ReadChange
from sparring.schema.authors import Author
from sparring.schema.changes import ChangeKind, ExcludedFile, ExclusionReason, LineMark, ReviewedChange, ReviewedFile
from sparring.text import authorship, redaction, tidying, trailers

_DIFF = "diff"
_NAMES_SHOWN, _NAME_SHOWN = 2, 120
_MOST_WORDS = 100
_MOST_COMMITS = 1_000
"""Maximum number of commits whose trailers are read."""


class _RawChange(Struct, frozen=True):
    """Change as read, with its secrets.

    Attributes:
        title: Name of the change for people.
    """

    kind: ChangeKind
    title: str
    read: changes.ReadFiles
    base: str | None = None
    head: str | None = None


class ChangeReading(Struct, frozen=True):
    """Reader of changes, and redactor of their secrets.

    Attributes:
        folders: Folders that a path may be relative to: the current one, and the project.
        is_own: Predicate for records of sparring in the working tree, by their path from the project's root.
        counts: Predicate for files to be read, by the same path.
    """

    project: Path
    folders: tuple[Path, ...]
    environment: Mapping[str, str]
    redactor: redaction.Redactor
    is_own: Callable[[str], bool] = lambda _: False
    counts: Callable[[str], bool] = lambda _: True

    def read(self, query: ChangeQuery, plan: context.ProjectFile | None) -> ReadChange:
        """Read the change to review, or ``plan``; raises ``UsageError``."""
        if plan is not None and (query.what or query.is_staged):
            raise UsageError("A plan is reviewed alone; name it, or what has changed.")
        if len(query.what) > _MOST_WORDS:
            raise UsageError(f"{len(query.what):,} paths are named; name at most {_MOST_WORDS}, or their folders.")
        material = _plan(plan) if plan is not None else anyio.run(self._read_change, query)
        files = [file for file in material.read.files if self.counts(file.path)]
        left_out = [file for file in material.read.left_out if self.counts(file.path)]
        chosen = selected(files, left_out, self.redactor, query)
        title = self.redactor.redact(material.title)
        remarks = notices(chosen)
        if not chosen.files and not any(file.reason.is_gap for file in chosen.left_out):
            raise NothingToReviewError(f"There is nothing to review in {title.text}.", hint=" ".join(remarks))
        change = ReviewedChange(
            kind=material.kind,
            title=title.text,
            base=material.base,
            head=material.head,
            files=chosen.files,
            left_out=tuple(chosen.left_out),
            parts=chosen.parts,
            terms=query.terms,
            seen=tuple(sorted(chosen.identities | query.seen)),
        )
        return ReadChange(change, chosen.redactions + title.count, remarks)

    def signed_by(self, query: ChangeQuery) -> tuple[Author, ...]:
        """Return the model families that sign the commits of a range to be reviewed.

        Empty for uncommitted changes, and where git cannot be asked.
        """
        if not query.what or query.is_staged or parse_range(query.what[0]) is None:
            return ()
        try:
            return trailers.authors_in(anyio.run(self._messages, query.what[0]))
        except UsageError:
            return ()  # reading the change reports the reason

    async def _messages(self, first: str) -> str:
        git = Git(self.project, self.environment)
        repository = await git.find()
        if repository is None or self._is_there(first):
            return ""
        compared, _ = await _compared(first, ChangeQuery(), Revisions(git, repository))
        asked = ("log", f"--max-count={_MOST_COMMITS}", "--format=%B", f"{compared.base}..{compared.head}", "--")
        return await git.answer(repository, *asked) or ""

    async def _read_change(self, query: ChangeQuery) -> _RawChange:
        git = Git(self.project, self.environment)
        first, *others = query.what or (_DIFF,)
        may_be_file = first != _DIFF and not query.is_staged and self._is_there(first)
        # A word may name a file and a commit; a path that begins with a dot is never a commit.
        if may_be_file and (first.startswith(".") or not await _is_commit(git, first)):
            return await self._files(query, git)
        repository = await git.find()
        if repository is None:
            why = f"{self.project} lies in no git repository."
            missing = "" if first == _DIFF else f"There is no file or folder {_quoted(first)} here, and "
            raise UsageError(f"{missing}{why}", hint="What has changed only git knows; files and folders can be named.")
        if first != _DIFF and self._is_there(first):
            if not query.is_staged:
                raise UsageError(f"{_quoted(first)} is a commit and a file; write `./{first}` or `{first}~0`.")
            first, others = _DIFF, [first, *others]
        compared, title = await _compared(first, query, Revisions(git, repository))
        foreign_index = repository.foreign_index
        if compared.head is None and foreign_index is not None:
            raise UsageError(
                f"git reads the index {_quoted(str(foreign_index))}, which lies outside of its folder and is not read.",
                hint="Unset GIT_INDEX_FILE, or compare two commits: A..B.",
            )
        paths = tuple(self._inside(word) for word in others)
        scope = ChangeScope(() if "" in paths else paths, self.is_own, query.secrets_allowed)
        read = await changes.ChangedFiles(self.project, git, repository).read(compared, scope)
        base = None if repository.head is None and first == _DIFF else compared.base
        where = f" in {_names(others)}" if scope.paths else ""
        return _RawChange(ChangeKind.DIFF, f"{title}{where}", read, base, compared.head)

    def _is_there(self, word: str) -> bool:
        return any(map(os.path.lexists, self._candidates(word)))

    def _candidates(self, word: str) -> list[Path]:
        """Return the paths of the project that ``word`` may mean; the existence of a path outside is never revealed."""
        root = self.project.resolve()
        if not word or "\0" in word:
            return []
        spelled = (Path(os.path.normpath(folder.resolve() / word)) for folder in self.folders)
        return [path for path in spelled if path.is_relative_to(root)]

    def _inside(self, word: str) -> str:
        """Return the path that ``word`` names, from the project's root; it need not exist. Empty: the project."""
        candidates = self._candidates(word)
        if not word:
            raise UsageError("An empty word names no file or folder.", hint="Name the project itself with `.`.")
        if not candidates:
            raise UsageError(f"{_quoted(word)} lies outside of the project {self.project}.")
        existing = next(filter(os.path.lexists, candidates), candidates[0])
        path = existing.relative_to(self.project.resolve()).as_posix()
        return "" if path == "." else path

    async def _files(self, query: ChangeQuery, git: Git) -> _RawChange:
        """Read files and folders in their present state. A file that is named itself is read whoever wrote it."""
        scope = ChangeScope((), self.is_own, query.secrets_allowed)
        files: dict[str, ReviewedFile] = {}
        left_out: dict[str, ExcludedFile] = {}

        def add(file: ReviewedFile | ExcludedFile) -> None:
            if isinstance(file, ExcludedFile):
                left_out[file.path] = file
            else:
                files[file.path] = file

        folders: list[str] = []
        for word in query.what:
            path = self._inside(word)
            if (self.project / path).is_dir():
                folders.append(path)
            else:
                add(self._named(word, query))
        listed = [path for path in await self._below(folders) if path not in files and scope.holds(path)]
        attributes = await _attributes(git, listed)
        room = changes.ByteBudget()
        for path in listed:
            why = _exclusion_reason(path, scope, folders, attributes)
            if why:
                add(ExcludedFile(path=path, reason=why))
            else:
                add(changes.read_whole(self.project, path, LineMark.KEPT, room))
        read = changes.ReadFiles(tuple(files.values()), tuple(left_out.values()))
        return _RawChange(ChangeKind.FILES, _names(query.what), read)

    def _named(self, word: str, query: ChangeQuery) -> ReviewedFile | ExcludedFile:
        limit = MOST_KIB * 1024
        file = context.read_project_file(
            word,
            project=self.project,
            folders=self.folders,
            limit=limit,
            secrets_allowed=query.secrets_allowed,
        )
        if file.text is None:
            return ExcludedFile(path=file.path, reason=ExclusionReason.NO_ROOM)
        return changes.whole(file.path, file.text.encode(errors="surrogateescape"), LineMark.KEPT)

    async def _below(self, folders: Sequence[str]) -> list[str]:
        """Return the files below ``folders`` that git tracks or does not ignore; without git, all files."""
        if not folders:
            return []
        paths = await working_tree.list_files(self.project, self.environment)
        scope = ChangeScope(() if "" in folders else tuple(folders))
        return [path for path in paths if scope.holds(path)]


async def _is_commit(git: Git, word: str) -> bool:
    """Return whether ``word`` could also be a commit; False where git cannot be asked."""
    try:
        repository = await git.find()
    except UsageError:
        return False
    return repository is not None and await Revisions(git, repository).find(word) is not None


async def _compared(first: str, query: ChangeQuery, revisions: Revisions) -> tuple[ComparedStates, str]:
    """Return the two states to compare for ``first``, with their name for people."""
    shown = tidying.one_line(first, _NAME_SHOWN)
    spelled = parse_range(first)
    if spelled is not None:
        if query.is_staged:
            raise UsageError("Staged changes are compared with one commit, not with two.")
        base = await revisions.commit_hash(spelled.base)
        head = await revisions.commit_hash(spelled.head)
        if spelled.is_since_fork:
            base = await revisions.fork(base, head)
        return ComparedStates(base, head), shown
    what = "the staged changes" if query.is_staged else "the uncommitted changes"
    if first == _DIFF:
        return ComparedStates(await _last(revisions), is_staged=query.is_staged), what
    base = await revisions.commit_hash(first, "commit, file or folder")
    return ComparedStates(
        base, is_staged=query.is_staged
    ), f"{what if query.is_staged else 'the changes'} since {shown}"


async def _last(revisions: Revisions) -> str:
    """Return the commit that is checked out; before the first one, the empty tree."""
    return revisions.repository.head or await revisions.git.empty_tree(revisions.repository)


async def _attributes(git: Git, paths: Sequence[str]) -> Attributes:
    """Return the attributes of files in the last commit; none where git cannot be asked."""
    with suppress(UsageError):
        repository = await git.find()
        if repository is not None and repository.head is not None:
            return await git.attributes(repository, paths, tree=repository.head)
    return {}


def _exclusion_reason(
    path: str, scope: ChangeScope, folders: Iterable[str], attributes: Attributes
) -> ExclusionReason | None:
    """Return why a file in one of ``folders`` is not read, whatever the folders themselves are called."""
    if scope.is_own(path):
        return ExclusionReason.OWN
    below = min((path.removeprefix(f"{folder}/") for folder in folders), key=len)
    values = attributes.get(path, {})
    return scope.refusal(path) or authorship.excluded(values) or authorship.foreign_origin(below, values)


def _plan(plan: context.ProjectFile) -> _RawChange:
    if plan.text is None:
        raise UsageError(f"{plan.path} is too large.", hint=f"Raise it with --set {MAX_KIB}=N.")
    if not plan.text.strip():
        raise UsageError(f"{plan.path} is empty.")
    file = changes.whole(plan.path, plan.text.encode(errors="surrogateescape"), LineMark.KEPT)
    return _RawChange(ChangeKind.PLAN, plan.path, changes.ReadFiles((file,)))


def _names(words: Sequence[str]) -> str:
    more = f" and {len(words) - _NAMES_SHOWN} more" if len(words) > _NAMES_SHOWN else ""
    return ", ".join(tidying.one_line(word, _NAME_SHOWN) or "?" for word in words[:_NAMES_SHOWN]) + more


def _quoted(word: str) -> str:
    return tidying.one_line(repr(word), _NAME_SHOWN)
