"""What is to be reviewed: read from git or the disk, and made harmless."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from sparring.errors import UsageError
from sparring.providers.lookup.changes import ChangedFiles, Compared, FilesRead, Scope
from sparring.providers.lookup.git import Git
from sparring.providers.lookup.repository import Repository
from sparring.schema.review import ChangeKind, Hunk, LeftOut, NotShown, ReviewedChange, ReviewedFile
from sparring.seating.seats import ChangeWish, ReadChange
from sparring.text.redaction import Redactor

_PART_BYTES = 64 * 1024


@dataclass(frozen=True)
class Reading:
    """Where a change is read, and what takes the secrets out of it.

    Attributes:
        ignored: Beginnings of paths that are nobody's work.
    """

    project: Path
    environment: Mapping[str, str]
    redactor: Redactor
    ignored: tuple[str, ...]

    def read(self, wished: ChangeWish) -> ReadChange:
        """What is to be reviewed; raises ``UsageError``."""
        return anyio.run(self._read, wished)

    async def _read(self, wished: ChangeWish) -> ReadChange:
        git = Git(self.project, self.environment)
        repository = await git.find()
        if repository is None:
            raise UsageError(f"{self.project} lies in no git repository.")
        compared = Compared(await _base(git, repository), is_staged=wished.is_staged)
        scope = Scope(ignored=self.ignored, secrets_allowed=wished.secrets_allowed)
        found = await ChangedFiles(self.project, git, repository).read(compared, scope)
        title = "the staged changes" if wished.is_staged else "the uncommitted changes"
        return self._made(title, compared, found, wished)

    def _made(self, title: str, compared: Compared, found: FilesRead, wished: ChangeWish) -> ReadChange:
        files, left_out, redactions = list[ReviewedFile](), list(found.left_out), 0
        for file in found.files:
            text = "\n".join(line[1:] for hunk in file.hunks for line in hunk.lines)
            harmless = self.redactor.redact(text)
            if harmless.text.count("\n") != text.count("\n"):
                left_out.append(LeftOut(path=file.path, why=NotShown.SECRET))
                continue
            redactions += harmless.count
            files.append(file.model_copy(update={"hunks": tuple(_with_lines(file.hunks, harmless.text))}))
        sizes = [sum(len(line) for hunk in file.hunks for line in hunk.lines) for file in files]
        change = ReviewedChange(
            kind=ChangeKind.DIFF,
            title=title,
            base=compared.base,
            head=compared.head,
            files=tuple(files),
            left_out=tuple(left_out),
            parts=tuple(_parts(sizes)),
            seen=tuple(sorted({hunk.digest(file.path) for file in files for hunk in file.hunks} | wished.seen)),
        )
        return ReadChange(change, redactions)


async def _base(git: Git, repository: Repository) -> str:
    if repository.head is not None:
        return repository.head
    empty = await git.run(repository, "hash-object", "-t", "tree", "--stdin", timeout_s=60)
    return empty.stdout.strip()


def _with_lines(hunks: Sequence[Hunk], text: str) -> Iterator[Hunk]:
    """``hunks`` with the lines of ``text`` behind the marks that they have."""
    lines = iter(text.split("\n"))
    for hunk in hunks:
        yield Hunk(first=hunk.first, lines=tuple(line[:1] + next(lines) for line in hunk.lines))


def _parts(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    part, total = list[int](), 0
    for index, size in enumerate(sizes):
        if part and total + size > _PART_BYTES:
            yield tuple(part)
            part, total = [], 0
        part.append(index)
        total += size
    if part:
        yield tuple(part)
