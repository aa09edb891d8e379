"""Cancels a piece of work at one of its steps: every await is a moment at which a caller may go away.

A step is what a task does between two awaits. All tasks that the work starts are counted together, so cancelling at
step 1, 2, 3 and so on until it is done meets every such moment once, whatever the machine is doing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

import anyio


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
    """A coroutine, each of whose steps is told before it is taken."""

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
            except BaseException as error:  # noqa: BLE001 -- whatever is thrown belongs to the coroutine
                thrown = error
