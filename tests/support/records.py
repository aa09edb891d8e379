"""Shared records of rates in the memory of one process; nothing blocks, so that their clock may stand still or jump."""

from collections.abc import Callable
from typing import Any

import anyio
from msgspec import Struct, field
from msgspec.structs import replace

from sparring.app.exchanges.rates import R, T


class MemoryRecords(Struct):
    """See ``sparring.app.exchanges.rates.Records``.

    Attributes:
        living: The workers that have not died.
        takes_s: How long each change takes.
    """

    worker: str
    clock: Callable[[], float]
    takes_s: float = 0.0
    records: dict[str, Any] = field(default_factory=dict[str, Any])
    living: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.living.add(self.worker)

    def of(self, worker: str) -> "MemoryRecords":
        """The same records for another worker."""
        return replace(self, worker=worker)

    async def change(self, record: type[R], name: str, operation: Callable[[R, float], tuple[R, T]]) -> T:
        if self.takes_s:
            await anyio.sleep(self.takes_s)
        before: R = self.records.get(name) or record()
        self.records[name], outcome = operation(before.only(self.living), self.clock())
        return outcome
