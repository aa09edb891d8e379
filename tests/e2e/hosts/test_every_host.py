"""What every host must do with us, once ``sparring install`` has set it up."""

import json
import re

import pytest
from msgspec.structs import replace

from sparring.server.results import RESULT_LIMIT
from sparring.testing.model_endpoint import Behaviour, Call, Request, Say
from sparring.testing.workspace import Attendance
from support.desk import PATIENCE_S
from support.host_pages import headless_commands, recording
from support.hosting import ASKED, DEBATE, DECIDED, DONE, TOPIC, ending, verdict_of_host
from support.manners import CLAUDE, CODEX, COPILOT, LONGER_S, Driven
from support.mcp_project import add_staying_tool
from support.workbench import RESPONSE, SEATS, SPEECHES

pytestmark = pytest.mark.npm


def test_by_a_command_line_of_the_page_the_skill_reaches_our_server_and_the_agent_may_judge(driven: Driven) -> None:
    """By the last one; the first is that of the recording. Who does not wait for us has our tools in the first turn."""
    judging = {**DEBATE, "seat": ["judge=host"]}
    driven.hosting.play(replace(driven.manner.model, arguments=judging, opinion=verdict_of_host))

    ran = driven.hosting.run("/bin/sh", "-c", headless_commands(driven.manner.page)[-1])

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    asked = [request for request in driven.hosting.desk.endpoint.requests if request.tools]
    is_offered = any(tool.startswith(driven.manner.spelled("").rstrip("/")) for tool in asked[0].tools)
    assert is_offered or driven.manner is CLAUDE  # which tells its model of tools when they are there
    assert driven.manner.is_told(asked, ASKED), asked[0].prompt
    *before, last = driven.results
    assert [result for result in before if "call answer with run_id" not in result] == []
    assert DECIDED in last
    debate = driven.last_debate
    assert (debate.topic, debate.judge and debate.judge.tool) == (DEBATE["topic"], "host")


@pytest.mark.parametrize(
    "driven", [pytest.param(each, id=each.name) for each in (CLAUDE, CODEX, COPILOT)], indirect=True
)
def test_a_debate_that_takes_longer_than_a_call_may_is_waited_for(driven: Driven) -> None:
    driven.manner.hurry(driven.hosting)
    driven.hosting.slow_down(LONGER_S, call_budget_s=3)
    ran = driven.debate()
    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    *unfinished, last = driven.results
    assert unfinished
    assert [result for result in unfinished if "call wait with run_id" not in result] == []
    assert DECIDED in last


def test_ending_the_host_in_a_call_ends_all_programs_and_the_debate_can_be_resumed(driven: Driven) -> None:
    hosting = driven.hosting
    with Attendance() as attendance:
        add_staying_tool(hosting.bench, "bob", attendance)
        host = driven.start_debate()
        with ending(host):
            hosting.desk.endpoint.wait_for(1, timeout_s=PATIENCE_S)
            assert attendance.arrivals(1) == {"bob"}
            driven.manner.end(host)
            host.communicate(timeout=PATIENCE_S)
            hosting.wait_until_gone()

    hosting.bench.add_tool("bob", SPEECHES)
    (run,) = (hosting.bench.project / driven.manner.folder / "debate" / "runs").glob("debate-*")
    gone_on = driven.in_process.run("runs", "resume", run.name)
    assert gone_on.code == 0, gone_on.err
    assert gone_on.out.startswith("# bob (challenger) wins"), gone_on.out
    assert driven.last_debate.id == run.name


def test_the_recording_on_the_page_is_what_is_seen_and_the_longest_result_reaches_the_model_whole(
    driven: Driven,
) -> None:
    """The model looks into an earlier debate, which fills a whole result, before it shows what came of this one."""
    debating, earlier = driven.manner.model, long_debate(driven)

    def model(request: Request) -> Behaviour:
        behaviour, called = debating(request), len(request.results) - len(debating.before)
        if not isinstance(behaviour, Say) or called < 1:
            return behaviour
        if called == 1:
            return Call(debating.spelled("runs"), json.dumps({"run_id": earlier}))
        return Say(driven.manner.text_of(request.results[-2]))

    driven.hosting.desk.endpoint.behaviour = model
    shown = recording(driven.manner.page)

    ran = driven.hosting.run("/bin/sh", "-c", shown.command)

    assert ran.code == 0, ran.err
    assert shown.is_of(ran.out), ran.out
    # Gemini CLI takes every `=` in the arguments of a prompt for one of its own, so that its page shows none.
    sides, all_three = "--proposer ann --challenger bob", "--with ann,bob,cy"
    typed = all_three if all_three in shown.command else f"{sides} --seat judge=cy"
    assert shown.command.replace(typed, sides) == headless_commands(driven.manner.page)[0]
    asked = [request for request in driven.hosting.desk.endpoint.requests if request.tools]
    assert driven.manner.is_told(asked, f"{TOPIC} {typed}"), asked[0].prompt
    page = driven.manner.text_of(driven.results[-1])
    numbers = [int(number) for number in re.findall(r"Reason (\d+):", page.rpartition("Reason 0:")[2])]
    assert len(page) > RESULT_LIMIT * 0.9
    assert numbers == list(range(1, len(numbers) + 1))
    assert "for the next page." in page


def long_debate(driven: Driven) -> str:
    """The id of a debate in which more was said than one result can hold."""
    bench = driven.in_process
    reasons = "\n".join(f"Reason {each}: {'it costs money, ' * 20}" for each in range(50))
    bench.add_tool("bob", [{"response": f"{RESPONSE}\n\n{reasons}"}])
    done = bench.run("debate", TOPIC, *SEATS, "--json")
    bench.add_tool("bob", SPEECHES)
    assert done.code == 0, done.err
    return str(done.json["id"])
