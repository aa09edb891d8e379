"""Questions that are answered by batch, each asked as if it were alone.

``Gathering`` is a consultant whose ``ask`` takes long: the question waits until a batch of its model is handed in, and
until that has ended. So blind rounds and juries go by batch while everything else stays as it is. A batch is handed in
when enough questions wait, when none has come for a moment (all rows in hand wait for answers then), or on ``flush``.

What was handed in is written down beside the limits, with the name of each question in it: a digest of the question and
a number, for two who ask the same want an answer each. A process that takes over after another was killed finds the
same questions there, and waits for their answers instead of paying for them again. Two things it cannot know: of a
batch that was handed in within the very moment before, nothing was written down, and it is paid twice; and of answers
that were read, but not yet written into the ledger, the record is kept for ``KEPT_S``, so that they can be read again.
"""

import hashlib
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Self

import anyio
from anyio.abc import TaskGroup

from sparring.batch import allowances, job, local
from sparring.errors import ConsultError
from sparring.providers.api.protocol import BatchId, BatchStatus
from sparring.schema.base import Record, ToolName
from sparring.schema.consultation import DETAIL_LIMIT, Failure, FailureCode, Question, Reply
from sparring.text.tidying import one_line

if TYPE_CHECKING:
    from sparring.providers.api.batches import ApiBatches

DAY_S = 86_400.0
"""Within this time the three interfaces answer, or say that they did not."""

KEPT_S = 60.0
"""For how long it is remembered in which batch an answer was after it was handed on."""

FORGOTTEN_S = 7 * DAY_S
"""What was handed in so long ago is not looked for any more. Providers keep results for weeks."""

_LONG_ENOUGH = 3
"""So often results are asked for that break off."""


class OpenBatch(Record):
    """A batch that was handed in.

    Attributes:
        names: Its questions that have not been answered, and the worker that waits for each.
    """

    at: float
    names: Mapping[str, str]


class GatheredRecord(allowances.WorkersRecord):
    """The batches of a tool that anybody waits for, and until when each worker lives that does."""

    batches: Mapping[BatchId, OpenBatch] = {}
    workers: Mapping[str, float] = {}


@dataclass(frozen=True)
class Claimed:
    """What there is of the questions with the digests that were asked for.

    Attributes:
        found: For each that is in a batch already: its name there, and the batch.
        free: A name for each of the others.
        undecided: Those in a batch of a worker of which nobody knows yet whether it is alive.
    """

    found: Mapping[int, tuple[str, BatchId]] = field(default_factory=dict[int, tuple[str, BatchId]])
    free: Mapping[int, str] = field(default_factory=dict[int, str])
    undecided: frozenset[int] = frozenset()


def claim(
    record: GatheredRecord, now: float, *, worker: str, known_s: float, digests: Sequence[str]
) -> tuple[GatheredRecord, Claimed]:
    """Take over what dead workers have asked, for each of ``digests``, and find names for what nobody has.

    Who has been here for ``known_s`` seconds, less than a lease, cannot tell a worker that was killed before from one
    that lives: what such a one asked is left undecided.
    """
    living = {name for name, until in record.workers.items() if until > now and name != worker}
    names = {batch: dict(each.names) for batch, each in record.batches.items() if now - each.at < FORGOTTEN_S}
    by_digest = dict[str, list[tuple[str, BatchId]]]()
    for batch, held in names.items():
        for name in held:
            by_digest.setdefault(name.rpartition("-")[0], []).append((name, batch))
    found, free, undecided = dict[int, tuple[str, BatchId]](), dict[int, str](), set[int]()
    taken = {name for held in names.values() for name in held}
    unsure = {name for held in names.values() for name, whose in held.items() if whose in living}
    for index, digest in enumerate(digests):
        asked = by_digest.get(digest, ())
        orphan = next((each for each in asked if names[each[1]][each[0]] not in {*living, worker}), None)
        if orphan:
            found[index] = orphan
            names[orphan[1]][orphan[0]] = worker
        elif known_s < allowances.LEASE_S and (doubtful := next((name for name, _ in asked if name in unsure), None)):
            undecided.add(index)
            unsure.remove(doubtful)
        else:
            number = next(number for number in range(len(taken) + 1) if f"{digest}-{number}" not in taken)
            free[index] = f"{digest}-{number}"
            taken.add(free[index])
    kept = {batch: OpenBatch(at=record.batches[batch].at, names=held) for batch, held in names.items()}
    after = GatheredRecord(batches=kept, workers=_with(record.workers, worker, now))
    return after, Claimed(found, free, frozenset(undecided))


