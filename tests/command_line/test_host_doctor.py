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


def problems(bench: Workbench, host: str) -> list[str]:
    return [finding["problem"] for finding in diagnosis(bench, host)["findings"] if finding["weight"] == "problem"]


def diagnosis(bench: Workbench, host: str) -> Any:
    done = bench.run("doctor", "--host", host, "--json")
    found = done.json
    assert done.code == any(finding["weight"] == "problem" for finding in found["findings"])
    return found


def start_instead(bench: Workbench, program: Path) -> None:
    """Let the entry of Claude Code start that."""
    file = bench.root / ".claude.json"
    settings = json.loads(file.read_text(encoding="utf-8"))
    settings["mcpServers"]["sparring"]["command"] = str(program)
    file.write_text(json.dumps(settings), encoding="utf-8")


@pytest.mark.parametrize(
    ("host", "scope"),
    [("claude", "--user"), ("opencode", "--project"), ("copilot", "--user"), ("cursor", "--project")],
)
def test_nothing_is_wrong_after_an_installation(bench: Workbench, host: str, scope: str) -> None:
    install(bench, host, scope)
    found = diagnosis(bench, host)
    assert (found["findings"], found["tools"], found["version"][-5:]) == ([], 2, "1.2.3")
    assert found["command"].endswith("sparring serve")
    assert bench.run("doctor", "--host", host).out.endswith("\nNothing is wrong.\n")


def test_the_real_server_is_found_to_answer(bench: Workbench) -> None:
    bench.add_program("sparring", f'exec {sys.executable} -m sparring "$@"')
    bench.run("install", "claude", "--project")
    found = diagnosis(bench, "claude")
    assert (found["findings"], found["tools"] > 2) == ([], True)


def test_a_host_that_is_not_here_and_has_no_entry_is_told_so(bench: Workbench) -> None:
    bench.extra["PATH"] = "/usr/bin:/bin"
    assert problems(bench, "codex") == [
        "Codex is not installed: no `codex` on PATH.",
        "Codex does not know our server.",
    ]
    report = bench.run("doctor", "--host", "codex").out
    assert "!! Codex does not know our server.\n   Run `sparring install codex`, unless you have the plugin" in report
    assert "server    not started" in report


def test_a_host_that_does_not_run_is_a_problem(bench: Workbench) -> None:
    install(bench, "claude")
    (bench.root / "bin" / "claude").write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    assert problems(bench, "claude") == ["`claude --version` failed."]
    (bench.root / "bin" / "claude").write_text("#!/nowhere/sh\n", encoding="utf-8")
    assert "cannot be started" in problems(bench, "claude")[0]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 0", "The server ended before it had listed its tools."),
        ("echo hello; read line", "The server said something that is no message."),
        (
            """read line; echo '{"id": 7}'; echo '{"id": 1, "error": {}}'; read line""",
            "The server refused to say what it offers.",
        ),
        (
            """read a; echo '{"id": 1, "result": {}}'; read b; read c; echo '{"id": 2, "error": {}}'; read d""",
            "The server refused to say what it offers.",
        ),
    ],
)
def test_a_server_that_does_not_answer_is_a_problem(bench: Workbench, script: str, expected: str) -> None:
    install(bench, "claude")
    start_instead(bench, bench.add_program("other", script))
    assert problems(bench, "claude") == [expected]
    assert diagnosis(bench, "claude")["tools"] is None


def test_a_server_that_cannot_be_executed_is_a_problem(bench: Workbench) -> None:
    install(bench, "claude")
    server = bench.add_program("other", "exit")
    server.write_text("#!/nowhere/sh\n", encoding="utf-8")
    start_instead(bench, server)
    assert "The server cannot be started" in problems(bench, "claude")[0]


def test_another_version_of_the_server_is_told(bench: Workbench) -> None:
    install(bench, "claude")
    older: object = {"id": 1, "result": {"serverInfo": {"version": "0.0.9"}}}
    server = bench.add_program("other", answering(older, TOOLS))
    start_instead(bench, server)
    found = diagnosis(bench, "claude")
    (told,) = found["findings"]
    assert (found["tools"], told["weight"], told["problem"].partition(", ")[0]) == (
        2,
        "advice",
        "The server that the entry starts is version 0.0.9",
    )


def test_a_state_folder_that_cannot_be_written_is_a_problem(bench: Workbench) -> None:
    install(bench, "claude")
    bench.extra["AI_STATE_DIR"] = str(bench.root / "bin" / "claude")
    (told,) = problems(bench, "claude")
    assert str(bench.root / "bin" / "claude") in told
