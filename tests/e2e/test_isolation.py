"""What a consulted tool cannot do: act, read the project's instructions, or start what the user has configured."""

import json

import pytest

from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Answer
from sparring.testing.model_endpoint import Call
from support.desk import Desk, question

pytestmark = pytest.mark.npm

SERVER_NAMES = ("plain", "odd.name", 'with "quotes" and spaces')


@pytest.mark.parametrize(
    ("tool", "model", "offered"),
    [
        ("claude", "claude-opus-5-5", []),
        ("codex", "a-model-it-does-not-know", []),
        ("codex", "gpt-5.5", ["apply_patch"]),  # cannot be removed; the sandbox refuses what it would write
        ("codex", "gpt-6.1-sol", ["functions"]),  # JavaScript without files and network
        ("copilot", "gpt-5.4", []),
        ("copilot", "claude-opus-5.5", []),
        ("gemini", "gemini-2.5-pro", []),
        ("gemini", "gemini-3.1-pro-preview", []),
    ],
)
async def test_no_tool_is_offered_that_can_be_removed(tool: str, model: str, offered: list[str], desk: Desk) -> None:
    await desk.consultant(tool).ask(question(model=model))

    assert desk.endpoint.request.tools == offered


PATCH = "*** Begin Patch\n*** Add File: pwned.txt\n+pwned\n*** End Patch\n"


@pytest.mark.parametrize(
    ("tool", "call"),
    [
        ("claude", Call("Bash", json.dumps({"command": "touch pwned.txt"}))),
        ("claude", Call("Write", json.dumps({"file_path": "pwned.txt", "content": "pwned"}))),
        ("codex", Call("apply_patch", PATCH)),
        ("copilot", Call("bash", json.dumps({"command": "touch pwned.txt", "description": "A test"}))),
        ("gemini", Call("run_shell_command", json.dumps({"command": "touch pwned.txt"}))),
        ("gemini", Call("write_file", json.dumps({"file_path": "pwned.txt", "content": "pwned"}))),
    ],
    ids=["claude-shell", "claude-write", "codex-patch", "copilot-shell", "gemini-shell", "gemini-write"],
)
async def test_a_model_that_tries_to_write_all_the_same_writes_nothing(tool: str, call: Call, desk: Desk) -> None:
    desk.endpoint.first.append(call)

    reply = await desk.consultant(tool).ask(question())

    assert isinstance(reply, Answer)
    assert len(desk.endpoint.requests) == 2
    assert [file.name for file in desk.project.iterdir()] == [".git"]


@pytest.mark.parametrize("access", RepoAccess)
@pytest.mark.parametrize("tool", ["claude", "codex"])
async def test_instructions_and_memories_of_project_and_user_do_not_reach_the_model(
    tool: str, access: RepoAccess, desk: Desk
) -> None:
    project = "".join(letter if letter.isalnum() else "-" for letter in str(desk.project))
    for file in (
        *(desk.project / name for name in ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md")),
        desk.project / ".claude" / "rules" / "rule.md",
        desk.home / ".claude" / "CLAUDE.md",
        desk.home / ".claude" / "projects" / project / "memory" / "MEMORY.md",
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("LEAKED instructions\n", encoding="utf-8")

    reply = await desk.consultant(tool).ask(question(repo_access=access))

    assert isinstance(reply, Answer)
    assert "LEAKED" not in desk.endpoint.request


def server(desk: Desk, number: int) -> tuple[str, list[str]]:
    return "/bin/sh", ["-c", f"touch '{desk.home}/started-{number}'; cat"]


def codex_servers(desk: Desk, first: int) -> str:
    tables: list[str] = []
    for number, name in enumerate(SERVER_NAMES, start=first):
        command, args = server(desk, number)
        tables.append(f"[mcp_servers.{json.dumps(name)}]\ncommand = {json.dumps(command)}\nargs = {json.dumps(args)}\n")
    return "".join(tables) + '[mcp_servers.remote]\nurl = "http://127.0.0.1:9/mcp"\n'


@pytest.mark.parametrize(
    ("trust", "access"),
    [("trusted", RepoAccess.NONE), ("untrusted", RepoAccess.NONE), ("trusted", RepoAccess.READ)],
)
async def test_no_configured_server_is_started_by_codex(trust: str, access: RepoAccess, desk: Desk) -> None:
    trusted = f'[projects.{json.dumps(str(desk.project))}]\ntrust_level = "{trust}"\n'
    desk.write_codex_config(
        top=f'notify = ["touch", "{desk.home}/started-notify"]', tables=codex_servers(desk, 0) + trusted
    )
    (desk.project / ".codex").mkdir()
    own = codex_servers(desk, 10).replace("mcp_servers.", "mcp_servers.project-").replace('project-"', '"project-')
    (desk.project / ".codex" / "config.toml").write_text(own, encoding="utf-8")

    reply = await desk.consultant("codex").ask(question(repo_access=access))

    assert isinstance(reply, Answer), reply
    assert sorted(desk.home.glob("started-*")) == []
    assert reply.warnings == ()


@pytest.mark.parametrize("access", RepoAccess)
async def test_no_configured_server_or_hook_is_started_by_claude(access: RepoAccess, desk: Desk) -> None:
    command, args = server(desk, 1)
    servers = {"mcpServers": {"plain": {"command": command, "args": args}}}
    hook = {"hooks": [{"type": "command", "command": f"touch '{desk.home}/started-hook'"}]}
    hooks = {"hooks": {"UserPromptSubmit": [hook], "SessionStart": [hook], "Stop": [hook]}}
    (desk.project / ".mcp.json").write_text(json.dumps(servers), encoding="utf-8")
    (desk.home / ".claude.json").write_text(json.dumps(servers), encoding="utf-8")
    for folder in (desk.project, desk.home):
        (folder / ".claude").mkdir()
        (folder / ".claude" / "settings.json").write_text(json.dumps(hooks), encoding="utf-8")

    reply = await desk.consultant("claude").ask(question(repo_access=access))

    assert isinstance(reply, Answer), reply
    assert sorted(desk.home.glob("started-*")) == []
