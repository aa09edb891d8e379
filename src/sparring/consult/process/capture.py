"""The beginning of one output stream of a child, within a bound."""

from collections.abc import Callable, Iterator

import anyio
import anyio.abc

OUTPUT_LIMIT = 8 * 1024 * 1024
"""Most bytes of each output stream that are kept; a child that writes more is ended."""


class Capture:
    """The beginning of one output stream. The rest is read and dropped, so that the child never blocks on writing.

    ``on_end`` is called when the child should be ended, for what it writes: too much, or a line that ``is_last``.
    """

    def __init__(
        self,
        stream: anyio.abc.ByteReceiveStream,
        limit: int,
        on_end: Callable[[], None],
        *,
        is_last: Callable[[str], bool] | None = None,
    ) -> None:
        self._stream = stream
        self._limit = limit
        self._on_end = on_end
        self._is_last = is_last
        self._kept = bytearray()
        self._line_begin = 0
        # Shielded: a child that is being ended because the caller was cancelled may still write while it cleans up.
        self._reading = anyio.CancelScope(shield=True)
        self.closed = anyio.Event()
        self.overflowed = False
        self.said_last = False

    async def read(self) -> None:
        """Read to the end of the stream, or until ``stop``."""
        with self._reading:
            async for chunk in self._stream:
                self._keep(chunk)
        self.closed.set()

    def stop(self) -> None:
        """Read no further, although the stream has not ended."""
        self._reading.cancel()

    def text(self) -> str:
        """What was kept, as UTF-8; undecodable bytes are replaced."""
        return self._kept.decode("utf-8", errors="replace")

    def _keep(self, chunk: bytes) -> None:
        room = self._limit - len(self._kept)
        self._kept += chunk[:room]
        if len(chunk) > room and not self.overflowed:
            self.overflowed = True
            self._on_end()
        if self._is_last is not None and not self.said_last and any(map(self._is_last, self._new_lines())):
            self.said_last = True
            self._on_end()

    def _new_lines(self) -> Iterator[str]:
        *lines, _ = self._kept[self._line_begin :].split(b"\n")
        self._line_begin = self._kept.rfind(b"\n") + 1
        yield from (line.decode("utf-8", errors="replace") for line in lines)
