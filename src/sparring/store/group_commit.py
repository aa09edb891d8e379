"""One thread that writes for all others: operations that arrive during a write are written together in the next.

A write that must survive a crash waits for the disk. One wait for many operations makes a thousand of them a second
possible. The module does not know what is written: its caller passes a function.
"""

import asyncio
import queue
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Generic, TypeVar

from msgspec import Struct

from sparring.errors import StateLockedError, StateUnwritableError

Operation = TypeVar("Operation")
Outcome = Any
"""Result of an operation; an exception is raised where the result is awaited."""

_MOST = 2000
"""Operations in one transaction: the most that others wait for, and that are in memory twice."""

_GATHERING_S = 0.005
"""Wait for further operations after a group of several. Without it, 64 concurrent rows made groups of three, and the
ledger took twice the CPU time. An operation that came alone is followed by no wait."""


class _Waiting(Struct, Generic[Operation], frozen=True):
    operation: Operation
    loop: asyncio.AbstractEventLoop | None
    future: Any  # of that loop, or one that a thread waits for


class GroupCommit(Generic[Operation]):
    """Operations from any thread, passed to ``write`` in groups, in the order of their arrival.

    Attributes:
        write: Makes a group durable and returns the result of each. When it raises, each is written by itself.
        idle: Called when nothing has come for ``idle_s`` seconds. Its errors are dropped: the next write raises them.
        end: Called once, after the last group.
    """

    def __init__(
        self,
        write: Callable[[Sequence[Operation]], Sequence[Outcome]],
        *,
        idle: Callable[[], None],
        end: Callable[[], None],
        idle_s: float,
    ) -> None:
        self._write, self._idle, self._end, self._idle_s = write, idle, end, idle_s
        self._queue = queue.SimpleQueue[_Waiting[Operation] | None]()
        self._closing = threading.Lock()
        self._is_closed = False
        self._are_concurrent = False
        self._ending = threading.Event()
        self._problem: BaseException | None = None
        # A program without a call of close must still end; acknowledged operations are safe without it.
        self._thread = threading.Thread(target=self._run, name="sparring-ledger", daemon=True)
        self._thread.start()

    async def commit(self, operation: Operation) -> Outcome:
        """Commit ``operation`` and return its result once it is on disk.

        One that is given up is written all the same.
        """
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._enqueue(_Waiting(operation, loop, future))
        return await future

    def commit_now(self, operation: Operation) -> Outcome:
        """As ``commit``, for a thread, which waits."""
        future = Future[Outcome]()
        self._enqueue(_Waiting(operation, None, future))
        return future.result()

    def commit_later(self, operation: Operation) -> None:
        """The same without a result; does nothing after the end."""
        with suppress(StateUnwritableError):
            self._enqueue(_Waiting(operation, None, Future[Outcome]()))

    def close(self) -> None:
        """Write the remaining operations, and end. Closing again does nothing.

        Raises:
            StoreError: What ``end`` raises.
        """
        with self._closing:
            if not self._is_closed:
                self._is_closed = True
                self._ending.set()
                self._queue.put(None)
        self._thread.join()
        if self._problem:
            problem, self._problem = self._problem, None
            raise problem

    def _enqueue(self, waiting: _Waiting[Operation]) -> None:
        with self._closing:
            if self._is_closed:
                raise StateUnwritableError("The ledger has been closed; nothing more is written to it.")
            self._queue.put(waiting)

    def _run(self) -> None:
        while (group := self._group()) is not None:
            if group:
                self._commit(group)
            else:
                with suppress(Exception):
                    self._idle()
        try:
            self._end()
        except Exception as error:  # noqa: BLE001 -- raised where the end is waited for
            self._problem = error

    def _group(self) -> list[_Waiting[Operation]] | None:
        """Return the queued operations; empty if none has come for long, None at the end."""
        try:
            first = self._queue.get(timeout=self._idle_s)
        except queue.Empty:
            return []
        if first is None:
            return None
        group = [first]
        if self._are_concurrent:
            self._ending.wait(_GATHERING_S)
        with suppress(queue.Empty):
            while len(group) < _MOST:
                waiting = self._queue.get_nowait()
                if waiting is None:
                    self._queue.put(None)  # always the last item of the queue
                    break
                group.append(waiting)
        self._are_concurrent = len(group) > 1
        return group

    def _commit(self, group: list[_Waiting[Operation]]) -> None:
        outcomes = self._outcomes([waiting.operation for waiting in group])
        by_loop = defaultdict[asyncio.AbstractEventLoop | None, list[tuple[Any, Outcome]]](list)
        for waiting, outcome in zip(group, outcomes, strict=True):
            by_loop[waiting.loop].append((waiting.future, outcome))
        for loop, settled in by_loop.items():
            if loop is None:
                _settle(settled)
            else:
                with suppress(RuntimeError):  # the loop has ended: no task waits any more
                    loop.call_soon_threadsafe(_settle, settled)

    def _outcomes(self, group: Sequence[Operation]) -> Sequence[Outcome]:
        try:
            return self._write(group)
        except Exception as error:  # noqa: BLE001 -- raised where it is waited for
            if len(group) == 1 or isinstance(error, StateLockedError):
                return [error] * len(group)
        # One that cannot be written must not take the others with it; and a full disk may have room for some.
        return [outcome for operation in group for outcome in self._outcomes([operation])]


def _settle(settled: list[tuple[Any, Outcome]]) -> None:
    for future, outcome in settled:
        if future.done():  # given up meanwhile
            continue
        if isinstance(outcome, BaseException):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
