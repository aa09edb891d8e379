"""A run for each request: whoever asks for the same at the same time waits for it."""

from pathlib import Path

import anyio

from sparring.app.once import RunsOnce
from sparring.formats.consult.options import ConsultOptions
from sparring.schema.runs import Limits, Run
from sparring.store.history import RESULT_NAME, is_filed, latest_run, pair_folder
from support.installed import app_with
from support.workbench import Workbench

ASKED = ConsultOptions(question="Is it safe?", tool="ann")


async def test_of_two_who_ask_for_one_run_at_once_one_pays_and_both_have_it(tmp_path: Path) -> None:
    bench, found = Workbench.below(tmp_path), list[Run | str]()

    async def ask(at: RunsOnce) -> None:
        found.append(await at.run(request))

    apps = [app_with(bench) for _ in range(2)]
    request = apps[0].request(ASKED)
    sides = [RunsOnce(app, Limits()) for app in apps]
    async with anyio.create_task_group() as group:
        for side in sides:
            group.start_soon(ask, side)
    assert sorted(side.spent.calls for side in sides) == [0, 1]
    assert isinstance(found[0], Run)
    assert found[0] == found[1]


async def test_a_run_whose_keeper_was_killed_before_its_result_was_written_is_filed_by_who_asks_next(
    tmp_path: Path,
) -> None:
    app = app_with(Workbench.below(tmp_path))
    request = app.request(ASKED)
    first = await RunsOnce(app, Limits()).run(request)
    kept = latest_run(app.place.state, pair_folder(app.place.state, request))
    assert kept
    (kept / RESULT_NAME).unlink()
    assert await RunsOnce(app, Limits()).run(request) == first
    assert is_filed(kept)
