import anyio
import pytest

from sparring.consult.host import Mailbox, Posted
from sparring.errors import UsageError
from sparring.jobs import Jobs, Observer
from sparring.schema.base import Role
from sparring.schema.runs import Run
from sparring.schema.transcript import TurnKind
from support.runs import answer, finished_consult, finished_debate

DEBATE, CONSULT = finished_debate(), finished_consult(answer("Yes."))
BOUND_S = 20
POSTED = Posted(ask_id="a", kind=TurnKind.SYNTHESIS, role=Role.JUDGE, round=1, tool="host", prompt="Who has won?")


class Work:
    """Work that ends when it may."""

    def __init__(self) -> None:
        self.may_end = anyio.Event()

    async def __call__(self, _: Observer) -> Run:
        await self.may_end.wait()
        return DEBATE


async def test_all_jobs_are_at_rest_when_each_has_ended_or_needs_the_host() -> None:
    mailbox, work = Mailbox(CONSULT.header.run_id), Work()

    async def ask(_: Observer) -> Run:
        await mailbox.put(POSTED)
        return CONSULT

    async with anyio.create_task_group() as group:
        jobs = Jobs(group)
        with anyio.fail_after(BOUND_S):
            await jobs.all_at_rest()
            ending = jobs.start(DEBATE.header, work)
            asking = jobs.start(CONSULT.header, ask, mailbox)
            assert jobs.under_way == (ending, asking)
            work.may_end.set()
            await jobs.all_at_rest()
        assert jobs.under_way == (asking,)
        assert asking.needs_host
        assert await jobs.cancel_all() == 1
        assert jobs.under_way == ()
        assert await jobs.cancel_all() == 0


async def test_a_job_that_finishes_while_all_are_stopped_was_not_stopped() -> None:
    async def work(_: Observer) -> Run:
        with anyio.CancelScope(shield=True):
            await anyio.lowlevel.checkpoint()
        return DEBATE

    async with anyio.create_task_group() as group:
        jobs = Jobs(group)
        jobs.start(DEBATE.header, work)
        await anyio.lowlevel.checkpoint()
        assert await jobs.cancel_all() == 0


async def test_a_job_too_many_is_refused_and_those_under_way_are_named() -> None:
    work = Work()
    async with anyio.create_task_group() as group:
        jobs = Jobs(group, most=1)
        jobs.check_room()
        job = jobs.start(DEBATE.header, work)
        with pytest.raises(UsageError) as refused:
            jobs.check_room()
        named = DEBATE.header.run_id
        assert str(refused.value) == (
            f"You have 1 of at most 1 runs under way: {named}. Wait for one of them, or cancel it."
        )
        work.may_end.set()
        await job.ended.wait()
        jobs.check_room()
