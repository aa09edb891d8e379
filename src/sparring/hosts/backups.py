"""Copies of what was there before, beside each file that an installation has changed."""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

_SUFFIX = ".before-sparring"


def keep(path: Path, content: bytes) -> Path:
    """A private copy of ``content`` beside ``path``: one that is there already, or a new one under a free name."""
    names = _names(path)
    while True:
        backup = next(names)
        with suppress(FileExistsError):
            write(os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), content)
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


def write(descriptor: int, content: bytes) -> None:
    """Put ``content`` there, on the disk, and close it."""
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _names(path: Path) -> Iterator[Path]:
    for number in count(1):
        yield path.with_name(f"{path.name}{_SUFFIX}{'' if number == 1 else f'.{number}'}")
