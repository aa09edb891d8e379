"""Model APIs from the command line: files of the user's own, keys, models, and who is asked by default."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from sparring.testing.model_endpoint import ModelEndpoint
from support.mcp_peer import Message
from support.workbench import Workbench

KEY = "known-to-nobody-else-4711"


def with_variables(bench: Workbench, **variables: str) -> Workbench:
    return replace(bench, extra=bench.extra | variables)


def add_mine(bench: Workbench, endpoint: ModelEndpoint, *lines: str) -> None:
    text = f"""
kind = "api"
family = "mine"
title = "Mine"
api = "chat-completions"
base_url = "{endpoint.url}/v1"
key_variables = ["MINE_PASS"]
"""
    (bench.providers / "mine.toml").write_text(text + "\n".join(lines), encoding="utf-8")


def test_an_api_of_ones_own_needs_a_provider_file_and_a_key(bench: Workbench, endpoint: ModelEndpoint) -> None:
    add_mine(bench, endpoint, 'model = "some-model"')
    without = bench.run("consult", "Is it so?", "--tool", "mine")
    done = with_variables(bench, MINE_PASS=KEY).run("consult", "Is it so?", "--tool", "mine", "--json")
    assert (without.code, without.err) == (3, "Error: Mine needs a key: MINE_PASS is not set.\n")
    assert (done.code, done.json["response"], done.json["model"]) == (0, "It is so.", "some-model")
    assert (done.json["transport"], done.json["session_id"], done.json["continuable"]) == ("api", None, False)
    assert endpoint.request.headers["authorization"] == f"Bearer {KEY}"


def test_a_debate_uses_its_connection_again(bench: Workbench, endpoint: ModelEndpoint) -> None:
    add_mine(bench, endpoint, 'model = "m"')
    seats = ("--proposer", "mine", "--challenger", "ann", "--judge", "bob")
    done = with_variables(bench, MINE_PASS=KEY).run("debate", "Is it so?", *seats, "--rounds", "2")
    assert done.code == 0
    assert (len(endpoint.requests), endpoint.connections) == (2, 1)


def test_a_server_on_this_machine_is_asked_when_there_is_nobody_else(bench: Workbench, endpoint: ModelEndpoint) -> None:
    endpoint.list_models("llama3.2:latest")
    nobody = with_variables(bench, PATH="/nonexistent", OLLAMA_HOST=endpoint.url)
    done = nobody.run("consult", "Is it so?", "--json")
    assert (done.code, done.json["tool"], done.json["model"]) == (0, "ollama", "llama3.2:latest")
    assert done.json["warnings"] == [
        "No model was named: ollama answers with llama3.2:latest, the first that it lists."
    ]


@pytest.mark.parametrize(
    ("variables", "tool"),
    [
        ({"OPENAI_API_KEY": KEY}, ""),
        ({"OPENAI_API_KEY": KEY, "SPARRING_OPENAI_MODEL": "gpt-x"}, "openai"),
        ({"SPARRING_OPENAI_MODEL": "gpt-x"}, ""),
    ],
    ids=["key only", "key and model", "model only"],
)
def test_an_api_is_chosen_by_itself_only_with_a_key_and_a_model(
    variables: dict[str, str], tool: str, bench: Workbench, endpoint: ModelEndpoint
) -> None:
    variables |= {
        "PATH": "/nonexistent",
        "OPENAI_BASE_URL": f"{endpoint.url}/v1",
        "OLLAMA_HOST": "127.0.0.1:1",
        "LM_STUDIO_BASE_URL": "http://127.0.0.1:1/v1",
    }
    done = with_variables(bench, **variables).run("consult", "Is it so?", "--json")
    assert json.loads(done.out).get("tool", "") == tool
    assert done.code == (0 if tool else 3)


def test_a_deep_check_asks_an_api_once_a_model_of_it_is_known(bench: Workbench, endpoint: ModelEndpoint) -> None:
    nobody = {"PATH": "/nonexistent", "OLLAMA_HOST": "127.0.0.1:1", "LM_STUDIO_BASE_URL": "http://127.0.0.1:1/v1"}
    add_mine(bench, endpoint, 'model_variable = "MINE_MODEL"')
    bench = with_variables(bench, MINE_PASS=KEY, **nobody)

    without = bench.run("doctor", "--deep", "--json").json["providers"]
    assert endpoint.requests == []
    named = with_variables(bench, MINE_MODEL="m").run("doctor", "--deep", "--json").json["providers"]

    expected = ("ready", f"{endpoint.url}/v1", None)
    for providers in (without, named):
        (mine,) = [provider for provider in providers if provider["name"] == "mine"]
        assert (mine["health"], mine["location"], mine["failure"]) == expected
    assert endpoint.request.body["model"] == "m"


TELLING = """
import atexit, sys
atexit.register(lambda: print("loaded:", "httpx" in sys.modules, file=sys.stderr))
from sparring.cli import run
run()
"""
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
CALLING: tuple[Message, ...] = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "runs", "arguments": {}}},
)


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (("debate", "Is it so?", "--provider", "offline", "--rounds", "1"), "", "Is it so?"),
        (("serve",), "".join(json.dumps(message) + "\n" for message in CALLING), "There are no runs"),
    ],
    ids=["offline debate", "tools/call"],
)
def test_who_asks_no_api_does_not_load_the_client(
    arguments: tuple[str, ...], stdin: str, said: str, bench: Workbench
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", TELLING, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=bench.project,
        env=bench.environment,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(stdin)
        program.stdin.flush()
        # A server whose input has ended answers for some seconds more: too few, perhaps, where it has just begun.
        assert any(said in line for line in program.stdout)
        _, told = program.communicate(timeout=60)

    assert "loaded: False" in told.splitlines()
