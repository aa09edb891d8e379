"""What an agent is asked, and what its reply becomes: most have no process, and do what each test tells them."""

import json
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sparring.lookup.snapshot import with_copy
from sparring.processes import supervision
from sparring.providers.acp.client import FILE_LIMIT
from sparring.providers.acp.consultant import AcpConsultant, Converse
from sparring.providers.cli.confinement import Surroundings
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply
from sparring.schema.providers import AcpProvider, Environment
from sparring.testing import acp_agent
from sparring.testing.acp_agent import SESSION, Scenario
from sparring.testing.acp_in_process import in_process
from sparring.testing.workspace import Attendance
from sparring.text.redaction import Redactor
from support.clocks import timed_out
from support.desk import answered, failed, question, write
from support.texts import cases

KNOWN_VALUE = "open sesame, and close it"


def agent(scenario: Scenario, **changes: object) -> AcpProvider:
    """A provider that is such an agent."""
    table = {
        "name": "agent",
        "family": "none",
        "title": "Agent",
        "install": "Make one.",
        "program": sys.executable,
        "argv": (acp_agent.__file__, scenario.argument()),
        "repo_access": ("none", "read"),
    }
    return AcpProvider.model_validate(table | changes)


def consultant(
    folder: Path,
    spec: AcpProvider,
    environment: Mapping[str, str] | None = None,
    *,
    converse: Converse = supervision.converse,
) -> AcpConsultant:
    """A consultant that asks it, below ``folder``, and knows ``KNOWN_VALUE`` for a secret."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    surroundings = with_copy(Surroundings(environment or {}, project, folder / "private"), Redactor([KNOWN_VALUE]))
    return AcpConsultant(spec, surroundings, redactor=Redactor([KNOWN_VALUE]), converse=converse)


async def reply_to(
    folder: Path,
    scenario: Scenario,
    asked: Question | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    **changes: object,
) -> Reply:
    """The reply of such an agent without a process, and without the time that it took.

    Nothing is left of it in the private folder.
    """
    asking = consultant(folder, agent(scenario, **changes), environment, converse=in_process(scenario))
    reply = await asking.ask(asked or question())
    assert list((folder / "private").glob("empty-*")) == []
    return reply.model_copy(update={"duration_ms": 0})


async def seen_by(folder: Path, scenario: Scenario, asked: Question | None = None, **changes: Any) -> dict[str, Any]:
    """What the agent has seen of the world when it was asked."""
    reply = await reply_to(folder, scenario, asked, **changes)
    assert isinstance(reply, Answer), reply
    return json.loads(reply.response)


def saying(*steps: tuple[Any, ...]) -> Scenario:
    """An agent that does this and is plain otherwise."""
    return Scenario(steps=steps)


def answer(response: str, **fields: Any) -> Answer:
    """What such an agent's answer becomes."""
    return Answer.model_validate(
        {"tool": "agent", "response": response, "session_id": SESSION, "duration_ms": 0, **fields}
    )


def failure(code: FailureCode, detail: str, **fields: Any) -> Failure:
    """What its failure becomes."""
    return Failure.model_validate({"tool": "agent", "code": code, "detail": detail, **fields})


