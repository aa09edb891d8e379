"""Limits over all workers of a batch: what each tool is asked in a minute, its pauses, how many at once, and money.

What everybody knows together is in ``allowances`` and ``budget``; here is what one worker makes of it: who asks waits
in front of a tool until there is a slot and a permit. Both are fetched for everybody who waits, some at a time, so that
the common record is touched about once a second and not for every question.

A tool that says that it is too much (``rate_limit`` or ``overloaded``, of the kind that passes) makes everybody wait,
in every worker: those of this process at once, those of others when their permits are used up, within
``allowances.AHEAD_S``. Then one asks first, and the others follow when it is answered. The question that was refused
is put again as long as its time allows, and that is no try of its own: a storm uses up nobody's tries. Waiting for a
turn before a question is put for the first time is not counted into its time either: nobody is slow but the queue.
"""

import platform
import random
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Self

import anyio

from sparring.batch import allowances
from sparring.batch.budget import WorkerBudget, ceiling_of
from sparring.batch.job import LimitRules
from sparring.batch.local import beside
from sparring.providers import Consultant
from sparring.schema.base import ToolName
from sparring.schema.consultation import Failure, FailureCode, Question, Reply
from sparring.schema.runs import CHARACTERS_PER_TOKEN

TOO_MUCH = frozenset({FailureCode.RATE_LIMIT, FailureCode.OVERLOADED})
"""What a tool says that has enough to do."""

_FIRST_GUESS = 500.0  # tokens of an answer, until there is one
_REMEMBERED = 100  # answers that make up the running mean


@dataclass(frozen=True)
class Permit:
    """Leave to ask once.

    Attributes:
        start: From when on, on the clock of the event loop.
        tokens: How many it was thought to take.
    """

    start: float
    epoch: int
    tokens: float = 0.0
    is_probe: bool = False


