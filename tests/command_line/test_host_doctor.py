"""``sparring doctor --host HOST``: each common mistake is found, and what to do about it is said."""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from support.workbench import Workbench

pytestmark = pytest.mark.process

NOW: object = {"id": 1, "result": {"serverInfo": {"version": version("sparring")}}}
TOOLS: object = {"id": 2, "result": {"tools": list[object]([{}, {}])}}
HOSTS = ("claude", "codex", "copilot", "gemini", "opencode", "code", "cursor")


def answering(*answers: object) -> str:
    """A script that is a server, which answers so."""
    first, second = (f"echo '{json.dumps(answer)}'" for answer in answers)
    return f"read a; {first}; read b; read c; {second}; read d"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A machine with every host on PATH, each a program that only knows its version, and our server."""
    bench = Workbench.below(tmp_path)
    for name in HOSTS:
        bench.add_program(name, f"echo {name} 1.2.3")
    bench.add_program("sparring", answering(NOW, TOOLS))
    bench.extra["PATH"] = os.pathsep.join((str(tmp_path / "bin"), "/usr/bin", "/bin"))
    return bench


def install(bench: Workbench, host: str, *options: str) -> None:
    """Install; the entry then starts the server that answers at once."""
    ours, ready = str(Path(sys.executable).parent / "sparring"), str(bench.root / "bin" / "sparring")
    for file in bench.run("install", host, *options, "--json").json["hosts"][0]["files"]:
        path = Path(file["path"])
        path.write_text(path.read_text(encoding="utf-8").replace(ours, ready), encoding="utf-8")


def diagnosis(bench: Workbench, host: str) -> Any:
    done = bench.run("doctor", "--host", host, "--json")
    assert done.code == any(finding["weight"] == "problem" for finding in done.json["findings"])
    return done.json


def problems(bench: Workbench, host: str) -> list[str]:
    return [finding["problem"] for finding in diagnosis(bench, host)["findings"] if finding["weight"] == "problem"]


@pytest.mark.parametrize(
    ("host", "scope"),
    [("claude", ()), ("opencode", ("--project",)), ("copilot", ()), ("cursor", ("--project",))],
)
def test_nothing_is_wrong_after_an_installation(bench: Workbench, host: str, scope: tuple[str, ...]) -> None:
    install(bench, host, *scope)
    found = diagnosis(bench, host)
    assert (found["findings"], found["tools"], found["version"][-5:]) == ([], 2, "1.2.3")
    assert found["command"].endswith("sparring serve")
    assert bench.run("doctor", "--host", host).out.endswith("\nNothing is wrong.\n")


def test_the_real_server_is_found_to_answer(bench: Workbench) -> None:
    bench.add_program("sparring", f'exec {sys.executable} -m sparring "$@"')
    bench.run("install", "claude", "--project")
    found = diagnosis(bench, "claude")
    assert (found["findings"], found["tools"] > 2) == ([], True)


def test_a_host_that_is_not_installed_and_has_no_entry_is_reported(bench: Workbench) -> None:
    bench.extra["PATH"], before = "/usr/bin:/bin", [each.name for each in bench.project.iterdir()]
    assert problems(bench, "codex") == [
        "Codex is not installed: no `codex` on PATH.",
        "Codex does not know our server.",
    ]
    report = bench.run("doctor", "--host", "codex").out
    assert "!! Codex does not know our server.\n   Run `sparring install codex`, unless you have the plugin" in report
    assert "server    not started" in report
    assert [each.name for each in bench.project.iterdir()] == before


OLDER: object = {"id": 1, "result": {"serverInfo": {"version": "0.0.9"}}}
OTHER, REFUSAL = '{"id": 7}', '{"id": 1, "error": {}}'


@pytest.mark.parametrize(
    ("script", "weight", "expected"),
    [
        ("exit 0", "problem", "The server exited before it listed its tools."),
        ("echo hello; read line", "problem", "The server sent something that is not a message."),
        (f"read a; echo '{OTHER}'; echo '{REFUSAL}'; read b", "problem", "The server refused to list its tools."),
        (answering(NOW, {"id": 2, "error": {}}), "problem", "The server refused to list its tools."),
        (answering(OLDER, TOOLS), "advice", "The server that the entry starts is version 0.0.9, "),
    ],
    ids=["ended", "no message", "refuses", "lists nothing", "older"],
)
def test_a_silent_or_foreign_server_is_reported(bench: Workbench, script: str, weight: str, expected: str) -> None:
    install(bench, "claude")
    file = bench.root / ".claude.json"
    settings = json.loads(file.read_text(encoding="utf-8"))
    settings["mcpServers"]["sparring"]["command"] = str(bench.add_program("other", script))
    file.write_text(json.dumps(settings), encoding="utf-8")
    found = diagnosis(bench, "claude")
    (told,) = found["findings"]
    assert (told["weight"], told["problem"][: len(expected)]) == (weight, expected)
    assert found["tools"] == (2 if weight == "advice" else None)


def test_servers_that_cannot_start_and_unwritable_files_are_problems(bench: Workbench) -> None:
    install(bench, "claude")
    claude, server = (bench.root / "bin" / name for name in ("claude", "sparring"))
    (bench.providers.parent / "state").touch()
    bench.extra["AI_STATE_DIR"] = str(bench.providers.parent / "state")
    claude.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    server.write_text("#!/nowhere/sh\n", encoding="utf-8")
    found = problems(bench, "claude")
    assert ("`claude --version` failed." in found, len(found)) == (True, 3)
    for part in ("The server cannot be started", str(bench.providers.parent / "state")):
        assert any(part in each for each in found)
    claude.write_text("#!/nowhere/sh\n", encoding="utf-8")
    assert f"{claude} cannot be started" in problems(bench, "claude")[0]
