"""A server that is asked to end while runs are under way."""

import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import httpx
import pytest

from sparring.server.http import HttpLimits
from sparring.server.results import ToolResult
from sparring.testing.workspace import Attendance
from support.http_server import PLAIN, HostedServer, Reachable, ServerProcess, bearer, spoken, visitor
from support.mcp_peer import hurried
from support.mcp_project import DEBATE, NEVER, Heard, add_staying_tool, add_waiting_tool, said
from support.workbench import SPEECHES, Workbench


async def refusing(server: Reachable) -> None:
    """Wait until the server lets nobody in any more; what it answers then is always the same."""
    async with httpx.AsyncClient(verify=PLAIN, base_url=server.url) as http:
        while (health := await http.get("/healthz")).status_code == 200:
            pass
        call = await http.post("/mcp", headers=bearer(), json={})
    assert (health.status_code, health.headers["retry-after"]) == (503, "30")
    assert (call.status_code, call.text) == (503, "The server is stopping.\n")


@asynccontextmanager
async def calling(
    server: Reachable, tool: str, arguments: Mapping[str, object], heard: Heard | None = None
) -> AsyncGenerator[list[ToolResult]]:
    """The result of a call that goes on beside the block; it is there after it."""
    results = list[ToolResult]()
    async with visitor(server) as client:
        await client.list_tools()  # as every host does; the client would do so when it gets its result

        async def call() -> None:
            results.append(said(await client.call_tool(tool, dict(arguments), progress_callback=heard)))

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            yield results


@pytest.mark.parametrize(("grace_s", "asks"), [(0, 1), (600, 2)])
async def test_a_run_that_is_late_is_stopped_and_can_be_resumed(tmp_path: Path, grace_s: float, asks: int) -> None:
    heard = Heard()
    with HostedServer(tmp_path, bounds=HttpLimits(grace_s=grace_s)) as server:
        server.bench.add_tool("bob", NEVER)
        async with calling(server, "debate", DEBATE, heard) as results:
            await heard.run_id("bob  asked")
            for _ in range(asks - 1):
                server.ask_to_end()
                await refusing(server)
            server.ask_to_end()
        assert server.end() == "Ended; 1 run stopped, which can be resumed."
    (stopped,) = results
    assert stopped.status == "interrupted"
    assert stopped.next == f'To resume it call debate with resume "{stopped.run_id}".'

    with HostedServer(tmp_path) as server:
        server.bench.add_tool("bob", SPEECHES)
        async with visitor(server) as client:
            resumed = said(await client.call_tool("debate", {"resume": stopped.run_id}))
    assert (resumed.status, resumed.run_id) == ("finished", stopped.run_id)


@pytest.mark.process
async def test_a_run_that_finishes_in_time_is_reported_and_new_calls_are_refused(tmp_path: Path) -> None:
    with Attendance() as attendance, HostedServer(tmp_path, bounds=HttpLimits(grace_s=600)) as server:
        add_waiting_tool(server.bench, "bob", attendance, "Late.")
        async with calling(server, "consult", {"question": "Who comes last?", "tool": "bob"}) as results:
            await anyio.to_thread.run_sync(attendance.arrivals, 1)
            server.ask_to_end()
            await refusing(server)
            assert results == []
            attendance.release("bob")
        assert server.end() == "Ended."
    (result,) = results
    assert (result.status, "Late." in result.text) == ("finished", True)


@pytest.mark.process
async def test_a_hundred_signals_end_all_children_without_logging_clients(tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path)
    with Attendance() as attendance:
        add_staying_tool(bench, "bob", attendance, "deaf")
        with ServerProcess(bench) as server:
            assert server.said.endswith(f"/mcp for every holder of the token; runs are kept in {bench.state}.\n")
            assert spoken(server, b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")
            assert spoken(server, b"GET /mcp HTTP/1.0\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.1 401 ")
            async with calling(server, "debate", DEBATE) as results:
                await anyio.to_thread.run_sync(attendance.arrivals, 1)
                assert await anyio.to_thread.run_sync(hurried, server.process, signal.SIGINT, signal.SIGTERM) == 0
            assert server.end() == "Ended; 1 run stopped, which can be resumed.\n"
        # Its program has ended, or this would wait for ever.
        assert await anyio.to_thread.run_sync(attendance.last_words, "bob") == {"bob": ""}
    assert [result.status for result in results] == ["interrupted"]
