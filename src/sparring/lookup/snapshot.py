"""The copy for a tool that may read the project: its tracked files without secrets, in a private folder.

Paths and line numbers are those of the project, so a tool's citations are looked up in the working tree. Left out are
files that git does not track (where there is git), files for secrets, records of ours, binary files and very long
ones. Nothing of the copy is linked to the project: removing a secret from the copy would remove it there.

The copy is kept in the user's cache and refreshed before each question: only changed files are read again. Removed
secrets stay removed while a file does not change, also for a process that knows fewer secrets.
"""

import hmac
import json
import os
import secrets
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath

import anyio
from filelock import FileLock, Timeout
from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel, ValidationError

from sparring import __version__
from sparring.disk import SAFELY
from sparring.errors import ConfigurationError, UsageError
from sparring.lookup.context import read_text
from sparring.lookup.git import Git
from sparring.lookup.working_tree import list_files, without_debates
from sparring.providers.cli.confinement import Surroundings
from sparring.providers.project_cache import project_cache
from sparring.text.redaction import Redactor
from sparring.text.secret_shapes import may_hold_secrets

FILE_LIMIT = 1024 * 1024
"""Most bytes of a file that is copied; longer ones are rarely written by hand."""

TOTAL_LIMIT = 256 * 1024 * 1024
MOST_FILES = 50_000
"""Most files of a copy: half a minute's work for the first one."""

_LOCK_S = 120.0
_FOLDER = "reading"
_TREE = "project"
_MANIFEST = "manifest.json"
_WITHOUT_NAMES = "tracked"
_CONTEXT = "Include files with --context instead, or narrow the project down."


class ReadableProject(Struct, frozen=True):
    """The part of a project that may be read.

    Attributes:
        environment: Variables for git.
        private_dir: The user's cache, outside of any project.
        redactor: Removes the secrets.
        closed: Folders of the project that must not be read, as paths from there.
        named: Files that the user has named, as paths from there; they are copied even if git does not track them.
    """

    project: Path
    environment: Mapping[str, str]
    private_dir: Path
    redactor: Redactor
    closed: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    @property
    def root(self) -> Path:
        """The folder of the copy, once there is one. It is the same for the same project and named files."""
        return self._folder / _TREE

    @property
    def _folder(self) -> Path:
        name = _WITHOUT_NAMES
        if self.named:
            names = "\0".join(sorted(set(self.named)))
            name = sha256(names.encode(errors="replace")).hexdigest()[:12]
        return project_cache(self.private_dir, self.project) / _FOLDER / name

    def refreshed(self) -> Path:
        """Update the copy to the present project, and return its folder.

        Raises:
            ConfigurationError: A copy is impossible; the message is one sentence.
            OSError: It cannot be written.
        """
        sources = self._sources()
        folder = self._folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with FileLock(folder / "lock", mode=0o600).acquire(timeout=_LOCK_S):
                _Copy(folder, self.redactor).update(sources)
        except Timeout as error:
            raise ConfigurationError("Another process has been copying the project for too long.") from error
        return folder / _TREE

    def problem(self) -> str:
        """Return why there can be no copy, in a sentence; empty where there can be. Nothing is copied."""
        try:
            self._sources()
        except ConfigurationError as error:
            return str(error)
        return ""

    def with_project_paths(self, text: str) -> str:
        """``text`` of a tool that was given the copy, with the project's own place in that of the copy."""
        places = dict.fromkeys((str(self.root.resolve()), str(self.root)))
        for place in places:
            text = text.replace(place, str(self.project))
        return text

    def _sources(self) -> dict[str, "_Source"]:
        """Return the files that are to be copied, by the paths from the project's root."""
        paths = self._paths()
        if len(paths) > MOST_FILES:
            raise ConfigurationError(f"The project has {len(paths):,} files, too many for a copy.", hint=_CONTEXT)
        allowed = {path for path in without_debates(paths) if self._is_shown(path)}
        sources = dict(_regular_files(self.project.resolve(), sorted(allowed), allowed))
        total_bytes = sum(source.state[0] for source in sources.values())
        if total_bytes > TOTAL_LIMIT:
            message = f"The project has {total_bytes // 1024 // 1024:,} MiB of files, too many for a copy."
            raise ConfigurationError(message, hint=_CONTEXT)
        return sources

    def _paths(self) -> tuple[str, ...]:
        with ThreadPoolExecutor(1) as thread:  # a thread of its own, since this one may already run an event loop
            listed = thread.submit(anyio.run, self._listed).result()
        return (*listed, *self.named)

    async def _listed(self) -> tuple[str, ...]:
        git = Git(self.project, self.environment)
        try:
            repository = await git.find()
        except UsageError as error:
            raise ConfigurationError(f"It is not known which files are tracked. {error}", hint=_CONTEXT) from error
        if repository is None:
            return await list_files(self.project, {})
        tracked = await git.tracked()
        if tracked is None:
            raise ConfigurationError("git cannot list the tracked files.", hint=_CONTEXT)
        return tracked

    def _is_shown(self, path: str) -> bool:
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts or may_hold_secrets(path):
            return False
        return not any(path == closed or path.startswith(f"{closed}/") for closed in self.closed)


