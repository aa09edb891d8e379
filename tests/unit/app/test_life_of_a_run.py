"""A run from its beginning to its end in the use cases: what is locked, what its log says, what it may still use."""

import itertools

import anyio
import pytest

from sparring.app import App
from sparring.app.application import OpenRun
from sparring.errors import UsageError
from sparring.formats.chaired_debate.options import ChairedDebateOptions
from sparring.formats.consult.options import ConsultOptions
from sparring.schema.runs import AskStarted, Run, RunEvent, RunStatus
from sparring.server.deliberations import Deliberations, RunState
from sparring.server.jobs import Jobs, Observer
from sparring.server.limits import ServerLimits
from sparring.store.debate_log import LOG_NAME, DebateLog
from sparring.store.history import RESULT_NAME
from sparring.store.journal import JOURNAL_NAME
from sparring.store.run_lock import is_locked
from sparring.testing.crashes import cancelled_at
from support.chaired_debaters import CHAIRED_SPEECHES, TOPIC
from support.installed import app_with
from support.workbench import Workbench


@pytest.fixture
def bench(bench: Workbench) -> Workbench:
    for name in ("ann", "bob", "cy"):
        bench.add_tool(name, [*CHAIRED_SPEECHES, {"response": "An answer."}])
    return bench


def begin(at: App) -> OpenRun:
    return at.begin(at.request(ConsultOptions(question="Is it safe?", tool="ann,bob")))


def silent(_: RunEvent) -> None:
    """Who watches in silence."""


async def test_a_run_cancelled_anywhere_can_be_resumed(bench: Workbench) -> None:
    at = app_with(bench)
    for step in itertools.count(1, 5):
        run = begin(at)
        got_there = await cancelled_at(step, lambda run=run: at.work(run, silent))
        assert not is_locked(run.journal.folder)
        if not got_there:
            break
        if at.run(run.run_id).status is RunStatus.INTERRUPTED:
            finished = await at.work(at.reopen(run.run_id), silent)
            assert (finished.status, finished.notices) == (RunStatus.FINISHED, ())


def test_a_run_that_cannot_be_taken_up_is_not_kept_from_others(bench: Workbench) -> None:
    run = begin(app_with(bench))
    run.journal.close()
    (bench.providers / "bob.toml").unlink()
    with pytest.raises(UsageError, match="There is no tool named 'bob'") as refused:
        app_with(bench).reopen(run.run_id)
    assert refused.tb  # whatever was opened lives on in its frames, and is not closed by being forgotten
    assert not is_locked(run.journal.folder)


async def test_a_broken_run_does_not_hide_other_runs(bench: Workbench) -> None:
    at = app_with(bench)
    runs = [await at.work(begin(at), silent) for _ in range(2)]
    folder = at.folder(runs[0])
    (folder / RESULT_NAME).unlink()  # as a kill may leave it: whoever lists runs writes it
    first, second, *rest = (folder / JOURNAL_NAME).read_bytes().splitlines(keepends=True)
    (folder / JOURNAL_NAME).write_bytes(b"".join((first, second.replace(b"asked", b"ASKED"), *rest)))
    assert {each.run_id for each in at.runs()} == {run.header.run_id for run in runs}


async def test_the_log_of_a_resumed_debate_is_complete_before_the_next_call(bench: Workbench) -> None:
    at = app_with(bench)
    wish = ChairedDebateOptions(topic=TOPIC, participants="ann,bob,cy", max_rounds=1)
    run = at.begin(at.request(wish))
    log = DebateLog(run.journal.folder / LOG_NAME)
    broken_off = anyio.CancelScope()

    def stop(_: RunEvent) -> None:
        if len(log.read().entries) == 3:
            broken_off.cancel()

    with broken_off:
        await at.work(run, stop)
    said = log.read().entries
    log.path.unlink()
    half_written = log.path.with_name(f".{LOG_NAME}.0123456789abcdef.new")  # as a kill would leave it
    half_written.touch()
    found: list[object] = []

    def look(event: RunEvent) -> None:
        if isinstance(event, AskStarted):
            found.append(log.read().entries)

    finished = await at.work(at.reopen(run.run_id), look)
    assert found[0] == said
    assert not half_written.exists()
    assert isinstance(finished, Run)
    assert finished.status is RunStatus.FINISHED


async def test_files_of_a_run_exist_before_it_is_reported_as_finished(bench: Workbench) -> None:
    at, has_ended, may_end = app_with(bench), anyio.Event(), anyio.Event()
    opened = begin(at)

    async def still_filing(observe: Observer) -> Run:
        finished = await at.work(opened, observe)
        has_ended.set()
        await may_end.wait()
        return finished

    told: list[RunState] = []
    async with anyio.create_task_group() as group:
        jobs = Jobs(group)
        job, runs = jobs.start(opened.header, still_filing), Deliberations(at, jobs, ServerLimits())

        async def ask() -> None:
            told.append(await runs.run_state(job))

        await has_ended.wait()
        group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        assert not told
        may_end.set()
    assert [each.run.status for each in told] == [RunStatus.FINISHED]
