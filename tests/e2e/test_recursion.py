"""A consulted tool that has sparring as a server of its own does not start it.

What Copilot and Gemini CLI start is in the tests of each; that nothing is started from deep inside, in
``tests/unit/consult/test_cli.py``.
"""

import json
import subprocess
import sys

import pytest

from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Answer
from support.desk import BINARIES, PATIENCE_S, Desk, question, write

pytestmark = pytest.mark.npm

UNCONFINED = {
    "claude": ("-p", "--output-format", "json"),
    "codex": ("exec", "--json", "--skip-git-repo-check", "-"),
    "opencode": ("run", "--format", "json", "--title", "T"),
}


@pytest.fixture
def recursive(desk: Desk) -> Desk:
    """A desk on which each of these has sparring as a server, by the user's and by the project's configuration."""
    for owner in ("user", "project"):
        program = desk.home / f"sparring-of-{owner}"
        write(program, f"#!/bin/sh\ntouch '{desk.home}/started-{owner}'\nexec {sys.executable} -m sparring serve\n")
        program.chmod(0o700)
    user, project = desk.home / "sparring-of-user", desk.home / "sparring-of-project"
    write(desk.home / ".claude.json", {"mcpServers": {"sparring": {"command": str(user)}}})
    write(desk.project / ".mcp.json", {"mcpServers": {"sparring-too": {"command": str(project)}}})
    desk.write_opencode_config(mcp={"sparring": {"type": "local", "command": [str(user)]}})
    write(desk.project / "opencode.json", {"mcp": {"sparring-too": {"type": "local", "command": [str(project)]}}})
    trusted = f'[projects.{json.dumps(str(desk.project))}]\ntrust_level = "trusted"\n'
    desk.write_codex_config(tables=f'[mcp_servers.sparring]\ncommand = "{user}"\nrequired = true\n{trusted}')
    own = f'[mcp_servers.sparring-too]\ncommand = "{project}"\nrequired = true\n'
    write(desk.project / ".codex" / "config.toml", own)
    return desk


def run_unconfined(tool: str, desk: Desk) -> None:
    subprocess.run(
        [str(BINARIES / tool), *UNCONFINED[tool]],
        input=b"Is it so?",
        capture_output=True,
        check=True,
        cwd=desk.project,
        env=desk.environment | {"npm_config_offline": "true"},  # opencode would install a package
        timeout=PATIENCE_S,
    )


def started(desk: Desk) -> list[str]:
    return sorted(file.name for file in desk.home.glob("started-*"))


@pytest.mark.parametrize("tool", UNCONFINED)
async def test_sparring_as_a_server_of_the_tool_is_started_by_the_tool_but_not_by_a_consultation(
    tool: str, recursive: Desk
) -> None:
    for access in RepoAccess:
        assert isinstance(await recursive.consultant(tool).ask(question(repo_access=access)), Answer)
    assert started(recursive) == []

    run_unconfined(tool, recursive)
    assert started(recursive) == ["started-project", "started-user"]