class ToolQueue:
    """The queue in front of one tool, in one worker."""

    def __init__(self, home: allowances.Home, name: str, rate: allowances.Rate, worker: str) -> None:
        self._home = home
        self._name = name
        self._rate = rate
        self._worker = worker
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

    async def pass_(self, prompt: str) -> Permit:
        """Wait for leave to put ``prompt``. Who waits longest goes first."""
        if anyio.current_time() < self._open_until:
            return Permit(0.0, self._epoch)
        tokens = self._thought(len(prompt))
        async with self._queue:
            while True:
                now = anyio.current_time()
                while self._permits and self._permits[0].start + allowances.AHEAD_S < now:
                    self._drop(self._permits.popleft())  # used later than that, it would come on top of others
                if not self._permits:
                    await self._pause(await self._fetch(tokens))
                elif (delay_s := self._permits[0].start - now) > 0:
                    await self._pause(delay_s)
                else:
                    self._passed += 1
                    return self._permits.popleft()

    async def heard(self, permit: Permit, prompt: str, reply: Reply) -> float | None:
        """Note the reply to what was put with ``permit``.

        Where the tool said that it is too much, this tells in how many seconds the same may be put again; else None.
        """
        if isinstance(reply, Failure) and reply.retryable and reply.code in TOO_MUCH:
            self._settled -= permit.tokens  # it read nothing
            return await self._cool_down(permit, reply.retry_after_s)
        if not isinstance(reply, Failure):
            self._learn(permit, prompt, reply.usage.tokens, len(reply.response))
        if permit.is_probe:
            await self._probed(permit, is_well=True)
        return None

    async def given_up(self, permit: Permit) -> None:
        """Whoever had that permit was cancelled."""
        if permit.is_probe:
            with anyio.CancelScope(shield=True):
                await self._probed(permit, is_well=False)

    async def settle(self) -> None:
        """Tell what earlier questions took more, or less, than was thought, and give back what was not used."""
        if self._settled or self._unused:
            async with self._talking:
                operation = partial(
                    allowances.give_permits_back, rate=self._rate, unused=self._unused, settled_tokens=self._settled
                )
                self._settled, self._unused = 0.0, 0
                await self._home.change(allowances.ToolRecord, self._name, operation)

    async def close(self) -> None:
        """Give everything back that was not used."""
        while self._permits:
            self._drop(self._permits.popleft())
        await self.settle()

    def _drop(self, permit: Permit) -> None:
        self._unused += 1
        self._settled -= permit.tokens

    def _thought(self, characters: int) -> float:
        return characters / CHARACTERS_PER_TOKEN + self._answer_tokens if self._rate.tpm else 0.0

    def _learn(self, permit: Permit, prompt: str, tokens: int | None, characters: int) -> None:
        read = len(prompt) / CHARACTERS_PER_TOKEN
        took = read + characters / CHARACTERS_PER_TOKEN if tokens is None else tokens
        self._settled += took - permit.tokens if self._rate.tpm else 0.0
        self._answers = min(self._answers + 1, _REMEMBERED)
        self._answer_tokens += (max(0.0, took - read) - self._answer_tokens) / self._answers

    async def _pause(self, seconds: float) -> None:
        """Wait so long, or until something has changed."""
        if seconds > 0:
            self._changed = anyio.Event()
            with anyio.move_on_after(seconds):
                await self._changed.wait()

    async def _fetch(self, tokens: float) -> float:
        """Fetch permits for who waits here and who will, as it was of late; tells the seconds to wait for any."""
        async with self._talking:
            wanted = allowances.WantedPermits(self._worker, self._wanted(), tokens, self._settled, self._unused)
            self._settled, self._unused, self._passed = 0.0, 0, 0
            self._fetched_at = anyio.current_time()
            operation = partial(allowances.take_permits, rate=self._rate, wanted=wanted)
            found = await self._home.change(allowances.ToolRecord, self._name, operation)
            self._epoch = found.epoch
            now = anyio.current_time()
            self._permits.extend(Permit(now + start, found.epoch, tokens, found.is_probe) for start in found.starts_s)
            if self._is_open(found):
                self._open_until = now + allowances.AHEAD_S
            return found.wait_s

    def _wanted(self) -> int:
        if self._rate.is_unlimited:
            return 1
        since_s = max(anyio.current_time() - self._fetched_at, allowances.AHEAD_S / 4)
        expected = round(self._passed * allowances.AHEAD_S / since_s)
        return max(1 + self._queue.statistics().tasks_waiting, expected)

    def _is_open(self, found: allowances.Permits) -> bool:
        return self._rate.is_unlimited and bool(found.starts_s) and not found.is_probe

    async def _cool_down(self, permit: Permit, told_s: float | None) -> float:
        async with self._talking:
            left_s = self._cool_until - anyio.current_time()
            if permit.epoch < self._epoch and left_s > 0 and (told_s or 0.0) <= left_s:
                return left_s  # dozens were under way, and all say the same
            draw = random.random()  # noqa: S311 -- no secret: only so that not all come back together
            operation = partial(allowances.cool_down, epoch=permit.epoch, told_s=told_s, draw=draw)
            cooling = await self._home.change(allowances.ToolRecord, self._name, operation)
            self._epoch, self._open_until = cooling.epoch, 0.0
            self._cool_until = anyio.current_time() + cooling.wait_s
            while self._permits:
                self._drop(self._permits.popleft())
            self._changed.set()
            return cooling.wait_s

    async def _probed(self, permit: Permit, *, is_well: bool) -> None:
        async with self._talking:
            await self._home.change(
                allowances.ToolRecord, self._name, partial(allowances.probed, epoch=permit.epoch, is_well=is_well)
            )
        self._changed.set()


class SlotHolder:
    """The slots of one tool that one worker holds; without a limit there is always one more."""

    def __init__(self, home: allowances.Home, name: str, limit: int | None, worker: str) -> None:
        self._home = home
        self._name = name
        self._limit = limit
        self._worker = worker
        self._queue = anyio.Lock(fast_acquire=True)
        self._freed = anyio.Event()
        self._holding = anyio.Lock(fast_acquire=True)
        self._held, self._in_use, self._most = 0, 0, 0

    async def take(self) -> None:
        """Wait for a slot. Who waits longest gets the next one."""
        if self._limit is None:
            return
        async with self._queue:
            while self._in_use >= self._held:
                if self._held < self._limit:
                    await self._more()
                self._freed = anyio.Event()
                if self._in_use >= self._held:
                    with anyio.move_on_after(allowances.POLL_S):
                        await self._freed.wait()
            self._in_use += 1
            self._most = max(self._most, self._in_use)

    def give_back(self) -> None:
        """Let somebody else have it."""
        if self._limit is not None:
            self._in_use -= 1
            self._freed.set()

    async def renew(self) -> None:
        """Hold on to what is needed, and let go of what was not since this was last called."""
        if self._limit is not None:
            most, self._most = self._most, self._in_use
            await self._hold(max(most, self._in_use + self._queue.statistics().tasks_waiting))

    async def close(self) -> None:
        """Let go of all."""
        if self._limit is not None:
            await self._hold(0)

    async def _more(self) -> None:
        # Twice as many as there are: else dozens who begin together would be fetched one by one.
        await self._hold(max(2 * self._held, self._in_use + self._queue.statistics().tasks_waiting + 1))

    async def _hold(self, wanted: int) -> None:
        async with self._holding:
            self._held = in_use = self._in_use  # nobody takes what may be somebody else's in a moment
            limit = self._limit or 0
            operation = partial(
                allowances.hold_slots, worker=self._worker, limit=limit, in_use=in_use, wanted=min(limit, wanted)
            )
            self._held = await self._home.change(allowances.SlotsRecord, self._name, operation)
        self._freed.set()


