"""Rules by which the workers of a ledger share a tool: requests per minute, pauses, and simultaneous requests.

Each tool has two small records; pure functions compute the next record from one and the present time. The store of the
records (``Records``) accepts a change only if no other worker has changed the record meanwhile. A worker takes some
permits and slots at a time, uses them on its own, and returns what it did not use.

Times are seconds of the ledger's clock. A worker receives seconds from now, so its own clock does not matter.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol, Self, TypeVar

from msgspec import Struct

from sparring.schema.base import Record


class SharedRecord(Record):
    """Small record that the workers of a ledger share."""

    workers: Mapping[str, Any] = {}

    @abstractmethod
    def only(self, living: Collection[str]) -> Self:
        """Return the record without workers that have died."""
        return self.model_copy(
            update={"workers": {name: value for name, value in self.workers.items() if name in living}}
        )


R = TypeVar("R", bound=SharedRecord)
T = TypeVar("T")


class Records(Protocol):
    """Store of the shared records."""

    @property
    def worker(self) -> str:
        """Return the name of this worker in them."""
        ...

    async def change(self, record: type[R], name: str, operation: Callable[[R, float], tuple[R, T]]) -> T:
        """Replace the record ``name`` by the first result of ``operation``, and return the second.

        ``operation`` receives the record, a new one if there is none, and the ledger's clock. It may be called again.
        """
        ...


AHEAD_S = 1.0
"""Seconds for which permits are taken in advance, and the maximum delay until a worker notices a pause."""

BURST_S = 1.0
"""Seconds of the rate that may be used at one moment after an idle time."""

PROBE_S = 30.0
"""Seconds that other questions wait for the first one after a pause; without an answer one more is asked."""

POLL_S = 1.0
"""Seconds between checks of a worker for returned permits."""

_PROBE_POLL_S = 0.25  # seconds between checks whether the first question was answered

SEEN_S = 60.0
"""Seconds without activity after which a worker gets no share and has no slots."""

_SET_BACK_S = 60.0  # a clock that is further back than this has been set back
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 2.0, 60.0


# Requests and tokens per minute, and pauses that a tool requests.


class Rate(Struct, frozen=True):
    """Requests and tokens per minute; None where there is no limit."""

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
        requests_at, tokens_at: Due time of the next at an even rate (GCRA's theoretical arrival time).
        workers: Time of the last permits of each worker.
        cool_until: End of the pause.
        storm: Number of successive overloads that the tool reported.
        epoch: Total number of overloads: a permit of an earlier epoch proves nothing about this one.
        probe_until: End of the wait for the first question after a pause.
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


class Permits(Struct, frozen=True):
    """Permits to ask a tool.

    Attributes:
        starts_s: Seconds until each may be used, for ``AHEAD_S``; in order. Empty if there is none.
        wait_s: Seconds until the next try, if there is none.
        is_probe: Whether other questions wait for the result of this one.
    """

    starts_s: tuple[float, ...] = ()
    wait_s: float = 0.0
    epoch: int = 0
    is_probe: bool = False


class WantedPermits(Struct, frozen=True):
    """Permits that a worker requests of a tool.

    Attributes:
        permits: Number that it could use at once.
        tokens: Expected tokens of each.
        settled_tokens: Tokens of earlier ones in excess of the expectation; negative if fewer.
        unused: Number of earlier permits that it did not use.
    """

    worker: str
    permits: int
    tokens: float = 0.0
    settled_tokens: float = 0.0
    unused: int = 0


def take_permits(record: ToolRecord, now: float, *, rate: Rate, wanted: WantedPermits) -> tuple[ToolRecord, Permits]:
    """Return permits for ``wanted``: those of the next ``AHEAD_S``, at most a fair share of them.

    Without a limit all are granted. In any 60 seconds there are at most the requests of a minute, those of ``BURST_S``
    and of ``AHEAD_S``, and one. Tokens may be exceeded by those of one request, since a request cannot be cut; the next
    one waits longer.
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
    if not starts_s:  # wait until half of the time ahead is free: else each would be fetched alone
        return record, Permits(wait_s=start - now - AHEAD_S / 2, epoch=record.epoch)
    probing = now + PROBE_S if record.storm else 0.0
    changes = {"requests_at": requests_at, "tokens_at": tokens_at, "probe_until": probing}
    taken = Permits(tuple(starts_s), epoch=record.epoch, is_probe=bool(record.storm))
    return record.model_copy(update=changes), taken


def give_permits_back(
    record: ToolRecord, now: float, *, rate: Rate, unused: int, settled_tokens: float
) -> tuple[ToolRecord, None]:
    """Return ``unused`` permits, and charge ``settled_tokens`` more than expected; a negative number is a credit."""
    del now
    return _settled(record, rate, unused, settled_tokens), None


class Cooling(Struct, frozen=True):
    """Seconds in which no worker asks, and the epoch that begins then."""

    wait_s: float
    epoch: int


def cool_down(
    record: ToolRecord, now: float, *, epoch: int, advised_s: float | None, draw: float
) -> tuple[ToolRecord, Cooling]:
    """Record that the tool reported an overload to a question with a permit of ``epoch``.

    Of many simultaneous questions only the first lengthens the pause. If the tool advises no time, the pause is drawn
    uniformly (``draw``, from 0 to 1) between zero and a bound that doubles each time. Advised times are used as they
    are, without a random part, since only one question goes first afterwards.
    """
    pause_s, changes = advised_s or 0.0, dict[str, object]()
    if epoch >= record.epoch:
        if advised_s is None:
            pause_s = draw * min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** min(record.storm, 16))
        changes = {"storm": record.storm + 1, "epoch": record.epoch + 1, "probe_until": 0.0}
    record = record.model_copy(update={"cool_until": max(record.cool_until, now + pause_s), **changes})
    return record, Cooling(max(0.0, record.cool_until - now), record.epoch)


def probed(record: ToolRecord, now: float, *, epoch: int, is_well: bool) -> tuple[ToolRecord, None]:
    """End the wait for the first question: it was answered, or was never sent and another goes first."""
    del now
    if epoch != record.epoch:
        return record, None
    return record.model_copy(update={"probe_until": 0.0, "storm": 0 if is_well else record.storm}), None


def _seen(record: ToolRecord, now: float, worker: str) -> ToolRecord:
    """Return ``record`` with that worker and without inactive ones, corrected if the clock was set back."""
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


# Simultaneous questions of one machine to a tool.


class Slots(Record):
    """Number of slots of a tool that one worker has, and that it could use."""

    count: int = 0
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
    """Return the number of slots of the worker from now on, for ``SEEN_S``: at least those ``in_use``.

    It gets the free ones of the ``wanted``, at most a fair share while another worker waits for some.
    """
    others = {name: slots for name, slots in record.workers.items() if name != worker and slots.until > now}
    free = max(0, limit - sum(slots.count for slots in others.values()))
    granted = min(wanted, free)
    if any(slots.wanted > slots.count for slots in others.values()):
        granted = min(granted, max(1, limit // (len(others) + 1)))
    granted = max(granted, in_use)
    mine = {worker: Slots(count=granted, wanted=wanted, until=now + SEEN_S)} if wanted or granted else {}
    return SlotsRecord(workers={**others, **mine}), granted
