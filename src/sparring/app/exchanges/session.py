"""A batch in one process: every question goes through the ledger, and is paid once.

A question waits for its turn; then it is claimed, which reserves its maximum cost; only then it is asked, and its reply
is stored before anything else happens. Earlier answers are read from the ledger and cost nothing.
"""

import hashlib
import math
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

import anyio
from msgspec import Struct, field

from sparring.app.exchanges.keys import ExchangeKeys
from sparring.app.exchanges.need import Ceilings, RunNeed
from sparring.app.exchanges.pacing import Pacing, Permit
from sparring.engine.runner import ProviderCalls
from sparring.providers import Consultant
from sparring.providers.wrappers import TurnQueue
from sparring.schema.base import ToolName
from sparring.schema.batch import LedgerUse
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply
from sparring.schema.runs import FREE_FAILURES
from sparring.schema.transcript import Ask
from sparring.store.exchanges.amounts import FREE, Amounts, Maximum, Used, micros
from sparring.store.exchanges.ledger import ExchangeLedger
from sparring.store.exchanges.operations import Claimed, Known, LimitReached, Wait
from sparring.store.exchanges.sql import Key
from sparring.store.exchanges.steps import NewClaim, Settlement

_LOOK_AGAIN_S, _LOOK_AGAIN_AT_LAST_S = 0.25, 1.0
"""Seconds between checks whether another process has received the answer."""


