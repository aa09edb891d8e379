"""A batch as one process works on it: every question goes through the ledger, and is paid once.

A question waits for its turn first; then it is claimed, which reserves the most that it can cost; only then it is
asked, and what comes of it is kept before anything else happens. What was answered before is read and costs nothing.
"""

import hashlib
import math
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field

import anyio

from sparring.app.exchanges.keys import ExchangeKeys
from sparring.app.exchanges.need import Ceilings, RunNeed
from sparring.app.exchanges.pacing import Pacing, Permit
from sparring.engine.runner import Calls
from sparring.providers import Consultant
from sparring.providers.wrappers import Turns
from sparring.schema.base import ToolName
from sparring.schema.batch import LedgerUse
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply
from sparring.schema.runs import FREE_FAILURES
from sparring.schema.transcript import Ask
from sparring.store.exchanges.amounts import FREE, Amounts, Maximum, Used, micros
from sparring.store.exchanges.ledger import ExchangeLedger
from sparring.store.exchanges.operations import Claimed, Known, LimitReached, Wait
from sparring.store.exchanges.sql import Key
from sparring.store.exchanges.steps import ToClaim, ToSettle

_LOOK_AGAIN_S, _LOOK_AGAIN_AT_LAST_S = 0.25, 1.0
"""Seconds between looks whether another process has received the answer."""


@dataclass
class Owner:
    """A run that asks through the ledger.

    Attributes:
        name: Tells it from the others of this process.
        put: The replies that were asked for now.
        failed: The replies of earlier attempts that its asks went past: they were paid for it, too.
        replies: By the ids of its asks the exchange that each came to, and its reply.
        repeated: The exchanges that were sent more than once, by anybody; some of them may be paid twice.
        asked_again: How often a lost request of it was sent once more now.
        waiting: Is entered while an answer of another process is waited for.
    """

    name: str
    put: list[Reply] = field(default_factory=list[Reply])
    failed: list[Reply] = field(default_factory=list[Reply])
    replies: dict[str, tuple[Key, Reply]] = field(default_factory=dict[str, tuple[Key, Reply]])
    repeated: set[Key] = field(default_factory=set[Key])
    asked_again: int = 0
    waiting: Callable[[], AbstractAsyncContextManager[None]] = nullcontext


