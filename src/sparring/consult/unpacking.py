"""Undo the packing of a response, never to more than it may hold: a few kilobytes can unpack to gigabytes."""

import zlib
from collections.abc import Callable

from sparring.errors import ConnectionFailedError, OutputError

_PLAIN = frozenset({"", "identity"})
_PACKED = frozenset({"deflate", "gzip", "x-gzip"})
_EITHER_FORMAT = 32 + zlib.MAX_WBITS  # the first bytes tell which of the two


def unpacking(encoding: str, limit: int) -> Callable[[bytes], bytes]:
    """A function that unpacks one piece after the other, and takes an empty one for the end.

    We ask for nothing packed; a gateway between may do it all the same.

    Raises:
        OutputError: At once for a packing that is not known; of the function, when the pieces are not packed that way
            or unpack to more than ``limit`` bytes.
        ConnectionFailedError: Of the function, when the end is not the end of what was packed.
    """
    packing = encoding.strip().lower()
    if packing in _PLAIN:
        return _as_it_is
    if packing not in _PACKED:
        raise OutputError("the answer is packed in a way that was not asked for")
    return _Inflating(limit)


def _as_it_is(piece: bytes) -> bytes:
    return piece


class _Inflating:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._room = limit
        self._inflating = zlib.decompressobj(_EITHER_FORMAT)

    def __call__(self, piece: bytes) -> bytes:
        if not piece and not self._inflating.eof:
            raise ConnectionFailedError("the answer broke off in the middle of its packing")
        try:
            unpacked = self._inflating.decompress(piece, self._room + 1)
        except zlib.error as error:
            raise OutputError("the answer is not packed as it says") from error
        self._room -= len(unpacked)
        if self._room < 0:
            raise OutputError(f"more than {self._limit // 2**20} MiB came")
        return unpacked
