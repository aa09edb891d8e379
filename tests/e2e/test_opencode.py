"""OpenCode: what it may see, what it is kept from, and whose settings it follows."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply
from sparring.testing.model_endpoint import Behaviour, Call, Hang, Refuse, Request, Reset, Say
from support.desk import Desk, question
from support.processes import processes_with_home

pytestmark = pytest.mark.npm

AT_ONCE = {"retry-after-ms": "1"}


async def ask(desk: Desk, wanted: Question | None = None) -> Reply:
    """The reply to a question. One run takes five seconds alone, and ten times that beside others."""
    patient = (wanted or question()).model_copy(update={"timeout_s": 300})
    return await desk.consultant("opencode").ask(patient)


def write(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def results(request: Request) -> list[str]:
    """What the tools answered that the model called, oldest first."""
    return [message["content"] for message in request.body["messages"] if message["role"] == "tool"]


def read(path: Path | str) -> Call:
    return Call("read", json.dumps({"filePath": str(path)}))


@pytest.fixture
def furnished(desk: Desk) -> Desk:
    """A project with secrets in it, and beside it what is nobody's business."""
    project, outside = desk.project, desk.project.parent / "outside"
    write(project / "notes.txt", "INSIDE notes\n")
    write(project / "sub" / "deep.txt", "INSIDE deep\n")
    for file in (".env", "sub/.env.local", "id_rsa", ".git/config"):
        write(project / file, "CONTENT of a secret\n")
    write(outside / "other.txt", "CONTENT from outside\n")
    write(desk.home / "own.txt", "CONTENT from outside\n")
    (project / "link.txt").symlink_to(outside / "other.txt")
    (project / "link").symlink_to(outside)
    (project / "renamed.txt").symlink_to(".env")
    for folder in (project, project / "sub", project.parent, desk.private_dir):
        write(folder / "AGENTS.md", "LEAKED instructions\n")
        write(folder / "CLAUDE.md", "LEAKED instructions\n")
    return desk


async def test_a_project_may_be_read_and_nothing_else(furnished: Desk) -> None:
    desk, project = furnished, furnished.project
    allowed = [project / "notes.txt", project / "sub" / "deep.txt", project]
    denied = [
        project / ".env", project / "sub" / ".env.local", project / "id_rsa", project / ".git" / "config",
        project / "link.txt", project / "link" / "other.txt", project / "link", project / "renamed.txt",
        f"{project}/../outside/other.txt", project.parent / "outside" / "other.txt", project.parent, "/etc/passwd",
        "~/own.txt", "../../../own.txt", desk.home / "own.txt", desk.home / ".config" / "opencode" / "opencode.jsonc",
    ]  # fmt: skip
    calls = {
        "bash": {"command": f"touch '{project}/pwned'", "description": "d"},
        "write": {"filePath": str(project / "pwned"), "content": "x"},
        "edit": {"filePath": str(project / "notes.txt"), "oldString": "INSIDE", "newString": "x"},
        "grep": {"pattern": "OUTSIDE", "path": str(project / "link")},
        "glob": {"pattern": "*", "path": str(project / "link")},
        "webfetch": {"url": f"{desk.endpoint.url}/page", "format": "text"},
        "task": {"description": "d", "prompt": "p", "subagent_type": "general"},
    }
    forbidden = [Call(tool, json.dumps(arguments)) for tool, arguments in calls.items()]
    desk.endpoint.first = [*(read(path) for path in (*allowed, *denied)), *forbidden]
    before = snapshot(project)

    reply = await ask(desk, question(repo_access=RepoAccess.READ))

    assert isinstance(reply, Answer), reply
    last = desk.endpoint.requests[-1]
    told = results(last)
    assert [request.tools for request in desk.endpoint.requests] == [["read"]] * (len(told) + 1)
    assert len(told) == len(allowed) + len(denied) + len(forbidden)
    assert ["INSIDE" in text for text in told] == [True, True, *[False] * (len(told) - 2)]
    assert "notes.txt" in told[2]
    assert [text for text in ("CONTENT", "root:x:", "LEAKED", "LOOPBACK_API_KEY") if text in last] == []
    assert snapshot(project) == before


