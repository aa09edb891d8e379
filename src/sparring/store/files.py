"""Files of the state directory: replaced whole or not at all, read with a limit, private to the user.

The state directory itself may be a symbolic link, as far as ``hosts`` allows it; below it no link is followed, because
the files of a cloned repository must not choose what we read or overwrite. Modes are set on files and folders that we
make; existing ones, such as a host's own folder, keep theirs.
"""

import errno
import os
import re
import secrets
import stat
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self, TypeVar

from filelock import FileLock
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from sparring.disk import SAFELY, SYSTEM, Disk, closing, write_through
from sparring.errors import StateCorruptError, StateUnwritableError
from sparring.schema.base import SCHEMA_VERSION, Record

RECORD_LIMIT = 256 * 1024 * 1024
"""Most bytes of a record: ten speeches of 8 MiB, the most a provider may say, with every character escaped, fit."""

_HIDDEN = b"# By sparring: the last results may be committed, the rest is yours alone.\n*\n!last-*.json\n"
_ELSEWHERE = "Set AI_STATE_DIR to a folder that can be written."

R = TypeVar("R", bound=Record)


class _Versioned(BaseModel):
    """Fields of a record that are read first. The specification's own state files have a time and no version."""

    schema_version: int = Field(default=0, strict=True)
    timestamp: str | None = None

    @model_validator(mode="after")
    def _is_dated_or_versioned(self) -> Self:
        if not self.schema_version and not self.timestamp:
            raise ValueError("neither a version nor a time")
        return self


@contextmanager
def accessing(path: Path, hint: str = _ELSEWHERE) -> Generator[None]:
    """Translate an error of the system into one sentence: the file and the reason. ``hint`` is the user's next step."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise StateUnwritableError(f"The file {path} cannot be used: {reason}.", hint=hint) from error


def lock_file(path: Path) -> FileLock:
    """Return the lock of that name; it may be released in another thread, and ends with its process."""
    return FileLock(path, mode=0o600, thread_local=False)


def open_regular(path: Path, flags: int, disk: Disk = SYSTEM) -> int:
    """A descriptor of ``path``, which is a regular file; one that is made is private.

    Raises:
        StateCorruptError: It is a link, a folder, a pipe or a device.
        OSError: As ``os.open``.
    """
    if path.is_symlink():
        raise StateCorruptError(f"{path} is a symbolic link, which is not followed.", hint="Move it away.")
    descriptor = disk.open(path, flags | SAFELY)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        disk.close(descriptor)
        raise StateCorruptError(f"{path} is not a regular file.", hint="Move it away.")
    return descriptor


def refuse_links(root: Path, folder: Path) -> None:
    """Check that no part of ``folder`` below ``root`` is a symbolic link.

    Raises:
        StateUnwritableError: One is.
    """
    below_root = len(folder.relative_to(root).parts)
    for path in (folder, *folder.parents)[:below_root]:
        with accessing(path):
            is_link = path.is_symlink()
        if is_link:
            raise StateUnwritableError(
                f"{path} is a symbolic link, which is not followed inside the state directory.",
                hint="Remove the link, or set AI_STATE_DIR to another folder.",
            )


def make_folder(folder: Path, disk: Disk = SYSTEM) -> None:
    """Make ``folder`` and its missing parents, each private to the user and safely on disk."""
    missing = [path for path in (folder, *folder.parents) if not path.is_dir()]
    for path in reversed(missing):
        try:
            disk.make_folder(path)
        except FileExistsError as error:
            if not path.is_dir():  # else another process has made it meanwhile
                raise NotADirectoryError(errno.ENOTDIR, f"{path} is not a folder") from error
        disk.sync_folder(path.parent)


def replace_file(path: Path, *parts: bytes, disk: Disk = SYSTEM, hint: str = _ELSEWHERE) -> None:
    """Replace the content of ``path`` by ``parts``: a reader sees all of the old or all of the new.

    When this returns, it is the new that survives a crash.

    Raises:
        StateUnwritableError: The folder cannot be made or written; ``path`` is as it was.
    """
    with accessing(path, hint):
        make_folder(path.parent, disk)
        new = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
        try:
            with closing(disk, disk.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFELY)) as descriptor:
                write_through(disk, descriptor, *parts)
            disk.replace(new, path)
        except BaseException:
            with suppress(OSError):
                disk.remove(new)
            raise
        disk.sync_folder(path.parent)


_DEVICES = Path("/dev")


def write_out(path: Path, content: bytes) -> None:
    """Write ``content`` to a path of the user: a file is replaced, and a device or pipe, such as /dev/null, written to.

    Raises:
        StateUnwritableError: It cannot be written.
    """
    if _DEVICES in path.parents or (path.exists() and not path.is_file() and not path.is_dir()):
        with accessing(path):
            path.write_bytes(content)
    else:
        replace_file(path, content)


_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{16}\.new")
_UNFINISHED_S = 3600
"""After so many seconds no writer is still at work."""


def sweep_unfinished(folder: Path, *, older_than_s: float = _UNFINISHED_S) -> None:
    """Remove what a process has left in ``folder`` that was killed while it replaced a file."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _UNFINISHED.fullmatch(entry.name) and time.time() - entry.stat().st_mtime >= older_than_s:
                with suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108 -- it is none yet


