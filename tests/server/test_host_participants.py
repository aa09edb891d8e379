"""The calling agent in a seat of its own deliberation: asked by results, answering by calls."""

import signal

import anyio
import pytest

from sparring.server.limits import ServerLimits
from sparring.server.results import ToolResult, refused
from support.answering import RESPONSE, Answering, debating
from support.clocks import on_its_own_clock, put_forward
from support.mcp_peer import Peer
from support.mcp_project import AT_ONCE, DEBATE, NEVER, client, last_debate, said
from support.workbench import Workbench

SEATS = {
    "proposer": ["r1.proposer", "r2.proposer"],
    "challenger": ["r1.challenger", "r2.challenger"],
    "judge": ["judge1.ab.1", "judge1.ba.1"],
}


async def test_the_host_takes_a_seat_and_the_debate_is_as_if_a_tool_had_it(bench: Workbench) -> None:
    async with client(bench) as connection:
        assert said(await connection.call_tool("debate", DEBATE)).status == "finished"
        by_tools = last_debate(bench)
        for seat, asks in SEATS.items():
            host = Answering(connection)
            named = {"seat": ["judge=host"]} if seat == "judge" else {seat: "host"}
            result = await host.call("debate", DEBATE | named)
            assert (result.status, sorted(host.asked)) == ("finished", sorted(asks))
            with_host = last_debate(bench)
            assert (with_host.id, getattr(with_host, seat).tool) == (result.run_id, "host")
            assert with_host.verdict is not None
            assert with_host.verdict.winner == ("host" if seat == "challenger" else "bob")
            assert [each.response for each in with_host.exchanges] == [each.response for each in by_tools.exchanges]


async def test_a_long_prompt_is_read_page_by_page_and_nothing_of_it_is_lost(bench: Workbench) -> None:
    lines = [f'Line {number}: "{"word " * (number % 17)}"\n' for number in range(1_500)]
    (bench.project / "long.txt").write_text("".join(lines), encoding="utf-8")
    async with client(bench) as connection:
        host = Answering(connection)
        call = DEBATE | {"proposer": "host", "context": ["file=long.txt"]}
        first = said(await connection.call_tool("debate", call))
        pages = await host.pages(first)
        assert len(pages) > 5
        assert first.next == (
            f'It has {len(pages)} pages; read all before you answer: call wait with run_id "{first.run_id}" and page 2.'
        )
        assert pages[-1].next.startswith("Write it, and call answer with ")
        bodies = [page.text.removesuffix(page.next).rstrip("\n") for page in pages]
        shown = [f"{number:>4}  {line}".rstrip() for number, line in enumerate(lines, start=1)]
        assert "\n".join(shown) in "\n".join(bodies)
        for page in (0, len(pages) + 1):
            none = said(await connection.call_tool("wait", {"run_id": first.run_id, "page": page}))
            assert (none.status, f"no page {page}" in none.text) == ("refused", True)
        assert (await host.follow(first)).status == "finished"
        late = said(await connection.call_tool("wait", {"run_id": first.run_id, "page": 2}))
        assert (late.status, "no page 2" in late.text) == ("refused", True)


async def test_an_answer_that_cannot_be_taken_is_refused_and_the_run_still_waits(bench: Workbench) -> None:
    async with client(bench) as connection:
        host = Answering(connection)
        turn = said(await connection.call_tool("debate", DEBATE | {"proposer": "host"}))
        empty = await host.answer(turn, " \n\t")
        assert empty == refused("The answer to r1.proposer is empty. Write it, and call answer again.")
        waiting = said(await connection.call_tool("wait", {"run_id": turn.run_id}))
        assert (waiting.status, waiting.ask_id, waiting.next) == ("your_turn", turn.ask_id, turn.next)
        assert (await host.follow(turn)).status == "finished"


async def test_a_note_reaches_both_sides_with_the_next_speech_and_answers_nothing(bench: Workbench) -> None:
    note = "Count the cost of a wrong refund as well."
    async with client(bench) as connection:
        host = Answering(connection)
        turn = said(await connection.call_tool("debate", DEBATE | {"proposer": "host"}))
        noted = said(await connection.call_tool("answer", {"run_id": turn.run_id, "ask_id": "note", "text": note}))
        assert (noted.status, noted.ask_id) == ("your_turn", turn.ask_id), "the run still waits for the answer"
        assert (await host.follow(noted)).status == "finished"
        told = {each.ask_id: note in each.text for each in host.turns}
        assert told == {"r1.proposer": False, "r2.proposer": True}
        late = said(await connection.call_tool("answer", {"run_id": turn.run_id, "ask_id": "note", "text": note}))
        assert (late.status, "has finished" in late.text, "sparring runs" in late.text) == ("refused", True, False)


