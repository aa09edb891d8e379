"""Questions that a provider answers by batch, each asked as if it were alone.

A question is claimed and waits until a batch of its model is submitted and has ended. A batch is submitted when enough
questions wait, when no new one has come for a moment (then all current rows wait for answers), or on ``flush``.

Before a submission, an intent is written into the ledger, with the questions that belong to it. The intent is also
sent to the provider: in a field of the batch if there is one, and in the name of each question. A process that sees
an intent of a dead one follows its batch; if the name of the batch was not stored, the process searches the
provider's list for a batch that carries the intent. The questions are asked again only if that list, read to its
end, has none.
"""

import secrets
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, Self

import anyio
from anyio.abc import TaskGroup
from msgspec import Struct

from sparring.app.exchanges.session import Exchanges, RunOwner, read_reply, to_settle, used_up
from sparring.batch import job, local
from sparring.errors import ConsultError
from sparring.providers.api.protocol import BatchId, BatchStatus
from sparring.providers.receiving.answers import received
from sparring.providers.wrappers import RedactingConsultant
from sparring.schema.base import ToolName
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Failure, FailureCode, Question, Reply
from sparring.schema.transcript import Ask
from sparring.store.exchanges import provider_batches
from sparring.store.exchanges.amounts import FREE
from sparring.store.exchanges.database import Rows
from sparring.store.exchanges.operations import Claimed, Known, LimitReached
from sparring.store.exchanges.sql import Key
from sparring.store.exchanges.steps import NewClaim, Settlement
from sparring.text.tidying import one_line

if TYPE_CHECKING:
    from sparring.providers.api.batches import ApiBatches

DAY_S = 86_400.0
"""The three interfaces answer within this time, or report that they did not."""

FORGOTTEN_S = 29 * DAY_S
"""Time for which providers keep results."""

_EARLIER_S = 3_600.0
"""The most that the provider's clock may be behind the ledger's."""
_LONG_ENOUGH = 3
"""Attempts to read results that break off."""
_NOT_CHARGED = frozenset({FailureCode.CANCELLED, FailureCode.TIMEOUT})
"""Failures that a provider reports for questions that its batch did not reach."""
_PERHAPS_HANDED_IN = frozenset({FailureCode.CONNECTION, FailureCode.TIMEOUT, FailureCode.PARSE})
"""Failures after which a batch may exist all the same."""


class BatchTiming(Struct, frozen=True):
    """Timing of a queue of questions.

    Attributes:
        most_questions: A batch is submitted when this many questions wait for it.
        linger_s: A batch is submitted when no further question has come for this long.
        poll_s: Seconds between two requests for the status of a batch.
    """

    most_questions: int = job.USUAL_BY_BATCH
    linger_s: float = 5.0
    poll_s: float = 30.0


USUAL_PACE = BatchTiming()


class _Waiting(Struct):
    """A question that was claimed and is to be submitted."""

    question: Question
    key: Key
    fence: int


class _Batch(Struct):
    """A batch that this process follows, and the claims of its questions."""

    intent: str
    remote_id: BatchId
    at: float
    fences: dict[Key, int]


class _PendingReply:
    """A reply that this process waits for."""

    def __init__(self) -> None:
        self.event = anyio.Event()
        self.reply: Reply | None = None


