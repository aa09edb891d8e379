"""Waiting for a turn: limits of requests per minute, pauses, and simultaneous requests of each tool.

The rules for all workers are in ``rates``; this module applies them in one worker. Permits and slots are fetched for
all waiting questions, some at a time, so a shared record is used about once a second and not for every question.

When a tool reports a temporary overload (``rate_limit`` or ``overloaded``), all workers wait: those of this process at
once, others when their permits are used up, within ``rates.AHEAD_S``. Then one question goes first, and the others
follow when it is answered. The refused question is asked again as long as its time allows, and that is not counted as
another attempt. Waiting before a question is sent for the first time does not count into its time either.
"""

import platform
import random
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Self

import anyio
from msgspec import Struct

from sparring.app.exchanges import rates
from sparring.errors import raising_first
from sparring.schema.base import ToolName
from sparring.schema.consultation import Failure, FailureCode, Reply
from sparring.schema.runs import CHARACTERS_PER_TOKEN

TOO_MUCH = frozenset({FailureCode.RATE_LIMIT, FailureCode.OVERLOADED})
"""Failures by which a tool reports that it is overloaded."""

RENEW_S = 10.0
"""Seconds between returns of unused permits by a worker."""

_LETTING_GO_S = 5.0
"""Seconds for returning permits and slots at the end. The ledger also frees them when it detects a dead worker."""

_FIRST_GUESS = 500.0  # tokens of an answer, until one is known
_REMEMBERED = 100  # answers that make up the running mean


class Permit(Struct, frozen=True):
    """Permission to ask once.

    Attributes:
        start: Earliest time of use, by the clock of the event loop.
        tokens: Expected tokens of prompt and answer.
    """

    start: float
    epoch: int
    tokens: float = 0.0
    is_probe: bool = False


