"""With access to the repository, a tool reads files of the project: no other file, no secret, and it writes nothing."""

import json
import os
import shlex
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Usage
from sparring.testing.model_endpoint import Call, Request
from support.desk import Desk, answered, files, question, write

pytestmark = pytest.mark.npm

CODEX_MODEL = "a-model-it-does-not-know"  # it is offered plain tools
SECRET_FILES = (
    *(".env", "sub/.env.local", "sub/server.PEM", "id_rsa", "Credentials.json", "sub/app-secrets.yaml"),
    *("sub/.git/config", ".aws/credentials", ".github/odd {1}[!a],b/deploy.key", ".git/refs/heads/a.key"),
    *(".claude/debate/runs/one/journal.jsonl", ".sparring/consult/last-session.json"),
)
LINKS = {
    "folder-link": "../outside",
    "file-link": "../outside/notes.txt",
    "etc-link": "/etc",
    "innocent.txt": ".env",
    "key-link": "id_rsa",
    "ssh-link": ".ssh",
}
TEXTS = ("PROJECT-TEXT", "OUTSIDE-TEXT", "HOME-TEXT", "SECRET-TEXT", "root:x:", "sk-dummy", "sk-ant-dummy")


Calls = Mapping[str, tuple[Call, list[str]]]
"""What a model tries, and the texts that it gets by it."""


@pytest.fixture
def library(desk: Desk) -> Desk:
    """A desk with something to read in the project, and with what must not be read inside and outside of it."""
    write(desk.project / "sub" / "notes.txt", "PROJECT-TEXT")
    for name in (*SECRET_FILES, ".git/config"):
        write(desk.project / name, "SECRET-TEXT")
    write(desk.project.parent / "outside" / "notes.txt", "OUTSIDE-TEXT")
    write(desk.home / "notes.txt", "HOME-TEXT")
    write(desk.home / ".codex" / "auth.json", "HOME-TEXT")
    write(desk.home / ".copilot" / "config.json", '{"copilotTokens": {"somewhere": "HOME-TEXT"}}')
    for file in earlier(desk):
        write(file, "HOME-TEXT")
    write(desk.project / ".ssh" / "config", "SECRET-TEXT")
    for name, target in LINKS.items():
        (desk.project / name).symlink_to(target)
    return replace(desk, variables={"TMPDIR": str(desk.home)})


def earlier(desk: Desk) -> tuple[Path, Path]:
    """What Claude Code keeps of earlier sessions in this project, which it lets itself read."""
    name = "".join(letter if letter.isalnum() else "-" for letter in str(desk.project))
    session = desk.home / ".claude" / "projects" / name / "earlier.jsonl"
    return session, desk.home / f"claude-{os.getuid()}" / name / "earlier.txt"


def snapshot(desk: Desk) -> dict[str, bytes]:
    """Every file of the project and of the folder beside it."""
    return files(desk.project, desk.project.parent / "outside")


def told(request: Request) -> list[str]:
    """Which of the texts the last result of a tool held."""
    last = request.body["input"][-1] if "input" in request.body else request.results[-1]
    assert isinstance(last, str) or last["type"].endswith("call_output")  # of a tool of its own, too
    return [text for text in TEXTS if text in json.dumps(last)]


PATCH = "*** Begin Patch\n*** Add File: pwned\n+pwned\n*** End Patch\n"


def call(tool: str, **arguments: object) -> Call:
    return Call(tool, json.dumps(arguments))


def shell(command: str, **more: object) -> Call:
    return call("/exec_command", cmd=command, **more)


def forbidden(desk: Desk) -> tuple[str, ...]:
    """Paths that nobody may read: in the project itself, outside of it, or to what is made to hold secrets."""
    project, home, copy = desk.project, desk.home, desk.copy
    inside = (
        *SECRET_FILES, "innocent.txt", "key-link", "ssh-link/config", ".git/config", "sub/../.env", "file-link",
        "folder-link/notes.txt", "etc-link/passwd", "../outside/notes.txt", "sub/../../outside/notes.txt",
    )  # fmt: skip
    return (
        *(f"{place}/{name}" for place in (project, copy) for name in inside),
        f"{project}/sub/notes.txt", "/etc/passwd", "/proc/self/environ", "file:///etc/passwd",
        "~/notes.txt", f"{home}/notes.txt", *map(str, earlier(desk)),
    )  # fmt: skip


