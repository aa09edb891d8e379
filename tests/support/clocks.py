"""An event loop whose clock can be put forward, so that a time limit is over when a test says so, and not before."""

import asyncio
from collections.abc import Awaitable, Callable


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


def on_its_own_clock(test: Callable[[], Awaitable[None]]) -> None:
    """Run ``test`` in such a loop."""

    async def run() -> None:
        await test()

    with asyncio.Runner(loop_factory=Clock) as runner:
        runner.run(run())
