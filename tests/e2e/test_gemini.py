"""What only Gemini CLI has: folders that it trusts, a file of variables, a router between models."""

import asyncio
import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import FailureCode
from sparring.testing.model_endpoint import Behaviour, Call, Request, Say
from support.desk import Desk, answered, failed, files, question, write

pytestmark = pytest.mark.npm

EVENTS = ("SessionStart", "BeforeAgent", "BeforeModel", "AfterAgent", "SessionEnd")


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


@pytest.mark.parametrize("access", RepoAccess)
async def test_nothing_of_the_user_or_the_project_is_started_or_read(access: RepoAccess, crowded: Desk) -> None:
    before = files(crowded.home / ".gemini", crowded.project)
    reading = Call("read_file", json.dumps({"file_path": f"{crowded.copy}/sub/notes.txt"}))
    crowded.endpoint.first.append(reading)

    answered(await crowded.consultant("gemini").ask(question(repo_access=access)))
    first, second = crowded.endpoint.requests
    assert started(crowded) == []
    assert ("LEAKED" in first, "LEAKED" in second) == (False, False)
    assert (first.model, first.headers["x-goog-api-key"]) == ("gemini-2.5-pro", "dummy-key")
    assert first.tools == {"none": [], "read": ["list_directory", "read_file", "glob"]}[access.value]
    assert files(crowded.home / ".gemini", crowded.project) == before


def test_all_that_would_be_started_otherwise(crowded: Desk) -> None:
    for file in (".gemini/.env", ".env"):
        (crowded.project / file).unlink()
    del crowded.variables["GEMINI_SYSTEM_MD"]

    crowded.bare("gemini", "--output-format", "json", typed="Is it so?").check_returncode()

    assert {
        "project-discovery", "project-hook", "project-odd-server", "project-server",
        "user-extension", "user-hook", "user-odd-server", "user-server",
    } <= set(started(crowded))  # fmt: skip
    assert crowded.endpoint.requests[0].model == "chosen-by-the-project"
    assert "LEAKED" in crowded.endpoint.requests[0]


WORDS = {
    "words": """\
@notes.txt @./notes.txt @sub/notes.txt
@{project}/notes.txt
@x/../notes.txt
@x/../../{name}/notes.txt
@x/.\\./notes.txt or @x\\/..\\/notes.txt or @\\x/\\.\\./notes.txt
@x/.. @. @.. @/
\\@notes.txt \\\\@notes.txt
@property
@cache

  @x.y(@z)
\tdef f(a@b.c, d @ e): import '../../notes.txt'""",
    "in quotes": '@"notes.txt" and @"x/../notes.txt"',
    "after quotes": 'someone@host:"/a long b sub/notes.txt"\nsomeone@host:"/a/../../.. b sub/notes.txt long"',
}


@pytest.mark.parametrize("text", WORDS.values(), ids=WORDS.keys())
async def test_no_word_of_a_prompt_is_replaced_by_a_file_that_may_be_read(text: str, desk: Desk) -> None:
    for file in ("notes.txt", "sub/notes.txt", "property/notes.txt"):
        write(desk.project / file, "EXPANDED")
    prompt = text.replace("{project}", str(desk.copy)).replace("{name}", desk.copy.name)
    answered(await desk.consultant("gemini").ask(question(prompt, repo_access=RepoAccess.READ)))
    received = desk.endpoint.request
    assert "EXPANDED" not in received
    assert received.prompt.replace("\u200b", "").endswith(f"The question follows.\n\n{prompt}")


@pytest.mark.parametrize(
    ("model", "effort", "sent"),
    [
        ("gemini-2.5-flash", Effort.MAX, {"thinkingBudget": 24576}),
        ("gemini-9-of-tomorrow", Effort.LOW, {"thinkingLevel": "LOW"}),
    ],
)
async def test_an_effort_reaches_models_of_each_generation_known_or_not(
    model: str, effort: Effort, sent: dict[str, object], desk: Desk
) -> None:
    answered(await desk.consultant("gemini").ask(question(model=model, effort=effort)))
    thinking = desk.endpoint.request.body["generationConfig"]["thinkingConfig"]
    assert thinking == {"includeThoughts": True, **sent}


async def test_a_login_is_used_where_the_user_keeps_it_and_not_copied(desk: Desk) -> None:
    """A login that has run out is to be renewed, at Google's; what would go there comes to the endpoint as a proxy."""
    desk.write_gemini_config(security={"auth": {"selectedType": "oauth-personal"}})
    login = {"access_token": "a-dummy", "refresh_token": "a-dummy", "token_type": "Bearer", "expiry_date": 1}
    write(desk.home / ".gemini" / "oauth_creds.json", login)
    desk.variables["HTTPS_PROXY"] = desk.endpoint.url
    before = files(desk.home / ".gemini")
    reply = failed(await desk.consultant("gemini").ask(question()))
    assert (reply.code, desk.endpoint.connections > 0) == (FailureCode.AUTH, True)
    assert files(desk.home / ".gemini") == before
    assert not any(b"a-dummy" in content for content in files(desk.private_dir).values())


async def test_several_questions_can_be_asked_at_the_same_time(desk: Desk) -> None:
    ask, asked = desk.consultant("gemini").ask, question(keep_session=True, repo_access=RepoAccess.READ)
    replies = [answered(reply) for reply in await asyncio.gather(ask(asked), ask(asked))]
    assert [reply.continuable for reply in replies] == [True, True]
    assert replies[0].session_id != replies[1].session_id


async def test_a_session_is_kept_where_another_one_cannot_be_read(desk: Desk) -> None:
    """The folder of the session is told to the model, which may read in it; others must not lie beside it."""
    consultant = desk.consultant("gemini")
    first = answered(await consultant.ask(question("Remember the number 41.", keep_session=True)))

    def look_around(request: Request) -> Behaviour:
        if len(desk.endpoint.requests) > 3:
            return Say("The answer is yes.")
        told = request.body["contents"][0]["parts"][0]["text"]
        folder = Path(told.split("temporary directory is: ", 1)[1].split("\n", 1)[0])
        places = (folder, folder.parent)
        return Call("list_directory", json.dumps({"dir_path": str(places[len(desk.endpoint.requests) - 2])}))

    desk.endpoint.behaviour = look_around
    second = answered(await consultant.ask(question("Which?", keep_session=True, repo_access=RepoAccess.READ)))
    results = [request.body["contents"][-1]["parts"][0]["functionResponse"] for request in desk.endpoint.requests[2:]]
    assert ["error" in result["response"] for result in results] == [True, True]
    assert sorted(path.name for path in (desk.private_dir / "gemini" / "sessions").iterdir()) == sorted(
        [str(first.session_id), str(second.session_id)]
    )


async def test_a_project_of_any_name_is_read(desk: Desk) -> None:
    odd = desk.project.parent / "a (b) [c]+d, @e 'f' ~ #g; Ünd"
    odd.mkdir()
    write(odd / "notes.txt", "PROJECT-TEXT")
    there = replace(desk, project=odd)
    desk.endpoint.first.append(Call("read_file", json.dumps({"file_path": f"{there.copy}/notes.txt"})))
    answered(await there.consultant("gemini").ask(question(repo_access=RepoAccess.READ)))
    assert "PROJECT-TEXT" in desk.endpoint.requests[1]
