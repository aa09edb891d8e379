"""A clock that is put back in the middle of a run: nothing is lost by it."""

from datetime import timedelta
from pathlib import Path

import pytest

from crash.scenes import SCENES, Scene, rehearsed, substance
from sparring.schema.base import utc_now
from sparring.store.history import run_folders
from sparring.store.journal import JournalWriter, read_journal
from support.workbench import Workbench


# One whose log tells of times beside the journal, and one that has nothing but a journal.
@pytest.mark.parametrize("scene", [SCENES["chaired-debate"], SCENES["debate"]], ids=str)
def test_a_run_with_a_start_in_the_future_resumes_and_ends_normally(scene: Scene, tmp_path: Path) -> None:
    (whole,) = rehearsed(scene, tmp_path)
    bench = Workbench(tmp_path)
    later = utc_now() + timedelta(hours=1)
    run_id = f"{scene.name}-{later:%Y%m%dT%H%M%SZ}-0a1b"
    header = whole.header.model_copy(update={"run_id": run_id, "created_at": later})
    folder = run_folders(bench.state, scene.name) / run_id
    with JournalWriter.create(folder, header, clock=lambda: utc_now() + timedelta(hours=1), key=bench.key) as writer:
        for number, step in enumerate(whole.steps[: len(whole.steps) // 2]):
            for index, turn in enumerate(step):
                ahead = turn.model_copy(update={"at": later})
                writer.turn(ahead, step=number, index=index, of=len(step))
    resumed = bench.run("runs", "resume", run_id, "--json")
    assert resumed.code == 0, resumed.err
    ended = read_journal(folder)
    assert substance(ended.outcome) == substance(whole.outcome)
    assert "running" not in bench.run("runs", "list").out
