"""Gemini CLI as a host, set up by ``sparring install gemini``: what its model is asked, gets and is not told."""

import json
import re
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event

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

CHECKOUT = Path(__file__).parents[3]
HEADLESS = ("gemini", "--skip-trust", "--allowed-mcp-server-names", "sparring")
HOST_LIMIT_MS = 8_000
LONGER_S = 3.0
"""Of each of the four speeches: together they take longer than ``HOST_LIMIT_MS``."""


def spelled(tool: str) -> str:
    return f"mcp_sparring_{tool}"


MODEL = ScriptedModel(spelled)


def asked_to_debate(words: str) -> str:
    """The skill with what the user typed behind its name."""
    return skill("debate").body.replace("$ARGUMENTS", words)


@pytest.fixture
def gemini(hosting: Hosting) -> Hosting:
    # With a model named, Gemini CLI does not ask another one first which it should take.
    hosting.desk.write_gemini_config(model={"name": "gemini-2.5-pro"})
    hosting.install("gemini")
    hosting.play(MODEL)
    return hosting


def change_entry(gemini: Hosting, **changes: JsonValue) -> None:
    """What a user writes into the entry of our server by hand."""
    file = gemini.desk.home / ".gemini" / "settings.json"
    comment, settings = file.read_text(encoding="utf-8").split("\n", 1)
    changed = json.loads(settings)
    changed["mcpServers"]["sparring"] |= changes
    file.write_text(f"{comment}\n{json.dumps(changed)}", encoding="utf-8")


def tools_of_ours(gemini: Hosting) -> list[str]:
    return [tool for tool in gemini.desk.endpoint.requests[0].tools if tool.startswith(spelled(""))]


