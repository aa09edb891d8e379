"""Who may search the web is offered its tool's own tools for that; nobody else is, and these are all that is added."""

import json

import pytest

from sparring.schema.consultation import Answer, Question
from sparring.testing.model_endpoint import Call, ModelEndpoint, Say
from support.desk import Desk, answered, question

pytestmark = pytest.mark.npm

CODE_MODEL = "gpt-6.1-sol"  # it works by JavaScript, which its tools are called from


@pytest.mark.parametrize(
    ("tool", "model", "without", "with_web"),
    [
        ("claude", "claude-opus-5-5", [], ["WebFetch", "WebSearch"]),
        ("codex", "a-model-it-does-not-know", [], ["web_search"]),
        # What cannot be removed, the sandbox keeps from writing.
        ("codex", "gpt-5.5", ["apply_patch"], ["apply_patch", "web_search"]),
        ("gemini", "gemini-3.1-pro-preview", [], ["google_web_search"]),
    ],
)
async def test_the_tools_for_the_web_are_offered_for_such_questions_and_for_no_others(
    tool: str, model: str, without: list[str], with_web: list[str], desk: Desk
) -> None:
    for web in (False, True):
        answered(await desk.consultant(tool).ask(question(model=model, web=web)))
    assert [sorted(request.tools) for request in desk.endpoint.requests] == [without, with_web]


@pytest.mark.parametrize(
    ("provider", "asked", "searches"),
    [
        ("OpenAI", question(model=CODE_MODEL, web=True), 1),
        ("OpenAI", question(model=CODE_MODEL), 0),
        ("Loopback", question(model=CODE_MODEL, web=True), 0),
    ],
)
async def test_a_model_that_works_by_javascript_searches_by_it_at_openai_only(
    provider: str, asked: Question, searches: int, desk: Desk
) -> None:
    config = desk.home / ".codex" / "config.toml"
    named = config.read_text(encoding="utf-8").replace('name = "Loopback"', f'name = "{provider}"')
    config.write_text(named, encoding="utf-8")
    await desk.consultant("codex").ask(asked)
    assert desk.endpoint.request.tools == ["functions"]
    assert json.dumps(desk.endpoint.request.body).count("### `web__run`") == searches
    assert "### `exec_command`" not in desk.endpoint.request


async def test_a_search_by_claude_needs_no_permission_prompt(desk: Desk) -> None:
    desk.endpoint.first += [Call("WebSearch", json.dumps({"query": "a thing to look up"})), Say("PAGES FOUND")]
    answered(await desk.consultant("claude").ask(question(web=True)))
    asked, search, last = desk.endpoint.requests
    assert (asked.tools, search.tools) == (["WebFetch", "WebSearch"], ["web_search"])
    assert "a thing to look up" in search
    assert "PAGES FOUND" in last.results[-1]


HERE = ("127.0.0.1", "127.1", "2130706433", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]")  # noqa: S104 -- asked only
"""This machine, as an address may spell it."""


async def test_claude_fetches_nothing_of_this_machine_and_touches_no_file(desk: Desk) -> None:
    with ModelEndpoint(Say("PRIVATE")) as neighbour:
        port = neighbour.url.rsplit(":", maxsplit=1)[1]
        pages = ("file:///etc/passwd", "https://127.1/", *(f"http://{here}:{port}/" for here in HERE))
        calls = [
            *(Call("WebFetch", json.dumps({"url": url, "prompt": "What is it?"})) for url in pages),
            Call("Read", json.dumps({"file_path": "/etc/passwd"})),
            Call("Bash", json.dumps({"command": "cat /etc/passwd; touch pwned", "description": "A test"})),
            Call("Write", json.dumps({"file_path": "pwned", "content": "pwned"})),
        ]
        desk.endpoint.first += calls
        desk.endpoint.behaviour = Say("It cannot be had.")

        reply = await desk.consultant("claude").ask(question(web=True))

    assert isinstance(reply, Answer), reply
    assert (neighbour.connections, len(desk.endpoint.requests)) == (0, len(calls) + 1)
    assert "root:x:" not in desk.endpoint.requests[-1]
    assert [file.name for file in desk.project.iterdir()] == [".git"]
