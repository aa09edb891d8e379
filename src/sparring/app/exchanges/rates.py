"""The rules by which the workers of a ledger share a tool: requests a minute, pauses, and requests at the same time.

Two small records for each tool, and pure functions that make the next record of one at the present moment. The place
where the records are (``Records``) lets one change only if no other worker has changed it meanwhile. A worker takes
some permits and slots at a time, uses them by itself, and gives back what it did not use.

Moments are seconds of the ledger's clock. A worker is told seconds from now, so its own clock does not matter.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

from sparring.schema.base import Record


class SharedRecord(Record):
    """A small record that the workers of a ledger keep together."""

    workers: Mapping[str, Any] = {}

    @abstractmethod
    def only(self, living: Collection[str]) -> Self:
        """The record without workers that have died."""
        return self.model_copy(
            update={"workers": {name: value for name, value in self.workers.items() if name in living}}
        )


R = TypeVar("R", bound=SharedRecord)
T = TypeVar("T")


class Records(Protocol):
    """Store of the shared records."""

    @property
    def worker(self) -> str:
        """The name of this worker in them."""
        ...

    async def change(self, record: type[R], name: str, operation: Callable[[R, float], tuple[R, T]]) -> T:
        """Put what ``operation`` makes of the record ``name`` in its place, and return what it returns beside it.

        ``operation`` gets the record, a new one if there is none, and the ledger's clock. It may be called again.
        """
        ...


AHEAD_S = 1.0
"""Permits are taken in advance for so long. As late as that a worker hears that another was told to wait."""

BURST_S = 1.0
"""So many seconds' worth may be asked at one moment after a pause."""

PROBE_S = 30.0
"""After a pause one asks first. Without an answer after this time, one more does."""

POLL_S = 1.0
"""Seconds between looks of a worker for returned permits."""

_PROBE_POLL_S = 0.25  # and whether the one who asks first was answered

SEEN_S = 60.0
"""A worker of which nothing was heard for so long gets no share, and holds no slots."""

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
        """True if there is neither limit."""
        return self.rpm is None and self.tpm is None

    @property
    def request_s(self) -> float:
        """Seconds from one request to the next."""
        return 60.0 / self.rpm if self.rpm else 0.0

    @property
    def token_s(self) -> float:
        """Seconds from one token to the next."""
        return 60.0 / self.tpm if self.tpm else 0.0


class ToolRecord(SharedRecord):
    """Shared record of one tool.

    Attributes:
        requests_at, tokens_at: When the next would be due if they were spread evenly (GCRA's theoretical arrival).
        workers: When each worker last took permits.
        cool_until: Nobody asks before.
        storm: How often in a row the tool said that it is too much.
        epoch: How often at all: a permit of an earlier one says nothing about this one.
        probe_until: Until then the one who asks first is waited for.
    """

    requests_at: float = 0.0
    tokens_at: float = 0.0
    workers: Mapping[str, float] = {}
    cool_until: float = 0.0
    storm: int = 0
    epoch: int = 0
    probe_until: float = 0.0

    def only(self, living: Collection[str]) -> Self:
        """See ``SharedRecord``."""
        return super().only(living)


@dataclass(frozen=True)
class Permits:
    """Permits to ask a tool.

    Attributes:
        starts_s: In how many seconds each may be used, and ``AHEAD_S`` longer; in order. Empty where there is none.
        wait_s: If there is none, in how many seconds to try again.
        is_probe: Whether everybody waits for what comes of this one.
    """

    starts_s: tuple[float, ...] = ()
    wait_s: float = 0.0
    epoch: int = 0
    is_probe: bool = False


@dataclass(frozen=True)
class WantedPermits:
    """Permits that a worker requests of a tool.

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
    those of ``BURST_S`` and of ``AHEAD_S``, and one. Tokens may be exceeded by those of one request, for a request is
    not cut; the next one waits the longer.
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
    taken = Permits(tuple(starts_s), epoch=record.epoch, is_probe=bool(record.storm))
    return record.model_copy(update=changes), taken


def give_permits_back(
    record: ToolRecord, now: float, *, rate: Rate, unused: int, settled_tokens: float
) -> tuple[ToolRecord, None]:
    """So many permits were not used, and so many more tokens were than thought; fewer if that is negative."""
    del now
    return _settled(record, rate, unused, settled_tokens), None


@dataclass(frozen=True)
class Cooling:
    """Seconds in which no worker asks, and the epoch that begins then."""

    wait_s: float
    epoch: int


def cool_down(
    record: ToolRecord, now: float, *, epoch: int, advised_s: float | None, draw: float
) -> tuple[ToolRecord, Cooling]:
    """The tool said, to a question with a permit of ``epoch``, that it is too much.

    Of dozens that were under way only the first lengthens the pause. Where the tool does not say for how long, the
    pause is drawn evenly (``draw``, from 0 to 1) from nothing to a bound that doubles each time. What it says is kept
    to as it is: nobody comes back together with others, for one asks first.
    """
    pause_s, changes = advised_s or 0.0, dict[str, object]()
    if epoch >= record.epoch:
        if advised_s is None:
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
    """``record`` with that worker in it, without those that take nothing, and on a clock that was set back."""
    active = {name: at for name, at in record.workers.items() if now - SEEN_S < at <= now + _SET_BACK_S}
    changes: dict[str, object] = {"workers": {**active, worker: now}}
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
    """Slots of a tool that one worker holds, and how many it could use."""

    held: int = 0
    wanted: int = 0
    until: float = 0.0


class SlotsRecord(SharedRecord):
    """Slots of a tool on one machine, by worker."""

    workers: Mapping[str, Slots] = {}

    def only(self, living: Collection[str]) -> Self:
        """See ``SharedRecord``."""
        return super().only(living)


def hold_slots(
    record: SlotsRecord, now: float, *, worker: str, limit: int, in_use: int, wanted: int
) -> tuple[SlotsRecord, int]:
    """As many slots as the worker holds from now on, for ``SEEN_S``: at least those ``in_use``.

    It gets what is free of the ``wanted``, and no more than a fair share while another waits for some.
    """
    others = {name: slots for name, slots in record.workers.items() if name != worker and slots.until > now}
    free = max(0, limit - sum(slots.held for slots in others.values()))
    granted = min(wanted, free)
    if any(slots.wanted > slots.held for slots in others.values()):
        granted = min(granted, max(1, limit // (len(others) + 1)))
    granted = max(granted, in_use)
    mine = {worker: Slots(held=granted, wanted=wanted, until=now + SEEN_S)} if wanted or granted else {}
    return SlotsRecord(workers={**others, **mine}), granted