class ToolQueue:
    """The queue in front of one tool, in one worker."""

    def __init__(self, records: rates.Records, name: str, rate: rates.Rate) -> None:
        self._records = records
        self._name = name
        self._rate = rate
        self._queue = anyio.Lock(fast_acquire=True)
        self._talking = anyio.Lock(fast_acquire=True)
        self._changed = anyio.Event()
        self._permits = deque[Permit]()
        self._passed, self._fetched_at = 0, 0.0
        self._unused = 0
        self._epoch = 0
        self._open_until = 0.0
        self._cool_until = 0.0
        self._settled = 0.0
        self._answer_tokens = _FIRST_GUESS
        self._answers = 0

    async def permit(self, characters: int) -> Permit:
        """Wait for a permit for a prompt of that length, in order of arrival."""
        if anyio.current_time() < self._open_until:
            return Permit(0.0, self._epoch)
        tokens = self._thought(characters)
        async with self._queue:
            while True:
                now = anyio.current_time()
                while self._permits and self._permits[0].start + rates.AHEAD_S < now:
                    self._drop(self._permits.popleft())  # later use would come on top of other permits
                if not self._permits:
                    await self._pause(await self._fetch(tokens))
                elif (delay_s := self._permits[0].start - now) > 0:
                    await self._pause(delay_s)
                else:
                    self._passed += 1
                    return self._permits.popleft()

    async def record_reply(self, permit: Permit, characters: int, reply: Reply) -> float | None:
        """Record the reply to the question that used ``permit``, with a prompt of that length.

        Return the seconds until the same may be asked again if the tool reported an overload; else None.
        """
        if isinstance(reply, Failure) and reply.retryable and reply.code in TOO_MUCH:
            self._settled -= permit.tokens  # it read nothing
            return await self._cool_down(permit, reply.retry_after_s)
        if not isinstance(reply, Failure):
            self._learn(permit, characters, reply.usage.tokens, len(reply.response))
        if permit.is_probe:
            await self._probed(permit, is_well=True)
        return None

    async def give_back(self, permit: Permit) -> None:
        """Return a permit that was not used."""
        if permit.is_probe:
            with anyio.move_on_after(_LETTING_GO_S, shield=True):
                await self._probed(permit, is_well=False)
        elif not self._rate.is_unlimited:
            self._drop(permit)

    async def settle(self) -> None:
        """Report the difference between expected and used tokens of earlier questions, and return unused permits."""
        if self._settled or self._unused:
            async with self._talking:
                operation = partial(
                    rates.give_permits_back, rate=self._rate, unused=self._unused, settled_tokens=self._settled
                )
                self._settled, self._unused = 0.0, 0
                await self._records.change(rates.ToolRecord, self._name, operation)

    async def close(self) -> None:
        """Return everything that was not used."""
        while self._permits:
            self._drop(self._permits.popleft())
        await self.settle()

    def _drop(self, permit: Permit) -> None:
        self._unused += 1
        self._settled -= permit.tokens

    def _thought(self, characters: int) -> float:
        return characters / CHARACTERS_PER_TOKEN + self._answer_tokens if self._rate.tpm else 0.0

    def _learn(self, permit: Permit, characters: int, tokens: int | None, answered: int) -> None:
        read = characters / CHARACTERS_PER_TOKEN
        used = read + answered / CHARACTERS_PER_TOKEN if tokens is None else tokens
        self._settled += used - permit.tokens if self._rate.tpm else 0.0
        self._answers = min(self._answers + 1, _REMEMBERED)
        self._answer_tokens += (max(0.0, used - read) - self._answer_tokens) / self._answers

    async def _pause(self, seconds: float) -> None:
        """Wait for that time, or until something changes."""
        if seconds > 0:
            self._changed = anyio.Event()
            with anyio.move_on_after(seconds):
                await self._changed.wait()

    async def _fetch(self, tokens: float) -> float:
        """Fetch permits for present and expected questions; return the seconds to wait if there is none."""
        async with self._talking:
            wanted = rates.WantedPermits(self._records.worker, self._wanted(), tokens, self._settled, self._unused)
            self._settled, self._unused, self._passed = 0.0, 0, 0
            self._fetched_at = anyio.current_time()
            operation = partial(rates.take_permits, rate=self._rate, wanted=wanted)
            permits = await self._records.change(rates.ToolRecord, self._name, operation)
            self._epoch = permits.epoch
            now = anyio.current_time()
            self._permits.extend(
                Permit(now + start, permits.epoch, tokens, permits.is_probe) for start in permits.starts_s
            )
            if self._is_open(permits):
                self._open_until = now + rates.AHEAD_S
            return permits.wait_s

    def _wanted(self) -> int:
        if self._rate.is_unlimited:
            return 1
        since_s = max(anyio.current_time() - self._fetched_at, rates.AHEAD_S / 4)
        expected = round(self._passed * rates.AHEAD_S / since_s)
        return max(1 + self._queue.statistics().tasks_waiting, expected)

    def _is_open(self, permits: rates.Permits) -> bool:
        return self._rate.is_unlimited and bool(permits.starts_s) and not permits.is_probe

    async def _cool_down(self, permit: Permit, advised_s: float | None) -> float:
        async with self._talking:
            left_s = self._cool_until - anyio.current_time()
            if permit.epoch < self._epoch and left_s > 0 and (advised_s or 0.0) <= left_s:
                return left_s  # dozens of requests report the same overload
            draw = random.random()  # noqa: S311 -- no secret: it only spreads the next requests
            operation = partial(rates.cool_down, epoch=permit.epoch, advised_s=advised_s, draw=draw)
            cooling = await self._records.change(rates.ToolRecord, self._name, operation)
            self._epoch, self._open_until = cooling.epoch, 0.0
            self._cool_until = anyio.current_time() + cooling.wait_s
            while self._permits:
                self._drop(self._permits.popleft())
            self._changed.set()
            return cooling.wait_s

    async def _probed(self, permit: Permit, *, is_well: bool) -> None:
        async with self._talking:
            operation = partial(rates.probed, epoch=permit.epoch, is_well=is_well)
            await self._records.change(rates.ToolRecord, self._name, operation)
        self._changed.set()


