"""What only Gemini CLI has: folders that it trusts, a file of variables, a router between models, reports of errors."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from pydantic import JsonValue

from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import Answer, Failure, FailureCode, Reply
from sparring.testing.model_endpoint import Behaviour, Call, Refuse, Request, Reset, Say
from support.desk import BINARIES, Desk, question
from support.workbench import PATIENCE_S

pytestmark = pytest.mark.npm

EVENTS = ("SessionStart", "BeforeAgent", "BeforeModel", "AfterAgent", "SessionEnd")


def write(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def configuration(desk: Desk, name: str) -> dict[str, JsonValue]:
    """Settings that start something, and choose a model and an endpoint."""

    def touch(what: str) -> dict[str, JsonValue]:
        return {"command": "/bin/sh", "args": ["-c", f"touch '{desk.home}/started-{name}-{what}'; cat"]}

    hook: JsonValue = {"type": "command", "command": f"touch '{desk.home}/started-{name}-hook'"}
    return {
        "mcpServers": {f"{name}-plain": touch("server"), f"{name} odd.name": {**touch("odd-server"), "trust": True}},
        "hooks": {event: [{"matcher": "*", "hooks": [hook]}] for event in EVENTS},
        "hooksConfig": {"enabled": True},
        "tools": {"discoveryCommand": f"sh -c 'touch {desk.home}/started-{name}-discovery; echo []'"},
        "context": {"fileName": ["LEAK.md", "GEMINI.md"]},
        "experimental": {"enableAgents": True},
    }


def crowd(desk: Desk, place: Path, name: str) -> None:
    """Everything in a project, or in the user's home, that Gemini CLI starts or reads by itself."""
    own = place / ".gemini"
    extension = own / "extensions" / "one"
    command = {"command": "/bin/sh", "args": ["-c", f"touch '{desk.home}/started-{name}-extension'; cat"]}
    write(extension / "gemini-extension.json", {"name": "one", "version": "1.0.0", "mcpServers": {"one": command}})
    write(extension / "GEMINI.md", "LEAKED\n")
    write(own / "agents" / "one.md", "---\nname: one\ndescription: LEAKED\n---\nLEAKED\n")
    write(own / "commands" / "help.toml", 'prompt = "LEAKED"\n')
    write(own / "policies" / "all.toml", '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 999\n')
    write(own / "system.md", "LEAKED\n")
    for folder in (own, place / ".agents"):
        write(folder / "skills" / "one" / "SKILL.md", "---\nname: one\ndescription: LEAKED\n---\nLEAKED\n")
    for folder in (place, own, place / "sub"):
        for file in ("GEMINI.md", "LEAK.md", "AGENTS.md"):
            write(folder / file, "LEAKED\n")


@pytest.fixture
def crowded(desk: Desk) -> Desk:
    """A desk on which user and project have everything, and the user trusts the project."""
    crowd(desk, desk.project, "project")
    crowd(desk, desk.home, "user")
    desk.write_gemini_config(**configuration(desk, "user"), model={"name": "gemini-2.5-pro"})
    write(desk.home / ".gemini" / "trustedFolders.json", {str(desk.project): "TRUST_FOLDER"})
    write(
        desk.project / ".gemini" / "settings.json",
        {**configuration(desk, "project"), "model": {"name": "chosen-by-the-project"}},
    )
    elsewhere = "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9\nGEMINI_API_KEY=chosen-by-the-project\n"
    write(desk.project / ".gemini" / ".env", elsewhere)
    write(desk.project / ".env", elsewhere)
    return replace(desk, variables={"GEMINI_SYSTEM_MD": str(desk.project / ".gemini" / "system.md")})


def started(desk: Desk) -> list[str]:
    return sorted(file.name.removeprefix("started-") for file in desk.home.glob("started-*"))


