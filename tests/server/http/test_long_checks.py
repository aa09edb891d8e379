"""What takes long to check is checked beside the server, which answers everybody else meanwhile."""

from pathlib import Path

import anyio
import httpx
import pytest

from support.http_server import PLAIN, ServerProcess, visitor
from support.mcp_project import project

pytestmark = pytest.mark.process


async def test_health_answers_during_a_long_check_and_a_cancel_ends_the_check(tmp_path: Path) -> None:
    order: list[str] = []
    with ServerProcess(project(tmp_path)) as server:
        async with visitor(server) as client, httpx.AsyncClient(verify=PLAIN, base_url=server.url) as http:
            await client.list_tools()

            async def verify() -> None:
                await client.call_tool("verify", {"claim": "There are 45.", "evidence": ["45 " * 150_000]})
                order.append("verified")

            async with anyio.create_task_group() as group:
                group.start_soon(verify)
                for _ in range(5):
                    assert (await http.get("/healthz", timeout=60)).status_code == 200
                    order.append("healthy")
                group.cancel_scope.cancel()
        assert order == ["healthy"] * 5
        assert server.stop().startswith("Ended")