class ToolSlots:
    """Slots of one tool that one worker has; without a limit there is always one more."""

    def __init__(self, records: rates.Records, name: str, limit: int | None) -> None:
        self._records = records
        self._name = name
        self._limit = limit
        self._queue = anyio.Lock(fast_acquire=True)
        self._freed = anyio.Event()
        self._holding = anyio.Lock(fast_acquire=True)
        self._slots, self._in_use, self._most = 0, 0, 0

    async def take(self) -> None:
        """Wait for a slot, in order of arrival."""
        if self._limit is None:
            return
        async with self._queue:
            while self._in_use >= self._slots:
                if self._slots < self._limit:
                    await self._more()
                self._freed = anyio.Event()
                if self._in_use >= self._slots:
                    with anyio.move_on_after(rates.POLL_S):
                        await self._freed.wait()
            self._in_use += 1
            self._most = max(self._most, self._in_use)

    def give_back(self) -> None:
        """Release a slot for another question."""
        if self._limit is not None:
            self._in_use -= 1
            self._freed.set()

    async def renew(self) -> None:
        """Keep the needed slots, and release those that were not needed since the last call."""
        if self._limit is not None:
            most, self._most = self._most, self._in_use
            await self._hold(max(most, self._in_use + self._queue.statistics().tasks_waiting))

    async def close(self) -> None:
        """Release all slots."""
        if self._limit is not None:
            await self._hold(0)

    async def _more(self) -> None:
        # Doubled: otherwise dozens that begin together would be fetched one by one.
        await self._hold(max(2 * self._slots, self._in_use + self._queue.statistics().tasks_waiting + 1))

    async def _hold(self, wanted: int) -> None:
        async with self._holding:
            self._slots = in_use = self._in_use  # a slot that may be lost in a moment must not be used
            limit = self._limit or 0
            operation = partial(
                rates.hold_slots,
                worker=self._records.worker,
                limit=limit,
                in_use=in_use,
                wanted=min(limit, wanted),
            )
            self._slots = await self._records.change(rates.SlotsRecord, self._name, operation)
        self._freed.set()


class ToolRates(Struct, frozen=True):
    """Rates at which all workers of a ledger together may ask tools.

    Attributes:
        rpm, tpm: Requests and tokens per minute, by tool.
        at_once: Simultaneous questions of one machine to a tool; without an entry there is no limit.
    """

    rpm: Mapping[ToolName, int]
    tpm: Mapping[ToolName, int]
    at_once: Mapping[ToolName, int]


NO_RATES = ToolRates({}, {}, {})


class Pacing:
    """The queues in front of all tools, in one worker. Belongs to one event loop."""

    def __init__(self, records: rates.Records, rules: ToolRates) -> None:
        self._records = records
        self._rules = rules
        self._queues: dict[ToolName, ToolQueue] = {}
        self._slots: dict[ToolName, ToolSlots] = {}

    def queue(self, tool: ToolName) -> ToolQueue:
        """Return the queue in front of ``tool``."""
        if tool not in self._queues:
            rate = rates.Rate(self._rules.rpm.get(tool), self._rules.tpm.get(tool))
            self._queues[tool] = ToolQueue(self._records, f"rate/{tool}", rate)
        return self._queues[tool]

    def slots(self, tool: ToolName) -> ToolSlots:
        """Return the slots of ``tool`` on this machine."""
        if tool not in self._slots:
            name = f"at-once/{tool}/{platform.node()}"  # its questions share the memory of one machine
            self._slots[tool] = ToolSlots(self._records, name, self._rules.at_once.get(tool))
        return self._slots[tool]

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Self]:
        """Release unneeded permits and slots while the block runs, and all at its end."""
        try:
            with raising_first():
                async with anyio.create_task_group() as group:
                    group.start_soon(self._renew)
                    try:
                        yield self
                    finally:
                        group.cancel_scope.cancel()
        finally:
            with anyio.move_on_after(_LETTING_GO_S, shield=True):
                for each in (*self._queues.values(), *self._slots.values()):
                    await each.close()

    async def _renew(self) -> None:
        while True:
            await anyio.sleep(RENEW_S)
            for queue in tuple(self._queues.values()):  # a tool may be asked for the first time meanwhile
                await queue.settle()
            for slots in tuple(self._slots.values()):
                await slots.renew()
