"""What has changed in a project since its last commit, as git tells it.

A repository's own configuration may name programs for git to start (a pager, a diff driver, a file monitor); none of
them is. Files whose names are made for secrets are left out before git is asked for their content.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sparring.consult.process import Command, Finished, run_child
from sparring.errors import UsageError
from sparring.text.secret_files import may_hold_secrets
from sparring.text.tidying import one_line

GIT_TIMEOUT_S = 60.0

_ENVIRONMENT = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT", "LANG", "LC_ALL")
_LIST_LIMIT = 16 * 1024 * 1024
_GIT = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "core.pager=cat")
_PLAIN = (
    *("--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--relative"),
)
_HINT = "`--context diff` compares the working tree with its last commit, and needs git and a repository for that."
_SAID = 160


@dataclass(frozen=True)
class Changes:
    """What differs from the last commit.

    Attributes:
        text: The difference; None when it has more than the bytes that were allowed.
        size_bytes: Of the text; where that is None, more than was allowed.
        left_out: Changed files that may hold secrets.
        untracked: New files, of which git knows only the names.
    """

    text: str | None
    size_bytes: int
    left_out: tuple[str, ...]
    untracked: tuple[str, ...]


class _Git:
    """git in one project."""

    def __init__(self, project: Path, environment: Mapping[str, str]) -> None:
        kept = {name: environment[name] for name in _ENVIRONMENT if name in environment}
        self._env = kept | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
        self._project = project

    async def run(self, *arguments: str, limit: int = _LIST_LIMIT) -> Finished:
        command = Command(argv=(*_GIT, *arguments), env=self._env, cwd=self._project)
        try:
            return await run_child(command, prompt=None, timeout_s=GIT_TIMEOUT_S, output_limit=limit)
        except OSError as error:
            raise UsageError("git is not installed.", hint=_HINT) from error

    async def said(self, *arguments: str) -> str:
        """What git answers; anything but success is an error."""
        return _said(await self.run(*arguments))

    async def names(self, *arguments: str) -> tuple[str, ...]:
        """The names that git lists when it is told to end each with a NUL."""
        return tuple(name for name in (await self.said(*arguments)).split("\0") if name)


async def read_changes(
    project: Path, environment: Mapping[str, str], *, limit: int, ignored: tuple[str, ...], secrets_allowed: bool
) -> Changes:
    """The difference between the last commit (or nothing, if there is none) and the files as they are now.

    Args:
        project: A folder in a git repository; only what lies below it is compared.
        environment: Where git finds its program and its user's settings.
        limit: Most bytes of the difference.
        ignored: Beginnings of paths, from ``project``, that are nobody's work.
        secrets_allowed: Leave nothing out.

    Raises:
        UsageError: There is no git, no repository, or git refuses.
    """
    git = _Git(project, environment)
    base = await _base(git)
    changed = await git.names("diff", base, "--name-only", "-z", "--no-renames", *_PLAIN, "--", ".")
    denied = () if secrets_allowed else tuple(name for name in changed if may_hold_secrets(name))
    uninteresting = tuple(name for name in changed if name.startswith(ignored))
    excluded = (f":(exclude,literal){name}" for name in dict.fromkeys((*denied, *uninteresting)))
    finished = await git.run("diff", base, *_PLAIN, "--", ".", *excluded, limit=limit)
    untracked = await git.names("ls-files", "--others", "--exclude-standard", "-z")
    text = None if finished.overflowed else _said(finished)
    return Changes(
        text=text,
        size_bytes=limit + 1 if text is None else len(text.encode()),
        left_out=tuple(name for name in denied if not name.startswith(ignored)),
        untracked=tuple(name for name in untracked if not name.startswith(ignored)),
    )


async def _base(git: _Git) -> str:
    """What to compare with: the last commit, or in a repository without one the empty tree."""
    await git.said("rev-parse", "--is-inside-work-tree")
    head = await git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return "HEAD" if head.exit_code == 0 else (await git.said("hash-object", "-t", "tree", "--stdin")).strip()


def _said(finished: Finished) -> str:
    if finished.timed_out:
        raise UsageError(f"git did not answer within {GIT_TIMEOUT_S:g} s.", hint=_HINT)
    if finished.exit_code != 0 or finished.overflowed:
        why = one_line(finished.stderr, _SAID).rstrip(".") or f"it ended with {finished.exit_code}"
        raise UsageError(f"git refused: {why}.", hint=_HINT)
    return finished.stdout
