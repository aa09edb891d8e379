"""Effects of a crash: a disk that loses what was not synced, and work cancelled at any of its steps.

The disk writes to a real folder, so a reader sees the expected content as long as all goes well. In addition, it
records after each operation which data were durable: ``crash`` writes into another folder the state after a power
failure at that moment. A system may have written more than it had to, so there are several ways to lose (``Loss``).
It only knows operations that go through the disk; a lock file, say, is gone after every crash. It takes a page at a
time, as a system may.

Every await is a moment at which a caller may be cancelled, and a step is the part of a task between two awaits. All
tasks that the work starts are counted together, so cancelling at step 1, 2, 3 and so on until it is done meets every
such moment once, at any speed of the machine.
"""

import asyncio
import copy
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator
from enum import StrEnum
from pathlib import Path
from typing import Any

import anyio
from msgspec import Struct, field

from sparring.disk import Disk

_PAGE = 4096


class Loss(StrEnum):
    """Data that a crash destroys."""

    NOTHING = "nothing"
    """Only the process has ended: all that it wrote is there."""
    UNSYNCED = "all that was not synced"
    NAMES = "names"
    """The content of files is there, and their folders are as they were synced."""
    NEW_NAMES = "new names"
    """Only names that were there before were written: a file that was replaced is, one that was made is lost."""
    CONTENT = "content"
    """The names are there, and files are as they were synced: a new one is empty."""
    HALF = "half of the content"
    """The names exist, and the first half of unsynced data."""
    ZEROS = "content under its size"
    """The names exist, and zeros in place of unsynced data."""