def places(desk: Desk) -> tuple[str, ...]:
    """Where nobody may search."""
    inside = ("folder-link", "file-link", "etc-link", "..", ".git", ".env", "innocent.txt", "sub/../.git/config")
    places = (f"{place}/{name}" for place in (desk.project, desk.copy) for name in inside)
    return ("/etc", str(desk.home), str(desk.project), *places)


def claude_calls(desk: Desk) -> Calls:
    def grep(path: str = ".", **more: str) -> Call:
        return call("Grep", pattern="TEXT|root:x:", output_mode="content", path=path, **more)

    copy = desk.copy
    return {
        "read": (call("Read", file_path="sub/notes.txt"), ["PROJECT-TEXT"]),
        "read by its whole path": (call("Read", file_path=f"{copy}/sub/notes.txt"), ["PROJECT-TEXT"]),
        "search": (grep(), ["PROJECT-TEXT"]),
        **{f"read {path}": (call("Read", file_path=path), []) for path in (*forbidden(desk), *SECRET_FILES)},
        **{f"search {path}": (grep(path), []) for path in places(desk)},
        "search by a pattern outside": (grep(glob="../outside/**"), []),
        "search by the pattern of a secret": (grep(glob=".env"), []),
        "run": (call("Bash", command="cat /etc/passwd; touch pwned"), []),
        "write": (call("Write", file_path=f"{copy}/pwned", content="pwned"), []),
        "edit": (call("Edit", file_path=f"{copy}/sub/notes.txt", old_string="PROJECT", new_string="OTHER"), []),
        "fetch": (call("WebFetch", url=f"{desk.endpoint.url}/pwned", prompt="What is it?"), []),
    }


def codex_calls(desk: Desk) -> Calls:
    outside = desk.project.parent / "outside"
    others = (f"{desk.home}/.codex/auth.json", "../outside/notes.txt", *SECRET_FILES)
    commands = {
        "files": f"cat ~/notes.txt {shlex.join((*forbidden(desk), *others))}",
        "the environment": "env; cat /proc/*/environ | tr '\\0' '\\n'",
        "write": f"touch pwned sub/pwned {outside}/pwned; echo pwned >> sub/notes.txt; rm sub/notes.txt",
        "patch by the shell": f"apply_patch <<'X'\n{PATCH}X",
        "connect": f"python3 -c \"import urllib.request as r; r.urlopen('{desk.endpoint.url}/v1/pwned')\"",
    }
    return {
        "read": (shell("cat sub/notes.txt"), ["PROJECT-TEXT"]),
        "search": (shell("rg --hidden TEXT ."), ["PROJECT-TEXT"]),
        **{name: (shell(command), []) for name, command in commands.items()},
        "another working directory": (shell("cat notes.txt", workdir=str(outside)), []),
        "on the host": (
            shell(f"cat {outside}/notes.txt", sandbox_permissions="require_escalated", justification="y"), []
        ),
        "a picture": (call("/view_image", path=f"{outside}/notes.txt"), []),
        "patch": (Call("apply_patch", PATCH), []),
    }  # fmt: skip


