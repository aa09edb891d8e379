"""Runs that are stopped, by a call or by the end of their server, and taken up again."""

import signal
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
import pytest
from mcp import Client

from sparring.schema.debate import LastDebate
from sparring.server.results import ToolResult
from sparring.testing.workspace import Attendance
from support.full_disk import largest_file
from support.mcp_peer import Peer
from support.mcp_project import AT_ONCE, DEBATE, NEVER, Heard, add_staying_tool, client, last_debate, said
from support.workbench import SPEECHES, Workbench


def substance(debate: LastDebate) -> dict[str, Any]:
    """A debate without what differs from run to run."""
    varying: dict[str, Any] = {"exchanges": {"__all__": {"duration_ms"}}, "spent": {"maybe_paid_twice"}}
    return debate.model_dump(exclude={"id": True, "timestamp": True, **varying})


@pytest.mark.process
async def test_a_cancelled_debate_resumes_and_ends_the_same(bench: Workbench) -> None:
    heard, results = Heard(), list[ToolResult]()
    async with client(bench) as host:
        assert said(await host.call_tool("debate", DEBATE)).status == "finished"
    undisturbed = substance(last_debate(bench))

    async def call(host: Client) -> None:
        results.append(said(await host.call_tool("debate", DEBATE, progress_callback=heard)))

    with Attendance() as attendance:
        add_staying_tool(bench, "bob", attendance)
        async with client(bench) as host:
            async with anyio.create_task_group() as group:
                group.start_soon(call, host)
                await anyio.to_thread.run_sync(attendance.arrivals, 1)
                results.append(said(await host.call_tool("cancel", {"run_id": await heard.run_id("bob  asked")})))
            cancelled, given_up = sorted(results, key=lambda result: "cancelled" not in result.text)
            run_id = cancelled.run_id
            # Its program has ended, or this would wait for ever.
            assert await anyio.to_thread.run_sync(attendance.last_words, "bob") == {"bob": ""}
            assert (cancelled.status, run_id) == ("interrupted", heard.messages[0].split()[0])
            assert cancelled.text.startswith("It was cancelled.\n\n# Debate: interrupted")
            assert cancelled.next == f'To resume it call debate with resume "{run_id}".'
            assert (given_up.status, given_up.run_id) == ("interrupted", run_id)
            again = said(await host.call_tool("cancel", {"run_id": run_id}))
            assert again.text.startswith("Nothing was cancelled: it was interrupted already.")

    bench.add_tool("bob", SPEECHES)
    async with client(bench) as host:
        resumed = said(await host.call_tool("debate", {"resume": run_id}))
        assert (resumed.status, resumed.run_id) == ("finished", run_id)
        assert substance(last_debate(bench)) == undisturbed
        once_more = said(await host.call_tool("debate", {"resume": run_id}))
        assert once_more.text == resumed.text
        too_late = said(await host.call_tool("cancel", {"run_id": run_id}))
        assert (too_late.status, too_late.text) == ("finished", "Nothing was cancelled: it was finished already.")


ENDINGS: dict[str, Callable[[Peer], object]] = {
    "hang-up": lambda peer: peer.end(signal.SIGHUP),
    "signals": lambda peer: peer.hurry(signal.SIGTERM, signal.SIGINT),
    "end of input": lambda peer: peer.close_input(),
}


@pytest.mark.process
@pytest.mark.parametrize("end", ENDINGS.values(), ids=ENDINGS.keys())
async def test_an_ending_server_ends_its_children_and_leaves_runs_resumable_under_any_signals(
    bench: Workbench, end: Callable[[Peer], object]
) -> None:
    with Attendance() as attendance, Peer(bench) as peer:
        add_staying_tool(bench, "bob", attendance, "deaf")
        peer.call(1, "debate", DEBATE)
        run_id = peer.told("bob  asked").split()[0]
        attendance.arrivals(1)
        end(peer)
        assert attendance.last_words("bob") == {"bob": ""}
        assert peer.hurry(signal.SIGTERM) == 0  # one whose host has left is past the end of its runs
    async with client(bench) as host:
        assert said(await host.call_tool("wait", {"run_id": run_id})).status == "interrupted"


@pytest.mark.process
def test_a_server_can_be_ended_during_its_start(bench: Workbench) -> None:
    with Peer(bench) as peer:  # answered while the rest is being imported
        assert peer.hurry(signal.SIGINT, signal.SIGTERM) == 0


async def test_a_finished_run_is_answered_for_by_every_later_server(bench: Workbench) -> None:
    async with client(bench) as host:
        finished = said(await host.call_tool("debate", DEBATE))
    async with client(bench) as host:
        assert said(await host.call_tool("wait", {"run_id": finished.run_id})) == finished


async def test_a_run_of_another_server_can_be_watched_but_not_touched(bench: Workbench) -> None:
    bench.add_tool("bob", NEVER)
    async with client(bench, limits=AT_ONCE) as owner, client(bench, limits=AT_ONCE) as host:
        run_id = said(await owner.call_tool("debate", DEBATE)).run_id
        watched = said(await host.call_tool("wait", {"run_id": run_id}))
        assert (watched.status, watched.run_id) == ("running", run_id)
        cancel = said(await host.call_tool("cancel", {"run_id": run_id}))
        assert (cancel.status, "another process" in cancel.text) == ("refused", True)
        resume = said(await host.call_tool("debate", {"resume": run_id}))
        assert (resume.status, "nother process" in resume.text) == ("refused", True)
        answer = said(await host.call_tool("answer", {"run_id": run_id, "ask_id": "r1.proposer", "text": "For it."}))
        assert (answer.status, "running in another process" in answer.text) == ("refused", True)


@pytest.mark.process
async def test_a_run_stopped_by_an_error_states_it_and_can_be_resumed(bench: Workbench) -> None:
    token = "ghp_" + "a1B2" * 9
    bench.extra["AI_STATE_DIR"] = f".kept/{token}"
    bench.add_tool("bob", [{"response": "word " * 6_000}, *SPEECHES])
    async with client(bench) as host:
        with largest_file(25_000):
            broken = said(await host.call_tool("debate", DEBATE))
        assert (broken.status, broken.is_error) == ("failed", True)
        assert (broken.text.startswith("The file "), token in broken.text) == (True, False)
        assert broken.next == f'To resume it call debate with resume "{broken.run_id}".'
        assert said(await host.call_tool("wait", {"run_id": broken.run_id})) == broken
        unchanged = said(await host.call_tool("cancel", {"run_id": broken.run_id}))
        assert "Nothing was cancelled: it was interrupted already." in unchanged.text
        assert said(await host.call_tool("debate", {"resume": broken.run_id})).status == "finished"


async def test_a_debate_with_a_failed_judge_offers_to_retry_only_the_judge(bench: Workbench) -> None:
    bench.add_tool("cy", [{"failure": {"code": "rate_limit", "detail": "Too often."}}])
    async with client(bench) as host:
        failed = said(await host.call_tool("debate", DEBATE))
        bench.add_tool("cy", SPEECHES)
    async with client(bench) as host:
        asked_again = said(await host.call_tool("debate", {"resume": f"retry {failed.run_id}"}))

    again = f'To retry only the failed calls, call debate with resume "retry {failed.run_id}".'
    assert failed.outcome.startswith("No verdict")
    assert failed.next.endswith(again)
    assert (asked_again.status, asked_again.winner, asked_again.run_id != failed.run_id) == ("finished", "bob", True)
    assert asked_again.spent
    assert asked_again.spent.calls == 2
    assert any(f"reused from {failed.run_id}" in warning for warning in asked_again.warnings)
