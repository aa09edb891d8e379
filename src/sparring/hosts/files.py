"""The files of a host: all are read before any is replaced, whole or not at all, with a backup copy.

A receipt next to them lists the folders and files of this user's installations, so that all of it, and nothing
else, can be removed again: an empty folder that existed before stays, and a skill that was not edited
needs no copy when a newer one replaces it.
"""

import errno
import hashlib
import os
import stat
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from msgspec import Struct
from pydantic import ValidationError

from sparring.disk import SYSTEM, Disk, closing, write_through
from sparring.errors import ConfigurationError, HostFileError
from sparring.schema.base import SCHEMA_VERSION, Record
from sparring.schema.setup import Scope
from sparring.text.tidying import for_terminal, is_encodable

SETTINGS_LIMIT = 64 * 1024 * 1024
"""Most bytes of a host's settings: Claude Code keeps its memory of every project in the same file."""

LEFT = "Nothing was changed anywhere."


def resolved(path: Path, within: Path | None = None) -> Path:
    """Return the file itself that ``path`` leads to; it need not exist.

    Args:
        path: A file, or a link to one.
        within: Folder that must contain it; any, if not given.

    Raises:
        ConfigurationError: It is a link to itself, or leads out of ``within``.
    """
    try:
        target = path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError before Python 3.13
        raise _is_dangling(path) from error
    if _is_loop(target):  # from Python 3.13 on it is resolved without a word, as far as it goes
        raise _is_dangling(path)
    if within is not None and not target.is_relative_to(within.resolve()):
        raise ConfigurationError(f"{path} points outside {within}. {LEFT}", hint="Change what it leads to yourself.")
    return target


def _is_loop(path: Path) -> bool:
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _is_dangling(path: Path) -> ConfigurationError:
    return ConfigurationError(f"{path} is a broken link. {LEFT}", hint="Move it away.")


def read_file(path: Path) -> bytes | None:
    """Return the whole content of a file of a host, or None if there is none.

    Raises:
        ConfigurationError: It is no file, is too large or cannot be read.
    """
    try:
        if path.exists() and not path.is_file():
            raise ConfigurationError(f"{path} is not a file. {LEFT}", hint="Move it away.")
        if path.exists() and path.stat().st_size > SETTINGS_LIMIT:
            raise ConfigurationError(f"{path} is larger than {SETTINGS_LIMIT:,} bytes. {LEFT}")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}. {LEFT}") from error


def text_of(content: bytes | None) -> str:
    """The text in ``content``, which is UTF-8 or nothing; raises ``UnicodeDecodeError``, a ``ValueError``."""
    return (content or b"").decode()


def unreadable_settings_error(path: Path, error: ValueError) -> ConfigurationError:
    """Build the error for settings that cannot be read, or have an unexpected content."""
    message = f"{path} cannot be parsed: {reason_of(error)}. {LEFT}"
    return ConfigurationError(message, hint="Fix it, then try again.")


def reason_of(error: ValueError) -> str:
    """Return the reason why a text cannot be parsed, for a sentence."""
    return "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error).splitlines()[0]


def check_writable(path: Path) -> None:
    """Check that neither the file at ``path`` nor its present or future folder is protected.

    A new file replaces the old one, so the system alone would ignore the protection of the file.

    Raises:
        ConfigurationError: One of them is protected; or the path is no text, and so cannot be recorded as ours.
    """
    if not is_encodable(str(path)):
        raise ConfigurationError(f"{for_terminal(str(path))} is not UTF-8. {LEFT}", hint="Rename its folder.")
    folder = next(folder for folder in path.parents if folder.exists())
    for place in (path, folder) if path.exists() else (folder,):
        if not place.stat().st_mode & 0o222 or not os.access(place, os.W_OK):
            raise ConfigurationError(f"{place} is read-only. {LEFT}", hint="Allow writing to it, then try again.")


_SUFFIX = ".before-sparring"


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def keep(path: Path, content: bytes, disk: Disk = SYSTEM) -> Path:
    """Make a private copy of ``content`` next to ``path``, unless there is one; a new one gets a free name.

    When this returns, it survives a crash.
    """
    names = _names(path)
    while True:
        backup = next(names)
        with suppress(FileExistsError):
            write_new(backup, content, mode=0o600, disk=disk)
            disk.sync_folder(backup.parent)
            return backup
        if backup.read_bytes() == content:
            return backup


def kept(path: Path) -> tuple[bytes, ...]:
    """Return the copies next to ``path``, the latest first; one that cannot be read ends them."""
    copies: list[bytes] = []
    for backup in _names(path):
        try:
            copies.append(backup.read_bytes())
        except OSError:
            break
    return tuple(reversed(copies))


def write_new(path: Path, content: bytes, *, mode: int, disk: Disk = SYSTEM) -> None:
    """Make the file ``path``, safely on the disk; raises ``FileExistsError`` when something of that name is there."""
    with closing(disk, disk.open(path, _NEW, mode)) as descriptor:
        write_through(disk, descriptor, content)


