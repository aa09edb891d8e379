"""Short work beside an event loop: done in one thread for all, and held up by nobody who takes long."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup

from sparring.processes.workers import SharedThread

PATIENT_S = 60


async def all_done(*works: Callable[[], object]) -> list[object]:
    """What comes of ``works`` that are due at the same time, in their order."""
    with anyio.fail_after(PATIENT_S):
        return await asyncio.gather(*(SharedThread.current().run(work) for work in works))


async def test_work_due_at_once_shares_a_thread_other_than_the_loop() -> None:
    threads = await all_done(*[threading.get_ident] * 50)
    assert len(set(threads)) < 10  # one, unless this machine holds it up for so long that it is taken for stuck
    assert threading.get_ident() not in threads
    assert await all_done(*(partial(int, str(number)) for number in range(20))) == list(range(20))


async def test_an_exception_reaches_only_the_caller_of_its_work() -> None:
    both = (SharedThread.current().run(partial(int, text)) for text in ("x", "1"))
    raised, number = await asyncio.gather(*both, return_exceptions=True)
    assert isinstance(raised, ValueError)
    assert number == 1


async def test_stuck_work_delays_no_other_work_and_its_caller_can_be_cancelled() -> None:
    stuck, told = threading.Event(), list[object]()

    async def left(group: TaskGroup) -> None:
        with anyio.CancelScope() as scope:
            group.start_soon(others, scope)
            told.append(await SharedThread.current().run(lambda: stuck.wait(PATIENT_S)))

    async def others(scope: anyio.CancelScope) -> None:
        assert await all_done(*(partial(int, str(number)) for number in range(9))) == list(range(9))
        scope.cancel()

    try:
        with anyio.fail_after(PATIENT_S):
            async with anyio.create_task_group() as group:
                group.start_soon(left, group)
    finally:
        stuck.set()
    assert told == []
    assert await all_done(partial(int, "7")) == [7]


async def test_work_of_a_cancelled_caller_is_not_begun() -> None:
    stuck, begun = threading.Event(), list[int]()
    async with anyio.create_task_group() as group:
        group.start_soon(SharedThread.current().run, lambda: stuck.wait(PATIENT_S))
        await anyio.lowlevel.checkpoint()
        with anyio.move_on_after(0):
            await SharedThread.current().run(lambda: begun.append(1))
        stuck.set()
    assert await all_done(partial(int, "1")) == [1]
    assert begun == []


async def test_a_thread_that_has_nothing_to_do_takes_the_next_work() -> None:
    one_by_one = [(await all_done(threading.get_ident))[0] for _ in range(20)]
    assert len(set(one_by_one)) < 10  # one, unless this machine holds it up for longer than it waits
