"""Gemini CLI as a host, set up by ``sparring install gemini``: what its model is asked, gets and is not told."""

import json
from threading import Event

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from sparring.testing.model_endpoint import Behaviour, Request, Say
from support.desk import PATIENCE_S
from support.hosting import ASKED, DEBATE, DECIDED, DONE, Hosting
from support.manners import GEMINI, Driven, drive, skill_is_prompt

pytestmark = pytest.mark.npm


@pytest.fixture
def gemini(hosting: Hosting) -> Driven:
    return drive(hosting, GEMINI)


def change_entry(gemini: Driven, **changes: JsonValue) -> None:
    """What a user writes into the entry of our server by hand."""
    gemini.hosting.write_by_hand(".gemini/settings.json", "mcpServers", "sparring", **changes)


def tools_of_ours(gemini: Driven) -> list[str]:
    return [tool for tool in gemini.hosting.desk.endpoint.requests[0].tools if tool.startswith(GEMINI.spelled(""))]


def test_the_command_file_hands_over_what_was_typed_as_it_is(gemini: Driven) -> None:
    words = f"{ASKED} \"quoted\" 'twice' $(ls) !{{ls}} {{{{args}}}} --force and a=b"
    ran = gemini.ask(f"/sparring:debate {words}")
    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert skill_is_prompt(gemini.hosting.desk.endpoint.requests, words)
    assert DECIDED in gemini.results[-1]
    assert "Conflicts detected" not in ran.err


def test_gemini_takes_a_long_wait_for_no_loop(gemini: Driven) -> None:
    enough = Event()
    calls = 8  # more than the five equal ones at which it steps in, twice at most
    (gemini.hosting.bench.providers / "bob.toml").write_text(
        f'kind = "api"\nfamily = "none"\ntitle = "Bob"\napi = "chat-completions"\n'
        f'base_url = "{gemini.hosting.desk.endpoint.url}/v1"\nkey_optional = true\n',
        encoding="utf-8",
    )
    gemini.hosting.desk.variables["SPARRING_CALL_BUDGET_S"] = "1"

    def bob_speaks_after_enough_calls(request: Request) -> Behaviour:
        if request.model == "slow":
            enough.wait(PATIENCE_S)
            return Say("Flaw: Against it. This claim is unsupported.\n\nAlternative: Wait for it.")
        if len(request.results) > calls:
            enough.set()
        return replace(GEMINI.model, arguments={**DEBATE, "model_challenger": "slow"})(request)

    gemini.hosting.desk.endpoint.behaviour = bob_speaks_after_enough_calls
    ran = gemini.debate()

    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert len(gemini.results) > calls
    assert DECIDED in gemini.results[-1]
    assert [request for request in gemini.hosting.desk.endpoint.requests if "loop detected" in request] == []


POLICY = '[[rule]]\nmcpName = "sparring"\ntoolName = "*"\ndecision = "allow"\npriority = 100\n'


@pytest.mark.parametrize("way", ["policy", "trusted-entry"])
def test_documented_ways_give_the_model_its_tools_without_a_terminal(gemini: Driven, way: str) -> None:
    policy = gemini.hosting.desk.home / "sparring.toml"
    policy.write_text(POLICY, encoding="utf-8")
    if way == "trusted-entry":
        change_entry(gemini, trust=True)
    flags = ("--policy", str(policy)) if way == "policy" else ()
    ran = gemini.hosting.run("gemini", "--skip-trust", *flags, stdin=f"/debate {ASKED}")
    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert DECIDED in gemini.results[-1]


def test_without_approval_the_model_does_not_see_the_tools(gemini: Driven) -> None:
    ran = gemini.unallowed.debate()
    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    assert tools_of_ours(gemini) == []
    assert json.loads(gemini.results[-1])["error"].startswith('Tool "mcp_sparring_debate" not found')
    assert not (gemini.hosting.bench.project / ".gemini").exists()