class Exchanges:
    """Asks through a ledger, for one batch. Belongs to one event loop.

    Attributes:
        keeps_failures: Whether a failure that was paid for is the reply for good; else it is asked again.
    """

    def __init__(
        self,
        ledger: ExchangeLedger,
        batch: str,
        maximum: Maximum,
        pacing: Pacing,
        calls: Calls,
        models: Callable[[ToolName], str],
        turns: Callable[[ToolName], Turns | None] = lambda _: None,
        *,
        is_fresh: bool = False,
    ) -> None:
        """Take part in ``batch``.

        Args:
            ledger: Where exchanges are kept.
            batch: Whose limits hold.
            maximum: Most that it may use, in all of its starts.
            pacing: Lets questions wait for their turn.
            calls: What programs have answered that were asked by a process which has died.
            models: The model of a tool where a question names none; empty where that is not known.
            turns: What questions to a tool wait for that is asked only so many at once.
            is_fresh: Whether earlier answers do not count.

        Raises:
            UsageError: Others are at work on the batch with other limits.
        """
        ledger.join(batch, maximum)
        self.ledger = ledger
        self.batch = batch
        self.maximum = maximum
        self.pacing = pacing
        self.ceilings = Ceilings(maximum)
        self.not_before = ledger.start if is_fresh else 0
        self.keeps_failures = False
        self._calls = calls
        self._models = models
        self._turns = turns
        self._in_flight: dict[Key, anyio.Event] = {}
        self._admitting = anyio.Lock(fast_acquire=True)
        self._ended = anyio.Event()
        self.use = LedgerUse()

    def consultant(self, owner: Owner, ask: Ask, inner: Consultant, tool: ToolName) -> "ExchangeConsultant":
        """``inner``, which asks ``tool``, asked through the ledger for an ask of ``owner``."""
        return ExchangeConsultant(self, owner, ask, inner, tool)

    def keys(self, question: Question, tool: ToolName) -> ExchangeKeys:
        """The keys of ``question`` to ``tool``."""
        return ExchangeKeys.of(question, tool, self._models(tool))

    def turn(self, tool: ToolName) -> AbstractAsyncContextManager[object]:
        """A turn at ``tool``, which only who is about to ask holds: not who waits for another process's answer."""
        turns = self._turns(tool)
        return turns.turn() if turns else nullcontext()

    def reservation(self, question: Question, tool: ToolName) -> tuple[Amounts, Amounts]:
        """Return the reservation for ``question``, and the least that is enough."""
        model, characters = question.model or "", len(question.prompt)
        return self.ceilings.reservation(tool, model, characters), self.ceilings.reservation(
            tool, model, characters, margin=1.0
        )

    def counts(self, known: Known) -> bool:
        """Return whether an answer that is there may be taken; one that is asked anew stays while it is ``free``."""
        if known.state == "free":
            return not self.not_before
        has_ended = known.state == "answered" or (known.state == "failed" and self.keeps_failures)
        return has_ended and known.stamp >= self.not_before

    @asynccontextmanager
    async def admitted(self, owner: Owner, need: RunNeed) -> AsyncGenerator[str]:
        """Set aside what a run needs while the block runs; yields why it must not begin, or nothing.

        It waits as long as runs under way may give something back.
        """
        refusal = await self._admit(owner, need)
        try:
            yield refusal
        finally:
            if not self.maximum.is_none:
                self.ledger.dismiss(self.batch, owner.name)
            self._ended.set()
            self._ended = anyio.Event()

    async def _admit(self, owner: Owner, need: RunNeed) -> str:
        if self.maximum.is_none:
            return ""
        async with self._admitting:  # who comes first goes first: a limit leaves the end of a table, not its middle
            while True:
                ended = self._ended
                wanted, least = self.ceilings.needed(need), self.ceilings.least(need)
                admission = await self.ledger.admit(self.batch, owner.name, wanted, least)
                if isinstance(admission, LimitReached):
                    return used_up(self.maximum, admission.of)
                if not isinstance(admission, Wait):
                    return ""
                await ended.wait()

    def call_name(self, key: Key, fence: int) -> str:
        """The name under which a program is asked for an exchange: whoever claims it later can find the answer."""
        return hashlib.sha256(b"%s %d %s" % (key, fence, self.ledger.id.encode())).hexdigest()[:32]

    async def took_up(self, ask: Ask, question: Question, key: Key, claimed: Claimed) -> Reply | None:
        """The answer of a program that was asked by a process which has died, kept; None where there is none."""
        if claimed.lost is None:
            return None
        call = self.call_name(key, claimed.lost)
        reply = await self._calls.taken_up(ask.model_copy(update={"question": question}), call)
        if reply is None:
            return None
        late = to_settle(key, claimed.lost, reply)
        state, answer = ("answered", late.answer) if isinstance(reply, Answer) else ("free", None)
        await self.ledger.settle(late, ToSettle(key, claimed.fence, state, answer, FREE, was_asked=False))
        self._calls.settle(call)
        return reply

    def count(self, **more: int) -> None:
        """Count requests of this process."""
        self.use = self.use.model_copy(update={name: getattr(self.use, name) + each for name, each in more.items()})

    def settle_call(self, call: str) -> None:
        """The reply to what was asked under that name is kept."""
        self._calls.settle(call)

    @asynccontextmanager
    async def alone(self, key: Key) -> AsyncGenerator[bool]:
        """Keep other questions of this process from claiming the same; yields False once another has ended that did."""
        if (other := self._in_flight.get(key)) is not None:
            await other.wait()
            yield False
            return
        self._in_flight[key] = mine = anyio.Event()
        try:
            yield True
        finally:
            del self._in_flight[key]
            mine.set()


