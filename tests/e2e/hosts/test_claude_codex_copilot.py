"""Claude Code, Codex and Copilot CLI, set up by ``sparring install``: what their models get and are refused."""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from sparring.prompts.skills import skill
from support.attendance import Attendance
from support.desk import PATIENCE_S
from support.host_pages import headless_commands, recording
from support.hosting import ASKED, DEBATE, DECIDED, DONE, Hosting, Ran, ScriptedModel, ending, verdict_of_host
from support.mcp_project import add_staying_tool
from support.model_endpoint import Behaviour, Call, Request, Say
from support.workbench import SPEECHES

pytestmark = pytest.mark.e2e

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAMS = Path(sys.executable).parent

LONGER_S = 3.0
"""Of each of the four speeches: together they take longer than the 8 s that a call may take in these tests."""

SKILL_FIRST = (Call("skill", json.dumps({"skill": "debate"})),)
"""Copilot CLI does not expand a skill without a terminal: its model loads what it is named."""


@dataclass(frozen=True)
class Manner:
    """How one host is driven.

    Attributes:
        headless: Its command line without a terminal, before what is asked.
        allowing: The options that let our tools run.
        sign: What stands before the name of a skill.
        folder: Where it keeps the state of a project.
        refusal: What its model is told when a tool may not run.
        hurried: The options that let a call of a tool take 8 s at most.
        reads_freely: Whether tools that only read run without being allowed.
    """

    name: str
    spelled: Callable[[str], str]
    headless: tuple[str, ...]
    allowing: tuple[str, ...]
    sign: str
    folder: str
    refusal: str
    hurried: tuple[str, ...] = ()
    before: tuple[Call, ...] = ()
    variables: dict[str, str] = field(default_factory=dict[str, str])
    reads_freely: bool = True

    @property
    def model(self) -> ScriptedModel:
        return ScriptedModel(self.spelled, before=self.before)


CLAUDE = Manner(
    name="claude",
    spelled="mcp__sparring__{}".format,
    headless=("claude", "-p"),
    allowing=("--allowedTools=mcp__sparring",),
    sign="/",
    folder=".claude",
    refusal="requested permissions",
    variables={"MCP_TOOL_TIMEOUT": "8000"},
    reads_freely=False,
)
CODEX = Manner(
    name="codex",
    spelled="mcp__sparring/{}".format,
    headless=("codex", "exec"),
    allowing=("-c", 'mcp_servers.sparring.default_tools_approval_mode="approve"'),
    sign="$",
    folder=".codex",
    refusal="requires approval, but approval policy is never",
    hurried=("-c", "mcp_servers.sparring.tool_timeout_sec=8"),
)
COPILOT = Manner(
    name="copilot",
    spelled="sparring-{}".format,
    headless=("copilot", "-s", "-p"),
    allowing=("--allow-tool=sparring",),
    sign="/",
    folder=".copilot",
    refusal="Permission denied",
    before=SKILL_FIRST,
)


@dataclass(frozen=True)
class Driven:
    """A host, and how it is driven."""

    hosting: Hosting
    manner: Manner

    def argv(self, asked: str, *options: str) -> list[str]:
        """Its command line for this question, with our tools allowed."""
        program, *how = self.manner.headless
        if self.manner.name == "copilot":  # what is asked belongs to -p
            return [program, *how, asked, *self.manner.allowing, *options]
        return [program, *how, *self.manner.allowing, *options, asked]

    def debate(self, words: str = ASKED, *options: str) -> Ran:
        """Ask for a debate in these words."""
        return self.hosting.run(*self.argv(f"{self.manner.sign}debate {words}", *options))


@pytest.fixture(params=[CLAUDE, CODEX, COPILOT], ids=lambda manner: manner.name)
def driven(request: pytest.FixtureRequest, hosting: Hosting) -> Driven:
    manner: Manner = request.param
    hosting.install(manner.name)
    if manner is CODEX:
        prepare_codex(hosting)
    hosting.play(manner.model)
    return Driven(hosting, manner)


def prepare_codex(hosting: Hosting) -> None:
    """Codex passes on hardly anything of its environment, and shows plain tools to models that it does not know."""
    file = hosting.desk.home / ".codex" / "config.toml"
    text = file.read_text(encoding="utf-8").replace("gpt-5.5", "a-model-nobody-knows")
    budget = 'SPARRING_CALL_BUDGET_S = "3"\n'
    folder = f"SPARRING_CONFIG_DIR = {json.dumps(hosting.desk.variables['SPARRING_CONFIG_DIR'])}\n"
    file.write_text(f"{text}\n[mcp_servers.sparring.env]\n{folder}{budget}", encoding="utf-8")


def hurry(driven: Driven) -> None:
    """Let a call of a tool take 8 s at most."""
    driven.hosting.desk.variables.update(driven.manner.variables)
    if driven.manner is COPILOT:
        file = driven.hosting.desk.home / ".copilot" / "mcp-config.json"
        config = json.loads(file.read_text(encoding="utf-8"))
        config["mcpServers"]["sparring"]["timeout"] = 8000
        file.write_text(json.dumps(config), encoding="utf-8")


def test_the_skill_reaches_our_server_and_the_model_gets_the_decision(driven: Driven) -> None:
    ran = driven.debate()

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    asked = [request for request in driven.hosting.desk.endpoint.requests if request.tools]
    body = skill("debate").body
    assert any(ASKED in request for request in asked)
    assert any(body.partition("$ARGUMENTS")[2].rstrip() in request for request in asked)
    assert DECIDED in driven.hosting.last_results[-1]
    assert driven.hosting.last_debate(driven.manner.folder).topic == DEBATE["topic"]