BEAT_S = 10.0
"""How often a worker renews what it holds: several times before that expires."""


class PacedConsultant:
    """Asks ``inner`` when it is its turn, and again when the tool said that it is too much.

    Attributes:
        waited_s: Seconds that questions have waited here before they were put for the first time.
    """

    takes_turns = True

    def __init__(self, inner: Consultant, gate: ToolQueue, slots: SlotHolder, budget: WorkerBudget) -> None:
        self._inner = inner
        self._gate = gate
        self._slots = slots
        self._budget = budget
        self.waited_s = 0.0

    async def ask(self, question: Question) -> Reply:
        """The first reply that is not "too much", or the last one that there was time for."""
        began = anyio.current_time()
        await self._slots.take()
        try:
            permit = await self._gate.pass_(question.prompt)
            put = anyio.current_time()
            self.waited_s += put - began
            reply = await self._asked(question, permit, put + question.timeout_s)
        finally:
            self._slots.give_back()
        self._budget.note(reply)
        return reply

    async def _asked(self, question: Question, permit: Permit, ends: float) -> Reply:
        while True:
            reply = await self._put(question, permit)
            wait_s = await self._gate.heard(permit, question.prompt, reply)
            if not isinstance(reply, Failure) or wait_s is None:
                return reply
            if anyio.current_time() + wait_s >= min(ends, anyio.current_effective_deadline()):
                return reply.model_copy(update={"retry_after_s": wait_s})
            with anyio.move_on_at(ends) as waiting:
                permit = await self._gate.pass_(question.prompt)
            rest_s = ends - anyio.current_time()
            if waiting.cancelled_caught or rest_s <= 0:
                return reply.model_copy(update={"retry_after_s": wait_s})
            question = question.model_copy(update={"timeout_s": rest_s})

    async def _put(self, question: Question, permit: Permit) -> Reply:
        reply: Reply | None = None
        try:
            reply = await self._inner.ask(question)
            return reply
        finally:
            if reply is None:
                await self._gate.given_up(permit)


class CountingConsultant:
    """Asks ``inner`` at once, and counts what it used: for who gathers questions into batches."""

    takes_turns = False

    def __init__(self, inner: Consultant, budget: WorkerBudget) -> None:
        self._inner = inner
        self._budget = budget
        self.waited_s = 0.0

    async def ask(self, question: Question) -> Reply:
        """What ``inner`` replies."""
        reply = await self._inner.ask(question)
        self._budget.note(reply)
        return reply


class BatchLimits:
    """The limits of one batch as one worker keeps to them. Belongs to one event loop.

    Attributes:
        home: Where all workers of the batch keep their common records.
        worker: What nobody else is called.
    """

    def __init__(self, rules: LimitRules, home: allowances.Home, worker: str) -> None:
        self.home = home
        self.worker = worker
        self.budget = WorkerBudget(home, "limits/used", ceiling_of(rules), worker)
        self._rules = rules
        self._gates: dict[ToolName, ToolQueue] = {}
        self._slots: dict[ToolName, SlotHolder] = {}

    def consultant(self, inner: Consultant, tool: ToolName) -> PacedConsultant:
        """``inner``, which asks ``tool``, asked no oftener than the rules allow."""
        if tool not in self._gates:
            rate = allowances.Rate(self._rules.rpm.get(tool), self._rules.tpm.get(tool))
            self._gates[tool] = ToolQueue(self.home, f"limits/rate/{tool}", rate, self.worker)
            of_machine = f"limits/at-once/{tool}/{platform.node()}"  # it is the memory of this one that they share
            self._slots[tool] = SlotHolder(self.home, of_machine, self._rules.at_once.get(tool), self.worker)
        return PacedConsultant(inner, self._gates[tool], self._slots[tool], self.budget)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Self]:
        """Hold on, while the block runs, to what was taken; give back at its end what was not used."""
        try:
            async with beside(self._beat):
                yield self
        finally:
            with anyio.CancelScope(shield=True):
                for each in (*self._gates.values(), *self._slots.values()):
                    await each.close()
                await self.budget.close()

    async def _beat(self) -> None:
        while True:
            await anyio.sleep(BEAT_S)
            for gate in self._gates.values():
                await gate.settle()
            for slots in self._slots.values():
                await slots.renew()
            await self.budget.renew()
