"""What all workers of a batch know of a tool: two small records, and the rules by which each changes.

A place for records is whatever can read a named one, let a function make the next one of it, and write that, with
nobody in between: ``Ledger.shared`` for the processes of a machine, a client of an actor for those of a cluster. So the
rules are pure functions of a record and the present moment. A worker takes some permits and slots at a time, uses them
by itself, and gives back what it did not use; who is gone without doing so loses them when the lease has expired.

Moments are seconds of the clock of wherever the record lives. What is told to a worker is told in seconds from now, so
that its own clock does not matter.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
        return await anyio.to_thread.run_sync(self.change_now, record, name, operation)

    def change_now(self, record: type[R], name: str, operation: Callable[[R, float], tuple[R, T]]) -> T:
        """The same, for a thread, which waits."""
        return self._state.shared(name, partial(changed, record, self._clock, operation, self._ended()))


AHEAD_S = 1.0
"""For how long permits are taken in advance. As late as that a worker hears that another was told to wait."""

BURST_S = 1.0
"""So many seconds' worth may be asked at one moment after a pause."""

PROBE_S = 30.0
"""After a cool-down one asks first. Has it no answer after this time, one more does."""

POLL_S = 1.0
"""How often a worker looks whether another has given something back."""

_PROBE_POLL_S = 0.25  # and whether the one who asks first was answered

LEASE_S = 60.0
"""What is not renewed for so long is nobody's any more."""

_SET_BACK_S = 60.0  # a clock that is further back than this has been set back
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 2.0, 60.0


# Requests and tokens a minute, and what a tool asked everybody to wait for.


@dataclass(frozen=True)
class Rate:
    """Requests and tokens a minute; None where there is no limit."""

    rpm: int | None = None
    tpm: int | None = None

    @property
    def is_unlimited(self) -> bool:
        """Whether there is neither limit."""
        return self.rpm is None and self.tpm is None

    @property
    def request_s(self) -> float:
        """Seconds from one request to the next."""
        return 60.0 / self.rpm if self.rpm else 0.0

    @property
    def token_s(self) -> float:
        """Seconds from one token to the next."""
        return 60.0 / self.tpm if self.tpm else 0.0


class ToolRecord(WorkersRecord):
    """What is known of one tool.

    Attributes:
        requests_at, tokens_at: When the next would be due if they were spread evenly (GCRA's theoretical arrival).
        workers: When each worker was last heard of.
        cool_until: Nobody asks before.
        storm: How often in a row the tool said that it is too much.
        epoch: How often at all: a permit of an earlier one says nothing about this one.
        probe_until: Until then one who asks first is waited for.
    """

    requests_at: float = 0.0
    tokens_at: float = 0.0
    workers: Mapping[str, float] = {}
    cool_until: float = 0.0
    storm: int = 0
    epoch: int = 0
    probe_until: float = 0.0


@dataclass(frozen=True)
class Permits:
    """Permits to ask a tool.

    Attributes:
        starts_s: In how many seconds each may be used, and ``AHEAD_S`` longer; in order. None where none could be had.
        wait_s: If none could be had, in how many seconds to try again.
        is_probe: Whether everybody waits for what comes of this one.
    """

    starts_s: tuple[float, ...] = ()
    wait_s: float = 0.0
    epoch: int = 0
    is_probe: bool = False


@dataclass(frozen=True)
class WantedPermits:
    """What a worker wants of a tool.

    Attributes:
        permits: How many it could use at once.
        tokens: What it thinks that each will take.
        settled_tokens: How many more tokens than thought earlier ones have taken; negative if it was fewer.
        unused: How many permits of earlier times it did not use.
    """

    worker: str
    permits: int
    tokens: float = 0.0
    settled_tokens: float = 0.0
    unused: int = 0


def take_permits(record: ToolRecord, now: float, *, rate: Rate, wanted: WantedPermits) -> tuple[ToolRecord, Permits]:
    """Permits for what is wanted: those of the next ``AHEAD_S``, and no more than a fair share of these.

    Without a limit all that are wanted. However they are taken, no 60 seconds see more than the requests of a minute,
    those of ``BURST_S`` and of ``AHEAD_S``, and one. Tokens may be passed by one request's in addition, for a request
    is not cut; who comes after it waits the longer.
    """
    record = _settled(_seen(record, now, wanted.worker), rate, wanted.unused, wanted.settled_tokens)
    if now < record.cool_until:
        return record, Permits(wait_s=record.cool_until - now, epoch=record.epoch)
    if record.storm and now < record.probe_until:
        wait_s = min(_PROBE_POLL_S, record.probe_until - now)
        return record, Permits(wait_s=wait_s, epoch=record.epoch)
    most = 1 if record.storm else _fair_share(record, rate, wanted.permits)
    requests_at, tokens_at, starts_s = record.requests_at, record.tokens_at, list[float]()
    while True:
        start = max(now, requests_at - BURST_S, tokens_at - BURST_S)
        if len(starts_s) >= most or start > now + AHEAD_S:
            break
        starts_s.append(start - now)
        requests_at = max(requests_at, start) + rate.request_s
        tokens_at = max(tokens_at, start) + rate.token_s * wanted.tokens
    if not starts_s:  # not before half of the time ahead is free: else each would be fetched by itself
        return record, Permits(wait_s=start - now - AHEAD_S / 2, epoch=record.epoch)
    probing = now + PROBE_S if record.storm else 0.0
    changes = {"requests_at": requests_at, "tokens_at": tokens_at, "probe_until": probing}
    told = Permits(tuple(starts_s), epoch=record.epoch, is_probe=bool(record.storm))
    return record.model_copy(update=changes), told


