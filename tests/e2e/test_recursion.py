"""A consulted tool that has sparring as a server of its own neither starts it nor is started by it without end."""

import json
import subprocess
import sys

import pytest

from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Answer
from support.desk import BINARIES, Desk, question
from support.workbench import PATIENCE_S, PROGRAM

pytestmark = pytest.mark.npm

UNCONFINED = {
    "claude": ("-p", "--output-format", "json"),
    "codex": ("exec", "--json", "--skip-git-repo-check", "-"),
    "copilot": ("--output-format", "json", "--no-auto-update"),
    "gemini": ("--output-format", "json", "--model", "gemini-2.5-pro"),
    "opencode": ("run", "--format", "json", "--title", "T"),
}


@pytest.fixture
def recursive(desk: Desk) -> Desk:
    """A desk on which every tool has sparring as a server, by the user's and by the project's configuration."""
    for owner in ("user", "project"):
        program = desk.home / f"sparring-of-{owner}"
        program.write_text(
            f"#!/bin/sh\ntouch '{desk.home}/started-{owner}'\nexec {sys.executable} -m sparring serve\n",
            encoding="utf-8",
        )
        program.chmod(0o700)
    user, project = desk.home / "sparring-of-user", desk.home / "sparring-of-project"
    (desk.home / ".claude.json").write_text(json.dumps({"mcpServers": {"sparring": {"command": str(user)}}}))
    (desk.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"sparring-too": {"command": str(project)}}}))
    (desk.home / ".copilot").mkdir()
    servers = {"sparring": {"type": "local", "command": str(user), "args": [], "tools": ["*"]}}
    (desk.home / ".copilot" / "mcp-config.json").write_text(json.dumps({"mcpServers": servers}))
    (desk.home / ".copilot" / "config.json").write_text(json.dumps({"trusted_folders": [str(desk.project)]}))
    desk.write_opencode_config(mcp={"sparring": {"type": "local", "command": [str(user)]}})
    (desk.project / "opencode.json").write_text(
        json.dumps({"mcp": {"sparring-too": {"type": "local", "command": [str(project)]}}}), encoding="utf-8"
    )
    desk.write_gemini_config(mcpServers={"sparring": {"command": str(user)}})
    (desk.project / ".gemini").mkdir()
    servers = {"mcpServers": {"sparring-too": {"command": str(project)}}}
    (desk.project / ".gemini" / "settings.json").write_text(json.dumps(servers))
    trusted = f'[projects.{json.dumps(str(desk.project))}]\ntrust_level = "trusted"\n'
    desk.write_codex_config(tables=f'[mcp_servers.sparring]\ncommand = "{user}"\nrequired = true\n{trusted}')
    (desk.project / ".codex").mkdir()
    (desk.project / ".codex" / "config.toml").write_text(
        f'[mcp_servers.sparring-too]\ncommand = "{project}"\nrequired = true\n', encoding="utf-8"
    )
    return desk


def run_unconfined(tool: str, desk: Desk) -> None:
    subprocess.run(
        [str(BINARIES / tool), *UNCONFINED[tool]],
        input=b"Is it so?",
        capture_output=True,
        check=True,
        cwd=desk.project,
        # opencode would install a package; gemini would not trust the project, as its user might
        env=desk.environment | {"npm_config_offline": "true", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
        timeout=PATIENCE_S,
    )


def started(desk: Desk) -> list[str]:
    return sorted(file.name for file in desk.home.glob("started-*"))


@pytest.mark.parametrize("tool", ["claude", "codex", "copilot", "gemini", "opencode"])
async def test_sparring_as_a_server_of_the_tool_is_started_by_the_tool_but_not_by_a_consultation(
    tool: str, recursive: Desk
) -> None:
    for access in RepoAccess:
        assert isinstance(await recursive.consultant(tool).ask(question(repo_access=access)), Answer)
    assert started(recursive) == []

    run_unconfined(tool, recursive)
    assert started(recursive) == ["started-project", "started-user"]


def consult(desk: Desk, tool: str, depth: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [*PROGRAM, "consult", "Is it so?", "--tool", tool, "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        cwd=desk.project,
        env=desk.environment | {"SPARRING_DEPTH": depth},
        timeout=PATIENCE_S,
    )


@pytest.mark.parametrize("tool", ["claude", "codex", "copilot", "gemini", "opencode"])
def test_a_tool_is_not_started_by_sparring_that_a_tool_of_sparring_has_started_twice(tool: str, desk: Desk) -> None:
    refused = consult(desk, tool, "2")

    assert refused.returncode == 1
    assert desk.endpoint.requests == []
    failure = json.loads(refused.stdout)["failure"]
    assert (failure["code"], failure["detail"]) == (
        "unsupported",
        f"sparring runs inside a tool that sparring started; {tool} is not started once more.",
    )


def test_a_tool_is_started_by_sparring_that_a_tool_of_sparring_has_started_once(desk: Desk) -> None:
    answered = consult(desk, "claude", "1")

    assert answered.returncode == 0, answered.stderr
    assert json.loads(answered.stdout)["response"] == "The answer is yes."