async def test_whoever_only_answers_has_no_tools_and_calls_none(furnished: Desk) -> None:
    desk = furnished
    before = snapshot(desk.project)
    shell = Call("bash", json.dumps({"command": f"touch '{desk.project}/pwned'", "description": "d"}))
    desk.endpoint.first = [shell, read(desk.project / "notes.txt"), read("/etc/passwd")]

    reply = await ask(desk)

    assert isinstance(reply, Answer), reply
    assert [request.tools for request in desk.endpoint.requests] == [[]] * 4
    last = desk.endpoint.requests[-1]
    assert len(results(last)) == 3
    assert [text for text in ("INSIDE", "LEAKED", "root:x:", "CONTENT") if text in last] == []
    assert snapshot(desk.project) == before


def temptations(desk: Desk, place: str) -> dict[str, JsonValue]:
    """Settings that start something, say something, or take the place of our agent."""
    mark = f"{desk.home}/started-{place}"
    agent: dict[str, JsonValue] = {"mode": "primary", "prompt": "LEAKED agent", "permission": {"*": "allow"}}
    return {
        "mcp": {
            f"of-{place}": {"type": "local", "command": ["/bin/sh", "-c", f"touch '{mark}'; cat"], "enabled": True}
        },
        "plugin": [f"{desk.home}/plugin.js"],
        "instructions": [f"{desk.home}/leaked.md"],
        "agent": {"sparring": agent, "build": agent},
        "permission": {"*": "allow"},
        "tools": {"bash": True},
        "command": {"help": {"template": "LEAKED command"}},
        "formatter": {"x": {"command": ["touch", mark], "extensions": [".txt"]}},
        "lsp": {"x": {"command": ["touch", mark], "extensions": [".txt"]}},
        "share": "auto",
    }


def tempt(folder: Path, mark: str) -> None:
    """A configuration folder with one of everything that is found in such."""
    plugin = f"import fs from 'fs'\nexport default async () => {{ fs.writeFileSync('{mark}', ''); return {{}} }}\n"
    for name in ("plugin", "plugins"):
        write(folder / name / "run.js", plugin)
    for name in ("agent", "agents", "command", "commands", "mode"):
        write(folder / name / "sparring.md", "---\ndescription: d\nmode: primary\n---\nLEAKED file\n")
    for name in ("skill", "skills"):
        write(folder / name / "leaked" / "SKILL.md", "---\nname: leaked\ndescription: LEAKED skill\n---\nLEAKED\n")
    for name in ("AGENTS.md", "CLAUDE.md", "CONTEXT.md"):
        write(folder / name, "LEAKED instructions\n")


@pytest.mark.parametrize("access", list(RepoAccess))
async def test_nothing_that_user_or_project_have_set_up_is_started_or_heard(access: RepoAccess, desk: Desk) -> None:
    write(desk.home / "leaked.md", "LEAKED instructions")
    write(desk.home / "plugin.js", f"import fs from 'fs'\nfs.writeFileSync('{desk.home}/started-plugin', '')\n")
    desk.write_opencode_config(**temptations(desk, "jsonc"))
    user, dot, own = desk.home / ".config" / "opencode", desk.home / ".opencode", desk.home / "own"
    for place, file in {"config": user / "config.json", "json": user / "opencode.json", "file": own / "file.json",
                        "dot": dot / "opencode.json", "own": own / "opencode.jsonc"}.items():  # fmt: skip
        write(file, temptations(desk, place))
    elsewhere: dict[str, JsonValue] = {"baseURL": "http://127.0.0.1:9/v1", "apiKey": "sk-of-the-project"}
    evil = {"model": "loopback/second", "provider": {"loopback": {"options": elsewhere}}}
    for file in ("opencode.json", "opencode.jsonc", ".opencode/opencode.json"):
        write(desk.project / file, temptations(desk, "project") | evil)
    write(desk.project / ".env", 'LOOPBACK_API_KEY=sk-of-the-project\nOPENCODE_PERMISSION={"*":"allow"}\n')
    for folder in (user, dot, own, desk.project, desk.project / ".opencode"):
        tempt(folder, f"{desk.home}/started-{folder.name}")
    for folder in (desk.home / ".claude", desk.home / ".agents", desk.project / ".claude", desk.project / ".agents"):
        tempt(folder, f"{desk.home}/started-{folder.name}")
    variables = {
        "OPENCODE_CONFIG": str(own / "file.json"),
        "OPENCODE_CONFIG_DIR": str(own),
        "OPENCODE_CONFIG_CONTENT": json.dumps(temptations(desk, "content")),
        "OPENCODE_PERMISSION": '{"*": "allow"}',
        "SPARRING_DEPTH": "0",
    }
    before = snapshot(desk.project)

    reply = await ask(replace(desk, variables=variables), question(repo_access=access))

    assert isinstance(reply, Answer), reply
    request = desk.endpoint.request
    assert sorted(desk.home.glob("started-*")) == []
    assert "LEAKED" not in request
    assert request.tools == ([] if access is RepoAccess.NONE else ["read"])
    assert (request.body["model"], request.headers["Authorization"]) == ("first", "Bearer sk-dummy")
    assert snapshot(desk.project) == before