@dataclass(frozen=True)
class _Put:
    """A question that was put.

    Attributes:
        at: When, by the event loop's clock; None where it was not.
        again_s: In how many seconds it may be put again, where the tool said that it is too much.
    """

    reply: Reply
    at: float | None = None
    again_s: float | None = None


class ExchangeConsultant:
    """Asks ``inner`` through the ledger, when it is its turn, and again when the tool said that it is too much.

    Attributes:
        waited_s: Seconds that the question has waited before it was put for the first time: they are not its own.
    """

    def __init__(self, exchanges: Exchanges, owner: Owner, ask: Ask, inner: Consultant, tool: ToolName) -> None:
        self._exchanges = exchanges
        self._owner = owner
        self._ask = ask
        self._inner = inner
        self._tool = tool
        self.waited_s = 0.0

    async def ask(self, question: Question) -> Reply:
        """The reply that is there, or the first one that is not "too much", or the last one that there was time for.

        Raises:
            StoreError: What is asked and answered cannot be kept.
        """
        began, ends = anyio.current_time(), math.inf
        keys, attempt, waits = self._exchanges.keys(question, self._tool), 1, 0
        went_past = list[Reply]()
        while True:
            key = keys.key(attempt)
            known = (await self._exchanges.ledger.look([key])).get(key)
            if known and known.asked > 1:
                self._owner.repeated.add(key)
            if known and known.answer is not None and self._exchanges.counts(known):
                return self._note(key, read_reply(known.answer), went_past)
            if known and known.state == "failed":
                attempt += 1
                went_past += [read_reply(known.answer)] if known.answer is not None else []
                continue
            if known and known.state in {"sent", "claimed"} and not self._is_mine(known):
                await self._wait_for_others(waits)
                waits += 1
                continue
            put: _Put | None = None
            async with self._exchanges.alone(key) as is_alone:
                put = await self._put(question, key, ends) if is_alone else None
            if put is None:
                continue
            if put.at is not None and ends == math.inf:
                self.waited_s += put.at - began
                ends = put.at + question.timeout_s
            reply = self._note(key, put.reply, went_past)
            if put.again_s is None or not isinstance(reply, Failure):
                return reply
            if anyio.current_time() + put.again_s >= min(ends, anyio.current_effective_deadline()):
                return reply.model_copy(update={"retry_after_s": put.again_s})

    def _is_mine(self, known: Known) -> bool:
        return known.worker == self._exchanges.ledger.worker and not known.intent

    def _note(self, key: Key, reply: Reply, went_past: list[Reply]) -> Reply:
        self._owner.replies[self._ask.id] = key, reply
        self._owner.failed += went_past
        went_past.clear()
        return reply

    async def _wait_for_others(self, times: int) -> None:
        """Wait a little: another process has asked the same, perhaps on another machine; no event can tell."""
        async with self._owner.waiting() if times else nullcontext():
            await anyio.sleep(min(_LOOK_AGAIN_AT_LAST_S, _LOOK_AGAIN_S * (1 + times / 4)))

    async def _put(self, question: Question, key: Key, ends: float) -> _Put | None:
        """Put ``question`` when it is its turn; None where another has claimed it first."""
        exchanges, characters = self._exchanges, len(question.prompt)
        slots, queue = exchanges.pacing.slots(self._tool), exchanges.pacing.queue(self._tool)
        async with exchanges.ceilings.turn(self._tool, question.model or ""), exchanges.turn(self._tool):
            await slots.take()
            try:
                permit = await self._permit(characters, ends)
                put_at = anyio.current_time()
                rest_s = question.timeout_s if ends == math.inf else ends - put_at
                if permit is None or rest_s <= 0:
                    return _Put(self._failure(FailureCode.TIMEOUT, "its turn did not come in time"))
                outcome = await self._claimed(question, key, permit)
                if isinstance(outcome, LimitReached):
                    return _Put(self._failure(FailureCode.BUDGET, used_up(exchanges.maximum, outcome.of)))
                if not isinstance(outcome, Claimed):
                    return None
                reply = await self._asked(question.model_copy(update={"timeout_s": rest_s}), key, outcome, permit)
                return _Put(reply, put_at, await queue.heard(permit, characters, reply))
            finally:
                slots.give_back()

    async def _permit(self, characters: int, ends: float) -> Permit | None:
        """Leave to ask; None where it does not come in time."""
        with anyio.CancelScope(deadline=ends):
            return await self._exchanges.pacing.queue(self._tool).permit(characters)
        return None

    async def _claimed(self, question: Question, key: Key, permit: Permit) -> Claimed | Known | LimitReached:
        exchanges = self._exchanges
        reserved, least = exchanges.reservation(question, self._tool)
        queue, item = exchanges.pacing.queue(self._tool), ToClaim(key, reserved, exchanges.not_before)
        try:
            outcome = await exchanges.ledger.claim(exchanges.batch, self._owner.name, item, least)
        except BaseException:
            exchanges.ledger.unclaim(key)  # it may be claimed by now, and is not asked
            await queue.give_back(permit)
            raise
        if not isinstance(outcome, Claimed):
            await queue.give_back(permit)
        return outcome

    async def _asked(self, question: Question, key: Key, claimed: Claimed, permit: Permit) -> Reply:
        """The reply to what was claimed, kept."""
        exchanges, ledger = self._exchanges, self._exchanges.ledger
        call, replies = exchanges.call_name(key, claimed.fence), list[Reply]()
        try:
            if taken_up := await exchanges.took_up(self._ask, question, key, claimed):
                replies.append(taken_up)
                return taken_up
            exchanges.count(asked=1, asked_again=claimed.lost is not None)
            if claimed.lost is not None:
                self._owner.repeated.add(key)
                self._owner.asked_again += 1
            replies.append(await self._inner.ask(question.model_copy(update={"call": call})))
        finally:
            if not replies:  # cancelled, or this machine lacks something: it may have been paid all the same
                ledger.abandon(key, claimed.fence)
                exchanges.count(lost=1)
                await exchanges.pacing.queue(self._tool).give_back(permit)
        (reply,) = replies
        exchanges.count(answered=isinstance(reply, Answer), failed=isinstance(reply, Failure))
        # Whoever is cancelled here has given the reply to the ledger, which keeps it.
        await ledger.settle(to_settle(key, claimed.fence, reply))
        exchanges.settle_call(call)
        exchanges.ceilings.learn(self._tool, question.model or "", len(question.prompt), reply)
        self._owner.put.append(reply)
        return reply

    def _failure(self, code: FailureCode, detail: str) -> Failure:
        return Failure(tool=self._tool, code=code, detail=detail)


def to_settle(key: Key, fence: int, reply: Reply) -> ToSettle:
    """Return the settlement of a reply."""
    body = reply.model_dump_json(exclude_none=True).encode()
    if isinstance(reply, Answer):
        usage = reply.usage
        cost = None if usage.cost_usd is None else micros(usage.cost_usd)
        return ToSettle(key, fence, "answered", body, Used(1, usage.tokens, cost))
    if reply.code in FREE_FAILURES:
        return ToSettle(key, fence, "free", None, FREE)
    return ToSettle(key, fence, "failed", body, Used(1, None, None))


def read_reply(body: bytes) -> Reply:
    """The reply that was kept.

    Raises:
        ValidationError: It is none.
    """
    return (
        Failure.model_validate_json(body) if body.startswith(b'{"type":"failure"') else Answer.model_validate_json(body)
    )


def used_up(maximum: Maximum, of: str) -> str:
    """Return the sentence that a limit is used up."""
    match of:
        case "calls":
            return f"The limit of {maximum.calls or 0:,} calls is used up."
        case "tokens":
            return f"The limit of {maximum.tokens or 0:,} tokens is used up."
        case _:
            return f"The limit of ${(maximum.cost or 0) / 1_000_000:g} is used up."