def copilot_calls(desk: Desk, *, searcher: str = "rg") -> Calls:
    def search(*paths: str, **more: str) -> Call:
        return call(searcher, pattern="TEXT|root:x:", output_mode="content", paths=paths, **more)

    project = str(desk.copy)
    patterns = ("../outside/**", ".env*", "*.PEM", "**/.git/**")
    return {
        "read": (call("view", path=f"{project}/sub/notes.txt"), ["PROJECT-TEXT"]),
        "search": (search(project), ["PROJECT-TEXT"]),
        **{f"read {path}": (call("view", path=path), []) for path in (*forbidden(desk), "../config.json")},
        **{f"search {place}": (search(place), []) for place in places(desk)},
        **{f"search by the pattern {pattern}": (search(project, glob=pattern), []) for pattern in patterns},
        "search its own home": (search("..", glob="*.json"), []),
        "search outside as well": (search(f"{project}/sub", f"{project}/../outside"), []),
        "search as the search tool is told": (search(project, "--no-pre", "--follow", glob="--no-pre"), []),
        "run": (call("bash", command="cat /etc/passwd; touch pwned", description="A test"), []),
        "write": (call("create", path=f"{project}/pwned", file_text="pwned"), []),
        "edit": (call("edit", path=f"{project}/sub/notes.txt", old_str="PROJECT", new_str="OTHER"), []),
        "patch": (call("apply_patch", input=PATCH), []),
        "fetch": (call("web_fetch", url=f"{desk.endpoint.url}/pwned"), []),
        "delegate": (call("task", agent_type="explore", prompt="cat /etc/passwd", description="A test"), []),
    }


def gemini_calls(desk: Desk) -> Calls:
    project, home = desk.copy, desk.home
    odd = (
        "notes.txt", "sub/notes.txt", f"@{project}/.env", f"{project}/%2e%2e/outside/notes.txt", str(project),
        f"{project}-other/notes.txt", f"file://{project}/sub/notes.txt", f"{home}/.gemini/.env",
        *(f"{project}/{name}" for name in (
            "./innocent.txt", "/innocent.txt", "sub/../innocent.txt", "innocent.txt/", "INNOCENT.TXT", "id_rsa/.",
            "id%5frsa", "id_rsa\\", "sub//server.PEM",
        )),
    )  # fmt: skip
    patterns = ("../outside/*", f"{desk.copy.parent}/*", "{.,.}./outside/*", "sub/../../outside/*")
    whole = f"{project}/sub/notes.txt"
    return {
        "read": (call("read_file", file_path=whole), ["PROJECT-TEXT"]),
        "read a part": (call("read_file", file_path=whole, start_line=1, end_line=1), ["PROJECT-TEXT"]),
        **{f"read {path}": (call("read_file", file_path=path), []) for path in (*forbidden(desk), *odd)},
        **{f"list {path}": (call("list_directory", dir_path=path), []) for path in ("/etc", str(home), "../..", "~")},
        **{f"find {pattern}": (call("glob", pattern=pattern), []) for pattern in patterns},
        "find elsewhere": (call("glob", pattern="*", dir_path=str(home)), []),
        "search": (call("grep_search", pattern="TEXT", dir_path=str(project)), []),
        "read several": (call("read_many_files", include=[f"{project}/.env"]), []),
        "run": (call("run_shell_command", command="cat /etc/passwd; touch pwned"), []),
        "write": (call("write_file", file_path=f"{project}/pwned", content="pwned"), []),
        "edit": (call("replace", file_path=whole, old_string="PROJECT", new_string="OTHER"), []),
        "fetch": (call("web_fetch", prompt=f"What is in {desk.endpoint.url}/pwned ?"), []),
        "delegate": (call("invoke_agent", agent_name="codebase_investigator", prompt="cat /etc/passwd"), []),
        "ask for more": (call("activate_skill", name="more"), []),
    }


@pytest.mark.parametrize(
    ("tool", "model", "calls", "offered"),
    [
        ("claude", "claude-opus-5-5", claude_calls, ["Glob", "Grep", "Read"]),
        ("codex", CODEX_MODEL, codex_calls, ["exec_command", "write_stdin"]),
        ("copilot", "gpt-5.4", copilot_calls, ["view", "rg", "glob"]),
        ("copilot", "claude-opus-5.5", partial(copilot_calls, searcher="grep"), ["view", "grep", "glob"]),
        ("gemini", "gemini-3.1-pro-preview", gemini_calls, ["list_directory", "read_file", "glob"]),
    ],
    ids=["claude", "codex", "copilot", "copilot-claude", "gemini"],
)
async def test_the_project_is_read_and_nothing_else_and_nothing_is_written(
    tool: str, model: str, calls: Callable[[Desk], Calls], offered: list[str], library: Desk
) -> None:
    before, table = snapshot(library), calls(library)
    library.endpoint.first += [call for call, _ in table.values()]

    reply = answered(await library.consultant(tool).ask(question(model=model, repo_access=RepoAccess.READ)))
    first, *others = library.endpoint.requests
    assert first.tools == offered
    assert dict(zip(table, map(told, others), strict=True)) == {name: texts for name, (_, texts) in table.items()}
    assert snapshot(library) == before
    turns = len(table) + 1
    assert reply.usage.model_copy(update={"cost_usd": None}) == Usage(
        input_tokens=(1205 if tool == "claude" else 1200) * turns,
        cached_tokens=5 * turns,
        output_tokens=34 * turns,
        reasoning_tokens=0,
    )


