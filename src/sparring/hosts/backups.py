"""Copies of what was there before, beside each file that an installation has changed."""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from sparring.disk import SYSTEM, Disk, closing, write_through

_SUFFIX = ".before-sparring"


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def keep(path: Path, content: bytes, disk: Disk = SYSTEM) -> Path:
    """A private copy of ``content`` beside ``path``: one that is there already, or a new one under a free name.

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
    """The copies beside ``path``, the latest first; one that cannot be read ends them."""
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
