"""A real agent, ``opencode acp``, asked over the Agent Client Protocol. It takes seconds to start, so it is one test.

What is said to an agent that asks before it reads is in ``tests/unit/providers/acp``.
"""

import json

import pytest
from pydantic import JsonValue

from sparring.providers.acp.consultant import AcpConsultant
from sparring.providers.known import load_providers
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import Answer, Usage
from sparring.schema.providers import AcpProvider
from sparring.testing.model_endpoint import Call
from sparring.text.redaction import Redactor
from support.desk import Desk, answered, question, write

pytestmark = pytest.mark.npm


def opencode(desk: Desk) -> AcpConsultant:
    """The built-in agent of a user with a server and a login."""
    spec = load_providers(None).specs["opencode-acp"]
    assert isinstance(spec, AcpProvider)
    server: JsonValue = {"type": "local", "command": ["touch", str(desk.home / "started")], "enabled": True}
    desk.write_opencode_config(mcp={"server": server}, enabled_providers=["loopback"])
    config = desk.home / ".config" / "opencode" / "opencode.jsonc"
    write(config, config.read_text(encoding="utf-8").replace(', "apiKey": "{env:LOOPBACK_API_KEY}"', ""))
    login = {"type": "api", "key": "sk-of-the-login"}
    write(desk.home / ".local" / "share" / "opencode" / "auth.json", {"loopback": login})
    return AcpConsultant(spec, desk.surroundings(), redactor=Redactor())


def project_with_notes(desk: Desk) -> None:
    """The model tries to read a file of the project, and one outside of it."""
    (desk.project / "notes.md").write_text("It is a pear.\n", encoding="utf-8")
    (desk.home / "secret.txt").write_text("It is an apple.\n", encoding="utf-8")
    files = (desk.copy / "notes.md", desk.project / "notes.md", desk.home / "secret.txt")
    desk.endpoint.first += [Call("read", json.dumps({"filePath": str(file)})) for file in files]


async def test_model_and_effort_reach_the_endpoint_a_command_is_text_and_a_session_is_continued_by_its_id(
    desk: Desk,
) -> None:
    prompt = "/init " + "Đúng không? $(id) @/etc/passwd\n" * 10_000
    asked = question(prompt, model="loopback/second", effort=Effort.HIGH, keep_session=True)

    first = answered(await opencode(desk).ask(asked))
    request = desk.endpoint.request
    assert (request.body["model"], request.body["reasoning_effort"], request.tools) == ("second", "high", [])
    assert request.prompt == f"The question follows.\n\n{prompt}"
    assert request.headers["Authorization"] == "Bearer sk-of-the-login"
    assert first.session_id is not None
    assert first.model_copy(update={"duration_ms": 0}) == Answer(
        tool="opencode-acp",
        model="loopback/second",
        effort=Effort.HIGH,
        response="The answer is yes.",
        session_id=first.session_id,
        continuable=True,
        duration_ms=0,
        usage=Usage(input_tokens=1200, cached_tokens=5, output_tokens=34, cost_usd=0.001263),
    )
    assert [file.name for file in desk.project.iterdir()] == [".git"]

    project_with_notes(desk)
    again = question("The second one.", session_id=first.session_id, keep_session=True, repo_access=RepoAccess.READ)
    second = answered(await opencode(desk).ask(again))
    assert (second.session_id, second.warnings) == (first.session_id, ())
    assert prompt in desk.endpoint.requests[1]
    assert second.response == "The answer is yes."  # and not what was said before, once more
    assert "It is a pear." in desk.endpoint.requests[2]
    assert not any("It is an apple." in request for request in desk.endpoint.requests)
    assert not (desk.home / "started").exists()
