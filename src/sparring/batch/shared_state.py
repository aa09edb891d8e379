"""Where workers keep small records together, and how one of these is changed.

A place is whatever can read a named record, let a function make the next one of it, and write that, with nobody in
between: ``Ledger.shared`` for the processes of a machine, a client of an actor for those of a cluster, and for a
process that is alone ``OneProcess``.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, Self, TypeVar

import anyio.to_thread
from pydantic import ValidationError

from sparring.errors import StateCorruptError
from sparring.schema.base import Record


class SharedRecord(Record):
    """A small record that the workers of a batch keep together."""

    @abstractmethod
    def without(self, ended: frozenset[str]) -> Self:
        """The record when those workers have died: nobody waits for what they hold."""
        ...


class WorkersRecord(SharedRecord):
    """What is told of each worker; nothing is left of one that has died."""

    workers: Mapping[str, Any] = {}

    def without(self, ended: frozenset[str]) -> Self:
        """See ``SharedRecord``."""
        workers = {name: told for name, told in self.workers.items() if name not in ended}
        return self.model_copy(update={"workers": workers})


R = TypeVar("R", bound=SharedRecord)
T = TypeVar("T")


class SharedState(Protocol):
    """A place for small records that several workers change."""

    def shared(self, name: str, change: Callable[[bytes | None], tuple[bytes | None, T]]) -> T:
        """Replace the record ``name`` by what ``change`` makes of it, and tell what that tells, in one transaction.

        ``change`` gets None where there is no record yet. It may be called more often than once, and in another
        process if it can be pickled. This may block: it is called in a thread of its own.
        """
        ...


class OneProcess:
    """The records of a process that shares them with no other. They end with it."""

    def __init__(self) -> None:
        self._records: dict[str, bytes | None] = {}

    def shared(self, name: str, change: Callable[[bytes | None], tuple[bytes | None, T]]) -> T:
        """See ``SharedState``. Nothing blocks; to be used by one thread."""
        self._records[name], told = change(self._records.get(name))
        return told


def changed(
    record: type[R],
    clock: Callable[[], float],
    operation: Callable[[R, float], tuple[R, T]],
    ended: frozenset[str],
    state: bytes | None,
) -> tuple[bytes | None, T]:
    """``operation`` on the record that ``state`` is, at the moment that it is there where this is called.

    Workers that have ``ended`` leave it before.

    Raises:
        StateCorruptError: ``state`` is no such record.
    """
    try:
        before = record.model_validate_json(state) if state else record()
    except ValidationError as error:
        raise StateCorruptError(
            "What the workers of the batch share about its limits cannot be read.", hint="Begin with a new ledger."
        ) from error
    after, told = operation(before.without(ended) if ended else before, clock())
    return after.model_dump_json().encode(), told


class Home:
    """A place for records, with the clock that is used there, and what says which workers have died.

    The functions that are sent there can be pickled if ``clock`` can, as ``time.time`` can.
    """

    def __init__(
        self, state: SharedState, clock: Callable[[], float], ended: Callable[[], frozenset[str]] = frozenset
    ) -> None:
        self._state = state
        self._clock = clock
        self._ended = ended

    async def change(self, record: type[R], name: str, operation: Callable[[R, float], tuple[R, T]]) -> T:
        """Let ``operation`` make the next record ``name`` of the one that is there, and tell what it tells."""
        change: Callable[[bytes | None], tuple[bytes | None, T]] = partial(
            changed, record, self._clock, operation, self._ended()
        )
        if isinstance(self._state, OneProcess):
            return self._state.shared(name, change)
        return await anyio.to_thread.run_sync(self._state.shared, name, change)