def readable(surroundings: Surroundings, redactor: Redactor, named: tuple[str, ...] = ()) -> ReadableProject:
    """Return what a program may read that is started in ``surroundings``, with files that the user has ``named``."""
    return ReadableProject(
        project=surroundings.project,
        environment=surroundings.environment,
        private_dir=surroundings.private_dir,
        redactor=redactor,
        closed=tuple(surroundings.closed_inside()),
        named=named,
    )


def with_copy(surroundings: Surroundings, redactor: Redactor, named: tuple[str, ...] = ()) -> Surroundings:
    """``surroundings`` in which the project may be read, in a copy without what ``redactor`` takes out."""
    return replace(surroundings, copy=readable(surroundings, redactor, named), read_file=read_text)


class _Source(Struct, frozen=True):
    """A regular file of the project.

    Attributes:
        file: Its path on the disk, without links.
        state: Size, times of change and number on the disk: another one shows that the file has changed.
    """

    file: str
    state: tuple[int, int, int, int]


def _regular_files(project: Path, paths: Sequence[str], allowed: Collection[str]) -> Iterator[tuple[str, _Source]]:
    """Yield the regular files behind ``paths``; a link counts where it leads to a file that is ``allowed`` itself."""
    root = str(project)
    root_prefix = f"{root.rstrip(os.sep)}{os.sep}"
    real_folder = cache(os.path.realpath)
    for path in paths:
        with suppress(OSError, ValueError):
            folder, _, name = path.rpartition("/")
            file = os.path.join(real_folder(os.path.join(root, folder)), name)  # noqa: PTH118 -- of many thousands
            status = os.lstat(file)
            if stat.S_ISLNK(status.st_mode):
                file = os.path.realpath(file)
                status = os.lstat(file)
            inside = file.removeprefix(root_prefix).replace(os.sep, "/")
            if inside in allowed and stat.S_ISREG(status.st_mode) and status.st_size <= FILE_LIMIT:
                yield path, _Source(file, (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino))


class _Manifest(BaseModel):
    """Content of a copy: the state of each file when it was copied; None for one that was left out.

    Attributes:
        salt, known: A digest of the known secrets, which does not reveal them.
        is_whole: False while files are copied: after a killed process everything is copied again.
    """

    version: str
    salt: str
    known: str
    is_whole: bool
    files: dict[str, tuple[tuple[int, int, int, int], bool]]


