"""Whoever begins at the same time begins one after the other, as far as that costs nobody anything.

Dozens of requests that are made side by side in one thread are all ready when the last one is. So they leave together,
and their answers come together: while they are awaited there is nothing to do, and then everything at once. A few at a
time leave earlier, and are answered while the others are made.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio

_WIDTH = 4
"""Measured for 64 requests with answers of 0.2 s: fewer leave gaps, and many more are all of them again."""

_PATIENCE_S = 0.1
"""Nobody waits longer for those before him, who may be held up by a network that does not answer."""


class Turnstile:
    """Lets a few pass at a time, and everybody who has waited for a moment."""

    def __init__(self) -> None:
        self._turns = anyio.Semaphore(_WIDTH, fast_acquire=True)

    @asynccontextmanager
    async def passing(self) -> AsyncGenerator[Callable[[], None]]:
        """Wait for a turn. It ends with the block, or earlier when what is yielded is called."""
        with anyio.move_on_after(_PATIENCE_S) as waiting:
            await self._turns.acquire()
        has_turn = not waiting.cancelled_caught

        def end() -> None:
            nonlocal has_turn
            if has_turn:
                has_turn = False
                self._turns.release()

        try:
            yield end
        finally:
            end()
