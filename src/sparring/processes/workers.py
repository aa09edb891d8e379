"""Run a pure function of ours on foreign text, outside the event loop and where it can be abandoned or ended.

``SharedThread`` is for the many short pieces of work: handing one to a thread and back costs 0.1 to 0.2 ms (November
2026), which is more than most steps of a row of a table take. So all work that is due at the same time is done in one
go, by a thread that stays for a second when nothing is left, because starting one for each burst costs as much again.
A waiting caller can be cancelled at any moment, the work itself cannot. So a thread that takes too long for one piece
keeps it, and another one does the rest: one hostile text delays only its own caller.

``run_pure`` uses a thread where the texts are short, else a process of its own with limits on time and memory: one
regular expression blocks the interpreter until it is through; no cancellation and no signal reaches it. Arguments
are pickled, and both ends of the pipe are ours.
"""

import asyncio
import base64
import json
import os
import pickle
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Condition, Thread
from typing import Any, TypeVar, cast

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar
from msgspec import Struct, field

from sparring.errors import SparringError, WorkerEndedError
from sparring.processes.children import Command, OutputOverflowError, talk

_T = TypeVar("_T")

SHORT = 256 << 10
"""Characters up to which a thread will do: a process takes half a second to start."""

_RESULT_LIMIT = 512 << 20
_ENVIRONMENT = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}  # Windows needs it
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from sparring.processes.workers import serve; serve()"
)


class ResourceLimits(Struct, frozen=True):
    """Most that a call may use."""

    wall_s: float = 120.0
    processor_s: int = 60
    memory_bytes: int = 4 << 30


PLENTY = ResourceLimits()

_ROOM: RunVar[anyio.CapacityLimiter] = RunVar("_ROOM")


def room_for_workers() -> anyio.CapacityLimiter:
    """Return the limiter of worker processes, common to all runs and members; waiters are served in order."""
    try:
        return _ROOM.get()
    except LookupError:
        room = anyio.CapacityLimiter((os.cpu_count() or 1) + 1)
        _ROOM.set(room)
        return room


async def run_pure(
    function: Callable[..., _T],
    *arguments: object,
    texts: Sequence[str | bytes],
    short: int = SHORT,
) -> _T:
    """Run a pure ``function``, importable by its name, within limits: long texts in a worker process.

    ``texts`` are those in them; of up to ``short`` characters, all together, a thread takes care.

    Raises:
        WorkerEndedError: It took too long, used too much memory, or failed.
    """
    if sum(map(len, texts)) > short:
        return await run_in_worker(function, *arguments)
    with anyio.move_on_after(PLENTY.wall_s):
        return await anyio.to_thread.run_sync(partial(function, *arguments), abandon_on_cancel=True)
    raise WorkerEndedError


async def run_in_worker(function: Callable[..., _T], *arguments: object, allowance: ResourceLimits = PLENTY) -> _T:
    """The same, always in a process of its own, which is ended on every exit. May wait for a free slot.

    Raises:
        WorkerEndedError: It used more than ``allowance``, or failed.
    """
    async with room_for_workers():
        result = await _worked(await anyio.to_thread.run_sync(_packed, (function, arguments)), allowance)
    if isinstance(result, SparringError):
        raise result
    return cast("_T", result)


async def _worked(order: bytes, allowance: ResourceLimits) -> object:
    limits = (str(allowance.processor_s), str(allowance.memory_bytes))
    command = Command(
        (sys.executable, "-I", "-c", _START, json.dumps(sys.path), *limits), env=_ENVIRONMENT, cwd=Path(sys.prefix)
    )
    answer: bytes | None = None
    try:
        with anyio.move_on_after(allowance.wall_s):
            async with talk(command, output_limit=_RESULT_LIMIT) as worker:
                await worker.send(order)
                answer = await worker.receive()
    except (OSError, OutputOverflowError) as error:
        raise WorkerEndedError from error
    if answer is None:
        raise WorkerEndedError
    return await anyio.to_thread.run_sync(_unpacked, answer)


def serve() -> None:
    """Run the one call that is on the standard input. A failure ends the process, which is sufficient as a report."""
    processor_s, memory_bytes = map(int, sys.argv[2:])
    _limit(processor_s, memory_bytes)
    function, arguments = _unpacked(sys.stdin.buffer.readline())
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        # In a thread next to a loop, as in the main process: lookups start programs through it.
        result = anyio.run(anyio.to_thread.run_sync, partial(function, *arguments))
    except SparringError as error:
        result = error
    sys.stdout.buffer.write(_packed(result) + b"\n")
    sys.stdout.buffer.flush()
    os._exit(0)  # a regular end would spend time on freeing memory


def _end_with_parent() -> None:
    sys.stdin.buffer.read()  # no more input follows; it ends when the reader of the result has ended
    os._exit(1)


def _packed(value: object) -> bytes:
    return base64.b64encode(pickle.dumps(value))


def _unpacked(line: bytes) -> Any:
    return pickle.loads(base64.b64decode(line))  # noqa: S301 -- ours, and no other process has the pipe


