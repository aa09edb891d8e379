"""The gate in the real hosts: it holds back once, with the reason, and then lets go."""

import json
import os
import re
from collections.abc import Callable, Sequence

import httpx
import pytest

from sparring.testing.model_endpoint import Behaviour, Call, Request, Say
from support.desk import BINARIES, PATIENCE_S
from support.gating import FOUND, change, report, set_up_reviewers
from support.hosting import DONE, Hosting, ending

pytestmark = pytest.mark.npm

TITLE = str(FOUND["title"])


@pytest.fixture
def gated(hosting: Hosting) -> Hosting:
    """A host in a project with a change that two scripted reviewers find fault with."""
    hosting.bench.extra["PATH"] = os.environ["PATH"]
    set_up_reviewers(hosting.bench)
    change(hosting.bench)
    hosting.desk.write_gemini_config(model={"name": "gemini-2.5-pro"})
    hosting.desk.variables["PATH"] = os.pathsep.join((str(BINARIES), os.environ["PATH"]))
    return hosting


def conversation(hosting: Hosting) -> Sequence[Request]:
    """What the model of the host was asked, besides for titles."""
    return [request for request in hosting.desk.endpoint.requests if request.tools]


COMMANDS = {
    "claude": (("claude", "-p", "--output-format", "stream-json", "--verbose", "Go."), "nothing has changed since"),
    "codex": (("codex", "exec", "--dangerously-bypass-hook-trust", "Go."), "Stop Completed"),
    "copilot": (("copilot", "-s", "-p", "Go."), "nothing has changed since"),
    "gemini": (("gemini", "--skip-trust", "-p", "Go."), "nothing has changed since"),
}
"""How each is asked, and what it shows when it lets go, or at least writes into the record of the session."""


@pytest.mark.parametrize("host", COMMANDS)
def test_the_agent_is_blocked_once_with_the_reason(gated: Hosting, host: str) -> None:
    gated.sparring("gate", "install", host)
    command, seen = COMMANDS[host]

    ran = gated.run(*command)

    assert ran.code == 0, ran.err
    first, second = conversation(gated)
    assert TITLE not in first
    assert TITLE in second
    records = (gated.desk.home / ".copilot").glob("session-state/*/events.jsonl")
    assert seen in ran.out + ran.err + "".join(record.read_text(encoding="utf-8") for record in records)


PLAN = "# Plan\n\nDrop all tables, then make a copy.\n"
PLAN_FOUND = {**FOUND, "file": "plan.md", "line": 3, "end_line": 3, "quote": "Drop all tables, then make a copy."}


def planning(place: str, tool: str, file: str, leaves: Call) -> Callable[[Request], Behaviour]:
    """A model that writes its plan by ``tool`` where the host says, in words that ``place`` fits, and shows it."""

    def model(request: Request) -> Behaviour:
        if not request.tools or len(request.results) > 1:
            return Say(DONE)
        if request.results:
            return leaves
        found = re.search(place, json.dumps(request.body))
        assert found, "the host names no place for a plan"
        return Call(tool, json.dumps({"file_path": file.format(found[0]), "content": PLAN}))

    return model


STREAMED = {"type": "user", "message": {"role": "user", "content": "Plan it."}}
STREAMS = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
PLANNERS = {
    "claude": (
        ("claude", "-p", *STREAMS, "--permission-mode", "plan", "--permission-prompt-tool", "stdio"),
        planning(r"/[\w./-]*/plans/[\w-]*[.]md", "Write", "{}", Call("ExitPlanMode", "{}")),
    ),
    "gemini": (
        ("gemini", "--skip-trust", "--approval-mode", "plan", "-p", "Plan it."),
        planning(
            *(r"[\w./-]*/plans", "write_file", "{}/plan.md"),
            Call("exit_plan_mode", json.dumps({"plan_filename": "plan.md"})),
        ),
    ),
}


@pytest.mark.parametrize("host", PLANNERS)
def test_the_agent_gets_findings_on_a_plan_before_its_user_is_asked(gated: Hosting, host: str) -> None:
    command, gated.desk.endpoint.behaviour = PLANNERS[host]
    set_up_reviewers(gated.bench, [report(PLAN_FOUND)])
    gated.sparring("gate", "install", host)

    ran = gated.run(*command, stdin=f"{json.dumps(STREAMED)}\n" if host == "claude" else "")

    assert ran.code == 0, ran.err
    assert [words for words in ("plan.md:3", TITLE) if words not in gated.last_results[1]] == []


def test_the_plugin_of_opencode_sends_its_agent_back_once(gated: Hosting) -> None:
    gated.sparring("gate", "install", "opencode")
    host = gated.start("opencode", "serve", "--port", "0")
    with host, ending(host), httpx.Client(timeout=PATIENCE_S) as client:
        assert host.stdout is not None
        lines = iter(host.stdout.readline, b"")
        url = next(found[0] for line in lines if (found := re.search(r"http://[\d.:]+", line.decode())))
        session = client.post(f"{url}/session", json={}).json()["id"]
        with client.stream("GET", f"{url}/event") as events:
            client.post(f"{url}/session/{session}/message", json={"parts": [{"type": "text", "text": "Go."}]})
            heard = (json.loads(line[6:]) for line in events.iter_lines() if line.startswith("data: "))
            toast = next(event for event in heard if event["type"] == "tui.toast.show")

    first, second = conversation(gated)
    assert TITLE not in first
    assert TITLE in second
    assert "nothing has changed since they were shown" in toast["properties"]["message"]
