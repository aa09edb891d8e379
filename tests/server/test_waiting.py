"""Calls that begin work, wait for it, and give up on it."""

import re

import anyio
import pytest
from mcp import Client

from sparring.formats.consult.options import ConsultOptions
from sparring.server.limits import Caller, ServerLimits
from sparring.server.session import ServerSession
from sparring.settings import Settings
from support.mcp_project import AT_ONCE, BOUND_S, DEBATE, NEVER, Era, Heard, client, said
from support.workbench import SPEECHES, Workbench


async def test_a_run_without_a_result_is_an_error_with_the_cause(bench: Workbench) -> None:
    bench.add_tool("ann", [{"failure": {"code": "quota", "detail": "The month is used up."}}])
    async with client(bench) as host:
        consulted = said(await host.call_tool("consult", {"question": "Is it safe?", "tool": "ann"}))
        debated = said(await host.call_tool("debate", DEBATE))
    assert (consulted.status, "The month is used up." in consulted.text) == ("failed", True)
    assert (debated.status, "[ERROR]" in f"{debated.warnings}") == ("failed", True)


async def test_a_run_longer_than_a_call_is_awaited_by_the_next_call(bench: Workbench) -> None:
    bench.add_tool("bob", [{**speech, "delay_s": 0.1} for speech in SPEECHES])
    async with client(bench, limits=AT_ONCE) as host:
        result = said(await host.call_tool("debate", DEBATE))
        run_id = result.run_id
        assert (result.status, "Expected: 6 to 11 calls, usually 6, about " in result.text) == ("running", True)
        calls = 0
        while result.status == "running":
            calls += 1
            assert result.next == f'It is still running: call wait with run_id "{run_id}" and again {calls}.'
            result = said(await host.call_tool("wait", {"run_id": run_id, "again": calls}))
        assert (result.status, result.run_id) == ("finished", run_id)
        assert said(await host.call_tool("wait", {"run_id": run_id})) == result


async def silent(_: str) -> None:
    """A host that asks for no progress."""


async def give_up(host: Client) -> str:
    """Begin a debate and cancel the call; the id of its run."""
    heard = Heard()

    async def call() -> None:
        await host.call_tool("debate", DEBATE, progress_callback=heard)

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        await heard.run_id("challenger")
        group.cancel_scope.cancel()
    return await heard.run_id()


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_run_whose_call_was_cancelled_is_stopped_and_can_be_resumed(bench: Workbench, era: Era) -> None:
    bench.add_tool("bob", NEVER)
    async with client(bench, era) as host:
        run_id = await give_up(host)
        with anyio.fail_after(BOUND_S):
            while "running" in said(await host.call_tool("runs", {})).text:
                pass
        assert said(await host.call_tool("wait", {"run_id": run_id})).status == "interrupted"
    bench.add_tool("bob", SPEECHES)
    async with client(bench, era) as host:
        assert said(await host.call_tool("debate", {"resume": run_id})).status == "finished"


async def test_one_more_run_than_a_server_takes_is_refused_with_a_way_out(bench: Workbench) -> None:
    bench.add_tool("bob", NEVER)
    question = {"question": "?", "tool": "bob"}
    async with client(bench, limits=ServerLimits(call_s=0, most_runs=2)) as host:
        begun = [said(await host.call_tool("consult", question)).run_id for _ in range(2)]
        refused = said(await host.call_tool("consult", question))
        assert refused.text == (
            f"2 runs are in progress, which is the limit: {', '.join(begun)}. Call wait with one of these, or "
            "cancel; SPARRING_MAX_RUNS in the server's environment sets the limit."
        )
        await host.call_tool("cancel", {"run_id": begun[0]})
        assert said(await host.call_tool("consult", question)).status == "running"
        assert len(re.findall("`consult-", said(await host.call_tool("runs", {})).text)) == 3


async def test_a_call_that_has_used_up_its_time_does_not_wait(bench: Workbench) -> None:
    bench.add_tool("bob", NEVER)
    ages = 1e6
    async with ServerSession.open(
        Settings.read(bench.environment, bench.project), ServerLimits(call_s=ages)
    ) as session:
        caller = Caller(silent, anyio.current_time() - ages)
        with anyio.fail_after(BOUND_S):
            begun = await session.answers(None).begin(ConsultOptions, {"question": "?", "tool": "bob"}, caller)
        assert begun.status == "running"


async def test_progress_only_grows_and_names_the_current_step(bench: Workbench) -> None:
    bench.add_tool("bob", [{"response": "After a while.", "delay_s": 0.3}])
    heard = Heard()
    async with client(bench, limits=ServerLimits(beat_s=0.02)) as host:
        result = said(await host.call_tool("consult", {"question": "?", "tool": "bob"}, progress_callback=heard))
    assert len(heard.beats) > 3
    assert sorted(heard.beats) == list(range(1, len(heard.beats) + 1))
    assert all(message.startswith(f"{result.run_id}  ") for message in heard.messages)
    assert any("bob  asked" in message for message in heard.messages)


@pytest.mark.process
async def test_however_long_the_answers_are_each_result_stays_below_the_limit(bench: Workbench) -> None:
    answer = '"\\é\t😀\n'
    bench.add_tool("ann", [{"response": answer * 2_000}])
    async with client(bench) as host:
        consulted = said(await host.call_tool("consult", {"question": answer * 2_000, "tool": "ann"}))
        assert (consulted.status, len(consulted.text) > 3_500) == ("finished", True)
        unjudged = said(await host.call_tool("debate", DEBATE | {"seat": ["judge=ann"]}))
        assert unjudged.status == "finished"
        first = said(await host.call_tool("runs", {"run_id": unjudged.run_id}))
        last = said(await host.call_tool("runs", {"run_id": unjudged.run_id, "page": first.pages}))
        assert first.next == f'Call runs with run_id "{unjudged.run_id}" and page 2 for the next page.'
        assert (last.page, last.next) == (first.pages, "")
