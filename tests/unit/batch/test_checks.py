"""The processes in which code checks rows."""

import re
import signal
import sys
from multiprocessing import active_children
from pathlib import Path

import anyio
import pytest

from sparring.batch.checks import ClaimChecks
from sparring.batch.rows import BatchRow

ROW = BatchRow(1, "a.csv", 2, texts={"claim": "It has 5 doors.", "truth": "It has 5 doors."})


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="only there a process tells which signals it lets wait")
def test_a_ctrl_c_is_for_whoever_started_them() -> None:
    others = active_children()
    with ClaimChecks(1) as checks:
        (told,) = anyio.run(checks.judged, [ROW])
        (process,) = (each for each in active_children() if each not in others)
        found = re.search(r"SigBlk:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8"))
    assert told.result["label"] == "SUPPORTED"
    assert found
    assert int(found[1], 16) & 1 << signal.SIGINT - 1


@pytest.mark.process
def test_what_nobody_waits_for_any_more_is_ended_with_the_block() -> None:
    async def give_up(checks: ClaimChecks) -> None:
        with anyio.move_on_after(0):
            await checks.judged([ROW])

    others = active_children()
    with ClaimChecks(1) as checks:
        anyio.run(give_up, checks)
        assert active_children() != others
    assert active_children() == others
