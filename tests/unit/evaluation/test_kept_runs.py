"""Runs whose answers a ledger keeps: each question is paid once, however many ask it."""

from pathlib import Path

import anyio
import pytest

from sparring.evaluation.kept_runs import opened
from sparring.formats.consult import FORMAT
from sparring.formats.consult.options import ConsultOptions
from sparring.schema.runs import Limits, Run
from support.installed import app_with
from support.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = Workbench.below(tmp_path)
    bench.add_tool("ann", [{"response": "Yes, it is."}])
    return bench


async def test_two_simultaneous_requests_for_one_run_pay_once(bench: Workbench) -> None:
    found, calls = list[Run | str](), list[int]()

    async def ask() -> None:
        app = app_with(bench)
        request = app.request(ConsultOptions(question="Is it safe?", tool="ann"))
        async with opened(app, FORMAT, request, Limits()) as runs:
            found.append(await runs.run(request))
            calls.append(runs.spent.calls)

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        group.start_soon(ask)
    assert sorted(calls) == [0, 1]
    answers = [run.transcript.turns[0].reply for run in found if isinstance(run, Run)]
    assert len(answers) == len(found)
    assert answers[0] == answers[1]


async def test_a_finished_run_is_read_from_disk_without_calls(bench: Workbench) -> None:
    app = app_with(bench)
    request = app.request(ConsultOptions(question="Is it safe?", tool="ann"))
    async with opened(app, FORMAT, request, Limits()) as runs:
        assert await runs.left([request]) == [request]
        first = await runs.run(request)
    async with opened(app, FORMAT, request, Limits(calls=1)) as runs:
        assert await runs.left([request]) == []
        assert await runs.run(request) == first
        assert runs.spent.calls == 0