def append_safely(path: Path, content: bytes, disk: Disk = SYSTEM) -> None:
    """Put ``content`` at the end of ``path``, which is made if needed; when this returns, it survives a crash.

    Raises:
        StateCorruptError: It is no regular file.
        StateUnwritableError: It cannot be written.
    """
    with accessing(path):
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        with closing(disk, open_regular(path, flags, disk)) as descriptor:
            write_through(disk, descriptor, content)
        disk.sync_folder(path.parent)


def read_bounded(path: Path, limit: int = RECORD_LIMIT) -> bytes | None:
    """All of ``path``, or None if there is no such file.

    Raises:
        StateCorruptError: It holds more than ``limit`` bytes or is no regular file.
        StateUnwritableError: It cannot be read.
    """
    with accessing(path):
        try:
            descriptor = open_regular(path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        with os.fdopen(descriptor, "rb") as stream:
            content = stream.read(limit + 1)
    if len(content) > limit:
        raise StateCorruptError(f"{path} is larger than {limit:,} bytes.", hint="Move it away.")
    return content


def read_record(path: Path, record_type: type[R]) -> R | None:
    """The record in ``path``, or None if there is no such file. The file is never changed.

    Raises:
        StateCorruptError: It is damaged, or a newer version of sparring wrote it.
        StateUnwritableError: It cannot be read.
    """
    content = read_bounded(path)
    return None if content is None else parsed_record(path, content, record_type)


def parsed_record(path: Path, content: bytes, record_type: type[R]) -> R:
    """The record that ``content``, the whole of ``path``, holds; raises ``StateCorruptError`` as ``read_record``."""
    _known_version(path, content)
    with _understanding(path):
        return record_type.model_validate_json(content)


def record_parts(record: Record) -> tuple[bytes, ...]:
    """Return the content of the file of ``record``. In parts, not as text: a debate may have ten speeches of 8 MiB."""
    return TypeAdapter(type(record)).dump_json(record, indent=2), b"\n"


def _known_version(path: Path, content: bytes) -> int:
    """Return the version of a record; 0 where there is none, as in a state file of the specification's own tools."""
    with _understanding(path):
        version = _Versioned.model_validate_json(content).schema_version
    if version > SCHEMA_VERSION:
        raise StateCorruptError(
            f"{path} has schema version {version}; this sparring knows versions up to {SCHEMA_VERSION}.",
            hint="Update sparring, or move the file away.",
        )
    return version


@contextmanager
def _understanding(path: Path) -> Generator[None]:
    try:
        yield
    except ValidationError as error:
        raise StateCorruptError(
            f"{path} is damaged or was not written by sparring.", hint="Move the file away; it was left as it is."
        ) from error


class StateFolder:
    """The state directory of one project."""

    def __init__(self, root: Path, disk: Disk = SYSTEM) -> None:
        self.root = root
        self._disk = disk

    def ensure_writable(self, folder: Path) -> None:
        """Make ``folder`` below the root if needed, and find out before a run starts whether it can be written.

        Raises:
            StateUnwritableError: It cannot.
        """
        refuse_links(self.root, folder)
        with accessing(folder):
            make_folder(folder, self._disk)
            with tempfile.TemporaryFile(dir=folder):
                pass

    def hide_from_git(self, folder: Path) -> None:
        """Hide all below ``folder`` from git, except for the last results; a file of the user's stays.

        Raises:
            StateUnwritableError: It cannot be written.
        """
        ignore = folder / ".gitignore"
        if not os.path.lexists(ignore):
            replace_file(ignore, _HIDDEN, disk=self._disk)

    def check_replaceable(self, path: Path, record_type: type[Record]) -> None:
        """Check before a run starts that its result may replace ``path``.

        Raises:
            StateCorruptError: The present file cannot be parsed, so it must not be overwritten.
            StateUnwritableError: It cannot be read.
        """
        refuse_links(self.root, path.parent)
        content = read_bounded(path)
        # One without a version was left by a tool that keeps the same state file; each debate replaces the last.
        if content is not None and _known_version(path, content):
            self.read(path, record_type)

    def read(self, path: Path, record_type: type[R]) -> R | None:
        """The record in ``path`` below the root, or None (see ``read_record``)."""
        refuse_links(self.root, path.parent)
        return read_record(path, record_type)

    def replace(self, path: Path, record: Record) -> None:
        """Replace ``path`` by ``record``, unless the present file cannot be parsed.

        Raises:
            StateCorruptError: As ``check_replaceable``.
            StateUnwritableError: As ``replace_file``.
        """
        self.check_replaceable(path, type(record))
        replace_file(path, *record_parts(record), disk=self._disk)