def files(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.mark.parametrize("access", RepoAccess)
async def test_nothing_of_the_user_or_the_project_is_started_or_read(access: RepoAccess, crowded: Desk) -> None:
    before = files(crowded.home / ".gemini") | files(crowded.project)
    reading = Call("read_file", json.dumps({"file_path": f"{crowded.project}/sub/notes.txt"}))
    crowded.endpoint.first.append(reading)

    reply = await crowded.consultant("gemini").ask(question(repo_access=access))

    assert isinstance(reply, Answer), reply
    first, second = crowded.endpoint.requests
    assert started(crowded) == []
    assert ("LEAKED" in first, "LEAKED" in second) == (False, False)
    assert (first.model, first.headers["x-goog-api-key"]) == ("gemini-2.5-pro", "dummy-key")
    assert first.tools == {"none": [], "read": ["list_directory", "read_file", "glob"]}[access.value]
    assert files(crowded.home / ".gemini") | files(crowded.project) == before


def test_all_that_would_be_started_otherwise(crowded: Desk) -> None:
    for file in (".gemini/.env", ".env"):
        (crowded.project / file).unlink()
    del crowded.variables["GEMINI_SYSTEM_MD"]

    subprocess.run(
        [str(BINARIES / "gemini"), "--output-format", "json"],
        input=b"Is it so?",
        capture_output=True,
        check=True,
        cwd=crowded.project,
        env=crowded.environment,
        timeout=PATIENCE_S,
    )

    assert {
        "project-discovery", "project-hook", "project-odd-server", "project-server",
        "user-extension", "user-hook", "user-odd-server", "user-server",
    } <= set(started(crowded))  # fmt: skip
    assert crowded.endpoint.requests[0].model == "chosen-by-the-project"
    assert "LEAKED" in crowded.endpoint.requests[0]


WORDS = {
    "a file": "@notes.txt @./notes.txt @sub/notes.txt",
    "a whole path": "@{project}/notes.txt",
    "a way up": "@x/../notes.txt",
    "a way out and back": "@x/../../{name}/notes.txt",
    "a way up in disguise": "@x/.\\./notes.txt or @x\\/..\\/notes.txt or @\\x/\\.\\./notes.txt",
    "a whole folder": "@x/.. @. @.. @/",
    "in quotes": '@"notes.txt" and @"x/../notes.txt"',
    "after quotes": 'someone@host:"/a long b sub/notes.txt"',
    "after quotes and a way up": 'someone@host:"/a/../../.. b sub/notes.txt long"',
    "after a backslash": "\\@notes.txt \\\\@notes.txt",
    "decorators": "@property\n@cache\n\n  @x.y(@z)\n\tdef f(a@b.c, d @ e): import '../../notes.txt'",
}


@pytest.mark.parametrize("text", WORDS.values(), ids=WORDS.keys())
async def test_no_word_of_a_prompt_is_replaced_by_a_file_that_may_be_read(text: str, desk: Desk) -> None:
    for file in ("notes.txt", "sub/notes.txt", "property/notes.txt"):
        write(desk.project / file, "EXPANDED")
    prompt = text.replace("{project}", str(desk.project)).replace("{name}", desk.project.name)

    reply = await desk.consultant("gemini").ask(question(prompt, repo_access=RepoAccess.READ))

    assert isinstance(reply, Answer), reply
    received = desk.endpoint.request
    assert "EXPANDED" not in received
    assert received.prompt.replace("\u200b", "").endswith(f"The question follows.\n\n{prompt}")


def thinking(request: Request) -> dict[str, object]:
    return request.body["generationConfig"].get("thinkingConfig", {})


@pytest.mark.parametrize(
    ("model", "effort", "sent"),
    [
        ("gemini-2.5-pro", Effort.LOW, {"thinkingBudget": 1024}),
        ("gemini-2.5-flash", Effort.MAX, {"thinkingBudget": 24576}),
        ("gemini-2.5-of-tomorrow", Effort.HIGH, {"thinkingBudget": 16384}),
        ("gemini-3-flash-preview", Effort.MEDIUM, {"thinkingLevel": "MEDIUM"}),
        ("gemini-9-of-tomorrow", Effort.LOW, {"thinkingLevel": "LOW"}),
        ("flash", Effort.LOW, {"thinkingLevel": "LOW"}),
        (None, Effort.LOW, {"thinkingLevel": "LOW"}),
        (None, None, {"thinkingLevel": "HIGH"}),
    ],
)
async def test_an_effort_reaches_models_of_each_generation_known_or_not(
    model: str | None, effort: Effort | None, sent: dict[str, object], desk: Desk
) -> None:
    reply = await desk.consultant("gemini").ask(question(model=model, effort=effort))

    assert isinstance(reply, Answer), reply
    assert thinking(desk.endpoint.request) == {"includeThoughts": True, **sent}


async def test_a_question_is_one_request_and_no_other_model_chooses_who_answers(desk: Desk) -> None:
    await desk.consultant("gemini").ask(question("Is it so?"))

    assert ":streamGenerateContent" in desk.endpoint.request.path


@pytest.mark.parametrize("place", ["the environment", "its settings"])
async def test_the_users_choice_of_model_is_kept(place: str, desk: Desk) -> None:
    if place == "the environment":
        desk.variables["GEMINI_MODEL"] = "gemini-2.5-flash"
    else:
        desk.write_gemini_config(model={"name": "gemini-2.5-flash"})

    reply = await desk.consultant("gemini").ask(question(effort=Effort.LOW))

    assert isinstance(reply, Answer), reply
    assert desk.endpoint.request.model == "gemini-2.5-flash"
    assert thinking(desk.endpoint.request) == {"includeThoughts": True, "thinkingBudget": 1024}


async def test_a_key_in_the_environment_outweighs_the_one_in_the_file(desk: Desk) -> None:
    desk.variables["GEMINI_API_KEY"] = "of-the-environment"

    await desk.consultant("gemini").ask(question())

    assert desk.endpoint.request.headers["x-goog-api-key"] == "of-the-environment"


async def test_who_is_not_signed_in_is_told_so(desk: Desk) -> None:
    for name in (".env", "settings.json"):
        (desk.home / ".gemini" / name).unlink()

    reply = await desk.consultant("gemini").ask(question())

    assert isinstance(reply, Failure)
    assert (reply.code, reply.detail) == (
        FailureCode.AUTH,
        "gemini is not signed in: run `gemini` once, or set GEMINI_API_KEY.",
    )


async def test_a_login_is_used_where_the_user_keeps_it_and_not_copied(desk: Desk) -> None:
    """A login that has run out is to be renewed, at Google's; what would go there comes to the endpoint as a proxy."""
    desk.write_gemini_config(security={"auth": {"selectedType": "oauth-personal"}})
    login = {"access_token": "a-dummy", "refresh_token": "a-dummy", "token_type": "Bearer", "expiry_date": 1}
    write(desk.home / ".gemini" / "oauth_creds.json", login)
    desk.variables["HTTPS_PROXY"] = desk.endpoint.url
    before = files(desk.home / ".gemini")

    reply = await desk.consultant("gemini").ask(question())

    assert isinstance(reply, Failure)
    assert (reply.code, desk.endpoint.connections > 0) == (FailureCode.AUTH, True)
    assert files(desk.home / ".gemini") == before
    assert not any(b"a-dummy" in content for content in files(desk.private_dir).values())


async def test_several_questions_can_be_asked_at_the_same_time(desk: Desk) -> None:
    replies: list[Reply] = []

    async def ask(access: RepoAccess) -> None:
        replies.append(await desk.consultant("gemini").ask(question(keep_session=True, repo_access=access)))

    async with anyio.create_task_group() as tasks:
        for access in (*RepoAccess, *RepoAccess):
            tasks.start_soon(ask, access)

    sessions = {reply.session_id for reply in replies if isinstance(reply, Answer) and reply.continuable}
    assert len(sessions) == 4


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        (Refuse(400, "INVALID_ARGUMENT", "The prompt in question"), FailureCode.EXIT),
        (Refuse(429, "RESOURCE_EXHAUSTED", "slow down"), FailureCode.RATE_LIMIT),
        (Refuse(503, "UNAVAILABLE", "overloaded"), FailureCode.OVERLOADED),
        (Say("Half", pieces=0), FailureCode.CONNECTION),
        (Reset(), FailureCode.CONNECTION),
    ],
    ids=["refused", "too many", "unavailable", "cut off at once", "dropped"],
)
async def test_a_failure_leaves_nothing_behind(behaviour: Behaviour, code: FailureCode, desk: Desk) -> None:
    """It writes a report of each failed request, with all that was said, into the folder for temporary files."""
    desk.endpoint.behaviour = behaviour

    reply = await desk.consultant("gemini").ask(question())

    assert isinstance(reply, Failure)
    assert reply.code is code
    assert sorted(str(path.relative_to(desk.private_dir)) for path in desk.private_dir.rglob("*")) == [
        "gemini",
        "gemini/empty",
        "gemini/empty/.geminiignore",
    ]


