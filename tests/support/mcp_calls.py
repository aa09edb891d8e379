"""Calls that go the same way whatever the tool: refused with a sentence, or cancelled while somebody is asked."""

from collections.abc import Mapping

import anyio
import anyio.to_thread
from mcp import Client

from sparring.server.results import ToolResult
from sparring.testing.attendance import Attendance
from support.mcp_project import Era, Heard, add_staying_tool, client, said
from support.workbench import Workbench

LAST_SEAT = "cy"
"""Who is held up in a call that is to be cancelled."""


async def assert_refused(
    bench: Workbench, era: Era, tool: str, arguments: Mapping[str, object], words: tuple[str, ...]
) -> None:
    """The call is refused in one sentence that holds ``words``, and nobody is asked."""
    async with client(bench, era) as host:
        result = said(await host.call_tool(tool, dict(arguments)))
    assert result == ToolResult(status="refused", text=result.text)
    assert len(result.text.splitlines()) == 1
    assert [word for word in words if word not in result.text] == []
    assert not list(bench.root.rglob("journal.jsonl"))


async def cancelled_run(bench: Workbench, era: Era, tool: str, arguments: Mapping[str, object]) -> str:
    """The id of a run that was cancelled while ``LAST_SEAT`` was asked; both calls say how to go on with it."""
    heard, results = Heard(), list[ToolResult]()

    async def call(host: Client) -> None:
        results.append(said(await host.call_tool(tool, dict(arguments), progress_callback=heard)))

    with Attendance() as attendance:
        add_staying_tool(bench, LAST_SEAT, attendance)
        async with client(bench, era) as host, anyio.create_task_group() as group:
            group.start_soon(call, host)
            await anyio.to_thread.run_sync(attendance.arrivals, 1)
            asked = await heard.run_id(f"{LAST_SEAT}  asked")
            results.append(said(await host.call_tool("cancel", {"run_id": asked})))
    (run_id,) = {result.run_id for result in results}
    assert {result.next for result in results} == {f'To go on with it call {tool} with resume "{run_id}".'}
    return run_id