def open_batch(
    record: GatheredRecord, now: float, *, worker: str, batch: BatchId, names: Sequence[str]
) -> tuple[GatheredRecord, None]:
    """That batch was handed in by ``worker``, with those questions."""
    opened = OpenBatch(at=now, names=dict.fromkeys(names, worker))
    batches = {**record.batches, batch: opened}
    return GatheredRecord(batches=batches, workers=_with(record.workers, worker, now)), None


def renew(
    record: GatheredRecord, now: float, *, worker: str, settled: Collection[str] = (), released: Collection[str] = ()
) -> tuple[GatheredRecord, None]:
    """``worker`` is alive.

    The questions called ``settled`` need not be found any more; those ``released`` are for whoever asks the same.
    """
    kept = {
        batch: {name: "" if name in released else whose for name, whose in opened.names.items() if name not in settled}
        for batch, opened in record.batches.items()
    }
    batches = {batch: OpenBatch(at=record.batches[batch].at, names=names) for batch, names in kept.items() if names}
    return GatheredRecord(batches=batches, workers=_with(record.workers, worker, now)), None


def leave(record: GatheredRecord, now: float, *, worker: str, settled: Collection[str]) -> tuple[GatheredRecord, None]:
    """``worker`` ends: what it waits for is for whoever asks the same."""
    mine = [name for opened in record.batches.values() for name, whose in opened.names.items() if whose == worker]
    record, _ = renew(record, now, worker=worker, settled=frozenset(settled), released=frozenset(mine))
    workers = {name: until for name, until in record.workers.items() if name != worker}
    return record.model_copy(update={"workers": workers}), None


def _with(workers: Mapping[str, float], worker: str, now: float) -> dict[str, float]:
    return {name: until for name, until in workers.items() if until > now - allowances.LEASE_S} | {
        worker: now + allowances.LEASE_S
    }


def digest_of(question: Question) -> str:
    """What a question is called in a batch: the same for the same prompt to the same model at the same effort."""
    told = "\0".join((question.model or "", question.effort or "", str(question.web), question.prompt))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:48]


@dataclass(frozen=True)
class GatheringPace:
    """How patiently questions are gathered.

    Attributes:
        most: A batch is handed in when so many questions wait for it.
        linger_s: A batch is handed in when no further question has come for so long.
        poll_s: How often it is looked how far a batch is.
    """

    most: int = job.USUAL_BY_BATCH
    linger_s: float = 5.0
    poll_s: float = 30.0


USUAL_PACE = GatheringPace()


@dataclass
class _Waiting:
    question: Question
    digest: str
    answered: anyio.Event = field(default_factory=anyio.Event)
    reply: Reply | None = None

    def answer(self, reply: Reply) -> None:
        self.reply = reply
        self.answered.set()


