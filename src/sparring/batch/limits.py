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

import os
import platform
import random
import secrets
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Self

import anyio

from sparring.batch.allowances import Rate
from sparring.batch.budget import Budget, BudgetRecord, Ceiling, notices_about
from sparring.batch.gate import Gate, Permit, SlotHolder
from sparring.batch.limit_rules import LimitRules
from sparring.batch.local import beside
from sparring.batch.shared_state import Home, OneProcess, SharedState
from sparring.providers import Consultant
from sparring.schema.base import ToolName
from sparring.schema.consultation import Failure, Question, Reply

BEAT_S = 10.0
"""How often a worker renews what it holds: several times before that expires."""


class PacedConsultant:
    """Asks ``inner`` when it is its turn, and again when the tool said that it is too much.

    Attributes:
        waited_s: Seconds that questions have waited here before they were put for the first time.
    """

    def __init__(self, inner: Consultant, gate: Gate, slots: SlotHolder, budget: Budget) -> None:
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
    """Asks ``inner`` at once, and counts what it used.

    Attributes:
        waited_s: Nothing.
    """

    def __init__(self, inner: Consultant, budget: Budget) -> None:
        self._inner = inner
        self._budget = budget
        self.waited_s = 0.0

    async def ask(self, question: Question) -> Reply:
        """What ``inner`` replies."""
        reply = await self._inner.ask(question)
        self._budget.note(reply)
        return reply


class Limits:
    """The limits of one batch as one worker keeps to them. Belongs to one event loop.

    Args:
        rules: What may be asked for.
        state: Where all workers of the batch keep their common records. By default this one is alone.
        name: What the names of these records begin with: the same for all workers of a batch.
        worker: What nobody else is called.
        clock: The time there where the records are kept, in seconds; the same for all who keep them.
        draw: Gives a number from 0 to 1.
        machine: Whose memory it is that questions put at the same time share.
        ended: Says which workers are known to have died.
    """

    def __init__(
        self,
        rules: LimitRules,
        state: SharedState | None = None,
        *,
        name: str = "limits",
        worker: str = "",
        clock: Callable[[], float] = time.time,
        draw: Callable[[], float] = random.random,
        machine: str = "",
        ended: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self._rules = rules
        self._home = Home(state or OneProcess(), clock, ended)
        self._name = name
        self._worker = worker or f"{platform.node()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._draw = draw
        self._machine = machine or platform.node()
        self._gates: dict[ToolName, Gate] = {}
        self._slots: dict[ToolName, SlotHolder] = {}
        self.budget = Budget(self._home, f"{name}/budget", Ceiling.of(rules), self._worker)
        self.used = BudgetRecord()

    def consultant(self, inner: Consultant, tool: ToolName) -> PacedConsultant:
        """``inner``, which asks ``tool``, asked no oftener than the rules allow."""
        if tool not in self._gates:
            rate = Rate(self._rules.rpm.get(tool), self._rules.tpm.get(tool))
            self._gates[tool] = Gate(self._home, f"{self._name}/rate/{tool}", rate, self._worker, self._draw)
            at_once, slots_name = self._rules.at_once.get(tool), f"{self._name}/at-once/{tool}/{self._machine}"
            self._slots[tool] = SlotHolder(self._home, slots_name, at_once, self._worker)
        return PacedConsultant(inner, self._gates[tool], self._slots[tool], self.budget)

    def counting(self, inner: Consultant) -> CountingConsultant:
        """``inner``, whose replies are counted and which waits for nothing: for who gathers questions into batches."""
        return CountingConsultant(inner, self.budget)

    @property
    def notices(self) -> tuple[str, ...]:
        """What should be told of the limits when the batch has ended."""
        return notices_about(self.used, self._rules)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Self]:
        """Hold on, while the block runs, to what was taken; give back at its end what was not used.

        Afterwards ``used`` says what the whole batch has used.
        """
        try:
            async with beside(self._beat):
                yield self
        finally:
            with anyio.CancelScope(shield=True):
                for each in (*self._gates.values(), *self._slots.values()):
                    await each.close()
                self.used = await self.budget.close()

    async def _beat(self) -> None:
        while True:
            await anyio.sleep(BEAT_S)
            for gate in self._gates.values():
                await gate.settle()
            for slots in self._slots.values():
                await slots.renew()
            await self.budget.renew()
