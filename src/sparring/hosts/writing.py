"""Carry out what was planned: a copy of what was there, then the new file in its place, whole or not at all."""

import os
import stat
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sparring.errors import HostFileError
from sparring.hosts.backups import keep, write
from sparring.hosts.planning import Change
from sparring.hosts.receipt import Receipt
from sparring.schema.installations import Scope

_AGAIN = "What was written before it stays; try again when that is mended."


def carry_out(changes: Sequence[Change], scope: Scope) -> tuple[Path | None, ...]:
    """Write every change, and say where each file's backup is, if it has one.

    What belongs to the user alone is private; what belongs to a project is as readable as its other files.

    Raises:
        HostFileError: One could not be written, or was changed meanwhile; those before it are done.
    """
    return tuple(_carry_out(change, private=scope is Scope.USER) for change in changes)


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


def _carry_out(change: Change, *, private: bool) -> Path | None:
    path = change.path
    try:
        if (path.read_bytes() if path.exists() else None) != change.before:
            raise HostFileError(f"{path} was changed meanwhile by somebody else.", hint=_AGAIN)
        backup = None if change.before is None or change.is_ours else keep(path, change.before)
        if change.after is None:
            path.unlink()
        else:
            _replace(path, change.after, private=private)
    except OSError as error:
        raise HostFileError(f"{path} cannot be written: {error.strerror}.", hint=_AGAIN) from error
    return backup


def _replace(path: Path, content: bytes, *, private: bool) -> None:
    _make_folder(path.parent, private=private)
    new = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        write(os.open(new, flags, 0o600 if private else 0o666), content)
        if path.exists():
            new.chmod(stat.S_IMODE(path.stat().st_mode))
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def _make_folder(folder: Path, *, private: bool) -> None:
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700 if private else 0o777, exist_ok=True)
