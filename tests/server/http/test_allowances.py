"""What each member of a team may use: runs at once, and a budget for each day."""

import json
from datetime import timedelta
from pathlib import Path

import anyio
import pytest
from mcp import Client

from sparring.schema.base import utc_now
from sparring.server.results import ToolResult
from support.mcp_project import DEBATE, NEVER, Heard, said
from support.team import ANN, BOB, HostedTeam, visitor

QUESTION = {"question": "Should it retry?", "tool": "ann"}
USAGE = {"input_tokens": 900, "output_tokens": 100, "cost_usd": 0.25}


def team(tmp_path: Path, of_ann: str) -> HostedTeam:
    """A server where ``of_ann`` is what ann may use, and bob may use anything."""
    return HostedTeam(tmp_path, f'[members.ann]\ntoken = "{ANN}"\n{of_ann}\n[members.bob]\ntoken = "{BOB}"\n')


async def asked(client: Client, **changes: object) -> ToolResult:
    """What a consultation comes to."""
    return said(await client.call_tool("consult", QUESTION | changes))


def again(what: str) -> str:
    """The refusal of somebody who has used up ``what``."""
    tomorrow = utc_now().date() + timedelta(days=1)
    return f"Today's budget of {what} is used up. You have it again at {tomorrow} 00:00 UTC."


async def test_a_run_too_many_is_refused_and_names_those_under_way(tmp_path: Path) -> None:
    results = list[ToolResult]()
    with team(tmp_path, "most_runs = 2") as server:
        tools = ("bob", "cy")
        for tool in tools:
            server.bench.add_tool(tool, NEVER)
        async with visitor(server, ANN) as ann, visitor(server, BOB) as bob:
            heard = (Heard(), Heard())

            async def call(tool: str, news: Heard) -> None:
                arguments = QUESTION | {"tool": tool}
                results.append(said(await ann.call_tool("consult", arguments, progress_callback=news)))

            async with anyio.create_task_group() as group:
                for tool, news in zip(tools, heard, strict=True):
                    group.start_soon(call, tool, news)
                under_way = [await news.run_id("asked") for news in heard]
                third = await asked(ann)
                assert (await asked(bob)).status == "finished"
                await ann.call_tool("cancel", {"run_id": under_way[0]})
                assert (await asked(ann)).status == "finished"
                await ann.call_tool("cancel", {"run_id": under_way[1]})
                assert third.status == "refused"
                assert third.text.startswith("You have 2 of at most 2 runs under way: ")
                assert third.text.endswith(". Wait for one of them, or cancel it.")
                assert [run_id for run_id in under_way if run_id not in third.text] == []


async def test_calls_of_a_day_are_counted_over_runs_and_restarts(tmp_path: Path) -> None:
    limit = "calls_per_day = 3"
    with team(tmp_path, limit) as server:
        async with visitor(server, ANN) as ann:
            assert (await asked(ann, count=2)).status == "finished"
            too_many = await asked(ann, count=2)
    with team(tmp_path, limit) as server:
        async with visitor(server, ANN) as ann, visitor(server, BOB) as bob:
            assert (await asked(ann)).status == "finished"
            assert (await asked(ann)).text == again("3 calls")
            assert (await asked(bob)).status == "finished"
    assert too_many.text == "2 are asked; the limit is 1 calls. Nobody was asked."


@pytest.mark.parametrize(
    ("limit", "what"), [("tokens_per_day = 1_000", "1,000 tokens"), ("cost_usd_per_day = 0.25", "$0.25")]
)
async def test_tokens_and_money_of_a_day_are_counted(tmp_path: Path, limit: str, what: str) -> None:
    with team(tmp_path, limit) as server:
        server.bench.add_tool("ann", [{"response": "An answer.", "usage": USAGE}])
        async with visitor(server, ANN) as ann:
            assert [(await asked(ann)).status, (await asked(ann)).text] == ["finished", again(what)]


async def test_runs_at_the_same_time_do_not_make_more_calls_than_are_left(tmp_path: Path) -> None:
    with team(tmp_path, "calls_per_day = 4") as server:
        async with visitor(server, ANN) as ann, anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(ann.call_tool, "debate", DEBATE)
        kept = [
            json.loads(line)
            for file in server.kept.rglob("journal.jsonl")
            for line in file.read_text(encoding="utf-8").splitlines()
        ]
    replies = [line["body"]["turn"]["reply"] for line in kept if line["type"] == "turn"]
    assert len([reply for reply in replies if reply["type"] == "answer" and reply["tool"] in {"ann", "bob", "cy"}]) == 4
    assert {reply["detail"] for reply in replies if reply["type"] == "failure"} <= {
        "today's budget of 4 calls is used up",
        *(f"the run's limit of {left} calls is used up" for left in (2, 3, 4)),
        "the run's limit of 1 call is used up",
    }