class _Copy:
    """One copy; the caller has its lock."""

    def __init__(self, folder: Path, redactor: Redactor) -> None:
        self._folder = folder
        self._tree = folder / _TREE
        self._redactor = redactor

    def update(self, sources: Mapping[str, _Source]) -> None:
        """Copy changed files, and remove those that no longer exist."""
        before = self._before()
        if before is None:
            shutil.rmtree(self._tree, ignore_errors=True)
        self._tree.mkdir(mode=0o700, exist_ok=True)
        files = before.files if before else {}
        gone = [path for path in files if path not in sources]
        unchanged, changed = list[str](), list[str]()
        for path, source in sources.items():
            is_same = path in files and files[path][0] == source.state
            (unchanged if is_same else changed).append(path)
        knows_other_secrets = before is None or not hmac.compare_digest(before.known, self._known(before.salt))
        if before and not changed and not gone and not knows_other_secrets:
            return

        # Should this process be killed meanwhile, the next one finds a copy that is not whole, and begins again.
        self._keep(files, is_whole=False)
        for path in gone:
            self._remove(path)
        copied = dict[str, tuple[tuple[int, int, int, int], bool]]()
        for path in unchanged:
            state, is_in_copy = files[path]
            if is_in_copy and knows_other_secrets:
                is_in_copy = self._redacted_again(path, sources[path])
            copied[path] = (state, is_in_copy)
        for path in changed:
            copied[path] = (sources[path].state, self._copied(path, sources[path]))
        self._keep(copied, is_whole=True)

    def _before(self) -> _Manifest | None:
        try:
            manifest = _Manifest.model_validate_json((self._folder / _MANIFEST).read_bytes())
        except (OSError, ValidationError):
            return None
        return manifest if manifest.is_whole and manifest.version == __version__ else None

    def _keep(self, files: Mapping[str, tuple[tuple[int, int, int, int], bool]], *, is_whole: bool) -> None:
        salt = secrets.token_hex(16)
        manifest = {
            "version": __version__, "salt": salt, "known": self._known(salt), "is_whole": is_whole, "files": files,
        }  # fmt: skip
        _write(self._folder / _MANIFEST, json.dumps(manifest).encode())

    def _known(self, salt: str) -> str:
        return self._redactor.fingerprint(salt)

    def _copied(self, path: str, source: _Source) -> bool:
        """Copy a file without its secrets; return whether it is in the copy now."""
        content = _content(source.file)
        harmless = None if content is None else self._harmless(content)
        if harmless is None:
            self._remove(path)
            return False
        target = self._tree / path
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(target, harmless)
        return True

    def _redacted_again(self, path: str, source: _Source) -> bool:
        """Remove newly known secrets from a copied file; return whether it is still in the copy."""
        try:
            content = (self._tree / path).read_bytes()
        except FileNotFoundError:
            return self._copied(path, source)
        harmless = self._harmless(content)
        if harmless is None:
            self._remove(path)
        elif harmless != content:
            _write(self._tree / path, harmless)
        return harmless is not None

    def _harmless(self, content: bytes) -> bytes | None:
        """Return ``content`` without secrets, line for line; None where that is impossible."""
        text = content.decode("utf-8", errors="surrogateescape")
        harmless = self._redactor.redact(text, keeps_lines=True).text
        if harmless.count("\n") != text.count("\n"):
            return None
        return harmless.encode("utf-8", errors="surrogateescape")

    def _remove(self, path: str) -> None:
        target = self._tree / path
        with suppress(FileNotFoundError, NotADirectoryError):
            target.unlink()
        with suppress(OSError):  # not empty
            for folder in target.parents:
                if folder == self._tree:
                    break
                folder.rmdir()


def _content(file: str) -> bytes | None:
    """Return the content of a regular text file; None for any other, or a missing one."""
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | SAFELY), "rb") as stream:
            is_regular = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            content = stream.read(FILE_LIMIT + 1) if is_regular else None
    except OSError:
        return None
    if content is None or len(content) > FILE_LIMIT or b"\0" in content:
        return None
    return content


def _write(file: Path, content: bytes) -> None:
    """Put ``content`` in the place of ``file``: a reader sees all of the old or all of the new."""
    new = file.with_name(f".{secrets.token_hex(8)}.new")
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFELY, 0o600), "wb") as stream:
            stream.write(content)
        new.replace(file)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