class RunOwner(Struct):
    """A run that asks through the ledger.

    Attributes:
        name: Distinguishes it from other runs of this process.
        put: Replies to questions that were asked now.
        failed: Replies of earlier attempts that its asks skipped: these were paid as well.
        replies: The exchange and the reply of each ask, by its id.
        repeated: Exchanges that any process sent more than once; some of them may be paid twice.
        asked_again: Number of lost requests that were sent again now.
        waiting: Entered during the wait for an answer of another process.
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
        keeps_failures: Whether a paid failure is the final reply; otherwise it is asked again.
    """

    def __init__(
        self,
        ledger: ExchangeLedger,
        batch: str,
        maximum: Maximum,
        pacing: Pacing,
        calls: ProviderCalls,
        models: Callable[[ToolName], str],
        turns: Callable[[ToolName], TurnQueue | None] = lambda _: None,
        *,
        is_fresh: bool = False,
    ) -> None:
        """Join ``batch``.

        Args:
            ledger: Store of the exchanges.
            batch: The batch whose limits apply.
            maximum: Limits of the batch, over all of its starts.
            pacing: Makes questions wait for their turn.
            calls: Answers of programs that were asked by a process which has died.
            models: Returns the model of a tool where a question names none; empty if unknown.
            turns: Returns the queue of a tool with a limit of simultaneous questions.
            is_fresh: Whether to ignore earlier answers.

        Raises:
            UsageError: Other processes work on the batch with other limits.
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
        self._counts = Counter[str]()

    def consultant(self, owner: RunOwner, ask: Ask, inner: Consultant, tool: ToolName) -> "ExchangeConsultant":
        """Return a consultant that asks ``inner``, of ``tool``, through the ledger for an ask of ``owner``."""
        return ExchangeConsultant(self, owner, ask, inner, tool)

    def keys(self, question: Question, tool: ToolName) -> ExchangeKeys:
        """Return the keys of ``question`` to ``tool``."""
        return ExchangeKeys.of(question, tool, self._models(tool))

    def turn(self, tool: ToolName) -> AbstractAsyncContextManager[object]:
        """Return a turn at ``tool``, for a question about to be sent: waiting for another process needs none."""
        turns = self._turns(tool)
        return turns.turn() if turns else nullcontext()

    def reservation(self, question: Question, tool: ToolName) -> tuple[Amounts, Amounts]:
        """Return the reservation for ``question``, and the least that is enough."""
        model, characters = question.model or "", len(question.prompt)
        return self.ceilings.reservation(tool, model, characters), self.ceilings.reservation(
            tool, model, characters, margin=1.0
        )

    def counts(self, known: Known) -> bool:
        """Return whether an existing answer may be used; one in the state ``free`` may unless ``is_fresh`` is set."""
        if known.state == "free":
            return not self.not_before
        has_ended = known.state == "answered" or (known.state == "failed" and self.keeps_failures)
        return has_ended and known.stamp >= self.not_before

    @asynccontextmanager
    async def admitted(self, owner: RunOwner, need: RunNeed) -> AsyncGenerator[str]:
        """Reserve the need of a run while the block runs; yields why it must not begin, or an empty string.

        It waits as long as active runs may release reservations.
        """
        refusal = await self._admit(owner, need)
        try:
            yield refusal
        finally:
            if not self.maximum.is_none:
                self.ledger.dismiss(self.batch, owner.name)
            self._ended.set()
            self._ended = anyio.Event()

    async def _admit(self, owner: RunOwner, need: RunNeed) -> str:
        if self.maximum.is_none:
            return ""
        async with self._admitting:  # in order of arrival: a limit then cuts off the end of a table, not its middle
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
        """Return the name of a call to a program, by which a later claimant of the exchange can locate the answer."""
        return hashlib.sha256(b"%s %d %s" % (key, fence, self.ledger.id.encode())).hexdigest()[:32]

    async def recover(self, ask: Ask, question: Question, key: Key, claimed: Claimed) -> Reply | None:
        """Return the stored answer of a program that was asked by a process which has died; None if there is none."""
        if claimed.lost is None:
            return None
        call = self.call_name(key, claimed.lost)
        reply = await self._calls.recover(ask.model_copy(update={"question": question}), call)
        if reply is None:
            return None
        late = to_settle(key, claimed.lost, reply)
        state, answer = ("answered", late.answer) if isinstance(reply, Answer) else ("free", None)
        await self.ledger.settle(late, Settlement(key, claimed.fence, state, answer, FREE, was_asked=False))
        self._calls.settle(call)
        return reply

    @property
    def use(self) -> LedgerUse:
        """Return the counts of the requests of this process."""
        return LedgerUse(**self._counts)

    def count(self, **more: int) -> None:
        """Count requests of this process."""
        self._counts.update(more)

    def settle_call(self, call: str) -> None:
        """Remove the record of that call: its reply is stored."""
        self._calls.settle(call)

    @asynccontextmanager
    async def alone(self, key: Key) -> AsyncGenerator[bool]:
        """Keep other questions of this process from claiming the same; yields False after waiting for another claim."""
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


class _Sent(Struct, frozen=True):
    """Result of sending a question.

    Attributes:
        at: Time of sending, by the event loop's clock; None if it was not sent.
        again_s: Seconds until it may be sent again, if the tool reported an overload.
    """

    reply: Reply
    at: float | None = None
    again_s: float | None = None


class ExchangeConsultant:
    """Asks ``inner`` through the ledger, in turn, and again after an overload.

    Attributes:
        waited_s: Seconds before the question was sent for the first time, which are not part of its time.
    """

    def __init__(self, exchanges: Exchanges, owner: RunOwner, ask: Ask, inner: Consultant, tool: ToolName) -> None:
        self._exchanges = exchanges
        self._owner = owner
        self._ask = ask
        self._inner = inner
        self._tool = tool
        self.waited_s = 0.0

    async def ask(self, question: Question) -> Reply:
        """Return the stored reply, the first one without an overload, or the last one within the time limit.

        Raises:
            StoreError: The question or the reply cannot be stored.
        """
        began, ends = anyio.current_time(), math.inf
        keys, attempt, waits = self._exchanges.keys(question, self._tool), 1, 0
        went_past = list[Reply]()
        while True:
            key = keys.key(attempt)
            known = (await self._exchanges.ledger.read_states([key])).get(key)
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
            put: _Sent | None = None
            async with self._exchanges.alone(key) as is_alone:
                put = await self._send(question, key, ends) if is_alone else None
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
        """Wait briefly: another process asked the same, perhaps on another machine, so no event reports the end."""
        async with self._owner.waiting() if times else nullcontext():
            await anyio.sleep(min(_LOOK_AGAIN_AT_LAST_S, _LOOK_AGAIN_S * (1 + times / 4)))

    async def _send(self, question: Question, key: Key, ends: float) -> _Sent | None:
        """Send ``question`` when it is its turn; None if another process has claimed it first."""
        exchanges, characters = self._exchanges, len(question.prompt)
        slots, queue = exchanges.pacing.slots(self._tool), exchanges.pacing.queue(self._tool)
        async with exchanges.ceilings.turn(self._tool, question.model or ""), exchanges.turn(self._tool):
            await slots.take()
            try:
                permit = await self._permit(characters, ends)
                sent_at = anyio.current_time()
                remaining_s = question.timeout_s if ends == math.inf else ends - sent_at
                if permit is None or remaining_s <= 0:
                    return _Sent(self._failure(FailureCode.TIMEOUT, "its turn did not come in time"))
                outcome = await self._claimed(question, key, permit)
                if isinstance(outcome, LimitReached):
                    return _Sent(self._failure(FailureCode.BUDGET, used_up(exchanges.maximum, outcome.of)))
                if not isinstance(outcome, Claimed):
                    return None
                reply = await self._asked(question, remaining_s, key, outcome, permit)
                return _Sent(reply, sent_at, await queue.record_reply(permit, characters, reply))
            finally:
                slots.give_back()

    async def _permit(self, characters: int, ends: float) -> Permit | None:
        """Return a permit; None if there is none in time."""
        queue = self._exchanges.pacing.queue(self._tool)
        if ends == math.inf:  # as the first time: a scope takes longer than the permit
            return await queue.permit(characters)
        with anyio.CancelScope(deadline=ends):
            return await queue.permit(characters)
        return None

    async def _claimed(self, question: Question, key: Key, permit: Permit) -> Claimed | Known | LimitReached:
        exchanges = self._exchanges
        reserved, least = exchanges.reservation(question, self._tool)
        queue, item = exchanges.pacing.queue(self._tool), NewClaim(key, reserved, exchanges.not_before)
        try:
            outcome = await exchanges.ledger.claim(exchanges.batch, self._owner.name, item, least)
        except BaseException:
            exchanges.ledger.unclaim(key)  # it may be claimed by now, and is not asked
            await queue.give_back(permit)
            raise
        if not isinstance(outcome, Claimed):
            await queue.give_back(permit)
        return outcome

    async def _asked(self, question: Question, remaining_s: float, key: Key, claimed: Claimed, permit: Permit) -> Reply:
        """Return the reply to the claimed question within ``remaining_s`` seconds, after storing it."""
        exchanges, ledger = self._exchanges, self._exchanges.ledger
        call, replies = exchanges.call_name(key, claimed.fence), list[Reply]()
        question = question.model_copy(update={"timeout_s": remaining_s, "call": call})
        try:
            if recovered := await exchanges.recover(self._ask, question, key, claimed):
                replies.append(recovered)
                return recovered
            exchanges.count(asked=1, asked_again=claimed.lost is not None)
            if claimed.lost is not None:
                self._owner.repeated.add(key)
                self._owner.asked_again += 1
            replies.append(await self._inner.ask(question))
        finally:
            if not replies:  # cancelled, or an error of this machine: it may have been paid nevertheless
                ledger.abandon(key, claimed.fence)
                exchanges.count(lost=1)
                await exchanges.pacing.queue(self._tool).give_back(permit)
        (reply,) = replies
        exchanges.count(answered=isinstance(reply, Answer), failed=isinstance(reply, Failure))
        # If cancelled here, the ledger has the reply and stores it.
        await ledger.settle(to_settle(key, claimed.fence, reply))
        exchanges.settle_call(call)
        exchanges.ceilings.learn(self._tool, question.model or "", len(question.prompt), reply)
        self._owner.put.append(reply)
        return reply

    def _failure(self, code: FailureCode, detail: str) -> Failure:
        return Failure(tool=self._tool, code=code, detail=detail)


def to_settle(key: Key, fence: int, reply: Reply) -> Settlement:
    """Return the settlement of a reply."""
    body = reply.model_dump_json(exclude_none=True).encode()
    if isinstance(reply, Answer):
        usage = reply.usage
        cost = None if usage.cost_usd is None else micros(usage.cost_usd)
        return Settlement(key, fence, "answered", body, Used(1, usage.tokens, cost))
    if reply.code in FREE_FAILURES:
        return Settlement(key, fence, "free", None, FREE)
    return Settlement(key, fence, "failed", body, Used(1, None, None))


def read_reply(body: bytes) -> Reply:
    """Return the stored reply.

    Raises:
        ValidationError: The bytes are not a reply.
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
