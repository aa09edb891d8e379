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


def add_script(bench: Workbench, name: str, text: str) -> str:
    """A program of that name in the folder that is on PATH."""
    program = bench.root / "bin" / name
    program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


def answering(*answers: object) -> str:
    """A script that is a server, which answers so."""
    first, second = (f"echo '{json.dumps(answer)}'" for answer in answers)
    return f"read a; {first}; read b; read c; {second}; read d"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A machine with every host on PATH, each a program that only knows its version, and our server."""
    bench = Workbench.below(tmp_path)
    (tmp_path / "bin").mkdir()
    for name in HOSTS:
        add_script(bench, name, f"echo {name} 1.2.3")
    add_script(bench, "sparring", answering(NOW, TOOLS))
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


def advice(bench: Workbench, host: str) -> list[str]:
    return [finding["problem"] for finding in diagnosis(bench, host)["findings"] if finding["weight"] == "advice"]


def diagnosis(bench: Workbench, host: str) -> Any:
    done = bench.run("doctor", "--host", host, "--json")
    found = done.json
    assert done.code == any(finding["weight"] == "problem" for finding in found["findings"])
    return found


def change(bench: Workbench, path: str, section: str, **values: object) -> None:
    """Set keys in the entry of a host; None takes one out."""
    file = bench.root / path
    settings = json.loads(file.read_text(encoding="utf-8"))
    entry = settings[section]["sparring"]
    for key, value in values.items():
        entry[key] = value
        if value is None:
            del entry[key]
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
    add_script(bench, "sparring", f'exec {sys.executable} -m sparring "$@"')
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
    ("values", "expected"),
    [
        ({"command": "/nowhere/sparring"}, "The entry starts /nowhere/sparring, which does not exist."),
        ({"command": "sparring-of-old"}, "The entry starts sparring-of-old, which is not on PATH."),
        ({"command": None, "args": None}, "starts nothing."),
        ({"args": ["--version"]}, "The entry starts `sparring` with --version instead of `serve`."),
        ({"args": []}, "The entry starts `sparring` with nothing instead of `serve`."),
    ],
)
def test_an_entry_that_starts_something_else_is_a_problem(
    bench: Workbench, values: dict[str, object], expected: str
) -> None:
    install(bench, "claude")
    change(bench, ".claude.json", "mcpServers", **values)
    assert any(expected in problem for problem in problems(bench, "claude"))


def test_a_server_at_an_address_is_not_asked(bench: Workbench) -> None:
    install(bench, "copilot")
    settings = bench.root / ".copilot" / "mcp-config.json"
    settings.write_text('{"mcpServers": {"sparring": {"type": "http", "url": "http://127.0.0.1:9"}}}', encoding="utf-8")
    found = diagnosis(bench, "copilot")
    assert [finding["problem"] for finding in found["findings"]] == [
        f"The entry in {settings} names an address, and nothing was asked there."
    ]
    assert (found["command"], found["tools"]) == ("", None)


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
    change(bench, ".claude.json", "mcpServers", command=add_script(bench, "other", script))
    assert problems(bench, "claude") == [expected]
    assert diagnosis(bench, "claude")["tools"] is None


def test_a_server_that_cannot_be_executed_is_a_problem(bench: Workbench) -> None:
    install(bench, "claude")
    server = Path(add_script(bench, "other", "exit"))
    server.write_text("#!/nowhere/sh\n", encoding="utf-8")
    change(bench, ".claude.json", "mcpServers", command=str(server))
    assert "The server cannot be started" in problems(bench, "claude")[0]


def test_another_version_of_the_server_is_told(bench: Workbench) -> None:
    install(bench, "claude")
    older: object = {"id": 1, "result": {"serverInfo": {"version": "0.0.9"}}}
    server = add_script(bench, "other", answering(older, TOOLS))
    change(bench, ".claude.json", "mcpServers", command=server)
    assert diagnosis(bench, "claude")["tools"] == 2
    assert [text.partition(", ")[0] for text in advice(bench, "claude")] == [
        "The server that the entry starts is version 0.0.9"
    ]


def test_what_a_project_names_is_not_started(bench: Workbench) -> None:
    install(bench, "claude", "--project")
    server, started = bench.project / "sparring", bench.root / "started"
    server.write_text(f"#!/bin/sh\ntouch {started}\n", encoding="utf-8")
    server.chmod(0o755)
    change(bench, "project/.mcp.json", "mcpServers", command=str(server))
    assert advice(bench, "claude") == ["The project names another program."]
    assert not started.exists()


ENTRIES = {
    "opencode": (".config/opencode/opencode.json", "mcp"),
    "copilot": (".copilot/mcp-config.json", "mcpServers"),
    "claude": (".claude.json", "mcpServers"),
}
"""Where the entry of a host stands."""


@pytest.mark.parametrize(
    ("host", "values", "problem", "hint"),
    [
        ("opencode", {"timeout": None}, [], ["`timeout` is not set, which means 60000."]),
        ("opencode", {"timeout": 5000}, ["`timeout` is 5000."], []),
        ("opencode", {"enabled": False}, ["The entry is switched off."], []),
        ("copilot", {"timeout": None}, [], ["`timeout` is not set, which means 180000."]),
        ("copilot", {"timeout": "soon"}, [], []),
        ("claude", {"timeout": 9000}, [], ["`timeout` is set, which is a hard limit here."]),
    ],
)
def test_limits_and_switches_in_the_entry_are_looked_at(
    bench: Workbench, host: str, values: dict[str, object], problem: list[str], hint: list[str]
) -> None:
    install(bench, host)
    change(bench, *ENTRIES[host], **values)
    assert (problems(bench, host), advice(bench, host)) == (problem, hint)


def test_a_server_that_claude_code_has_switched_off_for_the_project_is_found(bench: Workbench) -> None:
    install(bench, "claude")
    settings = bench.root / ".claude.json"
    content = json.loads(settings.read_text(encoding="utf-8"))
    content["projects"] = {str(bench.project): {"disabledMcpServers": ["sparring"]}}
    settings.write_text(json.dumps(content), encoding="utf-8")
    assert problems(bench, "claude") == ["The server is switched off for this project."]


def test_codex_needs_more_to_work_without_a_terminal_and_hands_on_no_keys(bench: Workbench) -> None:
    install(bench, "codex")
    bench.extra["OPENAI_API_KEY"] = "sk-of-nobody-at-all"
    bench.extra["GEMINI_API_KEY"] = ""
    assert advice(bench, "codex") == [
        "`codex exec` refuses tools that are not read-only.",
        "`codex exec` goes on without a server that is not there at once.",
        "Codex does not hand OPENAI_API_KEY to servers, so API providers lack a key there.",
    ]
    config = bench.root / ".codex" / "config.toml"
    more = 'required = true\ndefault_tools_approval_mode = "approve"\nenv_vars = ["OPENAI_API_KEY"]\n'
    config.write_text(config.read_text(encoding="utf-8") + more, encoding="utf-8")
    assert diagnosis(bench, "codex")["findings"] == []
    config.write_text(
        config.read_text(encoding="utf-8").replace("tool_timeout_sec = 900\n", "tool_timeout_sec = 40\n"),
        encoding="utf-8",
    )
    assert problems(bench, "codex") == ["`tool_timeout_sec` is 40."]


def test_gemini_starts_servers_only_where_it_is_allowed_to(bench: Workbench) -> None:
    install(bench, "gemini")
    folder = bench.root / ".gemini"
    assert [text.partition(", ")[0] for text in advice(bench, "gemini")] == [
        f"{bench.project} is not a trusted folder",
        "Without a terminal Gemini CLI hides the tools of a server that it has to ask about.",
    ]
    change(bench, ".gemini/settings.json", "mcpServers", trust=True)
    for trusted in ({str(bench.project): "TRUST_FOLDER"}, {str(bench.project): "TRUST_PARENT"}):
        (folder / "trustedFolders.json").write_text(json.dumps(trusted), encoding="utf-8")
        assert diagnosis(bench, "gemini")["findings"] == []
    (folder / "trustedFolders.json").write_text(json.dumps({str(bench.project): "DO_NOT_TRUST"}), encoding="utf-8")
    assert len(advice(bench, "gemini")) == 1
    bench.extra["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
    assert advice(bench, "gemini") == []
    settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    settings |= {
        "mcp": {"allowed": ["other"], "excluded": ["sparring"]},
        "security": {"folderTrust": {"enabled": False}},
    }
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    del bench.extra["GEMINI_CLI_TRUST_WORKSPACE"]
    assert problems(bench, "gemini") == [
        f"`mcp.allowed` in {folder / 'settings.json'} does not name `sparring`.",
        f"`mcp.excluded` in {folder / 'settings.json'} names `sparring`.",
    ]
    assert advice(bench, "gemini") == []


def test_skills_that_are_missing_or_of_another_version_are_found(bench: Workbench) -> None:
    install(bench, "claude")
    skills = bench.root / ".claude" / "skills"
    (skills / "debate" / "SKILL.md").unlink()
    (skills / "jury" / "SKILL.md").write_text("---\nmetadata:\n  provided-by: sparring\n---\n", encoding="utf-8")
    (skills / "consult" / "SKILL.md").write_text("# Mine\n", encoding="utf-8")
    (skills / "fact-check" / "SKILL.md").unlink()
    (skills / "fact-check" / "SKILL.md").mkdir()
    (told,) = advice(bench, "claude")
    assert told == (
        f"Missing: {skills}/debate/SKILL.md. Not from sparring: {skills}/consult/SKILL.md and 1 more. "
        f"Not of this version: {skills}/jury/SKILL.md."
    )
    install(bench, "claude", "--project")
    assert advice(bench, "claude") == []


@pytest.mark.parametrize("content", [b"{", b"[]", b'"\xff"', b'{"mcpServers": 3}'])
def test_settings_that_cannot_be_understood_are_a_problem_and_not_the_end(bench: Workbench, content: bytes) -> None:
    (bench.root / ".claude.json").write_bytes(content)
    first, second = problems(bench, "claude")
    assert f"{bench.root / '.claude.json'} cannot be understood" in first
    assert second == "Claude Code does not know our server."


def test_a_state_folder_that_cannot_be_written_is_a_problem(bench: Workbench) -> None:
    install(bench, "claude")
    bench.extra["AI_STATE_DIR"] = str(bench.root / "bin" / "claude")
    (told,) = problems(bench, "claude")
    assert str(bench.root / "bin" / "claude") in told


def test_an_unknown_host_is_refused(bench: Workbench) -> None:
    done = bench.run("doctor", "--host", "emacs")
    assert done.code == 2
    assert "There is no host named 'emacs'." in done.err