def give_permits_back(
    record: ToolRecord, now: float, *, rate: Rate, unused: int, settled_tokens: float
) -> tuple[ToolRecord, None]:
    """So many permits were not used, and so many more tokens were than thought; fewer if that is negative."""
    del now
    return _settled(record, rate, unused, settled_tokens), None


@dataclass(frozen=True)
class Cooling:
    """How many seconds nobody asks, and the epoch that begins then."""

    wait_s: float
    epoch: int


def cool_down(
    record: ToolRecord, now: float, *, epoch: int, told_s: float | None, draw: float
) -> tuple[ToolRecord, Cooling]:
    """The tool said, to a question with a permit of ``epoch``, that it is too much.

    Of dozens that were under way only the first lengthens the pause. Where the tool does not tell for how long, the
    pause is drawn evenly (``draw``, from 0 to 1) from nothing to a bound that doubles each time. What it tells is kept
    to as it is: nobody comes back together with others, for one asks first.
    """
    pause_s, changes = told_s or 0.0, dict[str, object]()
    if epoch >= record.epoch:
        if told_s is None:
            pause_s = draw * min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** min(record.storm, 16))
        changes = {"storm": record.storm + 1, "epoch": record.epoch + 1, "probe_until": 0.0}
    record = record.model_copy(update={"cool_until": max(record.cool_until, now + pause_s), **changes})
    return record, Cooling(max(0.0, record.cool_until - now), record.epoch)


def probed(record: ToolRecord, now: float, *, epoch: int, is_well: bool) -> tuple[ToolRecord, None]:
    """The one who asked first was answered, and the others follow; or it never got so far, and another asks first."""
    del now
    if epoch != record.epoch:
        return record, None
    return record.model_copy(update={"probe_until": 0.0, "storm": 0 if is_well else record.storm}), None


def _seen(record: ToolRecord, now: float, worker: str) -> ToolRecord:
    """``record`` with that worker in it, without those who are gone, and on a clock that was set back."""
    living = {name: at for name, at in record.workers.items() if now - LEASE_S < at <= now + _SET_BACK_S}
    changes: dict[str, object] = {"workers": {**living, worker: now}}
    if max(record.workers.values(), default=now) > now + _SET_BACK_S:
        changes |= {"requests_at": now, "tokens_at": now, "cool_until": 0.0, "probe_until": 0.0}
    return record.model_copy(update=changes)


def _settled(record: ToolRecord, rate: Rate, unused: int, tokens: float) -> ToolRecord:
    changes = {
        "requests_at": record.requests_at - unused * rate.request_s,
        "tokens_at": record.tokens_at + tokens * rate.token_s,
    }
    return record.model_copy(update=changes)


def _fair_share(record: ToolRecord, rate: Rate, wanted: int) -> int:
    if not rate.request_s:
        return wanted
    of_all = (AHEAD_S + BURST_S) / rate.request_s
    return min(wanted, max(1, math.ceil(of_all / len(record.workers))))


# How many questions a machine puts to a tool at the same time.


class Slots(Record):
    """What one worker holds of the slots of a tool, and how many it could use."""

    held: int = 0
    wanted: int = 0
    until: float = 0.0


class SlotsRecord(WorkersRecord):
    """Who holds how many of the slots that a tool has on one machine."""

    workers: Mapping[str, Slots] = {}


def hold_slots(
    record: SlotsRecord, now: float, *, worker: str, limit: int, in_use: int, wanted: int
) -> tuple[SlotsRecord, int]:
    """As many slots as the worker holds from now on, for ``LEASE_S``: at least those ``in_use``.

    It gets what is free of the ``wanted``, and no more than a fair share while another waits for some.
    """
    others = {name: slots for name, slots in record.workers.items() if name != worker and slots.until > now}
    free = max(0, limit - sum(slots.held for slots in others.values()))
    held = min(wanted, free)
    if any(slots.wanted > slots.held for slots in others.values()):
        held = min(held, max(1, limit // (len(others) + 1)))
    held = max(held, in_use)
    mine = {worker: Slots(held=held, wanted=wanted, until=now + LEASE_S)} if wanted or held else {}
    return SlotsRecord(workers={**others, **mine}), held
