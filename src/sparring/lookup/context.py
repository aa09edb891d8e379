"""Material for a question: single files, and the changes of the project by git.

This module only reads. ``app`` decides which files, how many bytes, and what is redacted.

The names may come from a model that follows instructions in a text, and the content goes to another company's
model. So the file must lie in the project, whatever its name, and a name meant for secrets is refused.

Changed files whose names are meant for secrets are left out before git is asked for their content.
"""

import os
import re
import stat
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath

from msgspec import Struct

from sparring.disk import SAFELY
from sparring.errors import UsageError
from sparring.lookup.git import GIT_TIMEOUT_S, Git, checked_output, split_names
from sparring.text.authorship import is_filtered
from sparring.text.secret_shapes import may_hold_secrets
from sparring.text.tidying import NOT_UTF_8, for_terminal, one_line

_NAME_SHOWN = 200
_PDF_MARK = b"%PDF-"
_PDF_BYTES = 16 << 20
"""Most bytes of a PDF: pictures and fonts take most of them, and its text has a limit of its own."""
_OVERRIDE = "If it contains none, allow it on the command line with --set allow_secret_files=true."


class ProjectFile(Struct, frozen=True):
    """A file that was read.

    Attributes:
        path: Its path with slashes: from the project's root, or as it was spelled.
        text: None when it exceeds the limit.
        pdf: The content of a PDF, whose text is empty here; None for any other file.
    """

    path: str
    size_bytes: int
    text: str | None
    pdf: bytes | None = None


def read_project_file(
    spelled: str,
    *,
    project: Path,
    folders: tuple[Path, ...],
    limit: int,
    secrets_allowed: bool = False,
    pdfs: bool = False,
) -> ProjectFile:
    """Return the file that ``spelled`` names.

    Args:
        spelled: Absolute, or relative to the first of ``folders`` that has an entry of that name.
        project: Folder that must contain the file, after every symbolic link is followed.
        folders: Folders for relative names.
        limit: Most bytes that are read.
        secrets_allowed: Read it even if its name is meant for secrets.
        pdfs: Whether it may be a PDF.

    Raises:
        UsageError: It must not, or cannot, be read; the message is one sentence.
    """
    with _refusing(spelled, _spelling_problem(spelled)) as shown:
        root, file = project.resolve(), _existing(spelled, folders).resolve()
        # Checked before any access to the disk: a refusal must not reveal files outside of the project.
        if not file.is_relative_to(root):
            raise UsageError(f"{shown} lies outside of the project {project}; {_ONLY_PROJECT}.")
        path = file.relative_to(root).as_posix()
        if not secrets_allowed and (may_hold_secrets(path) or may_hold_secrets(spelled)):
            raise UsageError(f"{shown} may contain secrets and is not included.", hint=_OVERRIDE)
        return _read(file, path, shown, limit, pdfs=pdfs)


def read_text(name: str, folder: Path, limit: int) -> str | None:
    """Return the text of a file of ``folder``, None if it has more than ``limit`` bytes; raises ``UsageError``."""
    return read_project_file(name, project=folder, folders=(folder,), limit=limit).text


def read_named_file(
    spelled: str, *, folder: Path, limit: int, secrets_allowed: bool, pdfs: bool = False
) -> ProjectFile:
    """Return a file that the user has named, in any folder; raises ``UsageError``.

    Args:
        spelled: Absolute, or relative to ``folder``.
        folder: Folder for a relative name.
        limit: Most bytes that are read.
        secrets_allowed: Read it even if its name is meant for secrets.
        pdfs: Whether it may be a PDF.
    """
    with _refusing(spelled, _name_problem(spelled)) as shown:
        file = (folder / spelled).resolve()
        if not secrets_allowed and (may_hold_secrets(file.as_posix()) or may_hold_secrets(spelled)):
            raise UsageError(f"{shown} may contain secrets and is not included.", hint=_OVERRIDE)
        return _read(file, Path(spelled).as_posix(), shown, limit, pdfs=pdfs)


@contextmanager
def _refusing(spelled: str, problem: str) -> Generator[str]:
    """Yield ``spelled`` as it is shown; failures to read that file are raised as one sentence."""
    shown = one_line(repr(spelled), _NAME_SHOWN)
    if problem:
        raise UsageError(f"{shown} {problem}.")
    try:
        yield shown
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle, before Python 3.13
        raise UsageError(f"{shown} cannot be read: {_reason(error)}.") from error


def _name_problem(spelled: str) -> str:
    """Return the reason why no file of such a name can be read; empty if one can."""
    if not spelled.strip():
        return "names no file"
    return "contains control characters" if any(ord(character) < 32 for character in spelled) else ""


def _spelling_problem(spelled: str) -> str:
    """Return the reason to refuse a path by its spelling, before the disk is read; empty if there is none."""
    if problem := _name_problem(spelled):
        return problem
    if spelled.startswith(("\\\\", "//")):
        return f"is a network path; {_ONLY_PROJECT}"
    if ".." in PureWindowsPath(spelled).parts:  # which knows both kinds of slashes
        return f"leads upwards with `..`; {_ONLY_PROJECT}"
    return ""


_ONLY_PROJECT = "only files of the project can be included. In a shell, pipe others in: `... < FILE`"


def _existing(spelled: str, folders: tuple[Path, ...]) -> Path:
    candidates = [folder / spelled for folder in folders]
    for candidate in candidates:
        if os.path.lexists(candidate):
            return candidate
    return candidates[0]


