"""A real tool reads of a project what git tracks of it, without its secrets: seen by what reaches the model."""

import json
from collections.abc import Callable

import pytest

from sparring.schema.base import RepoAccess
from sparring.testing.model_endpoint import Call
from support import projects
from support.desk import Desk, answered, question, write

pytestmark = pytest.mark.npm

FILES = {
    "cache.py": 'def connect():\n    password = "CANARYpw-9f8e7d6c5b4a"\n    return TRACKED\n',
    ".env": "TOKEN=CANARYenv\n",
    ".gitignore": "local.settings.json\n",
    ".sparring/review/last-review.json": '{"title": "CANARYstate"}\n',
}
UNTRACKED = {"local.settings.json": '{"note": "CANARYignored"}\n', "scratch.py": "CANARYuntracked = 1\n"}
NAMES = (*FILES, *UNTRACKED)

Reading = Callable[[str], Call]


def reading(tool: str, **arguments: str) -> Reading:
    """A call of that ``tool`` of a program, in which ``{}`` is the path."""
    return lambda path: Call(tool, json.dumps({name: value.replace("{}", path) for name, value in arguments.items()}))


TOOLS: dict[str, tuple[str | None, Reading]] = {
    "claude": ("claude-opus-5-5", reading("Read", file_path="{}")),
    "codex": ("a-model-it-does-not-know", reading("/exec_command", cmd="cat '{}'")),
    "copilot": ("gpt-5.4", reading("view", path="{}")),
    "gemini": ("gemini-3.1-pro-preview", reading("read_file", file_path="{}")),
    "opencode": (None, reading("read", filePath="{}")),
}


@pytest.mark.parametrize("tool", TOOLS)
async def test_no_secret_and_nothing_that_git_does_not_track_reaches_the_model(tool: str, desk: Desk) -> None:
    (desk.project / ".git").rmdir()
    projects.make_project(desk.project, FILES)
    projects.git(desk.project, "add", "-f", "-A")
    for name, text in UNTRACKED.items():
        write(desk.project / name, text)
    model, read = TOOLS[tool]
    places = (desk.copy, desk.project)
    desk.endpoint.first += [read(f"{place}/{name}") for place in places for name in NAMES]
    answered(await desk.consultant(tool).ask(question(model=model, repo_access=RepoAccess.READ)))
    requests = desk.endpoint.requests
    assert len(requests) == len(places) * len(NAMES) + 1
    assert [request for request in requests if "CANARY" in json.dumps(request.body)] == []
    seen = json.dumps(requests[1].body)
    assert "[REDACTED:secret]" in seen
    assert "TRACKED" in seen