@pytest.mark.parametrize("place", ["login", "file"])
async def test_the_key_of_the_user_is_used_wherever_it_is(place: str, desk: Desk) -> None:
    options: dict[str, JsonValue] = {"baseURL": f"{desk.endpoint.url}/v1"}
    if place == "login":
        login = {"type": "api", "key": "sk-of-the-login"}
        write(desk.home / ".local" / "share" / "opencode" / "auth.json", {"loopback": login})
    else:
        options["apiKey"] = "{file:./key.txt}"
        write(desk.home / ".config" / "opencode" / "key.txt", "sk-of-the-file")
    provider: dict[str, JsonValue] = {
        "npm": "@ai-sdk/openai-compatible", "name": "Loopback", "options": options, "models": {"first": {"name": "F"}}
    }  # fmt: skip
    desk.write_opencode_config(provider={"loopback": provider})

    reply = await ask(desk)

    assert isinstance(reply, Answer), reply
    assert desk.endpoint.request.headers["Authorization"] == f"Bearer sk-of-the-{place}"


async def test_what_is_not_kept_is_nowhere_on_disk(desk: Desk) -> None:
    reply = await ask(desk, question("What is a QUOKKA?"))

    assert isinstance(reply, Answer), reply
    written = {name: content for name, content in snapshot(desk.home).items() if b"QUOKKA" in content}
    assert written == {}
    assert not list(desk.home.rglob("*.db"))
    assert not list(desk.home.rglob(".npm"))


FAILURES: Mapping[str, tuple[Behaviour, FailureCode]] = {
    "key refused": (Refuse(401, "authentication_error", "invalid key"), FailureCode.AUTH),
    "forbidden": (Refuse(403, "permission_error", "not yours"), FailureCode.PERMISSION),
    "no such model": (Refuse(404, "not_found_error", "no such model"), FailureCode.NOT_FOUND),
    "too many": (Refuse(429, "rate_limit_error", "slow down", {"retry-after": "1"}), FailureCode.RATE_LIMIT),
    "spent": (Refuse(429, "insufficient_quota", "pay first", AT_ONCE), FailureCode.QUOTA),
    "too long": (Refuse(400, "context_length_exceeded", "Your input exceeds it."), FailureCode.CONTEXT_TOO_LONG),
    "server error": (Refuse(500, "api_error", "internal", AT_ONCE), FailureCode.OVERLOADED),
    "overloaded": (Refuse(529, "overloaded_error", "overloaded", AT_ONCE), FailureCode.OVERLOADED),
    "empty": (Say(""), FailureCode.EMPTY),
}


@pytest.mark.parametrize(("behaviour", "code"), FAILURES.values(), ids=FAILURES.keys())
async def test_a_failing_endpoint_is_a_failure_with_its_code(
    behaviour: Behaviour, code: FailureCode, desk: Desk
) -> None:
    desk.endpoint.behaviour = behaviour

    reply = await ask(desk)

    assert isinstance(reply, Failure)
    assert (reply.tool, reply.code) == ("opencode", code)
    assert list(desk.prompt_folder.iterdir()) == []


