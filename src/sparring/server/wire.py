"""The two descriptors that lead to the host, out of reach of everything else in the process.

A stray ``print`` or a child that inherits our descriptors must not reach the wire: descriptor 0 becomes the null
device and descriptor 1 standard error, as in the SDK's own transport. They stay so until the process ends, so that
output that is flushed at the very end does not reach the wire either.
"""

import os
import threading
from collections.abc import Iterator
from typing import Self

_CHUNK = 65_536
"""Bytes that are read at once: what a pipe holds on Linux."""


class Wire:
    """Lines from the host, and lines to it from several threads."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._writing = threading.Lock()

    @classmethod
    def claim(cls) -> Self:
        """The wire at the standard descriptors, which lead elsewhere from now on."""
        wire = cls(_above_standard(0), _above_standard(1))
        _point(0, os.open(os.devnull, os.O_RDONLY))
        try:
            errors = os.dup(2)
        except OSError:
            errors = os.open(os.devnull, os.O_WRONLY)
        _point(1, errors)
        return wire

    def batches(self) -> Iterator[list[bytes]]:
        """Yield the lines, without their ends, as they arrive: those that arrive together in one list."""
        kept: list[bytes] = []
        while chunk := os.read(self._incoming, _CHUNK):
            first, *rest = chunk.split(b"\n")
            kept.append(first)
            if rest:
                yield [b"".join(kept), *rest[:-1]]
                kept = [rest[-1]]
        if any(kept):
            yield [b"".join(kept)]

    def write(self, line: bytes) -> None:
        """Write a line, whose end is added, in one piece.

        Raises:
            OSError: The host no longer reads.
        """
        rest = memoryview(line + b"\n")
        with self._writing:
            while rest:
                rest = rest[os.write(self._outgoing, rest) :]


def _above_standard(fd: int) -> int:
    """A duplicate that children do not inherit, above the first three: a host may start us with one of them closed."""
    duplicate = os.dup(fd)
    if duplicate > 2:
        return duplicate
    higher = _above_standard(fd)
    os.close(duplicate)
    return higher


def _point(fd: int, target: int) -> None:
    os.dup2(target, fd)
    os.close(target)
