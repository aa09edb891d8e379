"""Model APIs from the command line: files of the user's own, keys, models, and who is asked by default."""

import json

import pytest

from sparring.testing.model_endpoint import ModelEndpoint
from support.workbench import Workbench

KEY = "known-to-nobody-else-4711"
NOBODY = {"PATH": "/nonexistent", "OLLAMA_HOST": "127.0.0.1:1", "LM_STUDIO_BASE_URL": "http://127.0.0.1:1/v1"}


def add_mine(bench: Workbench, endpoint: ModelEndpoint, *lines: str) -> None:
    bench.add_api("mine", endpoint.url, 'key_variables = ["MINE_PASS"]', *lines)


def test_an_api_of_ones_own_needs_a_provider_file_and_a_key(bench: Workbench, endpoint: ModelEndpoint) -> None:
    add_mine(bench, endpoint, 'model = "some-model"')
    without = bench.run("consult", "Is it so?", "--tool", "mine")
    bench.extra["MINE_PASS"] = KEY
    done = bench.run("consult", "Is it so?", "--tool", "mine", "--json")
    assert (without.code, without.err) == (3, "Error: Mine needs a key: MINE_PASS is not set.\n")
    assert (done.code, done.json["response"], done.json["model"]) == (0, "It is so.", "some-model")
    assert (done.json["transport"], done.json["session_id"], done.json["continuable"]) == ("api", None, False)
    assert endpoint.request.headers["authorization"] == f"Bearer {KEY}"


def test_a_local_server_is_asked_when_there_is_no_other_tool(bench: Workbench, endpoint: ModelEndpoint) -> None:
    endpoint.list_models("llama3.2:latest")
    bench.extra["OLLAMA_HOST"] = endpoint.url
    done = bench.run("consult", "Is it so?", "--json")
    assert (done.code, done.json["tool"], done.json["model"]) == (0, "ollama", "llama3.2:latest")
    warning = "No model was named: ollama answers with llama3.2:latest, the first that it lists."
    assert done.json["warnings"] == [warning]


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
    bench.extra.update(variables | NOBODY, OPENAI_BASE_URL=f"{endpoint.url}/v1")
    done = bench.run("consult", "Is it so?", "--json")
    assert json.loads(done.out).get("tool", "") == tool
    assert done.code == (0 if tool else 3)


def test_a_deep_check_asks_an_api_once_a_model_of_it_is_known(bench: Workbench, endpoint: ModelEndpoint) -> None:
    add_mine(bench, endpoint, 'model_variable = "MINE_MODEL"')
    for asked, variables in enumerate(({"MINE_PASS": KEY, **NOBODY}, {"MINE_MODEL": "m"})):
        bench.extra.update(variables)
        providers = bench.run("doctor", "--deep", "--json").json["providers"]
        (mine,) = [provider for provider in providers if provider["name"] == "mine"]
        assert (mine["health"], mine["location"], mine["failure"]) == ("ready", f"{endpoint.url}/v1", None)
        assert [request.body["model"] for request in endpoint.requests] == ["m"] * asked
