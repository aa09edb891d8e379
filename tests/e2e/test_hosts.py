"""Real hosts start our server, see its tools, and their model gets the decision."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.desk import BINARIES, Desk
from support.model_endpoint import Behaviour, Call, Request, Say

pytestmark = pytest.mark.e2e

SERVER = [sys.executable, "-m", "sparring", "serve"]
DEBATE = {"topic": "Is the project documented?", "provider": "offline"}
PATIENCE_S = 180


def debate_once(tool: str) -> list[Behaviour]:
    return [Call(tool, json.dumps(DEBATE))]


def run(desk: Desk, argv: list[str]) -> "subprocess.CompletedProcess[bytes]":
    (desk.project / "README.md").write_text("# A project\n\nThe project is documented in docs.\n", encoding="utf-8")
    return subprocess.run(
        [str(BINARIES / argv[0]), *argv[1:]],
        input=b"Let them debate.",
        cwd=desk.project,
        env=desk.environment | {"SPARRING_CONFIG_DIR": str(desk.home / "config")},
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )


def decided(desk: Desk, state: Path) -> list[Request]:
    """The requests in which the model got the decision; the state file must hold the same debate."""
    assert json.loads(state.read_text(encoding="utf-8"))["topic"] == DEBATE["topic"]
    return [request for request in desk.endpoint.requests if "had the stronger argument because" in request]


def test_claude_code_debates_through_the_server(desk: Desk) -> None:
    config = {"mcpServers": {"sparring": {"command": SERVER[0], "args": SERVER[1:]}}}
    desk.variables["ENABLE_TOOL_SEARCH"] = "false"
    desk.endpoint.first = debate_once("mcp__sparring__debate")
    desk.endpoint.behaviour = Say("They have debated.")
    done = run(
        desk,
        ["claude", "-p", "--mcp-config", json.dumps(config), "--strict-mcp-config", "--allowedTools", "mcp__sparring"],
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "mcp__sparring__debate" in desk.endpoint.requests[0].tools
    assert decided(desk, desk.project / ".claude" / "debate" / "last-debate.json")
    assert done.stdout.decode().strip() == "They have debated."


def test_codex_debates_through_the_server(desk: Desk) -> None:
    desk.write_codex_config(
        tables=f"""
[mcp_servers.sparring]
command = {json.dumps(SERVER[0])}
args = {json.dumps(SERVER[1:])}
required = true
default_tools_approval_mode = "approve"
"""
    )
    desk.endpoint.first = debate_once("mcp__sparring/debate")
    desk.endpoint.behaviour = Say("They have debated.")
    done = run(desk, ["codex", "exec", "--skip-git-repo-check", "-m", "a-model-nobody-knows", "-"])
    assert done.returncode == 0, done.stderr.decode()
    assert decided(desk, desk.project / ".codex" / "debate" / "last-debate.json")
    assert done.stdout.decode().strip().endswith("They have debated.")


@pytest.mark.parametrize("tool", ["claude", "codex"])
def test_the_readme_says_how_to_add_the_server(desk: Desk, tool: str) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    command = re.search(rf"`({tool} mcp add [^`]+)`", readme)
    assert command is not None
    done = run(desk, shlex.split(command[1]))
    assert done.returncode == 0, done.stderr.decode()
    listed = run(desk, [tool, "mcp", "get", "sparring"])
    assert "serve" in listed.stdout.decode(), listed.stderr.decode()
