"""The processes in which code checks rows."""

import os
import re
import signal
import sys
from multiprocessing import active_children
from pathlib import Path

import anyio
import pytest

from sparring.batch.checks import ClaimChecks
from sparring.batch.results import JudgedRow
from sparring.batch.rows import BatchRow
from sparring.errors import SparringError

ROW = BatchRow(1, "a.csv", 2, texts={"claim": "It has 5 doors.", "truth": "It has 5 doors."})


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="only there a process tells which signals it lets wait")
def test_worker_processes_ignore_ctrl_c() -> None:
    others = active_children()
    with ClaimChecks(1) as checks:
        (told,) = anyio.run(checks.judged, [ROW])
        (process,) = (each for each in active_children() if each not in others)
        found = re.search(r"SigBlk:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8"))
    assert told.result["label"] == "SUPPORTED"
    assert found
    assert int(found[1], 16) & 1 << signal.SIGINT - 1


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="no signal stops a process there")
def test_a_process_that_does_nothing_any_more_does_not_delay_the_end_of_the_block() -> None:
    async def give_up(checks: ClaimChecks) -> None:
        await checks.judged([ROW])
        (process,) = (each for each in active_children() if each not in others)
        assert process.pid
        os.kill(process.pid, signal.SIGSTOP)
        async with anyio.create_task_group() as group:
            group.start_soon(checks.judged, [ROW])
            await anyio.wait_all_tasks_blocked()
            group.cancel_scope.cancel()
        assert active_children() != others

    others = active_children()
    with ClaimChecks(1) as checks:
        anyio.run(give_up, checks)
    assert active_children() == others


@pytest.mark.process
def test_a_process_that_died_is_reported_and_replaced() -> None:
    async def lose_one(checks: ClaimChecks) -> list[JudgedRow]:
        await checks.judged([ROW])
        (process,) = (each for each in active_children() if each not in others)
        process.kill()
        with pytest.raises(SparringError, match=r"A worker process has died\. Was there enough memory\?"):
            await checks.judged([ROW])
        return await checks.judged([ROW])

    others = active_children()
    with ClaimChecks(1) as checks:
        (told,) = anyio.run(lose_one, checks)
    assert told.result["label"] == "SUPPORTED"
