"""Memory of the process that leads a batch."""

import gc
import tracemalloc
from collections.abc import Generator
from pathlib import Path

import anyio
import pytest

from sparring.app import App
from sparring.batch.job import BLOCK, Job
from sparring.batch.running import judge_batch
from sparring.batch.table_output import BatchProgress
from sparring.testing import Workspace

BLOCKS = 7
LONG = "x" * 300
"""Makes lines too long for the redactor to remember them: a memory that is bounded, but by more than this table."""

A_ROW = 256
"""Bytes; what is kept of one row, be it only its result, takes several times as much."""


@pytest.fixture
def tracing() -> Generator[None]:
    gc.collect()
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.usefixtures("tracing")
def test_a_written_row_leaves_nothing_in_memory(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.add_scripted("ann", {"response": "Yes."})
    lines = (f'{{"question": "Is {number} even? {LONG}"}}\n' for number in range(BLOCKS * BLOCK))
    (workspace.project / "t.jsonl").write_text("".join(lines), encoding="utf-8")
    job = Job("consult", ["t.jsonl"], "out", options={"tool": "ann"}, form="jsonl", at_once=8, rows_per_shard=BLOCK)
    taken = list[int]()

    def watch(_: BatchProgress) -> None:
        gc.collect()
        taken.append(tracemalloc.get_traced_memory()[0])

    manifest = anyio.run(judge_batch, App(workspace.settings), job, watch)

    assert (manifest.rows, len(taken)) == (BLOCKS * BLOCK, BLOCKS)
    # The least of some: what is under way comes and goes. The last is left out, for there nothing is.
    early, late = min(taken[1:3]), min(taken[-3:-1])
    assert late - early < A_ROW * BLOCK * (BLOCKS - 4)
