"""The engine for one machine: it works on a few blocks of rows at once, and returns results in table order.

The number of concurrent blocks and of waiting results is bounded: memory does not grow with the table.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from typing import Generic, TypeVar, cast

import anyio
import anyio.abc
from anyio import to_thread
from msgspec import Struct, field

from sparring.errors import raising_first

_B = TypeVar("_B")
_T = TypeVar("_T")


class _PendingResult(Struct, Generic[_T]):
    """A block in progress."""

    ended: anyio.Event = field(default_factory=anyio.Event)
    value: _T | None = None


async def run_in_order(
    blocks: Iterator[_B],
    work: Callable[[_B], Awaitable[_T]],
    take: Callable[[_T], Awaitable[None]],
    *,
    window: int,
) -> None:
    """Do ``work`` with up to ``window`` of ``blocks`` concurrently, and ``take`` each result in the blocks' order.

    A thread asks ``blocks`` for the next one as soon as there is room for it. An exception of any of them ends all.
    """
    send, receive = anyio.create_memory_object_stream[_PendingResult[_T]](max(0, window - 2))

    async def begin(group: anyio.abc.TaskGroup) -> None:
        async with send:
            while (block := await to_thread.run_sync(next, blocks, None)) is not None:
                slot = _PendingResult[_T]()
                group.start_soon(end, block, slot)
                await send.send(slot)

    async def end(block: _B, slot: _PendingResult[_T]) -> None:
        slot.value = await work(block)
        slot.ended.set()

    with raising_first():
        async with anyio.create_task_group() as group:
            group.start_soon(begin, group)
            async with receive:
                async for slot in receive:
                    await slot.ended.wait()
                    await take(cast("_T", slot.value))


@asynccontextmanager
async def running_alongside(*works: Callable[[], Coroutine[None, None, None]]) -> AsyncGenerator[anyio.abc.TaskGroup]:
    """Run all ``works`` while the block runs, and end them with it; an exception in one of them ends the block."""
    with raising_first():
        async with anyio.create_task_group() as group:
            for work in works:
                group.start_soon(work)
            try:
                yield group
            finally:
                group.cancel_scope.cancel()
