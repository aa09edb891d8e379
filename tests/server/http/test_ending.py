"""A server that is asked to end while runs are under way."""

import signal
from pathlib import Path

import anyio
import anyio.to_thread
import httpx
import pytest

from sparring.server.results import ToolResult
from sparring.testing.attendance import Attendance
from support.mcp_project import DEBATE, Era, Heard, add_staying_tool, add_waiting_tool, said
from support.team import ANN, TeamServer, bearer, visitor, write_members
from support.workbench import SPEECHES, Workbench

pytestmark = pytest.mark.process


ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])


async def debated_until_the_end(server: TeamServer, era: Era, attendance: Attendance, *, signals: int) -> ToolResult:
    """What a call is told whose debate is stopped by the end of the server, while ``bob`` is asked."""
    heard, results = Heard(), list[ToolResult]()

    async with visitor(server, ANN, era) as ann:
        await ann.list_tools()  # as every host does; the client would do so when it gets its result

        async def call() -> None:
            results.append(said(await ann.call_tool("debate", DEBATE, progress_callback=heard)))

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await anyio.to_thread.run_sync(attendance.arrivals, 1)
            for _ in range(signals - 1):
                server.signal()
                await _refusing(server)
            server.signal()
    return results[0]


async def _refusing(server: TeamServer) -> None:
    """Wait until the server lets nobody in any more; what it answers then is always the same."""
    async with httpx.AsyncClient(base_url=server.url) as http:
        while (answer := await http.get("/healthz")).status_code == 200:
            pass
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")


@ERAS
@pytest.mark.parametrize(("grace", "signals"), [("0", 1), ("600", 2)])
async def test_a_run_that_does_not_finish_in_time_is_stopped_and_can_be_resumed(
    tmp_path: Path, era: Era, grace: str, signals: int
) -> None:
    bench = Workbench.below(tmp_path)
    arguments = ("--tokens", str(write_members(bench)), "--grace", grace)
    with Attendance() as attendance:
        add_staying_tool(bench, "bob", attendance)
        with TeamServer(bench, arguments) as server:
            stopped = await debated_until_the_end(server, era, attendance, signals=signals)
            assert server.end() == "Ended; 1 run stopped, to be taken up again with resume.\n"
        # Its program has ended, or this would wait for ever.
        assert await anyio.to_thread.run_sync(attendance.last_words, "bob") == {"bob": ""}
    assert stopped.status == "interrupted"
    assert stopped.next == f'To go on with it call debate with resume "{stopped.run_id}".'

    bench.add_tool("bob", SPEECHES)
    with TeamServer(bench, arguments) as server:
        async with visitor(server, ANN, era) as ann:
            resumed = said(await ann.call_tool("debate", {"resume": stopped.run_id}))
        server.stop()
    assert (resumed.status, resumed.run_id) == ("finished", stopped.run_id)


@ERAS
async def test_a_run_that_finishes_in_time_is_told_of_and_nobody_else_is_let_in(tmp_path: Path, era: Era) -> None:
    bench = Workbench.below(tmp_path)
    results = list[ToolResult]()
    arguments = ("--tokens", str(write_members(bench)), "--grace", "600")
    with Attendance() as attendance, TeamServer(bench, arguments) as server:
        add_waiting_tool(bench, "bob", attendance, "Late.")
        async with visitor(server, ANN, era) as ann, httpx.AsyncClient(base_url=server.url) as http:
            await ann.list_tools()

            async def call() -> None:
                question = {"question": "Who comes last?", "tool": "bob"}
                results.append(said(await ann.call_tool("consult", question)))

            async with anyio.create_task_group() as group:
                group.start_soon(call)
                await anyio.to_thread.run_sync(attendance.arrivals, 1)
                server.signal(signal.SIGINT)
                await _refusing(server)
                refused = await http.post("/mcp", headers=bearer(ANN), json={})
                assert (refused.status_code, refused.text) == (503, "The server is stopping.\n")
                assert results == []
                attendance.release("bob")
        assert server.end() == "Ended.\n"
    (result,) = results
    assert result.status == "finished"
    assert "Late." in result.text


async def test_a_run_that_waits_for_its_host_does_not_hold_up_the_end(tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path)
    with TeamServer(bench, ("--tokens", str(write_members(bench)), "--grace", "600")) as server:
        async with visitor(server, ANN) as ann:
            asked = said(await ann.call_tool("debate", DEBATE | {"judge": "host"}))
            assert asked.status == "your_turn"
        assert server.stop() == "Ended; 1 run stopped, to be taken up again with resume.\n"