class BatchQueue:
    """Asks one tool by batch, while it is ``running``."""

    def __init__(
        self,
        batches: "ApiBatches",
        tool: ToolName,
        exchanges: Exchanges,
        redacting: RedactingConsultant,
        failures: Sequence[str] = (),
        pace: BatchTiming = USUAL_PACE,
    ) -> None:
        """Ask ``tool`` by ``batches``; ``redacting`` removes secrets before sending; ``failures``: see ``received``."""
        self._failures = failures
        self._redacting = redacting
        self._batches = batches
        self._tool = tool
        self._exchanges = exchanges
        self._ledger = exchanges.ledger
        self._pace = pace
        self._most = min(pace.most_questions, batches.most_questions)
        self._waiting: list[_Waiting] = []
        self._followed: set[str] = set()
        self._pending_replies: dict[Key, _PendingReply] = {}
        self._question_arrived = anyio.Event()
        self._is_flush_requested = False
        self._group: TaskGroup | None = None

    async def reply(self, owner: RunOwner, ask: Ask, question: Question) -> Reply:
        """Return the reply to ``question`` when its batch has ended, or the reply that already exists."""
        keys, attempt, failed_replies = self._exchanges.keys(question, self._tool), 1, list[Reply]()
        began = anyio.current_time()
        with anyio.move_on_after(max(DAY_S, question.timeout_s)):
            while True:
                key = keys.key(attempt)
                known = (await self._ledger.read_states([key])).get(key)
                if known and self._exchanges.counts(known) and known.answer is not None:
                    reply = read_reply(known.answer)
                elif known and known.state == "failed":
                    attempt += 1
                    failed_replies += [read_reply(known.answer)] if known.answer is not None else []
                    continue
                else:
                    reply = await self._awaited(owner, question, key, known)
                if reply is not None:
                    owner.replies[ask.id] = key, reply
                    owner.failed += failed_replies
                    duration_ms = round((anyio.current_time() - began) * 1000)
                    return self._batches.addressed(reply, question).model_copy(update={"duration_ms": duration_ms})
        return self._failure(FailureCode.TIMEOUT, f"{self._tool} did not end the batch in time.")

    async def _awaited(self, owner: RunOwner, question: Question, key: Key, known: Known | None) -> Reply | None:
        """Return the reply to a pending question; None if its state must be read again."""
        coming = self._pending_replies.setdefault(key, _PendingReply())
        if known and known.state == "sent" and known.intent:
            await self._follow_intent(known.intent)
            if known.intent not in self._followed:  # another process waits for it
                async with owner.waiting():
                    await anyio.sleep(self._pace.poll_s / 4)
                return None
        elif (gathered := await self._gathered(owner, question, key)) is not True:
            self._pending_replies.pop(key, None)
            if isinstance(gathered, Failure):
                return gathered
            await anyio.sleep(min(1.0, self._pace.poll_s))
            return None
        async with owner.waiting():
            await coming.event.wait()
        owner.put += [coming.reply] if coming.reply else []
        return coming.reply

    async def _gathered(self, owner: RunOwner, question: Question, key: Key) -> bool | Failure:
        """Return whether the question waits to be submitted, or the failure if a limit refuses it."""
        if any(each.key == key for each in self._waiting):
            return True
        reserved, least = self._exchanges.reservation(question, self._tool)
        item = NewClaim(key, reserved, self._exchanges.not_before)
        claimed = await self._ledger.claim(self._exchanges.batch, owner.name, item, least, is_gathered=True)
        if isinstance(claimed, LimitReached):
            return self._failure(FailureCode.BUDGET, used_up(self._exchanges.maximum, claimed.of))
        if not isinstance(claimed, Claimed):
            return False
        self._waiting.append(_Waiting(await self._redacting.harmless_question(question), key, claimed.fence))
        self._question_arrived.set()
        return True

    def flush(self) -> None:
        """Submit all waiting questions at once: no more will come."""
        self._is_flush_requested = True
        self._question_arrived.set()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Self]:
        """Submit and read batches while the block runs. Open ones stay with the provider, recorded in the ledger."""
        await self._ledger.run_statements([provider_batches.forget_intents(FORGOTTEN_S)])
        async with local.running_alongside(self._gather) as group:
            self._group = group
            for (intent,) in await self._ledger.run_statements([provider_batches.open_intents(self._tool)], _first):
                await self._follow_intent(intent)
            try:
                yield self
            finally:
                self._group = None

    async def _gather(self) -> None:
        while True:
            await self._question_arrived.wait()
            self._question_arrived = anyio.Event()
            if not self._is_flush_requested and len(self._waiting) < self._most:
                with anyio.move_on_after(self._pace.linger_s) as quiet:
                    await self._question_arrived.wait()
                if not quiet.cancelled_caught:
                    continue
            self._is_flush_requested = False
            waiting, self._waiting = self._waiting, []
            for part in self._parts(waiting):
                await self._submit(part)

    def _parts(self, waiting: Sequence[_Waiting]) -> list[list[_Waiting]]:
        """Return batches of one model each, as large as allowed."""
        by_model = dict[str | None, list[list[_Waiting]]]()
        sizes = dict[str | None, int]()
        for each in waiting:
            model, size = each.question.model, self._batches.size(each.question)
            parts = by_model.setdefault(model, [[]])
            if parts[-1] and (len(parts[-1]) >= self._most or sizes[model] + size > self._batches.most_bytes):
                parts.append([])
                sizes[model] = 0
            parts[-1].append(each)
            sizes[model] = sizes.get(model, 0) + size
        return [part for parts in by_model.values() for part in parts if part]

    async def _submit(self, part: Sequence[_Waiting]) -> None:
        """Write the intent, submit, and write the batch's name; a crash in between can be recovered from."""
        intent, items = secrets.token_hex(8), [(each.key, each.fence) for each in part]
        kept: Rows = await self._ledger.write_batch_intent(intent, self._tool, self._exchanges.batch, items)
        keys = {key for (key,) in kept}
        handed = [each for each in part if each.key in keys]
        if not handed:
            return
        self._followed.add(intent)
        self._exchanges.count(asked=len(handed))
        batch = _Batch(intent, "", time.time(), {each.key: each.fence for each in handed})
        named = [(_custom_id(each.key, intent), each.question) for each in handed]
        submitted = await self._batches.submit(named, intent=intent)
        if isinstance(submitted, Failure):
            if submitted.code in _PERHAPS_HANDED_IN:
                await self._look_for(batch, submitted)
            else:
                await self._abandon(batch, submitted)
            return
        await self._follow(batch, submitted)

    async def _follow(self, batch: _Batch, remote_id: BatchId) -> None:
        await self._ledger.run_statements([provider_batches.write_remote_id(batch.intent, remote_id)])
        batch.remote_id = remote_id
        if self._group:
            self._group.start_soon(self._wait_for, batch)

    async def _follow_intent(self, intent: str) -> None:
        """Follow a batch that no living process follows."""
        if intent in self._followed:
            return
        rows, questions = await self._ledger.adopt(intent)
        if not rows or intent in self._followed:
            return
        self._followed.add(intent)
        ((_, _, remote_id, _, at),) = rows
        batch = _Batch(intent, remote_id, float(at), {key: int(fence) for key, fence in questions})
        if not batch.fences:
            await self._ledger.run_statements([provider_batches.ended(intent)])
        elif not self._group:
            self._followed.discard(intent)
        elif remote_id:
            self._group.start_soon(self._wait_for, batch)
        else:
            self._group.start_soon(self._look_for, batch, None)

    async def _look_for(self, batch: _Batch, failure: Failure | None) -> None:
        """Search the provider's list for a batch whose name was not stored."""
        while True:
            listed = await self._batches.listed()
            if isinstance(listed, Failure):
                if not listed.retryable:
                    return self._leave(batch, listed)
                await anyio.sleep(self._pace.poll_s)
                continue
            known = {
                name
                for (name,) in await self._ledger.run_statements(
                    [provider_batches.known_remote_ids(self._tool)], _first
                )
            }
            for each in listed:
                if each.id in known or each.created_at < batch.at - _EARLIER_S:
                    continue
                if each.intent == batch.intent or (each.intent is None and await self._carries(each.id, batch.intent)):
                    return await self._follow(batch, each.id)
            detail = f"{self._tool} has no such batch: it was not handed in."
            return await self._abandon(batch, failure or self._failure(FailureCode.SERVER_ERROR, detail, again=True))

    async def _carries(self, remote_id: BatchId, intent: str) -> bool:
        """Return whether the questions of a batch carry the intent; their names are seen when it has ended."""
        status = await self._end_of(remote_id)
        if isinstance(status, Failure):
            return False
        try:
            async with aclosing(self._batches.results(status)) as results:
                async for name, _ in results:
                    return name.endswith(intent)
        except ConsultError:
            return False
        return False

    async def _wait_for(self, batch: _Batch) -> None:
        status = await self._end_of(batch.remote_id)
        if isinstance(status, Failure):
            if status.code is FailureCode.NOT_FOUND:
                detail = f"{self._tool} knows nothing of the batch any more."
                status = self._failure(FailureCode.SERVER_ERROR, detail, again=True)
                await self._settle_all(batch, status)
                return await self._ended(batch)
            return self._leave(batch, status)
        if status.failure is None and (broken := await self._read_patiently(batch, status)):
            return self._leave(batch, broken)
        await self._settle_all(batch, status.failure or self._silence())
        return await self._ended(batch)

    async def _end_of(self, remote_id: BatchId) -> BatchStatus | Failure:
        """Return the status of a batch when it has ended, or a failure that ends the wait; retries passing failures."""
        while True:
            status = await self._batches.poll(remote_id)
            if isinstance(status, Failure) and not status.retryable and status.code is not FailureCode.PARSE:
                return status
            if isinstance(status, BatchStatus) and status.is_ended:
                return status
            await anyio.sleep(self._pace.poll_s)

    async def _read_patiently(self, batch: _Batch, status: BatchStatus) -> Failure | None:
        broken: Failure | None = None
        for tries in range(_LONG_ENOUGH):
            await anyio.sleep(self._pace.poll_s if tries else 0)
            if (broken := await self._read(batch, status)) is None:
                return None
        return broken

    async def _read(self, batch: _Batch, status: BatchStatus) -> Failure | None:
        """Store the results; return the failure if they could not be read to their end."""
        try:
            async with aclosing(self._batches.results(status)) as results:
                async for name, reply in results:
                    if (key := _key_of(name)) in batch.fences:
                        await self._settle(batch, {key: await self._harmless(reply)})
        except ConsultError as error:
            return self._failure(FailureCode.CONNECTION, f"{self._tool}: {error}")
        return None

    async def _harmless(self, reply: Reply) -> Reply:
        return await self._redacting.harmless_reply(received(reply, self._failures))

    async def _settle_all(self, batch: _Batch, reply: Failure) -> None:
        await self._settle(batch, dict.fromkeys(batch.fences, reply))

    async def _settle(self, batch: _Batch, replies: Mapping[Key, Reply]) -> None:
        if not replies:
            return
        settled = [_settled(key, batch.fences.pop(key), reply) for key, reply in replies.items()]
        await self._ledger.settle(*settled)
        for key, reply in replies.items():
            answered = isinstance(reply, Answer)
            self._exchanges.count(answered=answered, failed=not answered)
            self._deliver(key, reply)

    def _deliver(self, key: Key, reply: Reply) -> None:
        if coming := self._pending_replies.pop(key, None):
            coming.reply = reply
            coming.event.set()

    async def _abandon(self, batch: _Batch, failure: Failure) -> None:
        """Free the questions again, because nothing was submitted."""
        items = [Settlement(key, fence, "free", None, FREE, was_asked=False) for key, fence in batch.fences.items()]
        if items:
            await self._ledger.settle(*items)
        self._exchanges.count(asked=-len(items))
        for key in batch.fences:
            self._deliver(key, failure)
        await self._ended(batch)

    def _leave(self, batch: _Batch, failure: Failure) -> None:
        """Leave a batch of unknown state to a later process: it stays with the provider and in the ledger."""
        self._followed.discard(batch.intent)
        for key in batch.fences:
            self._deliver(key, failure)

    async def _ended(self, batch: _Batch) -> None:
        await self._ledger.run_statements([provider_batches.ended(batch.intent)])

    def _silence(self) -> Failure:
        return self._failure(FailureCode.PARSE, f"{self._tool} ended the batch without an answer to this question.")

    def _failure(self, code: FailureCode, detail: str, *, again: bool = False) -> Failure:
        return Failure(tool=self._tool, code=code, detail=one_line(detail, DETAIL_LIMIT), retryable=again)


def _custom_id(key: Key, intent: str) -> str:
    return f"{key.hex()}-{intent}"


def _key_of(name: str) -> Key:
    try:
        return bytes.fromhex(name.partition("-")[0])
    except ValueError:
        return b""


def _settled(key: Key, fence: int, reply: Reply) -> Settlement:
    if isinstance(reply, Failure) and reply.code in _NOT_CHARGED:
        return Settlement(key, fence, "free", None, FREE)
    return to_settle(key, fence, reply)


def _first(rows: list[Rows]) -> Any:
    return rows[0]
