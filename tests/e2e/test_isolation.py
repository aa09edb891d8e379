"""What a consulted tool cannot do: act, hear the project's instructions, or start what the user has configured.

What Copilot and Gemini CLI would start, and all that OpenCode would, is in the tests of each. That nothing is started
from deep inside of sparring is in ``tests/unit/providers/cli/test_consultant.py``.
"""

import json
import sys
from functools import partial
from pathlib import Path

import pytest
from anyio.to_thread import run_sync
from msgspec.structs import replace

from sparring.schema.base import RepoAccess
from sparring.testing.model_endpoint import Call
from support.desk import TOOLS, Desk, answered, question, write
from support.hostile_repositories import HOSTILE, ground

pytestmark = pytest.mark.npm

UNCONFINED = {
    "claude": ("-p", "--output-format", "json"),
    "codex": ("exec", "--json", "--skip-git-repo-check", "-"),
    "opencode": ("run", "--format", "json", "--title", "T"),
}
ACCESS = {"claude": (*RepoAccess,), "codex": (*RepoAccess,), "opencode": (RepoAccess.READ,)}
"""What each may do when it is asked; of OpenCode, which takes seconds to start, more is in its own tests."""

PATCH = "*** Begin Patch\n*** Add File: pwned.txt\n+pwned\n*** End Patch\n"


SHELL, WRITE = {"command": "touch pwned.txt", "description": "A test"}, {"file_path": "pwned.txt", "content": "pwned"}


@pytest.mark.parametrize(
    ("tool", "calls"),
    [
        ("claude", [Call("Bash", json.dumps(SHELL)), Call("Write", json.dumps(WRITE))]),
        ("codex", [Call("apply_patch", PATCH)]),
        ("copilot", [Call("bash", json.dumps(SHELL)), Call("create", json.dumps({"path": "pwned.txt"}))]),
        ("gemini", [Call("run_shell_command", json.dumps(SHELL)), Call("write_file", json.dumps(WRITE))]),
    ],
)
async def test_a_model_that_tries_to_write_all_the_same_writes_nothing(
    tool: str, calls: list[Call], desk: Desk
) -> None:
    desk.endpoint.first += calls
    answered(await desk.consultant(tool).ask(question()))
    assert len(desk.endpoint.requests) == len(calls) + 1
    assert [file.name for file in desk.project.iterdir()] == [".git"]


def leave_instructions(desk: Desk) -> None:
    """Instructions and memories, wherever Claude Code and Codex look for some."""
    project = "".join(letter if letter.isalnum() else "-" for letter in str(desk.project))
    for file in (
        *(desk.project / name for name in ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md")),
        desk.project / ".claude" / "rules" / "rule.md",
        desk.home / ".claude" / "CLAUDE.md",
        desk.home / ".claude" / "projects" / project / "memory" / "MEMORY.md",
    ):
        write(file, "LEAKED instructions\n")


def codex_servers(owner: str, program: Path) -> str:
    """Servers of any name that Codex takes."""
    names = ("plain", "odd.name", 'with "quotes" and spaces')
    tables = (
        f"[mcp_servers.{json.dumps(f'{owner}-{name}')}]\ncommand = {json.dumps(str(program))}\n" for name in names
    )
    return "".join(tables) + f'[mcp_servers.{owner}-remote]\nurl = "http://127.0.0.1:9/mcp"\n'


@pytest.fixture
def crowded(desk: Desk) -> Desk:
    """A desk on which the user and the project have instructions, hooks and servers, sparring itself among these."""
    leave_instructions(desk)
    for owner in ("user", "project"):
        program = desk.home / f"sparring-of-{owner}"
        write(program, f"#!/bin/sh\ntouch '{desk.home}/started-{owner}'\nexec {sys.executable} -m sparring serve\n")
        program.chmod(0o700)
    user, project = desk.home / "sparring-of-user", desk.home / "sparring-of-project"
    write(desk.home / ".claude.json", {"mcpServers": {"sparring": {"command": str(user)}}})
    write(desk.project / ".mcp.json", {"mcpServers": {"sparring-too": {"command": str(project)}}})
    hook = {"hooks": [{"type": "command", "command": f"touch '{desk.home}/started-hook'"}]}
    for folder in (desk.project, desk.home):
        hooks = {event: [hook] for event in ("UserPromptSubmit", "SessionStart", "Stop")}
        write(folder / ".claude" / "settings.json", {"hooks": hooks})
    desk.write_opencode_config(mcp={"sparring": {"type": "local", "command": [str(user)]}})
    write(desk.project / "opencode.json", {"mcp": {"sparring-too": {"type": "local", "command": [str(project)]}}})
    trusted = f'[projects.{json.dumps(str(desk.project))}]\ntrust_level = "trusted"\n'
    notify = f'notify = ["touch", "{desk.home}/started-hook"]'
    desk.write_codex_config(top=notify, tables=codex_servers("user", user) + trusted)
    write(desk.project / ".codex" / "config.toml", codex_servers("project", project))
    return desk


def started(desk: Desk) -> set[str]:
    return {file.name.removeprefix("started-") for file in desk.home.glob("started-*")}


@pytest.mark.parametrize("tool", UNCONFINED)
async def test_programs_configured_by_user_and_project_start_in_no_consultation(tool: str, crowded: Desk) -> None:
    for access in ACCESS[tool]:
        reply = answered(await crowded.consultant(tool).ask(question(repo_access=access)))
        assert reply.warnings == ()
    assert started(crowded) == set()
    assert [request.prompt for request in crowded.endpoint.requests if "LEAKED" in request] == []
    crowded.variables["npm_config_offline"] = "true"  # opencode would install a package
    bare = partial(crowded.bare, tool, *UNCONFINED[tool], typed="Is it so?")
    (await run_sync(bare)).check_returncode()
    assert started(crowded) >= {"project", "user"}


async def test_a_server_of_a_project_that_is_not_trusted_is_no_obstacle_to_codex(crowded: Desk) -> None:
    config = crowded.home / ".codex" / "config.toml"
    config.write_text(config.read_text(encoding="utf-8").replace('"trusted"', '"untrusted"'), encoding="utf-8")
    reply = answered(await crowded.consultant("codex").ask(question()))
    assert (started(crowded), reply.warnings) == (set(), ())


HOSTILE_TO_TOOLS = ("submodule", "hooks", "monitor", "filter_process")


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_tool_that_looks_into_a_repository_starts_nothing_of_it(tool: str, desk: Desk) -> None:
    here = ground(desk.home / "hostile")
    for attack in HOSTILE_TO_TOOLS:
        HOSTILE[attack](here)
    here.marker.unlink(missing_ok=True)
    answered(await replace(desk, project=here.project).consultant(tool).ask(question(repo_access=RepoAccess.READ)))
    assert not here.marker.exists()
