"""What git says of a project, each time asked by a program of its own that sees no more than ``repository`` gives it.

The words that it is asked about go by standard input, never in argv: a model may have made them up.
"""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from anyio import to_thread

from sparring.errors import UsageError
from sparring.providers.cli.process import Command, Finished, find_program, run_child
from sparring.providers.lookup.repository import HINT, Repository, find_repository, not_read
from sparring.providers.passing import passing_folder
from sparring.schema.lookups import CommitSeen, Departure
from sparring.text.tidying import one_line

_LISTING_LIMIT = 64 * 1024 * 1024
_MEMORY_KIB = 4 * 1024 * 1024
"""What git may take: an object or an index of a few kilobytes can unfold to terabytes."""

_LOOKING_S = 20.0
_HISTORY_S = 5.0
"""A long history is searched no longer than this; what became of a file is a help and decides nothing."""

_MOST_COMMITS = 100
"""Most commits in which files that are gone are looked for: each touches one of them."""

_SHORT_HASH = re.compile(r"[0-9a-f]{4,64}")


class Git:
    """git in one project; the questions other than ``run`` are answered with nothing where it cannot be asked."""

    def __init__(self, project: Path, environment: Mapping[str, str]) -> None:
        self._project = project
        self._environment = environment

    async def find(self) -> Repository | None:
        """See ``find_repository``."""
        return await to_thread.run_sync(find_repository, self._project, self._environment)

    async def refusal(self) -> str:
        """Why the repository is not read; empty if it is, or if there is none."""
        try:
            await self.find()
        except UsageError as error:
            return str(error)
        return ""

    async def run(
        self, repository: Repository, *arguments: str, timeout_s: float, limit: int = _LISTING_LIMIT, said: str = ""
    ) -> Finished:
        """How git ended that was asked this, ``said`` being its standard input.

        Raises:
            UsageError: It cannot be started.
        """
        with passing_folder() as made:
            prompt = made / "asked"  # a file cannot block, as a pipe could
            try:
                command = self._command(_prepared(repository, prompt, said), arguments)
                return await run_child(command, prompt=prompt, timeout_s=timeout_s, output_limit=limit)
            except (OSError, ValueError) as error:
                raise not_read(repository.top, one_line(str(error), 160)) from error

    def _command(self, view: Mapping[str, str], arguments: Iterable[str]) -> Command:
        path = self._environment.get("PATH")
        program = find_program("git", path)
        if program is None:
            raise UsageError("git is not installed.", hint=HINT)
        kept = {name: self._environment[name] for name in ("PATH", "SYSTEMROOT") if name in self._environment}
        argv = (program, "--no-pager", *arguments)
        if sys.platform != "win32":
            argv = ("/bin/sh", "-c", f'ulimit -v {_MEMORY_KIB} 2>/dev/null; exec "$@"', "git", *argv)
        return Command(argv=argv, env={**kept, **view}, cwd=self._project.resolve())

    async def files(self, *, timeout_s: float) -> list[str] | None:
        """The tracked files that are still there, and the new ones that are not ignored; None without a repository."""
        listed = await self._answer("ls-files", "-z", "--cached", "--others", "--exclude-standard", timeout_s=timeout_s)
        if listed is None:
            return None
        gone = await self._answer("ls-files", "-z", "--deleted", timeout_s=timeout_s)
        missing = set(split_names(gone or ""))
        return [path for path in split_names(listed) if path not in missing]

    async def changed(self, *, timeout_s: float) -> frozenset[str]:
        """The files that differ from the last commit; none where there is none."""
        arguments = ("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--relative", "HEAD", "--")
        return frozenset(split_names(await self._answer(*arguments, timeout_s=timeout_s) or ""))

    async def commits(self, hashes: Collection[str]) -> dict[str, CommitSeen]:
        """Whether there are commits whose names begin so."""
        asked = [name for name in hashes if _SHORT_HASH.fullmatch(name)]
        said = "".join(f"{name}^{{commit}}\n{name}\n" for name in asked)  # only the second tells what is ambiguous
        answer = await self._answer("cat-file", "--batch-check", timeout_s=_LOOKING_S, said=said)
        if answer is None:
            return dict.fromkeys(hashes, CommitSeen.NO_REPOSITORY)
        repository = await self.find()
        is_shallow = repository is not None and repository.is_shallow
        absent = CommitSeen.PARTIAL_HISTORY if is_shallow else CommitSeen.MISSING
        lines = answer.splitlines()
        said_of = zip(asked, lines[::2], lines[1::2], strict=False)
        seen = {name: _seen(as_commit, as_object, absent) for name, as_commit, as_object in said_of}
        return {name: seen.get(name, absent) for name in hashes}

    async def departed(self, paths: Collection[str]) -> dict[str, Departure]:
        """Those of ``paths``, from the project's root, that a commit took away, the latest one counting."""
        spelled = sorted(path for path in paths if "\n" not in path and "\0" not in path)
        said = "--\n" + "".join(f"{path}\n" for path in spelled)
        limit = f"--max-count={_MOST_COMMITS}"
        touching = await self._answer("rev-list", limit, "--stdin", "HEAD", timeout_s=_HISTORY_S, said=said)
        if not touching:
            return {}
        options = ("--stdin", "-r", "--root", "-M", "--diff-filter=DR", "--name-status", "-z", "--relative")
        changes = await self._answer("diff-tree", *options, timeout_s=_HISTORY_S, said=touching)
        found: dict[str, Departure] = {}
        for path, departure in _departures(changes or ""):
            if path in spelled:
                found.setdefault(path, departure)
        return found

    async def _answer(self, *arguments: str, timeout_s: float, said: str = "") -> str | None:
        """What git answers; None unless it succeeds in time."""
        with suppress(UsageError):
            repository = await self.find()
            if repository is not None:
                literal = ("--literal-pathspecs", *arguments)
                finished = await self.run(repository, *literal, timeout_s=timeout_s, said=said)
                return finished.stdout if finished.exit_code == 0 and not finished.overflowed else None
        return None


def _prepared(repository: Repository, prompt: Path, said: str) -> Mapping[str, str]:
    """Write what git is asked into ``prompt`` and make its folder beside it; its variables."""
    prompt.write_text(said, encoding="utf-8", errors="surrogateescape", newline="\n")
    folder = prompt.with_name("git")
    folder.mkdir()
    return repository.view(folder)


def split_names(listed: str) -> list[str]:
    """The names that git lists when it is told to end each with a NUL."""
    return [path for path in listed.split("\0") if path]


def _seen(as_commit: str, as_object: str, absent: CommitSeen) -> CommitSeen:
    if not as_commit.endswith((" missing", " ambiguous")):
        return CommitSeen.THERE
    return CommitSeen.AMBIGUOUS if as_object.endswith(" ambiguous") else absent


def _departures(changes: str) -> Iterator[tuple[str, Departure]]:
    """What ``diff-tree --stdin --name-status -z`` says: a commit, then its changes with one path, or two if renamed."""
    commit, fields = "", iter(changes.split("\0"))
    for field in fields:
        if _SHORT_HASH.fullmatch(field.strip()):
            commit = field.strip()[:7]
        elif field.startswith("R"):
            path = next(fields, "")
            yield path, Departure(commit, next(fields, ""))
        elif field == "D":
            yield next(fields, ""), Departure(commit)