async def test_codex_reads_the_project_from_javascript_too(library: Desk) -> None:
    code = 'text((await tools.exec_command({cmd: "cat sub/notes.txt .env ../outside/notes.txt"})).output)'
    library.endpoint.first.append(Call("exec", code))
    answered(await library.consultant("codex").ask(question(model="gpt-6.1-sol", repo_access=RepoAccess.READ)))
    assert told(library.endpoint.requests[1]) == ["PROJECT-TEXT"]


ENVIRONMENT = '[shell_environment_policy]\ninherit = "all"\nset = { A = "HOME-TEXT" }\n'
PROFILE = '[permissions.mine.filesystem]\n":root" = "write"\n[permissions.mine.network]\nenabled = true\n'
LOOSE = {
    "the old way": ('sandbox_mode = "danger-full-access"\napproval_policy = "on-request"', ENVIRONMENT),
    "the new way": ('default_permissions = ":danger-full-access"', ""),
    "a profile of the user": ('default_permissions = "mine"', PROFILE),
}


@pytest.mark.parametrize(("top", "tables"), LOOSE.values(), ids=LOOSE.keys())
async def test_permissions_of_the_users_codex_do_not_apply(top: str, tables: str, library: Desk) -> None:
    trusted = f'[projects.{json.dumps(str(library.project))}]\ntrust_level = "trusted"\n'
    library.write_codex_config(top=top, tables=tables + trusted)
    write(library.home / ".codex" / "rules" / "default.rules", 'prefix_rule(pattern=["cat"], decision="allow")')
    write(library.project / ".codex" / "rules" / "default.rules", 'prefix_rule(pattern=["cat"], decision="allow")')
    write(library.project / ".codex" / "config.toml", 'sandbox_mode = "danger-full-access"')
    commands = ("cat sub/notes.txt", "cat ../outside/notes.txt", "env; touch pwned ../outside/pwned")
    library.endpoint.first += map(shell, commands)
    before = snapshot(library)

    answered(await library.consultant("codex").ask(question(model=CODEX_MODEL, repo_access=RepoAccess.READ)))
    assert [told(request) for request in library.endpoint.requests[1:]] == [["PROJECT-TEXT"], [], []]
    assert snapshot(library) == before


MODELS = {"claude": "claude-opus-5-5", "codex": CODEX_MODEL}


@pytest.mark.parametrize("tool", ["claude", "codex", "copilot", "gemini"])
async def test_a_continued_session_may_do_what_this_question_allows(tool: str, library: Desk) -> None:
    file = f"{library.copy}/sub/notes.txt"
    looks = {
        "claude": call("Read", file_path=file),
        "codex": shell(f"cat {file}"),
        "copilot": call("view", path=file),
        "gemini": call("read_file", file_path=file),
    }
    ask, ours = library.consultant(tool).ask, partial(question, model=MODELS.get(tool), keep_session=True)
    session = answered(await ask(ours(repo_access=RepoAccess.READ))).session_id
    for access in (RepoAccess.NONE, RepoAccess.READ):
        library.endpoint.first.append(looks[tool])
        answered(await ask(ours(session_id=session, repo_access=access)))
    assert [told(library.endpoint.requests[number]) for number in (2, 4)] == [[], ["PROJECT-TEXT"]]
