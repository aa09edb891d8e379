"""An event loop whose clock can be put forward, so that a time limit is over when a test says so, and not before."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from msgspec import Struct

T = TypeVar("T")


class StandingClock(Struct):
    """Goes on when it is told to."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


class Clock(asyncio.SelectorEventLoop):
    """A loop for which time goes by as ever, and by as much more as it is told."""

    ahead_s = 0.0

    def time(self) -> float:
        return super().time() + self.ahead_s


def put_forward(seconds: float) -> None:
    """Let so many seconds be over for everybody who waits in the running loop."""
    clock = asyncio.get_running_loop()
    assert isinstance(clock, Clock)
    clock.ahead_s += seconds


def on_its_own_clock(test: Callable[[], Awaitable[None]], loop: type[Clock] = Clock) -> None:
    """Run ``test`` in such a loop."""

    async def run() -> None:
        await test()

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(run())


def timed_out(asking: Callable[[], Awaitable[T]], seconds: float, *, once: Callable[[], object]) -> T:
    """Return the result of ``asking`` if so many seconds pass as soon as ``once``, run in a thread, returns."""
    found: list[T] = []

    async def ask() -> None:
        found.append(await asking())

    async def play() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await anyio.to_thread.run_sync(once)
            put_forward(seconds)

    on_its_own_clock(play)
    return found[0]


class _Jumping(selectors.DefaultSelector):  # pyright: ignore[reportGeneralTypeIssues]  # which class it is depends on the system
    """Finds that the time is over for which somebody would wait, if nothing else happens."""

    clock: "JumpingClock"

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0 if timeout else timeout)
        if timeout and not found:
            self.clock.ahead_s += timeout
        return found


class JumpingClock(Clock):
    """A loop in which nobody waits: where all sleep, it is as late as the first of them wants to be woken.

    Its time begins at 0. For what uses neither threads nor sockets: it would not wait for these.
    """

    def __init__(self) -> None:
        selector = _Jumping()
        selector.clock = self
        super().__init__(selector)

    def time(self) -> float:
        return self.ahead_s
