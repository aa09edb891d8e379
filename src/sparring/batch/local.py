"""The engine for one machine: a few blocks of rows under way, and what comes of them in the order of the table.

What is worked on side by side is bounded, and so is what waits to be taken: memory does not grow with the table.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

import anyio
import anyio.abc
from anyio import to_thread

_B = TypeVar("_B")
_T = TypeVar("_T")


@dataclass
class _UnderWay(Generic[_T]):
    """A block that is worked on."""

    ended: anyio.Event = field(default_factory=anyio.Event)
    came: _T | None = None


async def in_order(
    blocks: Iterator[_B],
    work: Callable[[_B], Awaitable[_T]],
    take: Callable[[_T], Awaitable[None]],
    *,
    window: int,
) -> None:
    """Do ``work`` with up to ``window`` of ``blocks`` side by side, and ``take`` what came of each in their order.

    ``blocks`` is asked for the next one in a thread, as soon as there is room for it. What any of them raises ends all.
    """
    send, receive = anyio.create_memory_object_stream[_UnderWay[_T]](max(0, window - 2))

    async def begin(group: anyio.abc.TaskGroup) -> None:
        async with send:
            while (block := await to_thread.run_sync(next, blocks, None)) is not None:
                slot = _UnderWay[_T]()
                group.start_soon(end, block, slot)
                await send.send(slot)

    async def end(block: _B, slot: _UnderWay[_T]) -> None:
        slot.came = await work(block)
        slot.ended.set()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(begin, group)
            async with receive:
                async for slot in receive:
                    await slot.ended.wait()
                    await take(cast("_T", slot.came))
    except ExceptionGroup as failed:
        raise _first(failed) from failed


def _first(failed: ExceptionGroup[Exception]) -> Exception:
    """The first of what was raised: the others were ended by it."""
    first = failed.exceptions[0]
    return _first(cast("ExceptionGroup[Exception]", first)) if isinstance(first, ExceptionGroup) else first
