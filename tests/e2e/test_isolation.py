"""What a consulted tool cannot do: act, read the project's instructions, or start what the user has configured."""

import json

import pytest

from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Answer
from sparring.testing.model_endpoint import Call
from support.desk import Desk, question, write

pytestmark = pytest.mark.npm

SERVER_NAMES = ("plain", "odd.name", 'with "quotes" and spaces')


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

    reply = await desk.consultant(tool).ask(question())

    assert isinstance(reply, Answer), reply
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
        desk.home / ".codex" / "AGENTS.md",
    ):
        write(file, "LEAKED instructions\n")


def server(desk: Desk, number: int) -> tuple[str, list[str]]:
    return "/bin/sh", ["-c", f"touch '{desk.home}/started-{number}'; cat"]


def codex_servers(desk: Desk, first: int) -> str:
    tables: list[str] = []
    for number, name in enumerate(SERVER_NAMES, start=first):
        command, args = server(desk, number)
        tables.append(f"[mcp_servers.{json.dumps(name)}]\ncommand = {json.dumps(command)}\nargs = {json.dumps(args)}\n")
    return "".join(tables) + '[mcp_servers.remote]\nurl = "http://127.0.0.1:9/mcp"\n'


@pytest.mark.parametrize(("trust", "access"), [("untrusted", RepoAccess.NONE), ("trusted", RepoAccess.READ)])
async def test_nothing_that_user_or_project_have_set_up_is_started_or_heard_by_codex(
    trust: str, access: RepoAccess, desk: Desk
) -> None:
    leave_instructions(desk)
    trusted = f'[projects.{json.dumps(str(desk.project))}]\ntrust_level = "{trust}"\n'
    desk.write_codex_config(
        top=f'notify = ["touch", "{desk.home}/started-notify"]', tables=codex_servers(desk, 0) + trusted
    )
    own = codex_servers(desk, 10).replace("mcp_servers.", "mcp_servers.project-").replace('project-"', '"project-')
    write(desk.project / ".codex" / "config.toml", own)

    reply = await desk.consultant("codex").ask(question(repo_access=access))

    assert isinstance(reply, Answer), reply
    assert sorted(desk.home.glob("started-*")) == []
    assert reply.warnings == ()
    assert "LEAKED" not in desk.endpoint.request


@pytest.mark.parametrize("access", RepoAccess)
async def test_nothing_that_user_or_project_have_set_up_is_started_or_heard_by_claude(
    access: RepoAccess, desk: Desk
) -> None:
    leave_instructions(desk)
    hook = {"hooks": [{"type": "command", "command": f"touch '{desk.home}/started-hook'"}]}
    for folder in (desk.project, desk.home):
        write(
            folder / ".claude" / "settings.json",
            {"hooks": {event: [hook] for event in ("UserPromptSubmit", "SessionStart", "Stop")}},
        )

    reply = await desk.consultant("claude").ask(question(repo_access=access))

    assert isinstance(reply, Answer), reply
    assert sorted(desk.home.glob("started-*")) == []
    assert "LEAKED" not in desk.endpoint.request
