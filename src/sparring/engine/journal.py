"""Where a run is written down, as whoever drives it sees that."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import anyio
import anyio.to_thread

from sparring.schema.runs import Outcome
from sparring.schema.transcript import PutAsk, Turn


class Journal(Protocol):
    """Where a run is written down. All methods return when what they were given is safe.

    One may be called while another is not through; what was given first is then written first. How a line becomes safe
    is the journal's own affair: it may wait for others, and be written together with theirs.
    """

    async def asked(self, asks: Sequence[PutAsk], *, step: int, of: int) -> None:
        """Write that ``asks`` of the ``of`` asks of step number ``step`` (from 0) are about to be put."""
        ...

    async def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """Write a turn: ask number ``index`` of the ``of`` asks of step number ``step`` (both from 0)."""
        ...

    async def end(self, outcome: Outcome) -> None:
        """Write that the run has ended."""
        ...


class BlockingJournal(Protocol):
    """The same, where whoever calls is held up meanwhile, as a disk does; called for one line after the other."""

    def asked(self, asks: Sequence[PutAsk], *, step: int, of: int) -> None:
        """See ``Journal``."""
        ...

    def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``Journal``."""
        ...

    def end(self, outcome: Outcome) -> None:
        """See ``Journal``."""
        ...


class ThreadedJournal:
    """Writes to a journal that blocks, in another thread, so that nobody else is held up; see ``Journal``."""

    def __init__(self, journal: BlockingJournal) -> None:
        self._journal = journal
        self._writing = anyio.Lock()

    async def asked(self, asks: Sequence[PutAsk], *, step: int, of: int) -> None:
        """See ``Journal``."""
        await self._write(partial(self._journal.asked, asks, step=step, of=of))

    async def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``Journal``."""
        await self._write(partial(self._journal.turn, turn, step=step, of=of, index=index))

    async def end(self, outcome: Outcome) -> None:
        """See ``Journal``."""
        await self._write(partial(self._journal.end, outcome))

    async def _write(self, line: Callable[[], None]) -> None:
        async with self._writing:  # who comes first gets it first
            await anyio.to_thread.run_sync(line)