async def test_an_answer_that_comes_twice_or_too_late_is_refused(bench: Workbench) -> None:
    async with client(bench) as connection:
        host = Answering(connection)
        first = said(await connection.call_tool("debate", DEBATE | {"seat": ["judge=host"]}))
        second = await host.answer(first, debating(first))
        assert second.status == "your_turn"
        again = await host.answer(first, "Another thing.")
        assert (await host.follow(second)).status == "finished"
        late = await host.answer(second, "Another thing.")
    assert [again, late] == [
        refused(f"{first.ask_id} has been answered already; the first answer counts. "
                f"Waiting for your answer: {second.ask_id}."),
        refused(f"{first.run_id} has finished; the answer is too late. "
                f'For the whole transcript call runs with run_id "{first.run_id}".'),
    ]  # fmt: skip


async def test_an_early_answer_of_the_host_is_told_to_wait(bench: Workbench) -> None:
    bench.add_tool("bob", NEVER)
    async with client(bench, limits=AT_ONCE) as connection:
        host = Answering(connection)
        begun = said(await connection.call_tool("debate", DEBATE | {"seat": ["judge=host"]}))
        early = await host.answer(begun.model_copy(update={"ask_id": "judge1.ab.1"}), "A")
        assert early.text == (
            f"Run {begun.run_id} does not ask you 'judge1.ab.1'. Call wait: it returns when you are asked."
        )
        page = said(await connection.call_tool("wait", {"run_id": begun.run_id, "page": 2}))
        assert (page.status, "no page 2" in page.text) == ("refused", True)
        assert said(await connection.call_tool("cancel", {"run_id": begun.run_id})).status == "interrupted"


async def test_a_run_cancelled_at_the_turn_of_the_host_asks_the_same_again(bench: Workbench) -> None:
    async with client(bench) as connection:
        host = Answering(connection)
        turn = said(await connection.call_tool("debate", DEBATE | {"challenger": "host"}))
        cancelled = said(await connection.call_tool("cancel", {"run_id": turn.run_id}))
        assert cancelled.status == "interrupted"
        assert await host.answer(turn, RESPONSE) == refused(
            f"{turn.run_id} was interrupted: resumed it will ask again, under the same ask_id. "
            f'To resume it call debate with resume "{turn.run_id}".'
        )
        assert said(await connection.call_tool("debate", {"resume": turn.run_id})) == turn
        result = await host.follow(await host.answer(turn, RESPONSE))
    assert (result.status, host.asked) == ("finished", ["r2.challenger"])


def answered(peer: Peer, number: int) -> ToolResult:
    answer = peer.receive(lambda message: message.get("id") == number)
    return ToolResult.model_validate(answer["result"]["structuredContent"])


@pytest.mark.process
async def test_a_new_server_repeats_the_question_of_a_killed_one(bench: Workbench) -> None:
    with Peer(bench) as peer:
        peer.call(1, "debate", DEBATE | {"seat": ["judge=host"]})
        first = answered(peer, 1)
        peer.call(2, "answer", {"run_id": first.run_id, "ask_id": first.ask_id, "text": debating(first)})
        second = answered(peer, 2)
        assert (second.status, second.ask_id) == ("your_turn", "judge1.ba.1")
        assert peer.end(signal.SIGKILL) == -signal.SIGKILL
    async with client(bench) as connection:
        host = Answering(connection)
        assert said(await connection.call_tool("wait", {"run_id": first.run_id})).status == "interrupted"
        again = said(await connection.call_tool("debate", {"resume": first.run_id}))
        assert (again.model_copy(update={"warnings": ()}), again.warnings) == (second, first.warnings)
        assert first.warnings[0].startswith("[WARN] The judge is host, the calling agent")
        assert second.warnings == ()
        done = await host.answer(first, "Once more.")
        assert done.text.startswith(f"{first.ask_id} has been answered already")
        assert (await host.follow(second)).status == "finished"
    assert host.asked == ["judge1.ba.1"]


async def test_a_silent_host_leaves_a_run_that_can_be_resumed(bench: Workbench) -> None:
    call = DEBATE | {"challenger": "host"}
    async with client(bench, limits=ServerLimits(silence_limit_s=0)) as connection:
        broken = said(await connection.call_tool("debate", call))
        unheard = "host, the calling agent, was asked r1.challenger and has not answered for 0 minutes. "
        assert (broken.status, broken.text.startswith(f"{unheard}Answers so far are kept.")) == ("failed", True)
        assert broken.next == f'To resume it call debate with resume "{broken.run_id}".'
    async with client(bench) as connection:
        host = Answering(connection)
        assert (await host.call("debate", {"resume": broken.run_id})).status == "finished"
        assert host.asked == SEATS["challenger"]
    assert all(each.response for each in last_debate(bench).exchanges)


def test_reading_a_prompt_counts_as_a_sign_of_life(bench: Workbench) -> None:
    async def read_on() -> None:
        async with client(bench, limits=ServerLimits(silence_limit_s=3600)) as connection:
            turn = said(await connection.call_tool("debate", DEBATE | {"proposer": "host"}))
            for _ in range(4):
                put_forward(2400)
                await anyio.wait_all_tasks_blocked()  # whoever would give up has done so
                turn = said(await connection.call_tool("wait", {"run_id": turn.run_id}))
                assert turn.status == "your_turn"

    on_its_own_clock(read_on)
