"""OpenCode as a host, set up by ``sparring install opencode``: what its model is asked, gets and is refused."""

import json
import re
import signal
from dataclasses import replace

import pytest
from pydantic import JsonValue

from sparring.prompts.skills import skill
from sparring.server.results import RESULT_LIMIT
from support.attendance import Attendance
from support.desk import PATIENCE_S
from support.host_pages import headless_commands, recording
from support.hosting import ASKED, DEBATE, DECIDED, DONE, Hosting, ScriptedModel, ending, verdict_of_host
from support.mcp_project import add_staying_tool
from support.model_endpoint import Behaviour, Call, Request, Say
from support.workbench import SPEECHES

pytestmark = pytest.mark.e2e

HEADLESS = ("opencode", "run", "--command", "debate")
HOST_LIMIT_MS = 8_000
LONGER_S = 3.0
"""Of each of the four speeches: together they take longer than ``HOST_LIMIT_MS``."""


def spelled(tool: str) -> str:
    return f"sparring_{tool}"


MODEL = ScriptedModel(spelled)


def asked_to_debate(words: str) -> str:
    """The skill with what the user typed behind its name."""
    return skill("debate").body.replace("$ARGUMENTS", words)


@pytest.fixture
def opencode(hosting: Hosting) -> Hosting:
    hosting.install("opencode")
    hosting.play(MODEL)
    return hosting


def change_settings(opencode: Hosting, *, entry: dict[str, JsonValue] | None = None, **settings: JsonValue) -> None:
    """What a user writes by hand into the settings, and into the entry of our server there."""
    file = opencode.desk.home / ".config" / "opencode" / "opencode.jsonc"
    comment, written = file.read_text(encoding="utf-8").split("\n", 1)
    changed = json.loads(written) | settings
    changed["mcp"]["sparring"] |= entry or {}
    file.write_text(f"{comment}\n{json.dumps(changed)}", encoding="utf-8")


def offered(opencode: Hosting) -> list[str]:
    """The tools of ours that the model was offered first."""
    first = next(request for request in opencode.desk.endpoint.requests if request.tools)
    return [tool for tool in first.tools if tool.startswith(spelled(""))]


def test_the_command_reaches_our_server_and_the_model_gets_the_decision(opencode: Hosting) -> None:
    words = f"{ASKED} \"quoted\" 'twice' $1 $(ls) --force and a=b"

    ran = opencode.run(*HEADLESS, stdin=words)

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    first = next(request for request in opencode.desk.endpoint.requests if request.tools)
    assert first.prompt.strip() == asked_to_debate(words).strip()
    (result,) = opencode.last_results
    assert DECIDED in result
    assert opencode.last_debate(".opencode").topic == "Should it retry?"


def test_a_debate_that_takes_longer_than_a_call_may_is_waited_for(opencode: Hosting) -> None:
    change_settings(opencode, entry={"timeout": HOST_LIMIT_MS})
    opencode.slow_down(LONGER_S, call_budget_s=3)

    ran = opencode.run(*HEADLESS, stdin=ASKED)

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    *unfinished, last = opencode.last_results
    assert unfinished
    assert [result for result in unfinished if "call wait with run_id" not in result] == []
    assert DECIDED in last


def test_a_call_that_tells_its_progress_may_take_longer(opencode: Hosting) -> None:
    change_settings(opencode, entry={"timeout": HOST_LIMIT_MS})
    opencode.slow_down(LONGER_S, call_budget_s=44)

    ran = opencode.run(*HEADLESS, stdin=ASKED)

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    (result,) = opencode.last_results
    assert DECIDED in result


def test_the_agent_judges_where_it_is_asked_to(opencode: Hosting) -> None:
    opencode.play(replace(MODEL, arguments={**DEBATE, "judge": "host"}, opinion=verdict_of_host))

    ran = opencode.run(*HEADLESS, stdin=ASKED)

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    *before, last = opencode.last_results
    assert [result for result in before if "call answer with run_id" not in result] == []
    assert DECIDED in last
    judge = opencode.last_debate(".opencode").judge
    assert (judge and judge.tool) == "host"


