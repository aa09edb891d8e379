"""What is found wrong in the settings of a host."""

import json
from pathlib import Path
from typing import Any

from sparring.hosts.inspection import Inspection, inspect
from sparring.hosts.known import HostSurroundings, known_host
from sparring.prompts.skills import skills
from sparring.schema.setup import Weight
from support.golden import Golden


def inspected(root: Path, host: str, files: dict[str, Any], **environment: str) -> Inspection:
    """What is found on a machine of these files below the home folder; ``bin`` is its PATH, ``project`` the project."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(0o755)
    around = HostSurroundings(root, root / "project", {"PATH": str(root / "bin")} | environment)
    return inspect(known_host(host), around)


def problems(found: Inspection) -> list[str]:
    return [each.problem for each in found.findings if each.weight is Weight.PROBLEM]


def advices(found: Inspection) -> list[str]:
    return [each.problem for each in found.findings if each.weight is Weight.ADVICE]


def test_a_project_chooses_no_program_that_is_started(tmp_path: Path) -> None:
    programs = {"bin/sparring": "#!/bin/sh\n", "project/evil/sparring": "#!/bin/sh\n", "bin/cursor": "#!/bin/sh\n"}
    for command, argv in (
        ("sparring", (str(tmp_path / "bin" / "sparring"), "serve")),
        (str(tmp_path / "project" / "evil" / "sparring"), ()),
    ):
        entry = {"mcpServers": {"sparring": {"command": command, "args": ["serve"]}}}
        assert inspected(tmp_path, "cursor", {**programs, "project/.cursor/mcp.json": entry}).argv == argv
        assert inspected(tmp_path, "cursor", {".cursor/mcp.json": entry, "project/.cursor/mcp.json": {}}).argv != ()


STARTED = {"command": "sparring", "args": ["serve"]}
SETTINGS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "claude": (".claude.json", "mcpServers", STARTED),
    "codex": (".codex/config.toml", "mcp_servers", {}),
    "copilot": (".copilot/mcp-config.json", "mcpServers", {**STARTED, "timeout": 900_000}),
    "gemini": (".gemini/settings.json", "mcpServers", {**STARTED, "timeout": 900_000}),
    "opencode": (".config/opencode/opencode.json", "mcp", {"command": ["sparring", "serve"], "timeout": 900_000}),
}
CODEX = """[mcp_servers.sparring]
command = "sparring"
args = ["serve"]
startup_timeout_sec = 60
tool_timeout_sec = 900
"""
READY = 'required = true\ndefault_tools_approval_mode = "approve"\nenv_vars = ["OPENAI_API_KEY"]\n'


ADDRESS = b'{"mcpServers": {"sparring": {"type": "http", "url": "http://127.0.0.1:9"}}}'
ENTRIES: list[tuple[str, bytes | dict[str, object]]] = [
    *(("claude", {"command": command}) for command in ("sparring", "/nowhere/it", "of-old")),
    ("claude", {"command": "", "args": []}),
    *(("claude", {"args": args}) for args in (["-v"], [])),
    ("claude", {"timeout": 9000}),
    *(("claude", content) for content in (b"[]", b'"\xff"', b'{"mcpServers": 3}')),
    *(("copilot", {"timeout": timeout}) for timeout in (None, "soon")),
    ("copilot", ADDRESS),
    *(("opencode", {"timeout": timeout}) for timeout in (None, 30_000, 60_000)),
    ("opencode", {"enabled": False}),
    *(("codex", text.encode()) for text in (CODEX, CODEX + READY, CODEX.replace("900", "40") + READY)),
]


def test_what_is_wrong_in_an_entry_is_found(tmp_path: Path, golden: Golden) -> None:
    lines: list[str] = []
    for number, (host, values) in enumerate(ENTRIES):
        root = tmp_path / str(number)
        path, section, usual = SETTINGS[host]
        lines.append(f"== {host} {values!r}")
        content = values
        if isinstance(values, dict):
            changed = {key: value for key, value in (usual | values).items() if value is not None}
            content = json.dumps({section: {"sparring": changed}}).encode()
        key = {"OPENAI_API_KEY": "sk-of-nobody-at-all"} if host == "codex" else {}
        found = inspected(root, host, {"bin/sparring": "", f"bin/{host}": "", path: content}, **key)
        told = [(each.weight, each.problem.replace(str(root), "~")) for each in found.findings]
        lines += [f"{weight}: {problem}" for weight, problem in told if "Missing: " not in problem]
    golden.holds("hosts/entries.txt", "\n".join(lines) + "\n")


def test_a_server_that_claude_code_has_switched_off_for_the_project_is_found(tmp_path: Path) -> None:
    projects = {str(tmp_path / "project"): {"disabledMcpServers": ["sparring"]}}
    settings = {"mcpServers": {"sparring": STARTED}, "projects": projects}
    found = inspected(tmp_path, "claude", {"bin/sparring": "", "bin/claude": "", ".claude.json": settings})
    assert problems(found) == ["The server is switched off for this project."]


def test_a_server_that_was_added_to_claude_code_for_the_project_alone_is_the_one_that_counts(tmp_path: Path) -> None:
    projects = {str(tmp_path / "project"): {"mcpServers": {"sparring": STARTED}}}
    files = {"bin/sparring": "", "bin/claude": "", ".claude.json": {"projects": projects}}
    for of_project in ({}, {"mcpServers": {"sparring": {"command": "gone"}}}):
        found = inspected(tmp_path, "claude", {**files, "project/.mcp.json": of_project})
        assert (problems(found), found.argv) == ([], (str(tmp_path / "bin" / "sparring"), "serve"))


def test_gemini_starts_servers_only_where_it_is_allowed_to(tmp_path: Path) -> None:
    file = tmp_path / ".gemini" / "settings.json"

    def of(trusted: str, rule: str = "TRUST_FOLDER", *, more: dict[str, Any] | None = None, **variables: str) -> Any:
        settings = {"mcpServers": {"sparring": {**SETTINGS["gemini"][2], "trust": True}}, **(more or {})}
        rules = {str(tmp_path / trusted): rule}
        files = {"bin/sparring": "", ".gemini/settings.json": settings, ".gemini/trustedFolders.json": rules}
        found = inspected(tmp_path, "gemini", {**files, "bin/gemini": ""}, **variables)
        hints = [each.partition(", ")[0] for each in advices(found) if "Missing: " not in each]
        return problems(found), hints

    untrusted: tuple[list[str], list[str]] = ([], [f"{tmp_path / 'project'} is not a trusted folder"])
    assert [of("project"), of("project/x", "TRUST_PARENT"), of("x", GEMINI_CLI_TRUST_WORKSPACE="true")] == [
        ([], [])
    ] * 3
    assert [of("elsewhere"), of("project", "DO_NOT_TRUST")] == [untrusted] * 2
    elsewhere = {
        "mcp": {"allowed": ["other"], "excluded": ["sparring"]},
        "security": {"folderTrust": {"enabled": False}},
    }
    refused = [f"`mcp.allowed` in {file} does not name `sparring`.", f"`mcp.excluded` in {file} names `sparring`."]
    assert of("x", more=elsewhere) == (refused, [])
    (tmp_path / ".gemini").joinpath("settings.json").unlink()
    assert of("project", more={"mcpServers": {"sparring": SETTINGS["gemini"][2]}}) == (
        [],
        ["Without a terminal Gemini CLI hides the tools of a server that it has to ask about."],
    )


def test_skills_that_are_missing_or_of_another_version_are_found(tmp_path: Path) -> None:
    files: dict[str, Any] = {
        "bin/sparring": "",
        "bin/claude": "",
        ".claude.json": {"mcpServers": {"sparring": STARTED}},
    }
    whole = {f".claude/skills/{each.name}/SKILL.md": (each.folder / "SKILL.md").read_text("utf-8") for each in skills()}
    assert advices(inspected(tmp_path, "claude", files | whole)) == []
    home = tmp_path / ".claude" / "skills"
    (home / "debate" / "SKILL.md").unlink()
    (home / "fact-check" / "SKILL.md").unlink()
    (home / "fact-check" / "SKILL.md").mkdir()
    changed = {"jury": "---\nmetadata:\n  provided-by: sparring\n---\n", "consult": "# Mine\n"}
    found = inspected(
        tmp_path, "claude", files | {f".claude/skills/{name}/SKILL.md": text for name, text in changed.items()}
    )
    (told,) = advices(found)
    assert told == (
        f"Missing: {home}/debate/SKILL.md. Not from sparring: {home}/consult/SKILL.md and 1 more. "
        f"Not of this version: {home}/jury/SKILL.md."
    )
    assert (
        advices(inspected(tmp_path, "claude", files | {f"project/{path}": text for path, text in whole.items()})) == []
    )
