"""Antigravity CLI, played by ``sparring.testing.fake_agy``: nobody of sparring has run the real one."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sparring.testing import ModelEndpoint, Refuse, fake_agy
from support.workbench import Workbench

pytestmark = pytest.mark.process

KEY = "AIza-of-nobody-4711"
HOSTILE = 'Is "it" so? {braces} đúng\u2028next @notes.txt\n/help\nEnd.'


@pytest.fixture
def agy(bench: Workbench, request: pytest.FixtureRequest) -> Workbench:
    """A machine on which ``agy`` does what the test says, with a key."""
    called = shlex.join([sys.executable, "-S", fake_agy.__file__, request.param])
    program = bench.add_program("agy", f'exec {called} "$@"')
    bench.extra["PATH"] = f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin"
    bench.extra["GEMINI_API_KEY"] = KEY
    return bench


@pytest.mark.parametrize("agy", ["answers"], indirect=True)
def test_agy_is_asked_with_a_key_and_its_answer_counts(agy: Workbench, endpoint: ModelEndpoint) -> None:
    agy.extra["GOOGLE_GEMINI_BASE_URL"] = endpoint.url
    done = agy.run("consult", HOSTILE, "--tool", "agy", "--model", "gemini-3.8-flash", "--effort", "high", "--json")
    assert (done.code, done.json["response"], done.json["warnings"]) == (0, "It is so.", []), done.err
    asked = [request for request in endpoint.requests if request.model == "gemini-3.8-flash"]
    assert [each.prompt.replace("\u200b", "").endswith(HOSTILE) for each in asked] == [True]


@pytest.mark.parametrize("agy", ["answers"], indirect=True)
def test_the_refusal_of_the_endpoint_is_the_cause(agy: Workbench, endpoint: ModelEndpoint) -> None:
    endpoint.behaviour = Refuse(401, "UNAUTHENTICATED", f"API key not valid: {KEY}")
    agy.extra["GOOGLE_GEMINI_BASE_URL"] = endpoint.url
    done = agy.run("consult", "Well?", "--tool", "agy", "--json")
    assert (done.code, done.json["failure"]["code"]) == (3, "auth")
    assert KEY not in done.out


@pytest.mark.parametrize("agy", ["tells"], indirect=True)
def test_agy_sees_no_settings_of_the_user_and_no_allowed_tool(agy: Workbench) -> None:
    agy.extra["OPENAI_API_KEY"] = "sk-of-another-provider"
    users = agy.root / ".gemini" / "antigravity-cli"
    users.mkdir(parents=True)
    (users / "settings.json").write_text('{"useG1Credits": true, "permissions": {"allow": ["command(*)"]}}')
    (users / "antigravity-oauth-token").write_text("a login")
    told = json.loads(agy.run("consult", "Well?", "--tool", "agy", "--json").json["response"])
    settings, hooks = (
        json.loads(told["files"][f".gemini/{name}.json"]) for name in ("antigravity-cli/settings", "config/hooks")
    )
    assert (settings["modelProvider"], settings["useG1Credits"], settings["permissions"]["allow"]) == (
        "gemini",
        False,
        [],
    )
    assert "command(*)" in settings["permissions"]["deny"]
    (group,) = hooks["sparring"]["PreToolUse"]
    assert group["matcher"] == "*"
    hook = subprocess.run(["/bin/sh", "-c", group["hooks"][0]["command"]], capture_output=True, check=True)
    assert json.loads(hook.stdout)["decision"] == "deny"
    assert sorted(told["files"]) == [".gemini/antigravity-cli/settings.json", ".gemini/config/hooks.json"]
    assert "OPENAI_API_KEY" not in told["environment"]
    assert not Path(told["folder"]).is_relative_to(agy.project)
    assert told["arguments"][-1] == "--print="
    assert told["prompt"].startswith("The question follows.\n\n")


@pytest.mark.parametrize(
    ("agy", "code"),
    [("denied", "permission"), ("searches", "permission"), ("runs_out", "timeout"), ("exhausted", "quota")],
    indirect=["agy"],
)
def test_a_success_of_agy_without_an_answer_to_the_question_is_a_failure(agy: Workbench, code: str) -> None:
    done = agy.run("consult", "Well?", "--tool", "agy", "--json")
    assert (done.code, done.json["failure"]["code"]) == (1, code)


@pytest.mark.parametrize("agy", ["tells"], indirect=True)
def test_a_login_is_used_only_on_request(agy: Workbench) -> None:
    token = Path(".gemini", "antigravity-cli", "antigravity-oauth-token")
    (agy.root / token).parent.mkdir(parents=True)
    (agy.root / token).write_text("a login")
    del agy.extra["GEMINI_API_KEY"]
    without = agy.run("consult", "Well?", "--tool", "agy")
    assert without.code == 3
    assert "Antigravity CLI needs GEMINI_API_KEY or SPARRING_AGY_LOGIN to be set." in without.err
    agy.extra["SPARRING_AGY_LOGIN"] = "1"
    told = json.loads(agy.run("consult", "Well?", "--tool", "agy", "--json").json["response"])
    assert told["files"][str(token)] == "a login"
    assert "modelProvider" not in told["files"][".gemini/antigravity-cli/settings.json"]


@pytest.mark.parametrize("agy", ["tells"], indirect=True)
def test_the_doctor_says_that_it_was_never_run_and_which_version_is_too_old(agy: Workbench) -> None:
    def diagnosed() -> dict[str, str]:
        return {each["name"]: each for each in agy.run("doctor", "--json").json["providers"]}["agy"]

    found = diagnosed()
    assert (found["health"], found["version"]) == ("ready", fake_agy.VERSION)
    assert found["doubt"].startswith("sparring has never run this tool")
    agy.add_program("agy", "echo 1.2.9")
    assert diagnosed()["problem"] == "It is older than 1.2.10, the oldest version that can be used."
    agy.add_program("gemini", "echo 0.61.0")
    gemini = {each["name"]: each for each in agy.run("doctor", "--json").json["providers"]}["gemini"]
    assert gemini["doubt"].startswith("Since June 2026 Google serves Gemini CLI to API keys")


@pytest.mark.parametrize("agy", ["tells"], indirect=True)
def test_tools_that_were_measured_are_seated_before_it(agy: Workbench) -> None:
    agy.add_program("claude", "exit 1")
    done = agy.run("debate", "Should it retry?", "--dry-run", "--json")
    assert done.code == 0, done.err
    seats = json.dumps(done.json)
    assert seats.index('"claude"') < seats.index('"agy"')
