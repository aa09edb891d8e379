"""Work that a signal can end without losing anything."""

import signal
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from sparring.errors import SparringError

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
            with anyio.open_signal_receiver(*_ending_signals()) as signals:
                async for _ in signals:
                    # Repeated signals are swallowed: ending the children is bounded, and must not be cut short.
                    group.cancel_scope.cancel()

        group.start_soon(stop_on_signal)
        try:
            result = await work()
        except SparringError as error:
            stopped = error  # raised below: through the group it would arrive as one of several
        group.cancel_scope.cancel()
    if stopped:
        raise stopped
    return result


def _ending_signals() -> tuple[signal.Signals, ...]:
    signals = (signal.SIGINT, signal.SIGTERM)
    if sys.platform == "win32" or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return signals  # under nohup a run outlives its terminal
    return (*signals, signal.SIGHUP)
