"""What git knows of a project: its files, its commits, and what became of files that are gone.

The words that are looked up come from models, so they travel by standard input and never in argv. A repository's own
configuration may name programs (a file monitor, a transport for objects that are missing); none of them is started,
and nothing is fetched.
"""

import re
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from sparring.checks.citations import CommitSeen, Departure
from sparring.consult.process import Command, Finished, run_child

_GIT = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
_ENVIRONMENT = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT")
"""What git needs; GIT_DIR and its like are left out, so that the project alone decides."""

_FIXED = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # from git 2.45 on
    "GIT_ALLOW_PROTOCOL": "none",  # before that: a partial clone asks its remote for what it lacks
    "GIT_LITERAL_PATHSPECS": "1",
}
_LISTING_LIMIT = 64 * 1024 * 1024
_LOOKING_S = 20.0
_HISTORY_S = 5.0
"""A long history is searched no longer than this; what became of a file is a help and decides nothing."""

_MOST_COMMITS = 100
"""Most commits in which files that are gone are looked for: each touches one of them."""

_HASH = re.compile(r"[0-9a-f]{4,64}")


class Git:
    """git in one project; where there is none, or no repository, it knows nothing."""

    def __init__(self, project: Path, environment: Mapping[str, str]) -> None:
        self._project = project
        self._env = {name: environment[name] for name in _ENVIRONMENT if name in environment} | _FIXED

    async def files(self, *, timeout_s: float) -> list[str] | None:
        """The tracked files that are still there, and the new ones that are not ignored; None without a repository."""
        listed = await self._run("ls-files", "-z", "--cached", "--others", "--exclude-standard", timeout_s=timeout_s)
        if listed is None:
            return None
        gone = await self._run("ls-files", "-z", "--deleted", timeout_s=timeout_s)
        missing = set(_split(gone or ""))
        return [path for path in _split(listed) if path not in missing]

    async def commits(self, hashes: Collection[str]) -> dict[str, CommitSeen]:
        """Whether there are commits whose names begin so."""
        known = await self._run("rev-parse", "--is-shallow-repository", timeout_s=_LOOKING_S)
        if known is None:
            return dict.fromkeys(hashes, CommitSeen.NO_REPOSITORY)
        absent = CommitSeen.PARTIAL_HISTORY if known.strip() == "true" else CommitSeen.MISSING
        asked = [name for name in hashes if _HASH.fullmatch(name)]
        said = "".join(f"{name}^{{commit}}\n{name}\n" for name in asked)  # only the second tells what is ambiguous
        answer = await self._run("cat-file", "--batch-check", timeout_s=_LOOKING_S, said=said)
        if answer is None:
            return dict.fromkeys(hashes, CommitSeen.NO_REPOSITORY)
        lines = answer.splitlines()
        said_of = zip(asked, lines[::2], lines[1::2], strict=False)
        seen = {name: _seen(as_commit, as_object, absent) for name, as_commit, as_object in said_of}
        return {name: seen.get(name, absent) for name in hashes}

    async def departed(self, paths: Collection[str]) -> dict[str, Departure]:
        """Those of ``paths``, from the project's root, that a commit took away, the latest one counting."""
        spelled = sorted(path for path in paths if "\n" not in path and "\0" not in path)
        said = "--\n" + "".join(f"{path}\n" for path in spelled)
        limit = f"--max-count={_MOST_COMMITS}"
        touching = await self._run("rev-list", limit, "--stdin", "HEAD", timeout_s=_HISTORY_S, said=said)
        if not touching:
            return {}
        arguments = (
            "diff-tree",
            "--stdin",
            "-r",
            "--root",
            "-M",
            "--diff-filter=DR",
            "--name-status",
            "-z",
            "--relative",
        )
        changes = await self._run(*arguments, timeout_s=_HISTORY_S, said=touching)
        found: dict[str, Departure] = {}
        for path, departure in _departures(changes or ""):
            if path in spelled:
                found.setdefault(path, departure)
        return found

    async def _run(self, *arguments: str, timeout_s: float, said: str | None = None) -> str | None:
        """What git answers; None unless it succeeds in time."""
        command = Command(argv=(*_GIT, *arguments), env=self._env, cwd=self._project)
        try:
            finished = await self._finished(command, said, timeout_s)
        except OSError:
            return None
        return finished.stdout if finished.exit_code == 0 and not finished.overflowed else None

    async def _finished(self, command: Command, said: str | None, timeout_s: float) -> Finished:
        if said is None:
            return await run_child(command, prompt=None, timeout_s=timeout_s, output_limit=_LISTING_LIMIT)
        with tempfile.TemporaryDirectory(prefix="sparring-") as folder:  # a file cannot block, as a pipe could
            prompt = Path(folder) / "asked"
            prompt.write_text(said, encoding="utf-8", errors="surrogateescape", newline="\n")
            return await run_child(command, prompt=prompt, timeout_s=timeout_s, output_limit=_LISTING_LIMIT)


def _split(listed: str) -> list[str]:
    return [path for path in listed.split("\0") if path]


def _seen(as_commit: str, as_object: str, absent: CommitSeen) -> CommitSeen:
    if not as_commit.endswith((" missing", " ambiguous")):
        return CommitSeen.THERE
    return CommitSeen.AMBIGUOUS if as_object.endswith(" ambiguous") else absent


def _departures(changes: str) -> Iterator[tuple[str, Departure]]:
    """What ``diff-tree --stdin --name-status -z`` says: a commit, then its changes with one path, or two if renamed."""
    commit, fields = "", iter(changes.split("\0"))
    for field in fields:
        if _HASH.fullmatch(field.strip()):
            commit = field.strip()[:7]
        elif field.startswith("R"):
            path = next(fields, "")
            yield path, Departure(commit, next(fields, ""))
        elif field == "D":
            yield next(fields, ""), Departure(commit)