def test_a_debate_that_takes_longer_than_a_call_may_is_waited_for(driven: Driven) -> None:
    hurry(driven)
    driven.hosting.slow_down(LONGER_S, call_budget_s=3)

    ran = driven.debate(ASKED, *driven.manner.hurried)

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    *unfinished, last = driven.hosting.last_results[len(driven.manner.before) :]
    assert unfinished
    assert [result for result in unfinished if "call wait with run_id" not in result] == []
    assert DECIDED in last


def test_the_agent_judges_where_it_is_asked_to(driven: Driven) -> None:
    judging = {**DEBATE, "judge": "host"}
    driven.hosting.play(replace(driven.manner.model, arguments=judging, opinion=verdict_of_host))

    ran = driven.debate()

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    *before, last = driven.hosting.last_results[len(driven.manner.before) :]
    assert [result for result in before if "call answer with run_id" not in result] == []
    assert DECIDED in last
    judge = driven.hosting.last_debate(driven.manner.folder).judge
    assert (judge and judge.tool) == "host"


def test_ending_the_host_in_a_call_ends_everybody_and_the_debate_can_go_on(driven: Driven) -> None:
    hosting = driven.hosting
    with Attendance() as attendance:
        add_staying_tool(hosting.bench, "bob", attendance)
        host = hosting.start(*driven.argv(f"{driven.manner.sign}debate {ASKED}"))
        with ending(host):
            hosting.desk.endpoint.wait_for(1, timeout_s=PATIENCE_S)
            assert attendance.arrivals(1) == {"bob"}
            os.killpg(host.pid, signal.SIGINT)  # as a terminal does on Ctrl-C
            host.communicate(timeout=PATIENCE_S)
            hosting.wait_until_gone()

    hosting.bench.add_tool("bob", SPEECHES)
    (run,) = (hosting.bench.project / driven.manner.folder / "debate" / "runs").glob("debate-*")
    hosting.play(replace(driven.manner.model, arguments={"resume": run.name}))
    ran = driven.debate("as before")
    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert DECIDED in hosting.last_results[-1]
    assert hosting.last_debate(driven.manner.folder).id == run.name


def test_a_debate_that_nobody_allowed_is_refused(driven: Driven) -> None:
    refused = Driven(driven.hosting, replace(driven.manner, allowing=()))

    # Not by the skill's name: that allows Claude Code the tools that the skill needs.
    ran = driven.hosting.run(*refused.argv("Let ann and bob debate."))

    assert (ran.code, ran.out.strip().splitlines()[-1]) == (0, DONE), ran.err
    assert driven.manner.refusal in driven.hosting.last_results[-1]
    assert not (driven.hosting.bench.project / driven.manner.folder).exists()


def test_what_only_reads_runs_without_being_allowed_where_the_page_says_so(driven: Driven) -> None:
    driven.hosting.play(replace(driven.manner.model, tool="runs", arguments={}))
    refused = Driven(driven.hosting, replace(driven.manner, allowing=()))

    refused.debate()

    result = driven.hosting.last_results[-1]
    assert ("There are no runs in this project yet." in result) == driven.manner.reads_freely, result
    assert (driven.manner.refusal in result) != driven.manner.reads_freely


PAGES = {"claude": "claude-code.md", "codex": "codex.md", "copilot": "copilot.md"}


def test_the_command_lines_of_the_page_run(driven: Driven) -> None:
    for command in headless_commands(PAGES[driven.manner.name]):
        ran = driven.hosting.run("/bin/sh", "-c", command)

        assert (ran.code, ran.out.strip()) == (0, DONE), (command, ran.err)
        assert DECIDED in driven.hosting.last_results[-1]


def test_the_recording_on_the_page_is_what_is_seen(driven: Driven) -> None:
    debating = replace(driven.manner.model, arguments={"topic": "Should it retry?", "provider": "offline"})

    def shows_the_result(request: Request) -> Behaviour:
        behaviour = debating(request)
        if not isinstance(behaviour, Say) or not request.results:
            return behaviour
        result = request.results[-1]
        return Say(json.loads(result[result.index('{"status"') :])["text"])

    driven.hosting.desk.endpoint.behaviour = shows_the_result
    shown = recording(PAGES[driven.manner.name])

    ran = driven.hosting.run("/bin/sh", "-c", shown.command)

    assert ran.code == 0, ran.err
    assert shown.is_of(ran.out), ran.out


@pytest.mark.parametrize("driven", [CODEX], indirect=True, ids=["codex"])
def test_our_tools_are_in_the_first_turn_of_a_host_that_does_not_wait_for_them(driven: Driven) -> None:
    driven.hosting.play(replace(driven.manner.model, tool="runs", arguments={}))

    driven.hosting.run(*driven.argv("Which runs are there?"))

    assert "mcp__sparring" in driven.hosting.desk.endpoint.requests[0].tools


def test_claude_code_debates_through_the_plugin(hosting: Hosting) -> None:
    repository = hosting.bench.root / "repository"
    for part in (".claude-plugin", "skills"):
        shutil.copytree(REPOSITORY / part, repository / part)
    shutil.copy(REPOSITORY / ".mcp.json", repository)
    hosting.desk.variables["PATH"] = os.pathsep.join((str(PROGRAMS), hosting.desk.environment["PATH"]))
    for arguments in (["marketplace", "add", str(repository)], ["install", "sparring@sparring"]):
        assert hosting.run("claude", "plugin", *arguments).code == 0
    hosting.play(ScriptedModel("mcp__plugin_sparring_sparring__{}".format))

    ran = hosting.run("claude", "-p", f"/debate {ASKED}")

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert skill("debate").body.partition("$ARGUMENTS")[2].rstrip() in hosting.desk.endpoint.requests[0]
    assert DECIDED in hosting.last_results[-1]
    assert hosting.last_debate(".claude").topic == DEBATE["topic"]