class _File(Struct):
    now: bytes = b""
    safe: bytes = b""

    def after(self, loss: Loss) -> bytes:
        if loss in {Loss.NOTHING, Loss.NAMES, Loss.NEW_NAMES}:
            return self.now
        if loss in {Loss.UNSYNCED, Loss.CONTENT} or not self.now.startswith(self.safe):
            return self.safe  # a cut that was not synced is lost as well
        new = self.now[len(self.safe) :]
        return self.safe + (new[: len(new) // 2] if loss is Loss.HALF else bytes(len(new)))


class _Folder(Struct):
    now: "dict[str, _File | _Folder]" = field(default_factory=dict[str, "_File | _Folder"])
    safe: "dict[str, _File | _Folder]" = field(default_factory=dict[str, "_File | _Folder"])


class LosingDisk(Disk):
    """See the module. The initial content of ``root`` is safe.

    Attributes:
        operations: Operations so far, in order.
    """

    def __init__(self, root: Path) -> None:
        self.operations: list[str] = []
        self._root = root
        self._tree = _snapshot_of(root)
        self._moments = [copy.deepcopy(self._tree)]
        self._open: dict[int, _File] = {}
        self._one_at_a_time = threading.Lock()

    def crash(self, after: int, loss: Loss, into: Path) -> None:
        """Make the folder ``into``, with the state after a power failure ``after`` so many operations."""
        _put(self._moments[after], loss, into)

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        descriptor = super().open(path, flags, mode)
        with self._one_at_a_time:
            folder = self._folder(path.parent)
            file = folder.now.setdefault(path.name, _File())
            assert isinstance(file, _File)
            if flags & os.O_TRUNC:
                file.now = b""
            self._open[descriptor] = file
            self._note(f"open {path.name}")
        return descriptor

    def write(self, descriptor: int, content: bytes | memoryview) -> int:
        written = super().write(descriptor, content[:_PAGE])
        with self._one_at_a_time:
            self._open[descriptor].now += bytes(content[:written])
            self._note("write")
        return written

    def truncate(self, descriptor: int, size: int) -> None:
        super().truncate(descriptor, size)
        with self._one_at_a_time:
            self._open[descriptor].now = self._open[descriptor].now[:size]
            self._note("truncate")

    def sync(self, descriptor: int) -> None:
        super().sync(descriptor)
        with self._one_at_a_time:
            self._open[descriptor].safe = self._open[descriptor].now
            self._note("sync")

    def close(self, descriptor: int) -> None:
        with self._one_at_a_time:
            del self._open[descriptor]
        super().close(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        super().replace(source, target)
        with self._one_at_a_time:
            self._folder(target.parent).now[target.name] = self._folder(source.parent).now.pop(source.name)
            self._note(f"replace {target.name}")

    def remove(self, path: Path) -> None:
        super().remove(path)
        with self._one_at_a_time:
            self._folder(path.parent).now.pop(path.name, None)
            self._note(f"remove {path.name}")

    def make_folder(self, path: Path, mode: int = 0o700) -> None:
        super().make_folder(path, mode)
        with self._one_at_a_time:
            self._folder(path.parent).now[path.name] = _Folder()
            self._note(f"make {path.name}")

    def remove_folder(self, path: Path) -> None:
        super().remove_folder(path)
        with self._one_at_a_time:
            self._folder(path.parent).now.pop(path.name)
            self._note(f"remove {path.name}")

    def sync_folder(self, path: Path) -> None:
        super().sync_folder(path)
        with self._one_at_a_time:
            folder = self._folder(path)
            folder.safe = dict(folder.now)
            self._note(f"sync {path.name}")

    def _folder(self, path: Path) -> _Folder:
        folder = self._tree
        for name in path.relative_to(self._root).parts:
            entry = folder.now[name]
            assert isinstance(entry, _Folder)
            folder = entry
        return folder

    def _note(self, operation: str) -> None:
        self.operations.append(operation)
        self._moments.append(copy.deepcopy(self._tree))


def _snapshot_of(root: Path) -> _Folder:
    names: dict[str, _File | _Folder] = {}
    for path in root.iterdir():
        content = b"" if path.is_dir() else path.read_bytes()
        names[path.name] = _snapshot_of(path) if path.is_dir() else _File(content, content)
    return _Folder(names, dict(names))


def _put(folder: _Folder, loss: Loss, into: Path) -> None:
    into.mkdir()
    names = folder.safe if loss in {Loss.UNSYNCED, Loss.NAMES} else folder.now
    for name, entry in names.items():
        if loss is Loss.NEW_NAMES and name not in folder.safe:
            continue
        if isinstance(entry, _Folder):
            _put(entry, loss, into / name)
        else:
            (into / name).write_bytes(entry.after(loss))


async def cancelled_at(step: int, work: Callable[[], Awaitable[object]]) -> bool:
    """Do ``work`` and cancel it at that step, counted from 1; whether it got that far.

    It returns when all that the work started has ended; a task that is left is an error. Runs on asyncio only.
    """
    loop = asyncio.get_running_loop()
    before, factory = asyncio.all_tasks(loop), loop.get_task_factory()
    steps = 0

    def take() -> None:
        nonlocal steps
        steps += 1
        if steps == step:
            scope.cancel()

    def counted(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> "asyncio.Task[Any]":
        return asyncio.Task(_counted(coroutine, take), loop=loop, **options)

    async def counting() -> None:
        await work()

    loop.set_task_factory(counted)
    try:
        async with anyio.create_task_group() as group:
            scope = group.cancel_scope
            group.start_soon(counting)
    finally:
        loop.set_task_factory(factory)
    left = {task for task in asyncio.all_tasks(loop) - before if not task.done()}
    assert not left, f"left running: {left}"
    return steps >= step


async def _counted(coroutine: Coroutine[Any, Any, Any], take: Callable[[], None]) -> Any:
    return await _Steps(coroutine, take)


class _Steps:
    """A coroutine that reports each step before it is taken."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], take: Callable[[], None]) -> None:
        self._coroutine = coroutine
        self._take = take

    def __await__(self) -> Generator[Any, Any, Any]:
        sent: Any = None
        thrown: BaseException | None = None
        while True:
            self._take()
            try:
                awaited = self._coroutine.send(sent) if thrown is None else self._coroutine.throw(thrown)
            except StopIteration as end:
                return end.value
            sent = thrown = None
            try:
                sent = yield awaited
            except BaseException as error:  # noqa: BLE001 -- every exception belongs to the coroutine
                thrown = error
