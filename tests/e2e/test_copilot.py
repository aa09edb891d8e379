"""What only Copilot CLI has: much that it starts by itself, a login beside its settings, several kinds of providers."""

from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace

from sparring.providers.cli.consultant import CliConsultant
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import FailureCode, Usage
from sparring.text.redaction import Redactor
from support.desk import Desk, answered, command_line, failed, files, question, write

pytestmark = pytest.mark.npm

EVENTS = ("sessionStart", "userPromptSubmitted", "agentStop", "sessionEnd")


def crowd(desk: Desk, place: Path, name: str) -> None:
    """Everything in a repository, or in the user's folder, that Copilot starts or reads by itself."""

    def touch(what: str) -> str:
        return f"touch '{desk.home}/started-{name}-{what}'"

    def hooks(what: str) -> dict[str, object]:
        return {"version": 1, "hooks": {event: [{"type": "command", "bash": touch(what)}] for event in EVENTS}}

    def servers(what: str) -> dict[str, object]:
        command = {"type": "local", "command": "/bin/sh", "args": ["-c", touch(what)], "tools": ["*"]}
        return {f"{name}-{what}": command}

    own = ".copilot" if place == desk.home else ".github"
    write(place / own / "hooks" / "all.json", hooks("hook"))
    write(place / own / "mcp-config.json", {"mcpServers": servers("server")})
    write(
        place / own / "extensions" / "one" / "extension.mjs", f'import "node:child_process";\n// {touch("extension")}\n'
    )
    write(place / own / "agents" / "one.agent.md", "---\nname: one\ndescription: LEAKED\n---\nLEAKED\n")
    write(place / own / "skills" / "one" / "SKILL.md", "---\nname: one\ndescription: LEAKED\n---\nLEAKED\n")
    write(place / own / "copilot-instructions.md", "LEAKED\n")
    write(place / own / "instructions" / "one.instructions.md", "---\napplyTo: '**'\n---\nLEAKED\n")
    if place == desk.home:
        write(place / own / "settings.json", {**hooks("settings"), "trustedFolders": [str(desk.project)]})
        write(place / own / "config.json", {"trusted_folders": [str(desk.project)]})
        return
    write(place / own / "copilot" / "settings.json", {**hooks("settings"), "model": "gpt-5-mini"})
    write(place / own / "copilot" / "settings.local.json", hooks("local-settings"))
    write(place / own / "mcp.json", {"mcpServers": servers("github-server")})
    write(place / own / "allowed_models.txt", "# It names no fallback, so nothing would be answered.\n")
    write(place / ".mcp.json", {"mcpServers": servers("workspace-server")})
    write(place / ".vscode" / "mcp.json", {"servers": servers("editor-server")})
    command = {"hooks": [{"type": "command", "command": touch("claude-hook")}]}
    write(place / ".claude" / "settings.json", {"hooks": {"SessionStart": [command]}})
    for file in ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".claude/CLAUDE.md", ".claude/commands/one.md"):
        write(place / file, "LEAKED\n")
    write(place / ".env", "COPILOT_MODEL=gpt-5-mini\nCOPILOT_PROVIDER_BASE_URL=http://127.0.0.1:9\n")


def started(desk: Desk) -> list[str]:
    return sorted(file.name.removeprefix("started-") for file in desk.home.glob("started-*"))


@pytest.fixture
def crowded(desk: Desk) -> Desk:
    """A desk on which user and project have everything, and the user trusts the project and says so in every way."""
    crowd(desk, desk.project, "project")
    crowd(desk, desk.home, "user")
    for kind in ("EXTENSIONS", "REPO_HOOKS", "WORKSPACE_MCP"):
        desk.variables[f"GITHUB_COPILOT_PROMPT_MODE_{kind}"] = "true"
    desk.variables["COPILOT_ALLOW_ALL"] = "true"
    desk.variables["COPILOT_CUSTOM_INSTRUCTIONS_DIRS"] = desk.variables["COPILOT_SKILLS_DIRS"] = str(desk.project)
    return desk


@pytest.mark.parametrize("access", RepoAccess)
async def test_nothing_of_the_user_or_the_project_is_started_or_read(access: RepoAccess, crowded: Desk) -> None:
    before = files(crowded.home / ".copilot")
    answered(await crowded.consultant("copilot").ask(question(repo_access=access)))
    assert (started(crowded), "LEAKED" in crowded.endpoint.request) == ([], False)
    assert crowded.endpoint.request.body["model"] == "gpt-5.4"
    assert crowded.endpoint.request.tools == {"none": [], "read": ["view", "rg", "glob"]}[access.value]
    assert files(crowded.home / ".copilot") == before


def test_all_that_would_be_started_otherwise(crowded: Desk) -> None:
    (crowded.project / ".github" / "allowed_models.txt").unlink()

    crowded.bare("copilot", "--output-format", "json", "--no-auto-update", typed="Is it so?").check_returncode()

    assert {
        "project-claude-hook", "project-hook", "project-local-settings", "project-settings", "project-workspace-server",
        "user-hook", "user-server", "user-settings",
    } <= set(started(crowded))  # fmt: skip
    assert "LEAKED" in crowded.endpoint.requests[0]