def project_with_files(folder: Path) -> Path:
    """The project below ``folder``, with what an agent may read and what it may not."""
    project = folder / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "a.py").write_text(f"one\f\ntwo\n{KNOWN_VALUE}\nfour\n", encoding="utf-8")
    (project / ".env").write_text("KEY=value\n", encoding="utf-8")
    (folder / "secret.txt").write_text("secret\n", encoding="utf-8")
    (project / "link.txt").symlink_to(folder / "secret.txt")
    (project / "full.txt").write_text((" " * 63 + "\n") * (FILE_LIMIT // 64), encoding="utf-8")
    (project / "large.txt").write_text("x" * (FILE_LIMIT + 1), encoding="utf-8")
    return project


Case = tuple[Scenario, Question, dict[str, Any], Reply]
OPTIONS = {"model": ("m-1", "m-2"), "thought_level": ("low", "high"), "mode": ("build", "ask"), "permissions": ("off",)}
YES = ("say", "Yes.")
READING = question(repo_access=RepoAccess.READ)


def told(_: str, name: str, talk: dict[str, Any], asked: dict[str, Any], expected: dict[str, Any]) -> Any:
    """A row of the table of agents."""
    changes = asked.pop("provider", {})
    reply = failure(**expected) if "code" in expected else answer(**expected)
    return pytest.param((Scenario.model_validate(talk), question(**asked), changes, reply), id=name)


def broken(written: str) -> Case:
    reply = failure(FailureCode.PARSE, "agent sent a message that cannot be parsed.")
    return saying(("write", written)), question(), {}, reply


ODD: dict[str, Case] = {  # what a table of texts cannot hold
    "half a character": (saying(("notify", "agent/gossip", {}), ("say", "Half a \ud83e.")), question(), {},
        answer("Half a \ufffd.")),
    "a session whose id nobody could type": (Scenario(loads=True, session="-rf /", steps=(YES,)),
        question(keep_session=True), {}, answer("Yes.", session_id=None)),
    "a message that is no text": (saying(("write", '{"jsonrpc": "2.0", "method": "\udcff"}'), YES), question(), {},
        answer("Yes.")),
    "a message that is nested too deeply": broken('{"jsonrpc": ' + "[" * 100_000),
}  # fmt: skip
AGENTS = [told(*each.values) for each in cases("agents")] + [pytest.param(ODD[name], id=name) for name in ODD]


@pytest.mark.parametrize("case", AGENTS)
async def test_all_events_of_an_agent_become_one_reply(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scenario, asked, changes, expected = case
    assert await reply_to(tmp_path, scenario, asked, **changes) == expected
    assert caplog.records == []  # the package would log what an agent says, secrets and all


async def test_an_agent_is_asked_in_a_session_without_servers_and_in_the_project_only_if_it_may_read_it(
    tmp_path: Path,
) -> None:
    prompt = '/init Tiếng Việt \U0001f94a\u2028\n$(id) `id` @/etc/passwd $skill \\ "' + "x" * 2**20
    seen = await seen_by(tmp_path, Scenario(), question(prompt))
    assert Path(seen["cwd"]).is_relative_to(tmp_path / "private" / "calls")
    assert {name: seen[name] for name in ("client", "session", "prompt", "chosen")} == {
        "client": ["sparring", False],
        "session": ["new", seen["cwd"], []],
        "prompt": [f"The question follows.\n\n{prompt}"],
        "chosen": {},
    }
    seen = await seen_by(tmp_path, Scenario(), READING)
    assert (seen["cwd"], seen["client"]) == (str(tmp_path / "project"), ["sparring", True])
    home = {"HOME": str(tmp_path)}
    confined = await seen_by(tmp_path, Scenario(), READING, environment=home, confinement="opencode")
    assert confined["cwd"] == str(tmp_path / "private" / "opencode" / "opencode")
    assert "OPENCODE_PERMISSION" in confined["environment"]


@pytest.mark.parametrize(
    ("scenario", "asked", "changes", "chosen"),
    [
        (Scenario(options=OPTIONS), question(model="m-2", effort=Effort.HIGH), {"mode": "ask"},
         {"model": "m-2", "thought_level": "high", "mode": "ask", "permissions": "off"}),
        (Scenario(options={"thought_level": ("low", "high")}), question(effort=Effort.MAX),
         {"efforts": {"low": "low", "max": "high"}}, {"thought_level": "high"}),
        (Scenario(models=("m-1", "m-2"), modes=("yolo", "ask")), question(model="m-2"), {"mode": "ask"},
         {"model": "m-2", "mode": "ask"}),
    ],
    ids=["by options", "by its own word for an effort", "in the older way"],
)  # fmt: skip
async def test_model_effort_and_mode_are_really_set(
    scenario: Scenario, asked: Question, changes: dict[str, Any], chosen: dict[str, str], tmp_path: Path
) -> None:
    reply = answered(await reply_to(tmp_path, scenario, asked, **changes))
    assert (reply.model, reply.effort, json.loads(reply.response)["chosen"]) == (asked.model, asked.effort, chosen)


@pytest.mark.parametrize(
    ("scenario", "how"), [(Scenario(loads=True), "load"), (Scenario(loads=True, resumes=True), "resume")]
)
async def test_a_session_is_continued_in_a_place_that_stays(scenario: Scenario, how: str, tmp_path: Path) -> None:
    place = str(tmp_path / "private" / "empty" / "agent")
    asked = question(keep_session=True)
    again = question(session_id="session-9", keep_session=True)
    # What was said long ago is no part of the second answer.
    for each, session_id, began in ((asked, SESSION, "new"), (again, "session-9", how)):
        reply = answered(await reply_to(tmp_path, scenario, each))
        session = json.loads(reply.response)["session"]
        assert (reply.continuable, reply.session_id, session) == (True, session_id, [began, place, []])


async def test_an_agent_that_cannot_start_is_reported_with_a_remedy(tmp_path: Path) -> None:
    missing = await consultant(tmp_path, agent(Scenario(), program="no-such-agent")).ask(question())
    expected = failure(FailureCode.NOT_FOUND, "`no-such-agent` is not there. Make one.")
    assert missing.model_copy(update={"duration_ms": 0}) == expected
    write(tmp_path / ".codex" / "config.toml", "mcp_servers = [")
    confined = failed(await reply_to(tmp_path, Scenario(), environment={"HOME": str(tmp_path)}, confinement="codex"))
    assert confined.code is FailureCode.UNSUPPORTED


@pytest.mark.parametrize("traits", [("polite",), ("stubborn",)])
def test_at_the_time_limit_an_agent_is_asked_to_stop_and_waited_for_no_longer(
    traits: tuple[str, ...], tmp_path: Path
) -> None:
    with Attendance() as attendance:
        scenario = saying(("stay", attendance.address, *traits), ("say", "Too late."))
        asking = partial(reply_to, tmp_path, scenario, question(timeout_s=3600))
        reply = timed_out(asking, 3600, once=partial(attendance.arrivals, 1))
        assert attendance.last_words() == {"agent": "asked to stop\n"}
    assert reply == failure(FailureCode.TIMEOUT, "agent gave no answer within 3600 s.")


# -- what it may do beside answering


@pytest.mark.parametrize("case", [told(*each.values) for each in cases("agent-permissions")])
async def test_actions_of_an_agent_other_than_answering_are_few_and_reported(case: Case, tmp_path: Path) -> None:
    scenario, asked, changes, expected = case
    project = project_with_files(tmp_path)
    before = sorted(project.rglob("*"))
    assert await reply_to(tmp_path, scenario, asked, **changes) == expected
    assert sorted(project.rglob("*")) == before


# -- agents that are programs


@pytest.mark.process
async def test_a_program_is_started_with_what_it_may_see_and_gone_with_its_answer(tmp_path: Path) -> None:
    spec = agent(Scenario(), environment=Environment(allow=("AGENT_*",), fixed={"QUIET": "1"}))
    environment = {"LANG": "C.UTF-8", "AGENT_KEY": "x", "OTHER_KEY": "y"}

    reply = answered(await consultant(tmp_path, spec, environment).ask(question("/init Đúng không?")))
    seen = json.loads(reply.response)
    assert seen["environment"].pop("SPARRING_CHILD")
    assert seen["environment"].pop("TMPDIR")
    assert seen["environment"] == {"LANG": "C.UTF-8", "AGENT_KEY": "x", "QUIET": "1", "SPARRING_DEPTH": "1"}
    assert seen["prompt"] == ["The question follows.\n\n/init Đúng không?"]
    assert Path(seen["cwd"]).is_relative_to(tmp_path / "private" / "calls")
    assert [*(tmp_path / "private").rglob("*")] == [tmp_path / "private" / "calls"]


DEAF = """\
import json, socket, sys, time
for result in ({"protocolVersion": 1}, {"sessionId": "s"}):
    request = json.loads(sys.stdin.buffer.raw.readline())
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
sys.stdin.buffer.raw.read(1)  # the question has begun to come
host, port = sys.argv[1].split(":")
connection = socket.create_connection((host, int(port)))
connection.sendall(b"deaf\\n")
time.sleep(600)
"""


@pytest.mark.process
def test_a_program_that_stops_reading_is_ended_at_the_time_limit(tmp_path: Path) -> None:
    with Attendance() as attendance:
        deaf = consultant(tmp_path, agent(Scenario(), argv=("-c", DEAF, attendance.address)))
        asking = partial(deaf.ask, question("x" * 2**20, timeout_s=3600))
        reply = timed_out(asking, 3600, once=partial(attendance.arrivals, 1))
        assert attendance.last_words() == {"deaf": ""}
    late = failure(FailureCode.TIMEOUT, "agent gave no answer within 3600 s.")
    assert reply.model_copy(update={"duration_ms": 0}) == late