def test_the_command_is_our_prompt_and_the_model_gets_the_decision(gemini: Hosting) -> None:
    ran = gemini.run(*HEADLESS, stdin=f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert json.loads(gemini.desk.endpoint.requests[0].prompt) == asked_to_debate(ASKED)  # it quotes a prompt as JSON
    (result,) = gemini.last_results
    assert DECIDED in result
    assert gemini.last_debate(".gemini").topic == "Should it retry?"


def test_the_command_file_hands_over_what_was_typed_as_it_is(gemini: Hosting) -> None:
    words = f"{ASKED} \"quoted\" 'twice' $(ls) !{{ls}} {{{{args}}}} --force and a=b"

    ran = gemini.run(*HEADLESS, stdin=f"/sparring:debate {words}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert gemini.desk.endpoint.requests[0].prompt.strip() == asked_to_debate(words).strip()
    assert DECIDED in gemini.last_results[-1]
    assert "Conflicts detected" not in ran.err


def test_a_debate_that_takes_longer_than_a_call_may_is_waited_for(gemini: Hosting) -> None:
    change_entry(gemini, timeout=HOST_LIMIT_MS)
    gemini.slow_down(LONGER_S, call_budget_s=3)

    ran = gemini.run(*HEADLESS, stdin=f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    *unfinished, last = gemini.last_results
    assert unfinished
    assert [result for result in unfinished if "call wait with run_id" not in result] == []
    assert DECIDED in last


def test_a_call_that_gemini_gives_up_on_leaves_the_debate_at_work(gemini: Hosting) -> None:
    change_entry(gemini, timeout=HOST_LIMIT_MS)
    gemini.slow_down(LONGER_S, call_budget_s=44)

    def lists_runs_after_an_error(request: Request) -> Behaviour:
        last = request.results[-1] if request.results else ""
        if "Request timed out" in last:
            return Call(spelled("runs"), "{}")
        listed = re.search(r"^- `(debate-[^`]+)`", last, re.MULTILINE)
        return Call(spelled("wait"), json.dumps({"run_id": listed[1]})) if listed else MODEL(request)

    gemini.desk.endpoint.behaviour = lists_runs_after_an_error
    ran = gemini.run(*HEADLESS, stdin=f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert "Request timed out" in gemini.last_results[0]
    assert DECIDED in gemini.last_results[-1]


def test_gemini_takes_a_long_wait_for_no_loop(gemini: Hosting) -> None:
    enough = Event()
    calls = 8  # more than the five equal ones at which it steps in, twice at most
    (gemini.bench.providers / "bob.toml").write_text(
        f'kind = "api"\nfamily = "none"\ntitle = "Bob"\napi = "chat-completions"\n'
        f'base_url = "{gemini.desk.endpoint.url}/v1"\nkey_optional = true\n',
        encoding="utf-8",
    )
    gemini.desk.variables["SPARRING_CALL_BUDGET_S"] = "1"

    def bob_speaks_after_enough_calls(request: Request) -> Behaviour:
        if request.model == "slow":
            enough.wait(PATIENCE_S)
            return Say("Against it. This claim is unsupported.")
        if len(request.results) > calls:
            enough.set()
        return replace(MODEL, arguments={**DEBATE, "model_challenger": "slow"})(request)

    gemini.desk.endpoint.behaviour = bob_speaks_after_enough_calls
    ran = gemini.run(*HEADLESS, stdin=f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert len(gemini.last_results) > calls
    assert DECIDED in gemini.last_results[-1]
    assert [request for request in gemini.desk.endpoint.requests if "loop detected" in request] == []


def test_the_agent_judges_where_it_is_asked_to(gemini: Hosting) -> None:
    gemini.play(replace(MODEL, arguments={**DEBATE, "judge": "host"}, opinion=verdict_of_host))

    ran = gemini.run(*HEADLESS, stdin=f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    *before, last = gemini.last_results
    assert [result for result in before if "call answer with run_id" not in result] == []
    assert DECIDED in last
    judge = gemini.last_debate(".gemini").judge
    assert (judge and judge.tool) == "host"


def test_the_longest_result_reaches_the_model_whole(gemini: Hosting) -> None:
    reasons = "\n".join(f"Reason {number}: {'it costs money, ' * 20}" for number in range(100))
    gemini.bench.add_tool("bob", [{"response": reasons}])

    def reads_the_transcript(request: Request) -> Behaviour:
        told = re.search(r'call runs with run_id "([^"]+)"\.', request.results[-1]) if request.results else None
        return Call(spelled("runs"), json.dumps({"run_id": told[1]})) if told else MODEL(request)

    gemini.desk.endpoint.behaviour = reads_the_transcript
    ran = gemini.run(*HEADLESS, stdin=f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    page = gemini.last_results[-1]
    numbers = [int(number) for number in re.findall(r"Reason (\d+):", page.rpartition("Reason 0:")[2])]
    assert len(page) > RESULT_LIMIT * 0.9
    assert numbers == list(range(1, len(numbers) + 1))
    assert "for the next page." in page


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_ending_gemini_in_a_call_ends_everybody_and_the_debate_can_go_on(gemini: Hosting, ended_by: int) -> None:
    with Attendance() as attendance:
        add_staying_tool(gemini.bench, "bob", attendance)
        host = gemini.start(*HEADLESS, stdin=f"/debate {ASKED}".encode())
        with ending(host):
            gemini.desk.endpoint.wait_for(1, timeout_s=PATIENCE_S)
            assert attendance.arrivals(1) == {"bob"}
            host.send_signal(ended_by)
            host.communicate(timeout=PATIENCE_S)
            gemini.wait_until_gone()

    gemini.bench.add_tool("bob", SPEECHES)
    (run,) = (gemini.bench.project / ".gemini" / "debate" / "runs").glob("debate-*")
    gemini.play(replace(MODEL, arguments={"resume": run.name}))
    ran = gemini.run(*HEADLESS, stdin="Go on with the debate.")
    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert DECIDED in gemini.last_results[-1]
    assert gemini.last_debate(".gemini").id == run.name


POLICY = '[[rule]]\nmcpName = "sparring"\ntoolName = "*"\ndecision = "allow"\npriority = 100\n'


@pytest.mark.parametrize(
    ("flags", "entry"),
    [
        (("--allowed-mcp-server-names", "sparring"), {}),
        (("--approval-mode", "yolo"), {}),
        (("--policy", "POLICY"), {}),
        ((), {"trust": True}),
    ],
    ids=["allowed-server", "yolo", "policy", "trusted-entry"],
)
def test_what_lets_the_model_have_the_tools_without_a_terminal(
    gemini: Hosting, flags: tuple[str, ...], entry: dict[str, JsonValue]
) -> None:
    policy = gemini.desk.home / "sparring.toml"
    policy.write_text(POLICY, encoding="utf-8")
    change_entry(gemini, **entry)

    argv = [str(policy) if flag == "POLICY" else flag for flag in flags]
    ran = gemini.run("gemini", "--skip-trust", *argv, stdin=f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert DECIDED in gemini.last_results[-1]


def test_without_approval_the_model_does_not_see_the_tools(gemini: Hosting) -> None:
    ran = gemini.run("gemini", "--skip-trust", stdin=f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert tools_of_ours(gemini) == []
    assert json.loads(gemini.last_results[-1])["error"].startswith('Tool "mcp_sparring_debate" not found')
    assert not (gemini.bench.project / ".gemini").exists()


def test_in_a_folder_that_is_not_trusted_gemini_does_not_begin(gemini: Hosting) -> None:
    # The file that holds them otherwise is not read there.
    gemini.desk.variables.update(GEMINI_API_KEY="dummy", GOOGLE_GEMINI_BASE_URL=gemini.desk.endpoint.url)

    ran = gemini.run("gemini", "--allowed-mcp-server-names", "sparring", stdin=f"/debate {ASKED}")

    assert (ran.code, ran.out) == (55, "")
    assert "--skip-trust" in ran.err
    assert gemini.desk.endpoint.requests == []


def test_a_command_of_the_same_name_takes_the_name_from_both(gemini: Hosting) -> None:
    own = gemini.bench.project / ".gemini" / "commands" / "debate.toml"
    own.parent.mkdir(parents=True)
    own.write_text('prompt = "Debate by yourself."\n', encoding="utf-8")

    ran = gemini.run(*HEADLESS, stdin=f"/sparring.debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert "Conflicts detected for command '/debate'" in ran.err
    assert json.loads(gemini.desk.endpoint.requests[0].prompt) == asked_to_debate(ASKED)


def test_as_an_extension_it_is_the_same_command(hosting: Hosting) -> None:
    extension = hosting.desk.home / "extension"
    extension.mkdir()
    shutil.copy(CHECKOUT / "gemini-extension.json", extension)
    shutil.copytree(CHECKOUT / "skills", extension / "skills")
    path = hosting.desk.environment["PATH"]
    hosting.desk.variables.update(PATH=f"{Path(sys.executable).parent}:{path}", GEMINI_CLI_TRUST_WORKSPACE="true")
    hosting.desk.write_gemini_config(model={"name": "gemini-2.5-pro"})
    installed = hosting.run("gemini", "extensions", "install", str(extension), "--consent", stdin="y\n")
    assert installed.code == 0, installed.err

    hosting.play(MODEL)
    ran = hosting.run(*HEADLESS, stdin=f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert json.loads(hosting.desk.endpoint.requests[0].prompt) == asked_to_debate(ASKED)
    assert DECIDED in hosting.last_results[-1]


@pytest.mark.parametrize("is_handed_over", [False, True])
def test_keys_reach_our_server_only_through_its_entry(gemini: Hosting, *, is_handed_over: bool) -> None:
    gemini.desk.variables.update(
        OPENAI_API_KEY="key-of-nobody",
        OPENAI_BASE_URL=f"{gemini.desk.endpoint.url}/v1",
        SPARRING_OPENAI_MODEL="asked",
    )
    if is_handed_over:
        change_entry(gemini, env={"OPENAI_API_KEY": "$OPENAI_API_KEY"})
    asking = replace(MODEL, tool="consult", arguments={"question": "Is it so?", "tool": "openai"})

    def both_models(request: Request) -> Behaviour:
        return Say("It is so.") if request.model == "asked" else asking(request)

    gemini.desk.endpoint.behaviour = both_models

    ran = gemini.run(*HEADLESS, stdin="Ask OpenAI.")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    keys = [request.headers["authorization"] for request in gemini.desk.endpoint.requests if request.model == "asked"]
    assert keys == (["Bearer key-of-nobody"] if is_handed_over else [])
    assert ("It is so." if is_handed_over else "OPENAI_API_KEY") in gemini.last_results[-1]


@pytest.mark.parametrize("command", headless_commands("gemini.md"))
def test_the_command_lines_of_the_page_run(command: str, gemini: Hosting) -> None:
    ran = gemini.run("/bin/sh", "-c", command)

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert DECIDED in gemini.last_results[-1]


def test_the_recording_on_the_page_is_what_is_seen(gemini: Hosting) -> None:
    debating = replace(MODEL, arguments={"topic": "Should it retry?", "provider": "offline"})

    def shows_the_result(request: Request) -> Behaviour:
        behaviour = debating(request)
        return Say(request.results[-1]) if request.results and isinstance(behaviour, Say) else behaviour

    gemini.desk.endpoint.behaviour = shows_the_result
    shown = recording("gemini.md")

    ran = gemini.run("/bin/sh", "-c", shown.command)

    assert ran.code == 0, ran.err
    assert shown.is_of(ran.out), ran.out