async def test_a_closed_port_is_a_failure_to_connect(desk: Desk) -> None:
    desk.endpoint.close()

    reply = await desk.consultant("gemini").ask(question())

    assert isinstance(reply, Failure)
    assert (reply.code, reply.retryable) == (FailureCode.CONNECTION, True)


async def test_without_a_setting_of_the_user_a_failure_is_tried_once_more(desk: Desk) -> None:
    desk.write_gemini_config(general={})
    desk.endpoint.first.append(Refuse(503, "UNAVAILABLE", "overloaded"))

    reply = await desk.consultant("gemini").ask(question())

    assert isinstance(reply, Answer), reply
    assert len(desk.endpoint.requests) == 2


async def test_a_session_is_kept_where_another_one_cannot_be_read(desk: Desk) -> None:
    """The folder of the session is told to the model, which may read in it; others must not lie beside it."""
    consultant = desk.consultant("gemini")
    first = await consultant.ask(question("Remember the number 41.", keep_session=True))
    assert isinstance(first, Answer), first

    def look_around(request: Request) -> Behaviour:
        if len(desk.endpoint.requests) > 3:
            return Say("The answer is yes.")
        told = request.body["contents"][0]["parts"][0]["text"]
        folder = Path(told.split("temporary directory is: ", 1)[1].split("\n", 1)[0])
        places = (folder, folder.parent)
        return Call("list_directory", json.dumps({"dir_path": str(places[len(desk.endpoint.requests) - 2])}))

    desk.endpoint.behaviour = look_around
    second = await consultant.ask(question("Which?", keep_session=True, repo_access=RepoAccess.READ))

    assert isinstance(second, Answer), second
    results = [request.body["contents"][-1]["parts"][0]["functionResponse"] for request in desk.endpoint.requests[2:]]
    assert ["error" in result["response"] for result in results] == [True, True]
    assert sorted(path.name for path in (desk.private_dir / "gemini" / "sessions").iterdir()) == sorted(
        [str(first.session_id), str(second.session_id)]
    )


