"""``sparring doctor``."""

import os

import pytest

from sparring.testing.model_endpoint import Behaviour, ModelEndpoint, Refuse, Request, Say
from sparring.testing.model_servers import PlayedModel, play
from support.workbench import Workbench

KEY = "known-to-nobody-else-4711"
SAID = "`claude --version` failed: out of order: [REDACTED:known-value]"


@pytest.mark.process
def test_the_doctor_finds_a_program_that_does_not_run_and_a_broken_provider_file(bench: Workbench) -> None:
    program = bench.add_program("claude", f"echo out of order: {KEY} >&2\nexit 3")
    (bench.providers / "dee.toml").write_text("kind = 7\n", encoding="utf-8")
    own = 'kind="cli"\nfamily="o"\ntitle="O"\noutput="text"\ncommand={ program="false", version=["-V"] }\n'
    (bench.providers / "own.toml").write_text(own, encoding="utf-8")
    bench.extra.update(PATH=f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin", SOME_API_KEY=KEY)
    done = bench.run("doctor", "--json")
    assert done.code == 3
    problems = {each["name"]: each["problem"] for each in done.json["providers"] if each["health"] == "broken"}
    assert problems == {"claude": SAID, "own": "`false -V` failed: nothing"}
    assert any("dee.toml" in problem for problem in done.json["problems"])


@pytest.mark.process
def test_a_deep_check_asks_each_tool_a_question(bench: Workbench) -> None:
    refusal = '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"No."}'
    version = 'if [ "$1" = --version ]; then echo 9.9; exit 0; fi'
    program = bench.add_program("claude", f"{version}\ncat >/dev/null\necho '{refusal}'\nexit 1")
    bench.extra["PATH"] = f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin"
    done = bench.run("doctor", "--deep", "--json")
    providers = {provider["name"]: provider for provider in done.json["providers"]}
    claude = providers["claude"]
    assert (claude["health"], claude["failure"], claude["version"]) == ("broken", "auth", "9.9")
    assert claude["doubt"].startswith("claude 9.9 is newer than 2.")
    assert (done.code, providers["offline"]["health"], bench.state.exists()) == (3, "ready", False)


def test_the_doctor_identifies_servers_and_lists_the_providers_that_use_them(
    bench: Workbench, endpoint: ModelEndpoint
) -> None:
    play(endpoint, "vllm", PlayedModel("Qwen/Qwen3-8B", window=8_192))
    bench.extra["OLLAMA_HOST"] = endpoint.url
    bench.add_api("mine", endpoint.url)
    (server,) = bench.run("doctor", "--json").json["servers"]
    expected = {"kind": "vllm", "address": endpoint.url, "models": ["Qwen/Qwen3-8B"], "context_tokens": 8_192}
    assert server == {**expected, "is_loading": False, "tools": ["mine"]}
    lines = bench.run("doctor").out.splitlines()
    assert f"vllm runs at {endpoint.url}: Qwen/Qwen3-8B (8,192 tokens of context); asked as mine" in lines
    assert f"-- ollama        Ollama does not run at {endpoint.url}: vllm does." in lines


def test_a_deep_check_says_that_an_endpoint_takes_no_schema(bench: Workbench, endpoint: ModelEndpoint) -> None:
    def behave(request: Request) -> Behaviour:
        return (
            Refuse(400, "x", "response_format is not supported") if "response_format" in request.body else Say("ready")
        )

    endpoint.behaviour = behave
    bench.add_api("mine", endpoint.url, 'model = "m"')
    done = bench.run("doctor", "--deep", "--json")
    (mine,) = [each for each in done.json["providers"] if each["name"] == "mine"]
    assert (mine["health"], mine["structured"]) == ("ready", "refused")
    assert 'It takes no schema of an answer: put `structured = "none"` into its provider file.' in bench.run(
        "doctor", "--deep"
    ).out.replace("\n", " ")
