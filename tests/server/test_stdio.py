"""The server as a process at the end of two pipes."""

import json

import pytest
from mcp.types import PromptReference

from support.mcp_peer import INITIALIZE, modern, piped, request
from support.mcp_project import said, stdio_client
from support.workbench import Workbench

pytestmark = pytest.mark.process

TOOLS = [
    *("consult", "debate", "chaired_debate", "fact_check", "jury", "review", "verify"),
    *("wait", "answer", "cancel", "runs"),
]


async def test_a_host_that_gives_us_a_clean_environment_gets_everything(bench: Workbench) -> None:
    bench.add_tool("slow", [{"response": "At last.", "delay_s": 1.5}])
    async with stdio_client(bench, SPARRING_CALL_BUDGET_S="1") as host:
        assert [tool.name for tool in (await host.list_tools()).tools] == TOOLS
        consulted = said(await host.call_tool("consult", {"question": "Well?", "tool": "slow"}))
        assert consulted.status == "running"
        while consulted.status == "running":
            consulted = said(await host.call_tool("wait", {"run_id": consulted.run_id}))
        assert "At last." in consulted.text
        (report,) = (await host.read_resource(f"sparring://runs/{consulted.run_id}")).contents
        assert "At last." in report.model_dump()["text"]
        (message,) = (await host.get_prompt("debate", {"topic": "Tabs?"})).messages
        assert "Tabs?" in message.model_dump()["content"]["text"]
        offered = await host.complete(PromptReference(name="debate"), {"name": "with", "value": "slo"})
        assert offered.completion.values == ["slow"]


def test_a_peer_that_closes_its_end_with_all_that_it_asks_is_answered(bench: Workbench) -> None:
    assert piped(bench) == []
    probe, listed = piped(bench, modern(1, "server/discover"), modern(2, "tools/list"))
    assert (probe["id"], listed["id"], [tool["name"] for tool in listed["result"]["tools"]]) == (1, 2, TOOLS)


def test_a_peer_that_closes_its_end_with_its_last_request_is_answered_and_noise_is_refused_by_itself(
    bench: Workbench,
) -> None:
    consult = {"name": "consult", "arguments": {"question": "Well?", "tool": "ann"}}
    answers = piped(
        bench,
        b"hello",
        request(1, "initialize", INITIALIZE),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(2, "quarrel"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}},
        request(3, "tools/call", consult),
    )
    by_id = {answer["id"]: answer for answer in answers}
    assert by_id[None]["error"]["code"] == -32700
    assert by_id[2]["error"]["code"] == -32601
    assert by_id[3]["result"]["structuredContent"]["status"] == "finished"


def test_a_byte_order_mark_before_a_line_is_no_part_of_it(bench: Workbench) -> None:
    mark = b"\xef\xbb\xbf"
    asked = (request(1, "initialize", INITIALIZE), request(2, "tools/list"))
    lines = [mark + json.dumps(message).encode() for message in asked]
    assert [answer["id"] for answer in piped(bench, *lines)] == [1, 2]
