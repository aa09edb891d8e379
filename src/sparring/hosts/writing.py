"""Carry out what was planned: a copy of what was there, then the new file in its place, whole or not at all."""

import stat
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sparring.disk import SYSTEM, Disk
from sparring.errors import HostFileError
from sparring.hosts.backups import keep, write_new
from sparring.hosts.planning import Change
from sparring.hosts.receipt import Receipt
from sparring.schema.installations import Scope

_AGAIN = "What was written before it stays; try again when that is mended."


def carry_out(changes: Sequence[Change], scope: Scope, disk: Disk = SYSTEM) -> tuple[Path | None, ...]:
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
            raise HostFileError(f"{path} was changed meanwhile by somebody else.", hint=_AGAIN)
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
        with suppress(FileExistsError):  # somebody else has made it meanwhile
            disk.make_folder(path, 0o700 if private else 0o777)
        disk.sync_folder(path.parent)