async def test_a_continued_session_may_do_what_this_question_allows(desk: Desk) -> None:
    write(desk.project / "notes.txt", "PROJECT-TEXT")
    consultant = desk.consultant("gemini")
    first = await consultant.ask(question(repo_access=RepoAccess.READ, keep_session=True))
    assert isinstance(first, Answer), first
    reading = Call("read_file", json.dumps({"file_path": f"{desk.project}/notes.txt"}))

    desk.endpoint.first.append(reading)
    without = await consultant.ask(question(session_id=first.session_id, keep_session=True))
    desk.endpoint.first.append(reading)
    again = await consultant.ask(question(session_id=first.session_id, repo_access=RepoAccess.READ))

    assert [type(without), type(again)] == [Answer, Answer], (without, again)
    results = [desk.endpoint.requests[number].body["contents"][-1] for number in (2, 4)]
    assert ["PROJECT-TEXT" in json.dumps(result) for result in results] == [False, True]


async def test_settings_of_an_administrator_that_would_let_it_loose_keep_it_from_being_started(desk: Desk) -> None:
    file = desk.home / "system.json"
    write(file, {"tools": {"core": ["run_shell_command"]}})
    desk.variables["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] = str(file)

    reply = await desk.consultant("gemini").ask(question())

    assert isinstance(reply, Failure)
    assert reply.model_copy(update={"duration_ms": 0}) == Failure(
        tool="gemini",
        code=FailureCode.UNSUPPORTED,
        detail=f"{file} sets tools, which would outweigh what keeps gemini to answering.",
    )
    assert desk.endpoint.requests == []


async def test_a_project_of_any_name_is_read(desk: Desk) -> None:
    odd = desk.project.parent / "a (b) [c]+d, @e 'f' ~ #g; Ünd"
    odd.mkdir()
    write(odd / "notes.txt", "PROJECT-TEXT")
    desk.endpoint.first.append(Call("read_file", json.dumps({"file_path": f"{odd}/notes.txt"})))

    reply = await replace(desk, project=odd).consultant("gemini").ask(question(repo_access=RepoAccess.READ))

    assert isinstance(reply, Answer), reply
    assert "PROJECT-TEXT" in desk.endpoint.requests[1]
