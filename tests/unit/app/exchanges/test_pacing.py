"""Rates as one worker, and several on one record, keep to them; time passes only where all wait."""

import asyncio
from bisect import bisect_left
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

import anyio
import pytest
from msgspec import Struct, field

from sparring.app.exchanges.pacing import NO_RATES, Pacing, ToolRates
from sparring.providers.wrappers import OF_APIS, RetryingConsultant, no_report
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply, Usage
from support.clocks import JumpingClock, on_its_own_clock
from support.desk import question
from support.records import MemoryRecords

TOOL = "mine"
FULL = Failure(tool=TOOL, code=FailureCode.RATE_LIMIT, detail="Too many.", retryable=True)


def now() -> float:
    return asyncio.get_running_loop().time()


def in_no_time(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    @wraps(test)
    def run(**cases: Any) -> None:
        on_its_own_clock(lambda: test(**cases), JumpingClock)

    return run


def workers_of(count: int, **rules: Any) -> list[Pacing]:
    """So many, which share their records."""
    shared = MemoryRecords("0", now)
    limits = ToolRates(rules.get("rpm", {}), rules.get("tpm", {}), rules.get("at_once", {}))
    return [Pacing(shared.of(str(number)), limits) for number in range(count)]


class Paced:
    """Asks ``inner`` when it is its turn, as ``session.ExchangeConsultant`` does, and keeps nothing."""

    def __init__(self, inner: "Api", pacing: Pacing) -> None:
        self._inner = inner
        self._queue, self._slots = pacing.queue(TOOL), pacing.slots(TOOL)
        self.waited_s = 0.0

    async def ask(self, question: Question) -> Reply:
        began, ends = now(), float("inf")
        while True:
            await self._slots.take()
            try:
                permit = await self._queue.permit(len(question.prompt))
                if ends == float("inf"):
                    self.waited_s += now() - began
                    ends = now() + question.timeout_s
                try:
                    reply = await self._inner.ask(question)
                except BaseException:
                    await self._queue.give_back(permit)
                    raise
                again_s = await self._queue.record_reply(permit, len(question.prompt), reply)
            finally:
                self._slots.give_back()
            if again_s is None or now() + again_s >= ends:
                return reply


class Api(Struct):
    """Answers after ``takes_s``; of requests that come within ``per_s`` refuses those beyond ``most``."""

    takes_s: float = 0.2
    most: int = 1_000_000
    per_s: float = 60.0
    retry_after_s: float | None = None
    usage: Usage = field(default_factory=Usage)
    asked: list[float] = field(default_factory=list[float])
    refused: list[float] = field(default_factory=list[float])
    at_once: int = 0
    most_at_once: int = 0

    async def ask(self, question: Question) -> Reply:
        arrived = now()
        self.asked.append(arrived)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            asked, refused = (sum(arrived - self.per_s < at for at in them) for them in (self.asked, self.refused))
            await anyio.sleep(self.takes_s)
            if asked - refused > self.most:
                self.refused.append(arrived)
                return FULL.model_copy(update={"retry_after_s": self.retry_after_s})
            return Answer(tool=TOOL, response=question.prompt, duration_ms=1, usage=self.usage)
        finally:
            self.at_once -= 1


async def ask_all(limits: list[Pacing], api: Api, times: int, *, timeout_s: float = 600.0) -> list[Reply]:
    """So many questions to each of ``limits``, all at the same time, as a run asks them."""
    replies = list[Reply]()

    async def one(each: Pacing) -> None:
        paced = Paced(api, each)
        asked = question("Is it so?").model_copy(update={"timeout_s": timeout_s})
        replies.append(await RetryingConsultant(paced, OF_APIS, no_report, lambda: paced.waited_s).ask(asked))

    async with anyio.create_task_group() as group:
        for each in limits:
            for _ in range(times):
                group.start_soon(one, each)
    return replies


def most_within(moments: list[float], seconds: float) -> int:
    return max(bisect_left(moments, begin + seconds) - index for index, begin in enumerate(moments))


@pytest.mark.parametrize(("rpm", "workers"), [(10, 1), (120, 3)])
@in_no_time
async def test_no_minute_sees_more_requests_than_the_rate_and_its_burst(rpm: int, workers: int) -> None:
    api = Api()
    await ask_all(workers_of(workers, rpm={TOOL: rpm}), api, max(40, rpm * 2 // workers))
    assert most_within(api.asked, 60.0) <= rpm + 2 * rpm / 60 + 1
    assert len(api.asked) / (api.asked[-1] / 60) >= 0.95 * rpm  # and it is used


@in_no_time
async def test_tokens_are_estimated_before_and_settled_after() -> None:
    api = Api(usage=Usage(input_tokens=900, output_tokens=100))
    await ask_all(workers_of(1, tpm={TOOL: 60_000}), api, 300)
    assert 55 <= most_within(api.asked[100:], 60.0) <= 63


@in_no_time
async def test_a_burst_of_refusals_uses_up_no_retries() -> None:
    api = Api(most=10, per_s=30.0, retry_after_s=20.0)
    replies = await ask_all(workers_of(3, at_once={TOOL: 8}), api, 20)
    assert all(isinstance(reply, Answer) for reply in replies)
    assert len(api.refused) <= 60


@in_no_time
async def test_slots_of_a_dead_worker_are_free_at_once() -> None:
    shared, began = MemoryRecords("first", now), now()
    rules = ToolRates({}, {}, at_once={TOOL: 1})
    with anyio.move_on_after(1.0):
        await Paced(Api(takes_s=900.0), Pacing(shared, rules)).ask(question())
    other = shared.of("second")
    shared.living.remove("first")
    assert isinstance(await Paced(Api(takes_s=3.0), Pacing(other, rules)).ask(question()), Answer)
    assert now() - began == pytest.approx(4.0)


@in_no_time
async def test_waiting_for_a_slot_does_not_use_the_time_of_a_question() -> None:
    api = Api(takes_s=4.0)
    await ask_all(workers_of(1, rpm={TOOL: 1}), api, 5, timeout_s=5.0)
    assert [round(at) for at in api.asked] == [0, 59, 119, 179, 239]


@in_no_time
async def test_a_worker_keeps_its_work_however_long_it_takes() -> None:
    api = Api(takes_s=300.0)
    first, second = workers_of(2, at_once={TOOL: 1})
    async with first.running(), second.running():
        await ask_all([first, second], api, 2)
    assert api.most_at_once == 1


@in_no_time
async def test_a_cancelled_probe_passes_to_another_worker() -> None:
    api, limits = Api(most=0, retry_after_s=5.0), workers_of(1)
    await ask_all(limits, api, 1, timeout_s=5.0)
    api.most, api.takes_s = 1_000, 10.0
    with anyio.move_on_after(7.0):
        await ask_all(limits, api, 1)
    assert (len(api.asked), api.at_once) == (2, 0)
    api.takes_s = 0.1
    assert all(isinstance(reply, Answer) for reply in await ask_all(limits, api, 3))
    assert now() < 8.0


@in_no_time
async def test_exceptions_during_pacing_pass_unchanged() -> None:
    async def work() -> None:
        async with Pacing(MemoryRecords("one", now), NO_RATES).running():
            await anyio.sleep(100)
            raise KeyError

    with pytest.raises(KeyError):
        await work()


@in_no_time
async def test_a_first_call_of_a_tool_does_not_disturb_the_renewal_of_others() -> None:
    """A record takes a while to be changed, and whoever walks over the queues waits for it."""
    records = MemoryRecords("one", now, takes_s=8.0)
    pacing = Pacing(records, ToolRates({}, {}, at_once={"a": 4, "b": 4, "c": 4}))
    async with pacing.running():
        for tool in ("a", "b", "c"):
            await pacing.slots(tool).take()
            await pacing.queue(tool).permit(1)
            await anyio.sleep(11.0)
        await anyio.sleep(60.0)