def _read(file: Path, path: str, shown: str, limit: int, *, pdfs: bool) -> ProjectFile:
    """Read ``file``, up to ``limit`` bytes. Nothing but a regular one is even opened."""
    if problem := _kind_problem(file.stat().st_mode):
        raise UsageError(f"{shown} {problem}.")
    with os.fdopen(os.open(file, os.O_RDONLY | SAFELY), "rb") as stream:
        status = os.fstat(stream.fileno())
        if problem := _kind_problem(status.st_mode):  # pragma: no cover -- replaced between the two looks
            raise UsageError(f"{shown} {problem}.")
        content = stream.read(limit + 1)
        if pdfs and content.startswith(_PDF_MARK):
            content += stream.read(max(0, _PDF_BYTES + 1 - len(content)))
            if len(content) > _PDF_BYTES:
                raise UsageError(f"{shown} is a PDF of more than {_PDF_BYTES >> 20} MiB.")
            return ProjectFile(for_terminal(path), len(content), "", content)
    if len(content) > limit:
        return ProjectFile(for_terminal(path), max(status.st_size, len(content)), None)
    return ProjectFile(for_terminal(path), len(content), _text(content, shown))


def _kind_problem(mode: int) -> str:
    if stat.S_ISREG(mode):
        return ""
    return "is a folder; name the files" if stat.S_ISDIR(mode) else "is not a regular file"


def _text(content: bytes, shown: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8 text.", hint=NOT_UTF_8) from error
    if "\0" in text:
        raise UsageError(f"{shown} is a binary file.")
    return text


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror  # without the number and the path
    return str(error) or type(error).__name__


_LIST_LIMIT = 16 * 1024 * 1024
_REPLACED = "\ufffd"
_WILD = re.compile(r"[*?\[\]\\\ufffd]")
PLAIN_DIFF = (
    *("--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--relative"),
)
_HINT = "`--context diff` compares the working tree with its last commit, and needs git and a repository for that."


class Changes(Struct, frozen=True):
    """Differences from the last commit.

    Attributes:
        text: The difference; None when it exceeds the limit.
        size_bytes: Of the text; where that is None, more than the limit.
        left_out: Changed files that may contain secrets.
        untracked: New files, of which git knows only the names.
        filtered: Files that git keeps in another form, so that their changes are unknown.
    """

    text: str | None
    size_bytes: int
    left_out: tuple[str, ...]
    untracked: tuple[str, ...]
    filtered: tuple[str, ...] = ()


async def read_changes(
    project: Path, environment: Mapping[str, str], *, limit: int, ignored: tuple[str, ...], secrets_allowed: bool
) -> Changes:
    """Return the difference between the last commit (or nothing, if there is none) and the present files.

    Args:
        project: A folder in a git repository; only files below it are compared.
        environment: Where git finds its program and its user's settings.
        limit: Most bytes of the difference.
        ignored: Beginnings of paths, from ``project``, to leave out as generated.
        secrets_allowed: Leave nothing out.

    Raises:
        UsageError: There is no git, no repository, none that can be read safely, or git refuses.
    """
    git = Git(project, environment)
    repository = await git.find()
    if repository is None:
        raise UsageError(f"{project} lies in no git repository.", hint=_HINT)

    async def names(*arguments: str) -> list[str]:
        finished = await git.run(repository, *arguments, timeout_s=GIT_TIMEOUT_S, limit=_LIST_LIMIT)
        return split_names(checked_output(finished, hint=_HINT))

    base = repository.head or await git.empty_tree(repository)
    changed = await names("diff", base, "--name-only", "-z", "--no-renames", *PLAIN_DIFF, "--", ".")
    denied = () if secrets_allowed else tuple(name for name in changed if may_hold_secrets(name))
    generated = tuple(name for name in changed if name.startswith(ignored))
    attributes_before = await git.attributes(repository, changed, tree=base)
    attributes_now = await git.attributes(repository, changed, tree=None)
    filtered = tuple(
        name
        for name in changed
        if is_filtered(attributes_before.get(name, {})) or is_filtered(attributes_now.get(name, {}))
    )

    # What is left out is excluded by git itself, so that its content is not even read.
    excluded = [_excluded(name) for name in dict.fromkeys((*denied, *generated, *filtered))]
    finished = await git.run(
        repository, "diff", base, *PLAIN_DIFF, "--", ".", *excluded, timeout_s=GIT_TIMEOUT_S, limit=limit
    )
    untracked = await names("ls-files", "--others", "--exclude-standard", "-z")
    text = None if finished.overflowed else checked_output(finished, hint=_HINT)
    return Changes(
        text=text,
        size_bytes=limit + 1 if text is None else len(text.encode()),
        left_out=tuple(name for name in denied if not name.startswith(ignored)),
        untracked=tuple(name for name in untracked if not name.startswith(ignored)),
        filtered=filtered,
    )


def _excluded(name: str) -> str:
    """Return a pattern for ``name`` alone; each character that replaced invalid UTF-8 matches anything."""
    if _REPLACED not in name:
        return f":(exclude,literal){name}"

    def as_pattern(match: re.Match[str]) -> str:
        return "*" if match[0] == _REPLACED else f"\\{match[0]}"

    return f":(exclude,glob){_WILD.sub(as_pattern, name)}"
