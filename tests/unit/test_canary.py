"""A secret that only the environment or a provider file knows, and that every kind of provider says, in every way it
can: it comes out of no door and lies in no file.
"""

import base64
import json
import shlex
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from sparring.app import App
from sparring.schema.base import SOURCE_CHECKER, Role
from sparring.schema.consultation import Answer, Brief, Question, Source
from sparring.schema.lookups import SOURCES_STEP
from sparring.server.results import ToolResult
from sparring.settings import Settings
from sparring.testing import acp_agent, fake_claude
from sparring.testing.acp_agent import Scenario
from sparring.testing.model_endpoint import ModelEndpoint, Refuse, Say
from support.answering import Answering
from support.mcp_project import Heard, client
from support.pages import Site, page
from support.workbench import Workbench

CANARY = "perched-in-the-environment-4711"
KEY = "known-to-one-provider-only-0815"
ENCODED = base64.b64encode(f"app:{CANARY}".encode()).decode()
ESCAPED = KEY.replace("-", "\\u002d")
SAYS = f"It sings {CANARY} and {KEY}, {ENCODED} and {ESCAPED}."
TRACES = (CANARY, KEY, ENCODED[8:20], *(KEY.replace("-", f"{escaped}u002d") for escaped in ("\\", "\\\\", "\\\\\\\\")))
API = 'kind = "api"\napi = "chat-completions"\nmodel = "m"\nbase_url = "{url}"\nkey_variables = ["PERCH"]\n'


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A project whose user has a secret in the environment, and the key of an API in a variable of a harmless name."""
    made = Workbench(tmp_path, {"SINGING_TOKEN": CANARY, "PERCH": KEY})
    (made.project / ".git").mkdir(parents=True)
    made.providers.mkdir(parents=True)
    add(made, "perch", API.format(url="http://127.0.0.1:9"))
    return made


def add(bench: Workbench, name: str, text: str) -> None:
    """A provider of that name."""
    (bench.providers / f"{name}.toml").write_text(f'family = "none"\ntitle = "T"\n{text}', encoding="utf-8")


def scripted(bench: Workbench, **reply: object) -> AbstractContextManager[object]:
    bench.add_tool("tool", [reply])
    return nullcontext()


def api(bench: Workbench, behaviour: Say | Refuse) -> AbstractContextManager[object]:
    endpoint = ModelEndpoint(lambda _: behaviour)
    add(bench, "tool", API.format(url=f"{endpoint.url}/v1"))
    return endpoint


def cli(bench: Workbench, mode: str) -> AbstractContextManager[object]:
    program = bench.root / "program"
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, fake_claude.__file__, mode])} "$@"\n')
    program.chmod(0o700)
    command = f'[command]\nprogram = "{program}"\nargv = ["{{effort}}"]\neffort = ["{{effort}}"]\n'
    own = f'[environment.fixed]\nOWN_TOKEN = "{CANARY}"\n'
    add(bench, "tool", f'kind = "cli"\noutput = "claude"\nefforts = {{medium = "medium"}}\n{command}{own}')
    return nullcontext()


def acp(bench: Workbench) -> AbstractContextManager[object]:
    argv = json.dumps([acp_agent.__file__, Scenario(steps=(("say", SAYS),)).argument()])
    add(bench, "tool", f'kind = "acp"\nprogram = "{sys.executable}"\nargv = {argv}\nefforts = {{}}\n')
    return nullcontext()


Kind = Callable[[Workbench], AbstractContextManager[object]]
KINDS: Mapping[str, Kind] = {
    "script that answers": lambda at: scripted(at, response=SAYS, model=f"m-{CANARY}", session_id=f"s-{CANARY}"),
    "script that fails": lambda at: scripted(at, failure={"code": "timeout", "detail": SAYS}),
    "API that answers": lambda at: api(at, Say(SAYS)),
    "API that refuses": lambda at: api(at, Refuse(400, "invalid_request_error", SAYS)),
    "program that answers": lambda at: cli(at, "answers"),
    "program that complains": lambda at: cli(at, "complains"),
    "agent": acp,
}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.process) if kind[0] in "pa" else kind for kind in KINDS]
)
async def test_a_secret_from_a_provider_appears_nowhere(
    bench: Workbench, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    question = {"question": f"What is {CANARY}?", "tool": "tool"}
    heard = Heard()
    with KINDS[kind](bench) as asked:
        async with client(bench, "auto") as connection:
            result = await connection.call_tool("consult", question, progress_callback=heard)
            said = ToolResult.model_validate(result.structured_content)
            told = await connection.call_tool("runs", {"run_id": said.run_id})
            listed = await connection.call_tool("runs", {})
    assert "[REDACTED:known-value]" in said.text
    if isinstance(asked, ModelEndpoint):
        assert (len(asked.requests), CANARY in asked.request) == (1, False)
    shown = "".join(each.model_dump_json() for each in (result, told, listed))
    assert_nowhere(bench, shown, *heard.messages, caplog.text)


async def test_a_secret_from_the_calling_agent_appears_nowhere(bench: Workbench) -> None:
    bench.add_tool("tool", [{"response": "No JSON."}])
    arguments = {"claim": f"It is {CANARY}.", "evidence": [f"It is {KEY}."], "with": "host,tool"}
    async with client(bench, "auto") as connection:
        host = Answering(connection, words=lambda _: SAYS)
        result = await host.call("fact_check", arguments)
        refused = await connection.call_tool("consult", {"question": "?", "tool": CANARY})
        told = await connection.call_tool("runs", {"run_id": result.run_id})
    assert host.turns
    shown = (each.model_dump_json() for each in (result, refused, told, *host.turns))
    assert_nowhere(bench, *shown)


async def test_a_secret_on_a_cited_page_appears_nowhere(bench: Workbench) -> None:
    quote = f"the tide gauge of {CANARY} has recorded since 1904"
    with Site({"/": page(f"<title>{SAYS}</title><p>They say that {quote} without a gap.</p>")}) as site:
        bench.extra["SPARRING_SOURCES_ALLOW"] = f"127.0.0.1:{site.port}"
        app = App(Settings.read(bench.environment, bench.project))
        sources = (Source(url=f"{site.url}/", quote=quote, title="The harbour"),)
        brief = Brief(step=SOURCES_STEP, topic="t", role=Role.VERIFIER, round=1, sources=sources)
        consultant = app.roster.consultant(SOURCE_CHECKER)
        reply = await consultant.ask(Question(prompt="-", brief=brief, timeout_s=60))
    assert isinstance(reply, Answer)
    assert "[REDACTED:known-value] has recorded since 1904" in reply.response
    assert_nowhere(bench, reply.model_dump_json())


def assert_nowhere(bench: Workbench, *shown: str) -> None:
    files = {str(file): file.read_bytes() for file in bench.project.rglob("*") if file.is_file()}
    for place, content in (*files.items(), *((text[:60], text.encode()) for text in shown)):
        assert [trace for trace in TRACES if trace.encode() in content] == [], place
