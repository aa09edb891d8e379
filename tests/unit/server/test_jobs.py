import math
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import pytest

from sparring.providers.host import Mailbox, PostedQuestion
from sparring.schema.runs import AskStarted, Run
from sparring.server.deliberations import containing_errors
from sparring.server.jobs import Jobs, Observer, RunJob
from support.runs import answer, asked, finished_consult, spoke
from support.stored_runs import stored

DONE = stored("debate")
HEADER = DONE.header
ASKED = asked()
TAKEN = spoke(ASKED)
BOUND_S = 20
TOKEN = "ghp_" + "a1B2" * 9


class ServerSession:
    """Work that goes on until it is told to end."""

    def __init__(self) -> None:
        self.begun = anyio.Event()
        self.may_end = anyio.Event()

    async def __call__(self, observe: Observer) -> Run:
        observe(ASKED)
        self.begun.set()
        await self.may_end.wait()
        return DONE


@asynccontextmanager
async def begun() -> AsyncGenerator[tuple[RunJob, ServerSession]]:
    """A job whose work has begun; the block ends when it has ended."""
    async with anyio.create_task_group() as group:
        work = ServerSession()
        job = Jobs(group).start(HEADER, work)
        await work.begun.wait()
        yield job, work


def posted(ask_id: str) -> PostedQuestion:
    return PostedQuestion(ask_id, ASKED, "Say it.")


async def nothing(_: RunJob) -> None:
    """Who waits in silence."""


async def wait(job: RunJob, on_news: Callable[[RunJob], Awaitable[None]] = nothing) -> None:
    with anyio.fail_after(BOUND_S):
        await job.wait(math.inf, on_news, every_s=math.inf)


async def given_up(job: RunJob) -> None:
    with anyio.move_on_after(0):
        await job.call(anyio.sleep_forever())


async def test_work_continues_while_one_call_waits_although_others_give_up() -> None:
    async with begun() as (job, work), anyio.create_task_group() as group:
        group.start_soon(job.call, wait(job))
        await anyio.wait_all_tasks_blocked()
        await given_up(job)
        assert not job.ended.is_set()
        work.may_end.set()
        await job.ended.wait()
    assert job.result == DONE


@pytest.mark.parametrize("calls_before", [0, 1], ids=["the first call", "a later one"])
async def test_a_call_that_is_cancelled_ends_the_work(calls_before: int) -> None:
    async with begun() as (job, _):
        for _ in range(calls_before):
            await job.call(job.wait(0, nothing, every_s=1))  # ends with its budget, and the work goes on
        await anyio.wait_all_tasks_blocked()
        assert not job.ended.is_set()
        await given_up(job)
        await job.ended.wait()
    assert (job.result, job.error) == (None, None)


async def test_events_during_a_progress_report_are_in_the_next_one() -> None:
    told = list[AskStarted | None]()
    async with begun() as (job, work):

        async def report_progress(job: RunJob) -> None:
            latest = job.latest
            assert isinstance(latest, AskStarted)
            told.append(latest)
            if len(told) == 1:
                job.observe(ASKED.model_copy(update={"round": 2}))
            else:
                work.may_end.set()
                await job.ended.wait()

        await wait(job, report_progress)
    assert [event.round for event in told if event] == [1, 2]


async def test_a_wait_ends_when_the_host_is_asked_and_resumes_once_its_answer_is_stored() -> None:
    async with anyio.create_task_group() as group:
        mailbox, work = Mailbox(HEADER.run_id), ServerSession()
        job = Jobs(group).start(HEADER, work, mailbox)
        for ask_id in ("a", "b"):
            group.start_soon(mailbox.post, posted(ask_id))
        await wait(job)
        assert (job.needs_host, [each.ask_id for each in mailbox.waiting]) == (True, ["a", "b"])
        mailbox.answer("a", "A.")
        assert not job.needs_host
        job.observe(TAKEN.model_copy(update={"ask_id": "a"}))
        await wait(job)
        assert (job.needs_host, [each.ask_id for each in mailbox.waiting]) == (True, ["b"])
        await job.cancel()
        assert not job.needs_host
        mailbox.answer("b", "B.")


async def test_a_run_that_is_taken_up_again_takes_the_place_of_its_earlier_job() -> None:
    async with anyio.create_task_group() as group:
        jobs, earlier, later = Jobs(group), ServerSession(), ServerSession()
        first = jobs.start(HEADER, earlier)
        second = jobs.start(HEADER, later)
        earlier.may_end.set()
        await wait(first)
        assert jobs.get(HEADER.run_id) is second
        later.may_end.set()


async def test_all_jobs_are_at_rest_when_each_has_ended_or_needs_the_host() -> None:
    consultation = finished_consult(answer("Yes."))
    mailbox, work = Mailbox(consultation.header.run_id), ServerSession()

    async def ask(_: Observer) -> Run:
        await mailbox.post(posted("a"))
        return consultation

    async with anyio.create_task_group() as group:
        jobs = Jobs(group)
        with anyio.fail_after(BOUND_S):
            await jobs.wait_until_idle()
            ending = jobs.start(HEADER, work)
            asking = jobs.start(consultation.header, ask, mailbox)
            assert jobs.unfinished == (ending, asking)
            work.may_end.set()
            await jobs.wait_until_idle()
        assert jobs.unfinished == (asking,)
        assert asking.needs_host
        assert await jobs.cancel_all() == 1
        assert jobs.unfinished == ()
        assert await jobs.cancel_all() == 0


async def test_a_job_that_finishes_while_all_are_stopped_was_not_stopped() -> None:
    async def work(_: Observer) -> Run:
        with anyio.CancelScope(shield=True):
            await anyio.lowlevel.checkpoint()
        return DONE

    async with anyio.create_task_group() as group:
        jobs = Jobs(group)
        jobs.start(HEADER, work)
        await anyio.lowlevel.checkpoint()
        assert await jobs.cancel_all() == 0


def redact(text: str) -> str:
    return text.replace(TOKEN, "[REDACTED]")


async def test_an_accident_in_one_run_ends_that_run_alone(caplog: pytest.LogCaptureFixture) -> None:
    accident_happened = anyio.Event()

    async def unlucky(_: Observer) -> Run:
        accident_happened.set()
        raise ZeroDivisionError(f"divided {TOKEN}")

    async def lucky(_: Observer) -> Run:
        await accident_happened.wait()
        return DONE

    async with anyio.create_task_group() as group:
        jobs = Jobs(group)
        ended = jobs.start(finished_consult(answer()).header, containing_errors(unlucky, redact))
        fine = jobs.start(HEADER, containing_errors(lucky, redact))
        with anyio.fail_after(BOUND_S):
            await ended.ended.wait()
            await fine.ended.wait()
        assert str(ended.error) == "sparring itself failed (ZeroDivisionError). Its log has the details."
        assert (fine.result, fine.error) == (DONE, None)
        await anyio.wait_all_tasks_blocked()
        assert [jobs.get(each.header.run_id) for each in (ended, fine)] == [ended, None]
    (record,) = caplog.records
    assert "ZeroDivisionError: divided [REDACTED]" in record.getMessage()
    assert TOKEN not in caplog.text