def _limit(processor_s: int, memory_bytes: int) -> None:
    if sys.platform == "win32":
        return  # without these limits, the time limit of the caller must suffice
    import resource  # noqa: PLC0415 -- Unix only

    for limited, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CPU, processor_s)):
        with suppress(ValueError, OSError):  # lower limits of the system's stand
            resource.setrlimit(limited, (most, most))


_MAX_WAIT_S = 0.25
"""Seconds for one piece of work, before another thread takes over those after it."""

_TELL_S = 0.01
"""Seconds for which finished work may wait to be reported with later work."""

_IDLE_S = 1.0
"""A thread that has nothing to do waits so long for more before it ends."""

_MOST_LEFT = 8
"""Threads that may be abandoned to their work; with more of them, new work waits for its turn."""

_SHARED: RunVar["SharedThread"] = RunVar("_SHARED")


class _Work(Struct):
    """A piece of work: done in the thread, reported in the loop."""

    function: Callable[[], object]
    result: "asyncio.Future[Any]"
    value: object = None
    error: BaseException | None = None

    def do(self) -> None:
        try:
            self.value = self.function()
        except BaseException as error:  # noqa: BLE001 -- it is raised in the waiting caller
            self.error = error

    def notify(self) -> None:
        if self.result.done():
            return  # no caller waits for it any more
        if self.error is not None:
            self.result.set_exception(self.error)
        else:
            self.result.set_result(self.value)


class _Shift(Struct, eq=False):
    """A thread at work, until nothing is due or it is given up; ``began`` is when its present piece of work began."""

    began: float = field(default_factory=time.monotonic)

    @property
    def is_overdue(self) -> bool:
        return time.monotonic() - self.began >= _MAX_WAIT_S


class _IdleThreads:
    """The threads that have nothing to do. Shifts are handed to them by one thread, the event loop's."""

    def __init__(self) -> None:
        self._change = Condition()
        self._waiting = 0
        self._shifts: deque[_Shift] = deque()

    def assign(self, shift: _Shift) -> bool:
        """Give ``shift`` to an idle thread; return whether there is one."""
        with self._change:
            if self._waiting <= len(self._shifts):
                return False
            self._shifts.append(shift)
            self._change.notify()
            return True

    def next(self) -> _Shift | None:
        """Wait for a shift; None when none has come for ``_IDLE_S`` seconds."""
        with self._change:
            self._waiting += 1
            try:
                has_come = self._change.wait_for(lambda: self._shifts, _IDLE_S)
                return self._shifts.popleft() if has_come else None
            finally:
                self._waiting -= 1


class SharedThread:
    """See the module. Everything but ``_work`` and ``_run_queue`` belongs to the thread of the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._due: deque[_Work] = deque()
        self._done: deque[_Work] = deque()
        self._shift: _Shift | None = None
        self._left: set[_Shift] = set()
        self._resting = _IdleThreads()

    @classmethod
    def current(cls) -> "SharedThread":
        """The one of this event loop."""
        try:
            return _SHARED.get()
        except LookupError:
            shared = cls(asyncio.get_running_loop())
            _SHARED.set(shared)
            return shared

    async def run(self, function: Callable[[], _T]) -> _T:
        """Run ``function`` in the shared thread; return its result or raise its error.

        On cancellation, started work continues without its caller; other work is not begun.
        """
        work = _Work(function, self._loop.create_future())
        self._due.append(work)
        try:
            self._ensure_thread()
            return cast("_T", await work.result)
        finally:
            work.result.cancel()  # without effect where there is a result

    def _ensure_thread(self) -> None:
        """Ensure that a thread works if anything is due."""
        if self._shift and self._shift.is_overdue and len(self._left) < _MOST_LEFT:
            self._left.add(self._shift)
            self._shift = None
        if not self._due or self._shift:
            return
        self._shift = _Shift()
        try:
            if not self._resting.assign(self._shift):
                Thread(target=self._work, args=(self._shift,), name="sparring shared thread", daemon=True).start()
        except RuntimeError:  # there is no room for a thread
            self._shift = None
            raise
        self._loop.call_later(_MAX_WAIT_S, self._watch, self._shift)

    def _watch(self, shift: _Shift) -> None:
        self._post()
        if shift is self._shift:
            self._ensure_thread()
            if shift is self._shift:
                self._loop.call_later(_MAX_WAIT_S, self._watch, shift)

    def _post(self) -> None:
        while self._done:
            self._done.popleft().notify()

    def _ended(self, shift: _Shift) -> None:
        self._left.discard(shift)
        if shift is self._shift:
            self._shift = None
        self._post()
        self._ensure_thread()

    def _work(self, shift: _Shift | None) -> None:
        while shift is not None and not self._loop.is_closed():
            self._run_queue(shift)
            shift = self._resting.next()

    def _run_queue(self, shift: _Shift) -> None:
        """Do all work that is due, until there is none or another thread has taken over from this one."""
        reported_at = shift.began
        while shift is self._shift:
            try:
                work = self._due.popleft()
            except IndexError:
                break
            if work.result.done():
                continue
            shift.began = time.monotonic()
            work.do()
            self._done.append(work)
            if time.monotonic() - reported_at >= _TELL_S:
                reported_at = time.monotonic()
                self._call(self._post)
        self._call(self._ended, shift)

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed, and no caller waits any more
            self._loop.call_soon_threadsafe(function, *arguments)
