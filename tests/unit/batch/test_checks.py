"""The processes in which code checks rows."""

import os
import signal
from multiprocessing import active_children

import anyio
import pytest

from sparring.batch.checks import ClaimChecks
from sparring.batch.rows import BatchRow

ROW = BatchRow(1, "a.csv", 2, texts={"claim": "It has 5 doors.", "truth": "It has 5 doors."})


@pytest.mark.process
def test_a_ctrl_c_that_reaches_everybody_is_for_whoever_started_them() -> None:
    with ClaimChecks(1) as checks:
        for _ in range(2):
            (told,) = anyio.run(checks.judged, [ROW])
            assert told.result["label"] == "SUPPORTED"
            for process in active_children():
                os.kill(process.pid or 0, signal.SIGINT)