class Gathering:
    """Asks a tool by batch. It works while ``running``.

    Args:
        batches: Who is asked.
        home: Where the workers of the batch keep what they know together.
        worker: What nobody else is called.
    """

    def __init__(
        self,
        batches: "ApiBatches",
        tool: ToolName,
        home: allowances.Home,
        *,
        worker: str,
        pace: GatheringPace = USUAL_PACE,
    ) -> None:
        self._batches = batches
        self._tool = tool
        self._home = home
        self._name = f"gathered/{tool}"
        self._worker = worker
        self._pace = pace
        self._most = min(pace.most, batches.most_questions)
        self._waiting: list[_Waiting] = []
        self._asked = dict[BatchId, dict[str, _Waiting]]()
        self._settled: list[tuple[float, str]] = []
        self._released: list[str] = []
        self._came = anyio.Event()
        self._due = False
        self._began = 0.0

    async def ask(self, question: Question) -> Reply:
        """The reply, when the batch has ended in which the question was."""
        waiting = _Waiting(question, digest_of(question))
        self._waiting.append(waiting)
        self._came.set()
        began = anyio.current_time()
        try:
            with anyio.move_on_after(max(DAY_S, question.timeout_s)):
                await waiting.answered.wait()
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
        duration_ms = round((anyio.current_time() - began) * 1000)
        if waiting.reply is None:
            detail = f"{self._tool} did not end the batch in time."
            return Failure(tool=self._tool, code=FailureCode.TIMEOUT, detail=detail, duration_ms=duration_ms)
        reply = self._batches.addressed(waiting.reply, question)
        return reply.model_copy(update={"duration_ms": duration_ms})

    def flush(self) -> None:
        """Hand in at once whatever waits: nothing more will come."""
        self._due = True
        self._came.set()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Self]:
        """Hand in and read while the block runs. What has not ended then stays with the provider, written down."""
        self._began = anyio.current_time()
        try:
            async with local.beside(self._beat) as group:
                group.start_soon(self._gather, group)
                yield self
        finally:
            with anyio.CancelScope(shield=True):
                operation = partial(leave, worker=self._worker, settled=[name for _, name in self._settled])
                await self._home.change(GatheredRecord, self._name, operation)

    async def _gather(self, group: TaskGroup) -> None:
        while True:
            await self._came.wait()
            self._came = anyio.Event()
            if not self._due and len(self._waiting) < self._most:
                with anyio.move_on_after(self._pace.linger_s) as quiet:
                    await self._came.wait()
                if not quiet.cancelled_caught:
                    continue
            self._due = False
            if self._waiting and await self._hand_in(group):
                group.start_soon(self._again, allowances.LEASE_S / 4)

    async def _again(self, seconds: float) -> None:
        await anyio.sleep(seconds)
        self.flush()

    async def _hand_in(self, group: TaskGroup) -> bool:
        """Hand in what waits, but for what another process may wait for; tells whether there is such."""
        waiting, self._waiting = self._waiting, []
        digests = [each.digest for each in waiting]
        known_s = anyio.current_time() - self._began
        operation = partial(claim, worker=self._worker, known_s=known_s, digests=digests)
        claimed = await self._home.change(GatheredRecord, self._name, operation)
        for index, (name, batch) in claimed.found.items():
            self._follow(group, batch, {name: waiting[index]})
        self._waiting = [waiting[index] for index in sorted(claimed.undecided)] + self._waiting
        for part in self._parts({name: waiting[index] for index, name in claimed.free.items()}):
            batch = await self._batches.submit([(name, each.question) for name, each in part.items()])
            if isinstance(batch, Failure):
                for each in part.values():
                    each.answer(batch)
                continue
            operation = partial(open_batch, worker=self._worker, batch=batch, names=tuple(part))
            await self._home.change(GatheredRecord, self._name, operation)
            self._follow(group, batch, part)
        return bool(claimed.undecided)

    def _parts(self, named: Mapping[str, _Waiting]) -> list[dict[str, _Waiting]]:
        """Batches of one model each, as large as they may be."""
        by_model = dict[str | None, list[dict[str, _Waiting]]]()
        sizes = dict[str | None, int]()
        for name, each in named.items():
            model, size = each.question.model, self._batches.size(each.question)
            parts = by_model.setdefault(model, [{}])
            if parts[-1] and (len(parts[-1]) >= self._most or sizes[model] + size > self._batches.most_bytes):
                parts.append({})
                sizes[model] = 0
            parts[-1][name] = each
            sizes[model] = sizes.get(model, 0) + size
        return [part for parts in by_model.values() for part in parts]

    def _follow(self, group: TaskGroup, batch: BatchId, asked: Mapping[str, _Waiting]) -> None:
        if batch in self._asked:
            self._asked[batch].update(asked)
        else:
            self._asked[batch] = dict(asked)
            group.start_soon(self._wait_for, batch)

    async def _wait_for(self, batch: BatchId) -> None:
        status = await self._end_of(batch)
        if isinstance(status, Failure):
            return self._give_up(batch, status)
        if status.failure is None and (broken := await self._read_patiently(batch, status)):
            return self._give_up(batch, broken)
        for name, each in self._asked.pop(batch).items():
            self._hand_on(name, each, status.failure or self._silence())
        return None

    def _give_up(self, batch: BatchId, failure: Failure) -> None:
        """What is not known of the batch may be known later; of one that is lost, never."""
        for name, each in self._asked.pop(batch).items():
            each.answer(failure)
            if failure.code is FailureCode.SERVER_ERROR:
                self._settled.append((anyio.current_time(), name))
            else:
                self._released.append(name)

    async def _end_of(self, batch: BatchId) -> BatchStatus | Failure:
        """Its status when it has ended, or why there will be none. A question that is not answered passes."""
        while True:
            status = await self._batches.poll(batch)
            if isinstance(status, Failure) and status.code is FailureCode.NOT_FOUND:
                # It may be asked anew: nobody will ever answer this one.
                detail = f"{self._tool} knows nothing of the batch any more."
                return status.model_copy(update={"code": FailureCode.SERVER_ERROR, "retryable": True, "detail": detail})
            if isinstance(status, Failure) and not status.retryable and status.code is not FailureCode.PARSE:
                return status
            if isinstance(status, BatchStatus) and status.is_ended:
                return status
            await anyio.sleep(self._pace.poll_s)

    async def _read_patiently(self, batch: BatchId, status: BatchStatus) -> Failure | None:
        broken: Failure | None = None
        for tries in range(_LONG_ENOUGH):
            await anyio.sleep(self._pace.poll_s if tries else 0)
            if (broken := await self._read(batch, status)) is None:
                return None
        return broken

    async def _read(self, batch: BatchId, status: BatchStatus) -> Failure | None:
        """Hand on what the results say; tells why they could not be read to their end, if so."""
        asked = self._asked[batch]
        try:
            async with aclosing(self._batches.results(status)) as results:
                async for name, reply in results:
                    if each := asked.pop(name, None):
                        self._hand_on(name, each, reply)
        except ConsultError as error:
            detail = one_line(f"{self._tool}: {error}", DETAIL_LIMIT)
            return Failure(tool=self._tool, code=FailureCode.CONNECTION, detail=detail)
        return None

    def _hand_on(self, name: str, each: _Waiting, reply: Reply) -> None:
        each.answer(reply)
        self._settled.append((anyio.current_time(), name))

    def _silence(self) -> Failure:
        detail = f"{self._tool} ended the batch without a word on this question."
        return Failure(tool=self._tool, code=FailureCode.PARSE, detail=detail)

    async def _beat(self) -> None:
        while True:
            await anyio.sleep(allowances.LEASE_S / 3)
            await self._renew()

    async def _renew(self) -> None:
        due = anyio.current_time() - KEPT_S
        settled = frozenset(name for at, name in self._settled if at <= due)
        released, self._released = frozenset(self._released), []
        if self._asked or settled or released:
            operation = partial(renew, worker=self._worker, settled=settled, released=released)
            await self._home.change(GatheredRecord, self._name, operation)
            self._settled = [(at, name) for at, name in self._settled if at > due]
