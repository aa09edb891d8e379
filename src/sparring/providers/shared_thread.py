"""One thread for the many short pieces of work of ours that have to be done beside an event loop.

Handing work to a thread and back costs 0.1 to 0.2 ms (November 2026), which is more than most steps of a row of a table
take. So what is due at the same time is done in one go, by a thread that is started for it and ends when nothing is
left: of 64 rows at once that costs nothing that can be measured, and whoever is alone pays what any thread costs.

Whoever waits can be cancelled at any moment, the work itself cannot. So a thread that is too long at one piece is left
to it, and another one does the rest: what one hostile text takes holds up nobody but who has to do with it.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, TypeVar, cast

from anyio.lowlevel import RunVar

_T = TypeVar("_T")

_PATIENCE_S = 0.25
"""At one piece of work, before another thread takes over what is behind it."""

_TELL_S = 0.01
"""How long what is done may wait for what is done after it."""

_MOST_LEFT = 8
"""Threads that may be left to what they are at; with more of them, whatever is due waits for its turn."""

_SHARED: RunVar["SharedThread"] = RunVar("_SHARED")


@dataclass(frozen=True)
class _Work:
    function: Callable[[], object]
    result: "asyncio.Future[Any]"


@dataclass(frozen=True)
class _Done:
    work: _Work
    value: object = None
    error: BaseException | None = None

    def tell(self) -> None:
        if self.work.result.done():
            return  # nobody waits for it any more
        if self.error is not None:
            self.work.result.set_exception(self.error)
        else:
            self.work.result.set_result(self.value)


@dataclass(eq=False)
class _Shift:
    """A thread, from its start to its end; ``began`` says since when it is at its present piece of work."""

    began: float = field(default_factory=time.monotonic)

    @property
    def is_long_at_it(self) -> bool:
        return time.monotonic() - self.began >= _PATIENCE_S


class SharedThread:
    """See the module. Everything but ``_work_off`` belongs to the thread of the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._due: deque[_Work] = deque()
        self._done: deque[_Done] = deque()
        self._shift: _Shift | None = None
        self._left: set[_Shift] = set()

    @classmethod
    def here(cls) -> "SharedThread":
        """The one of this event loop."""
        try:
            return _SHARED.get()
        except LookupError:
            shared = cls(asyncio.get_running_loop())
            _SHARED.set(shared)
            return shared

    async def run(self, function: Callable[[], _T]) -> _T:
        """What ``function`` gives or raises. Cancelled, it is left to itself, or not begun at all."""
        work = _Work(function, self._loop.create_future())
        self._due.append(work)
        try:
            self._see_to_it()
            return cast("_T", await work.result)
        finally:
            work.result.cancel()  # without effect where there is a result

    def _see_to_it(self) -> None:
        """Have somebody at work if anything is due."""
        if self._shift and self._shift.is_long_at_it and len(self._left) < _MOST_LEFT:
            self._left.add(self._shift)
            self._shift = None
        if not self._due or self._shift:
            return
        self._shift = _Shift()
        try:
            Thread(target=self._work_off, args=(self._shift,), name="sparring shared thread", daemon=True).start()
        except RuntimeError:  # there is no room for a thread
            self._shift = None
            raise
        self._loop.call_later(_PATIENCE_S, self._watch, self._shift)

    def _watch(self, shift: _Shift) -> None:
        self._tell()
        if shift is self._shift:
            self._see_to_it()
            if shift is self._shift:
                self._loop.call_later(_PATIENCE_S, self._watch, shift)

    def _tell(self) -> None:
        while self._done:
            self._done.popleft().tell()

    def _ended(self, shift: _Shift) -> None:
        self._left.discard(shift)
        if shift is self._shift:
            self._shift = None
        self._tell()
        self._see_to_it()

    def _work_off(self, shift: _Shift) -> None:
        """Do what is due until nothing is, or until somebody else does: then this thread was given up."""
        told = shift.began
        while shift is self._shift:
            try:
                work = self._due.popleft()
            except IndexError:
                break
            if work.result.done():
                continue
            shift.began = time.monotonic()
            self._done.append(_done(work))
            if time.monotonic() - told >= _TELL_S:
                told = time.monotonic()
                self._call(self._tell)
        self._call(self._ended, shift)

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
            self._loop.call_soon_threadsafe(function, *arguments)


def _done(work: _Work) -> _Done:
    try:
        return _Done(work, work.function())
    except BaseException as error:  # noqa: BLE001 -- it belongs to whoever waits
        return _Done(work, error=error)