async def test_an_answer_that_breaks_off_is_not_asked_for_again_and_again(desk: Desk) -> None:
    desk.endpoint.behaviour = Say("Half of an answer", pieces=3)

    reply = await ask(desk)

    assert isinstance(reply, Failure)
    assert (reply.code, reply.detail) == (FailureCode.CONNECTION, "opencode was given an answer that broke off.")
    assert len(desk.endpoint.requests) < 20  # it was stopped, and had not been told how often it may


async def test_a_connection_that_is_dropped_each_time_is_given_up(desk: Desk) -> None:
    desk.endpoint.behaviour = Reset()

    reply = await ask(desk)  # takes more than a minute: nothing shortens its five pauses

    assert isinstance(reply, Failure)
    assert reply.code is FailureCode.CONNECTION


@pytest.mark.parametrize("behaviour", [Hang(), Say("Half of it", pieces=3, stalled=True)], ids=["hang", "stall"])
async def test_silence_is_ended_with_everything_that_was_started(behaviour: Behaviour, desk: Desk) -> None:
    desk.endpoint.behaviour = behaviour

    reply = await desk.consultant("opencode").ask(question(timeout_s=25))  # it needs most of that to begin

    assert isinstance(reply, Failure)
    assert (reply.code, reply.detail) == (FailureCode.TIMEOUT, "opencode gave no answer within 25 s.")
    assert desk.endpoint.requests
    assert processes_with_home(desk.home) == []
    assert list(desk.prompt_folder.iterdir()) == []


async def test_a_model_that_it_does_not_know_is_named(desk: Desk) -> None:
    reply = await ask(desk, question(model="loopback/none-such"))

    assert isinstance(reply, Failure)
    assert reply.detail.startswith(
        "opencode failed before it asked loopback/none-such; does `opencode models` list it?"
    )
    assert desk.endpoint.requests == []


async def test_a_level_that_may_be_ignored_is_told_of(desk: Desk) -> None:
    reply = await ask(desk, question(effort=Effort.MAX))

    assert isinstance(reply, Answer)
    assert reply.warnings == (
        "opencode passes the effort on only to models that it knows levels for, and does not tell which.",
    )


TRICKY = {
    "options": "--help me to understand -p, --agent build and --version",
    "a command": "/leaked @notes.txt @./notes.txt \"double\" 'single' `touch pwned` $(touch pwned) ${HOME} \\n \\",
    "a file": "@/etc/passwd and $leaked, !touch pwned; {env:LOOPBACK_API_KEY} {file:/etc/passwd}",
    "an escape": "!touch pwned\x01\x02\x7f \u2028 \u200b Ý kiến của bạn là gì? 正しい 🙂 e\u0301\r\n\ttabbed\n\n",
}


@pytest.mark.parametrize("prompt", TRICKY.values(), ids=TRICKY.keys())
async def test_a_prompt_is_text_and_nothing_else(prompt: str, desk: Desk) -> None:
    write(desk.project / "notes.txt", "LEAKED notes\n")
    for folder in (desk.home / ".config" / "opencode", desk.home / ".opencode", desk.project / ".opencode"):
        tempt(folder, f"{desk.home}/started")
        write(folder / "command" / "leaked.md", "---\ndescription: d\n---\nLEAKED command $ARGUMENTS\n")

    reply = await ask(desk, question(prompt, repo_access=RepoAccess.READ))

    assert isinstance(reply, Answer), reply
    assert desk.endpoint.request.prompt.strip() == prompt.strip()
    assert "LEAKED" not in desk.endpoint.request
    assert "root:x:" not in desk.endpoint.request
    assert [*desk.home.rglob("pwned"), *desk.project.rglob("pwned"), *desk.home.glob("started*")] == []


async def test_a_large_prompt_arrives_whole(desk: Desk) -> None:
    prompt = "".join(f'Dòng {number} $x `y` "z" — @q\n' for number in range(2**20 // 20))[: 2**20]

    reply = await ask(desk, question(prompt))

    assert isinstance(reply, Answer), reply
    assert desk.endpoint.request.prompt.strip() == prompt.strip()
