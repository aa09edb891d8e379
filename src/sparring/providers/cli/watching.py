"""A watch over a program while it prints, which has it ended some seconds after its answer, or when none will come."""

import codecs
import math
import time
from collections.abc import Callable, Iterator

from sparring.providers.cli.output import Output, ProgramStage, RequestLog
from sparring.providers.receiving.framing import ObjectReader

GRACE_S = 3.0
"""Seconds for a program to end by itself after its answer is complete."""

_SHARE = 10
"""Reading the output takes at most one part in so many of the time: an object that is spread over many lines is
read again with each of them."""


class OutputWatch:
    """A ``process.Watch`` over one program.

    Args:
        output: Its output format.
        timeout_s: Seconds that it has from now on.
        clock: Returns seconds.
    """

    def __init__(self, output: Output, timeout_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._output = output
        self._clock = clock
        self._deadline = clock() + timeout_s
        self._objects = ObjectReader()
        self._lines = _LineReader()
        self._unread = b""
        self._next_look = -math.inf
        self._over = math.inf
        self._give_up_at = math.inf

    def __call__(self, stdout: bytes, stderr: bytes) -> bool:
        """Return whether no more output is needed after these new bytes."""
        now = self._clock()
        self._unread += stdout
        progress = self._output.progress
        if progress and self._unread and now >= self._next_look:
            unread, self._unread = self._unread, b""
            for event in self._objects.feed(unread):
                self._take(progress(event), now)
            self._next_look = now + _SHARE * (self._clock() - now)
        if self._output.requests:
            for line in self._lines.feed(stderr):
                self._take_line(line, self._output.requests, now)
        return now >= min(self._over, self._give_up_at)

    def _take(self, step: ProgramStage | None, now: float) -> None:
        match step:
            case ProgramStage.OVER:
                self._over = now + GRACE_S
            case ProgramStage.CONTINUES:
                self._over = math.inf
            case ProgramStage.HOPELESS:
                self._over = now
            case None:
                pass

    def _take_line(self, line: str, requests: RequestLog, now: float) -> None:
        if failed := requests.failed.match(line):
            wait = failed.groupdict().get("wait")
            if wait is None:
                self._give_up_at = now + requests.max_wait_s
            else:  # one that ends after its time will not be answered
                self._give_up_at = now if now + float(wait) >= self._deadline else math.inf
        elif requests.put and requests.put.match(line):
            self._give_up_at = math.inf


_LONGEST_LINE = 64 * 1024


class _LineReader:
    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""

    def feed(self, printed: bytes) -> Iterator[str]:
        *lines, rest = (self._rest + self._decoder.decode(printed)).split("\n")
        self._rest = rest[:_LONGEST_LINE]
        yield from lines
