import math
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from sparring.errors import UsageError, WorkerEndedError
from sparring.processes.workers import SHORT, ResourceLimits, room_for_workers, run_in_worker, run_pure
from sparring.testing.workspace import Attendance

pytestmark = pytest.mark.process


def refuse() -> None:
    raise UsageError("No.", hint="Never.")


def fill() -> int:
    return len(bytearray(2 << 30))


def turn_for_ever() -> None:
    while True:
        pass


async def test_a_long_text_is_read_in_another_process_and_a_short_one_in_this() -> None:
    assert await run_pure(os.getpid, texts=["a" * SHORT]) == os.getpid()
    assert await run_pure(os.getpid, texts=["a" * SHORT, "a"]) != os.getpid()


async def test_results_and_exceptions_of_a_worker_come_back_unchanged() -> None:
    text = "Thế kỷ \ud800\n" * 100_000
    assert await run_in_worker(str.upper, text) == text.upper()
    with pytest.raises(UsageError, match=r"^No\. Never\.$"):
        await run_in_worker(refuse)


@pytest.mark.parametrize(
    ("function", "allowance"),
    [
        (turn_for_ever, ResourceLimits(processor_s=1)),
        (turn_for_ever, ResourceLimits(wall_s=1)),
        (fill, ResourceLimits(memory_bytes=1 << 30)),
        (math.sqrt, ResourceLimits()),
    ],
    ids=["processor", "wall", "memory", "failure"],
)
async def test_work_beyond_its_limits_is_ended_with_a_worker_error(
    function: Callable[..., object], allowance: ResourceLimits
) -> None:
    with pytest.raises(WorkerEndedError):
        await run_in_worker(function, allowance=allowance)


def stay(address: str) -> None:
    host, port = address.split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"worker\n")
        turn_for_ever()


ASKER = """
import sys
from functools import partial

import anyio
from sparring.processes.workers import run_in_worker
from test_workers import stay

anyio.run(partial(run_in_worker, stay, sys.argv[1]))
"""


def test_a_worker_ends_with_its_starter() -> None:
    with Attendance() as attendance:
        argv = (sys.executable, "-c", ASKER, attendance.address)
        asker = subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)})
        assert attendance.arrivals(1) == {"worker"}
        asker.kill()
        asker.wait()
        assert attendance.last_words() == {"worker": ""}


async def test_there_is_room_for_so_many_at_once_and_the_others_wait_in_order() -> None:
    room = room_for_workers()
    more = int(room.total_tokens) + 2
    with Attendance() as attendance:
        async with anyio.create_task_group() as tasks:
            for _ in range(more):
                tasks.start_soon(run_in_worker, stay, attendance.address)
            await anyio.wait_all_tasks_blocked()
            assert (room.borrowed_tokens, room.statistics().tasks_waiting) == (room.total_tokens, 2)
            tasks.cancel_scope.cancel()
    assert room.borrowed_tokens == 0