def _names(path: Path) -> Iterator[Path]:
    for number in count(1):
        yield path.with_name(f"{path.name}{_SUFFIX}{'' if number == 1 else f'.{number}'}")


RECEIPT_NAME = "installed.json"


class Receipt(Record):
    """Files and folders, as absolute paths.

    Attributes:
        made: Files and folders that did not exist before.
        written: The SHA-256 of each skill and command, as it was written.
    """

    schema_version: int = SCHEMA_VERSION
    made: tuple[str, ...] = ()
    written: Mapping[str, str] = {}

    def has_made(self, path: Path) -> bool:
        """Return whether ``path`` was not there before."""
        return str(path) in self.made

    def has_written(self, path: Path, content: bytes) -> bool:
        """Return whether an installation wrote ``content`` to ``path``."""
        return self.written.get(str(path)) == _digest(content)

    def with_made(self, paths: frozenset[Path], written: Mapping[Path, bytes]) -> "Receipt":
        """Return this record with the new ``paths`` and the files ``written``."""
        digests = {str(path): _digest(content) for path, content in written.items()}
        made = {*self.made, *map(str, paths)}
        return Receipt(made=tuple(sorted(made)), written={**self.written, **digests})

    def without_missing_files(self) -> "Receipt":
        """Return this record without files and folders that no longer exist."""
        made = tuple(path for path in self.made if Path(path).exists())
        return Receipt(made=made, written={path: code for path, code in self.written.items() if Path(path).exists()})


def read_receipt(folder: Path) -> Receipt:
    """Read the receipt of files that were made and not removed again; empty if there is none.

    Raises:
        ConfigurationError: It cannot be read.
    """
    path = folder / RECEIPT_NAME
    try:
        return Receipt.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Receipt()
    except (OSError, ValidationError) as error:
        raise ConfigurationError(f"{path} cannot be read. {LEFT}", hint="Move it away, then try again.") from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


_AGAIN = "What was written before it stays; try again when that is fixed."


class Change(Struct, frozen=True):
    """One file before and after; None where it is not there.

    Attributes:
        path: The file itself, not a link to it.
        is_ours: Whether ``before`` is exactly what an installation makes, so that nothing is lost with it.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    is_ours: bool = False


def apply_changes(changes: Sequence[Change], scope: Scope, disk: Disk = SYSTEM) -> tuple[Path | None, ...]:
    """Write every change, and say where each file's backup is, if it has one.

    What belongs to the user alone is private; what belongs to a project is as readable as its other files.

    Raises:
        HostFileError: One could not be written, or was changed meanwhile; those before it are done.
    """
    return tuple(_carry_out(change, disk, private=scope is Scope.USER) for change in changes)


def made_by(changes: Sequence[Change]) -> frozenset[Path]:
    """The files and folders that ``changes`` will make, where nothing is yet."""
    new = [change.path for change in changes if change.before is None and change.after is not None]
    folders = {folder for path in new for folder in path.parents if not folder.exists()}
    return frozenset({*new, *folders})


def tidy(changes: Sequence[Change], receipt: Receipt) -> None:
    """Remove the folders that were made, and that ``changes`` have left empty."""
    gone = [change.path for change in changes if change.after is None]
    folders = {folder for path in gone for folder in path.parents if receipt.has_made(folder)}
    for folder in sorted(folders, key=lambda folder: len(folder.parts), reverse=True):
        with suppress(OSError):  # something else is in it
            folder.rmdir()


def _carry_out(change: Change, disk: Disk, *, private: bool) -> Path | None:
    path = change.path
    try:
        if (path.read_bytes() if path.exists() else None) != change.before:
            raise HostFileError(f"{path} was changed meanwhile by another program.", hint=_AGAIN)
        backup = None if change.before is None or change.is_ours else keep(path, change.before, disk)
        if change.after is None:
            disk.remove(path)
        else:
            _replace(path, change.after, disk, private=private)
    except OSError as error:
        raise HostFileError(f"{path} cannot be written: {error.strerror}.", hint=_AGAIN) from error
    return backup


def _replace(path: Path, content: bytes, disk: Disk, *, private: bool) -> None:
    _make_folder(path.parent, disk, private=private)
    new = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.new")
    try:
        write_new(new, content, mode=0o600 if private else 0o666, disk=disk)
        if path.exists():
            new.chmod(stat.S_IMODE(path.stat().st_mode))
        disk.replace(new, path)
        disk.sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            disk.remove(new)
        raise


def _make_folder(folder: Path, disk: Disk, *, private: bool) -> None:
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        with suppress(FileExistsError):  # another process has made it meanwhile
            disk.make_folder(path, 0o700 if private else 0o777)
        disk.sync_folder(path.parent)