def test_the_longest_result_reaches_the_model_whole(opencode: Hosting) -> None:
    reasons = "\n".join(f"Reason {number}: {'it costs money, ' * 20}" for number in range(100))
    opencode.bench.add_tool("bob", [{"response": reasons}])

    def reads_the_transcript(request: Request) -> Behaviour:
        told = re.search(r'call runs with run_id "([^"]+)"\.', request.results[-1]) if request.results else None
        return Call(spelled("runs"), json.dumps({"run_id": told[1]})) if told else MODEL(request)

    opencode.desk.endpoint.behaviour = reads_the_transcript
    ran = opencode.run(*HEADLESS, stdin=ASKED)

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    page = opencode.last_results[-1]
    numbers = [int(number) for number in re.findall(r"Reason (\d+):", page.rpartition("Reason 0:")[2])]
    assert len(page) > RESULT_LIMIT * 0.9
    assert numbers == list(range(1, len(numbers) + 1))
    assert "for the next page." in page


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_ending_opencode_in_a_call_ends_everybody_and_the_debate_can_go_on(opencode: Hosting, ended_by: int) -> None:
    with Attendance() as attendance:
        add_staying_tool(opencode.bench, "bob", attendance)
        host = opencode.start(*HEADLESS, stdin=ASKED.encode())
        with ending(host):
            opencode.desk.endpoint.wait_for(1, timeout_s=PATIENCE_S)
            assert attendance.arrivals(1) == {"bob"}
            host.send_signal(ended_by)
            host.communicate(timeout=PATIENCE_S)
            opencode.wait_until_gone()

    opencode.bench.add_tool("bob", SPEECHES)
    (run,) = (opencode.bench.project / ".opencode" / "debate" / "runs").glob("debate-*")
    opencode.play(replace(MODEL, arguments={"resume": run.name}))
    ran = opencode.run("opencode", "run", stdin="Go on with the debate.")
    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert DECIDED in opencode.last_results[-1]
    assert opencode.last_debate(".opencode").id == run.name


def test_a_server_that_is_denied_is_not_offered(opencode: Hosting) -> None:
    change_settings(opencode, permission={"sparring_*": "deny"})

    ran = opencode.run(*HEADLESS, stdin=ASKED)

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert offered(opencode) == []
    assert DECIDED not in opencode.last_results[-1]


def test_a_server_that_must_be_asked_for_is_refused_without_a_terminal(opencode: Hosting) -> None:
    change_settings(opencode, permission={"sparring_*": "ask"})

    ran = opencode.run(*HEADLESS, stdin=ASKED)

    assert offered(opencode) != []
    assert "permission requested: sparring_debate (*); auto-rejecting" in ran.err
    assert (ran.code, ran.out) == (0, "")
    assert not (opencode.bench.project / ".opencode").exists()


@pytest.mark.parametrize("command", headless_commands("opencode.md"))
def test_the_command_lines_of_the_page_run(command: str, opencode: Hosting) -> None:
    ran = opencode.run("/bin/sh", "-c", command)

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert DECIDED in opencode.last_results[-1]


def test_the_recording_on_the_page_is_what_is_seen(opencode: Hosting) -> None:
    debating = replace(MODEL, arguments={"topic": "Should it retry?", "provider": "offline"})

    def shows_the_result(request: Request) -> Behaviour:
        behaviour = debating(request)
        return Say(request.results[-1]) if request.results and isinstance(behaviour, Say) else behaviour

    opencode.desk.endpoint.behaviour = shows_the_result
    shown = recording("opencode.md")

    ran = opencode.run("/bin/sh", "-c", shown.command)

    assert ran.code == 0, ran.err
    assert shown.is_of(ran.out), ran.out