async def test_a_home_that_is_a_repository_is_not_taken_for_the_project(desk: Desk) -> None:
    """The user trusts it, and there is everything in it."""
    for name in ("objects", "refs"):
        (desk.home / ".git" / name).mkdir(parents=True)
    write(desk.home / ".git" / "HEAD", "ref: refs/heads/main\n")
    crowd(desk, desk.home / "copy", "home")
    for name in (".github", ".mcp.json", ".claude"):
        (desk.home / "copy" / name).rename(desk.home / name)
    crowd(desk, desk.project, "project")
    write(desk.home / ".copilot" / "config.json", {"trustedFolders": [str(desk.home)]})

    answered(await desk.consultant("copilot").ask(question()))
    assert started(desk) == []


@pytest.mark.parametrize(
    ("kind", "path", "read"), [("openai", "/v1/responses", 1200), ("anthropic", "/v1/messages", 1205)]
)
async def test_every_kind_of_own_provider_works(kind: str, path: str, read: int, desk: Desk) -> None:
    desk.variables.update(COPILOT_PROVIDER_TYPE=kind, COPILOT_PROVIDER_WIRE_API="responses")
    if kind == "anthropic":
        desk.variables.update(COPILOT_PROVIDER_BASE_URL=desk.endpoint.url, COPILOT_MODEL="claude-opus-5.5")
    reply = answered(await desk.consultant("copilot").ask(question()))
    assert (desk.endpoint.request.path, desk.endpoint.request.tools) == (path, [])
    usage = reply.usage.model_copy(update={"reasoning_tokens": None})
    assert usage == Usage(input_tokens=read, cached_tokens=5, output_tokens=34)


class _Recorder(BaseHTTPRequestHandler):
    """Notes who asks for what, and refuses it."""

    seen: list[tuple[str, str, str | None]]

    def do_GET(self) -> None:
        self.seen.append((self.command, self.path, self.headers.get("authorization")))
        self.send_error(401)

    do_CONNECT = do_POST = do_GET  # noqa: N815 - the base class calls them so

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """Stay silent."""


@contextmanager
def recorder() -> Generator[tuple[str, list[tuple[str, str, str | None]]]]:
    handler = type("_Noting", (_Recorder,), {"seen": (seen := list[tuple[str, str, str | None]]())})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
        server.shutdown()
        thread.join()


async def test_only_the_endpoint_receives_requests(desk: Desk) -> None:
    with recorder() as (proxy, seen):
        online = {"COPILOT_OFFLINE": "false", "HTTPS_PROXY": proxy, "HTTP_PROXY": proxy, "NO_PROXY": "127.0.0.1"}
        answered(await replace(desk, variables=online).consultant("copilot").ask(question()))
    assert seen == []


async def test_the_users_login_is_used_where_it_lies_and_stays_as_it_is(desk: Desk) -> None:
    login = desk.home / ".copilot" / "config.json"
    account = {"host": "https://github.com", "login": "somebody"}
    write(login, {"lastLoggedInUser": account, "loggedInUsers": [account],
                  "copilotTokens": {"https://github.com:somebody": "gho_dummy"}})  # fmt: skip
    before = login.read_bytes()
    spec = command_line("copilot")
    allowed = spec.environment.model_copy(update={"allow": (*spec.environment.allow, "COPILOT_DEBUG_GITHUB_API_URL")})
    with recorder() as (github, seen):
        desk.variables.update(
            COPILOT_OFFLINE="false", COPILOT_PROVIDER_BASE_URL="", COPILOT_DEBUG_GITHUB_API_URL=github,
            HTTPS_PROXY=github, NO_PROXY="127.0.0.1",
        )  # fmt: skip
        consultant = CliConsultant(
            spec.model_copy(update={"environment": allowed}), desk.surroundings(), redactor=Redactor()
        )
        reply = await consultant.ask(question())

    assert failed(reply).code is FailureCode.AUTH
    assert ("GET", "/copilot_internal/user", "Bearer gho_dummy") in seen
    assert login.read_bytes() == before
    assert list(desk.calls_folder.iterdir()) == []


async def test_a_path_in_a_prompt_is_text_even_where_it_may_be_read(desk: Desk) -> None:
    write(desk.project / "notes.txt", "EXPANDED")
    write(desk.project / ".env", "EXPANDED")
    prompt = f"Look at @{desk.copy}/notes.txt and @{desk.copy}/.env, or #file:{desk.project}/notes.txt"
    answered(await desk.consultant("copilot").ask(question(prompt, repo_access=RepoAccess.READ)))
    assert desk.endpoint.request.prompt.endswith(
        f"The project is in the folder {desk.copy}. Name files by their whole path.\n\n{prompt}"
    )
    assert "EXPANDED" not in desk.endpoint.request
