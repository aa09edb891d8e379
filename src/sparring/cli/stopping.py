"""Work that a signal can end without losing anything."""

import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from sparring.errors import SparringError
from sparring.signals import ending_signals

T = TypeVar("T")


async def until_done_or_stopped(work: Callable[[], Awaitable[T]]) -> T | None:
    """What ``work`` brings, or None when a signal stopped it and everything that it had started has ended.

    Raises:
        SparringError: As ``work``.
    """
    result: T | None = None
    stopped: SparringError | None = None
    async with anyio.create_task_group() as group:

        async def stop_on_signal() -> None:
            with anyio.open_signal_receiver(*ending_signals()) as signals:
                async for _ in signals:
                    # Repeated signals are swallowed: ending the children is bounded, and must not be cut short.
                    group.cancel_scope.cancel()

        if threading.current_thread() is threading.main_thread():  # the only one that Python lets receive any
            group.start_soon(stop_on_signal)
        try:
            result = await work()
        except SparringError as error:
            stopped = error  # raised below: through the group it would arrive as one of several
        group.cancel_scope.cancel()
    if stopped:
        raise stopped
    return result
