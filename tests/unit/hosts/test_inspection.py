"""What is found wrong in the settings of a host."""

import json
from pathlib import Path
from typing import Any

from sparring.hosts.inspection import Inspection, inspect
from sparring.hosts.known import HostSurroundings, known_host
from sparring.prompts.skills import skills
from sparring.schema.setup import Weight
from support.desk import write
from support.golden import Golden


def inspected(root: Path, host: str, files: dict[str, Any], **environment: str) -> Inspection:
    """What is found on a machine of these files below the home folder; ``bin`` is its PATH, ``project`` the project."""
    for name, content in files.items():
        path = write(root / name, "" if isinstance(content, bytes) else content)
        if isinstance(content, bytes):
            path.write_bytes(content)
        path.chmod(0o755)
    around = HostSurroundings(root, root / "project", {"PATH": str(root / "bin")} | environment)
    return inspect(known_host(host), around)


def told(found: Inspection, weight: Weight = Weight.PROBLEM) -> list[str]:
    return [each.problem for each in found.findings if each.weight is weight]


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


def test_faults_of_an_entry_are_found(tmp_path: Path, golden: Golden) -> None:
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
        said = [(each.weight, each.problem.replace(str(root), "~")) for each in found.findings]
        lines += [f"{weight}: {problem}" for weight, problem in said if "Missing: " not in problem]
    golden.holds("hosts/entries.txt", "\n".join(lines) + "\n")


def of_claude(root: Path, settings: dict[str, Any], files: dict[str, Any]) -> Inspection:
    """What is found where Claude Code has these ``settings``, and for the project its own server."""
    return inspected(root, "claude", {"bin/sparring": "", "bin/claude": "", ".claude.json": settings} | files)


def test_settings_of_claude_code_for_the_project_come_first(tmp_path: Path) -> None:
    project = str(tmp_path / "project")
    off = {"mcpServers": {"sparring": STARTED}, "projects": {project: {"disabledMcpServers": ["sparring"]}}}
    assert told(of_claude(tmp_path, off, {})) == ["The server is switched off for this project."]
    alone = {"projects": {project: {"mcpServers": {"sparring": STARTED}}}}
    for of_project in ({}, {"mcpServers": {"sparring": {"command": "gone"}}}):
        found = of_claude(tmp_path, alone, {"project/.mcp.json": of_project})
        assert (told(found), found.argv) == ([], (str(tmp_path / "bin" / "sparring"), "serve"))


def test_gemini_starts_servers_only_where_it_is_allowed_to(tmp_path: Path) -> None:
    file = tmp_path / ".gemini" / "settings.json"

    def of(trusted: str, rule: str = "TRUST_FOLDER", *, more: dict[str, Any] | None = None, **variables: str) -> Any:
        settings = {"mcpServers": {"sparring": {**SETTINGS["gemini"][2], "trust": True}}, **(more or {})}
        rules = {str(tmp_path / trusted): rule}
        files = {"bin/sparring": "", ".gemini/settings.json": settings, ".gemini/trustedFolders.json": rules}
        found = inspected(tmp_path, "gemini", {**files, "bin/gemini": ""}, **variables)
        hints = [each.partition(", ")[0] for each in told(found, Weight.ADVICE) if "Missing: " not in each]
        return told(found), hints

    untrusted: tuple[list[str], list[str]] = ([], [f"{tmp_path / 'project'} is not a trusted folder"])
    trusting = of("project"), of("project/x", "TRUST_PARENT"), of("x", GEMINI_CLI_TRUST_WORKSPACE="true")
    assert trusting == (([], []),) * 3
    assert [of("elsewhere"), of("project", "DO_NOT_TRUST")] == [untrusted] * 2
    mcp, security = {"allowed": ["other"], "excluded": ["sparring"]}, {"folderTrust": {"enabled": False}}
    refused = [f"`mcp.allowed` in {file} does not name `sparring`.", f"`mcp.excluded` in {file} names `sparring`."]
    assert of("x", more={"mcp": mcp, "security": security}) == (refused, [])
    file.unlink()
    hides = "Without a terminal Gemini CLI hides the tools of a server that it has to ask about."
    assert of("project", more={"mcpServers": {"sparring": SETTINGS["gemini"][2]}}) == ([], [hides])


def test_skills_that_are_missing_or_of_another_version_are_found(tmp_path: Path) -> None:
    def advice(files: dict[str, Any]) -> list[str]:
        return told(of_claude(tmp_path, {"mcpServers": {"sparring": STARTED}}, files), Weight.ADVICE)

    whole = {f".claude/skills/{each.name}/SKILL.md": (each.folder / "SKILL.md").read_text("utf-8") for each in skills()}
    assert advice(whole) == []
    home = tmp_path / ".claude" / "skills"
    for name in ("debate", "fact-check"):
        (home / name / "SKILL.md").unlink()
    (home / "fact-check" / "SKILL.md").mkdir()
    changed = {"jury": "---\nmetadata:\n  provided-by: sparring\n---\n", "consult": "# Mine\n"}
    foreign = f"Not from sparring: {home}/consult/SKILL.md and 1 more."
    assert advice({f".claude/skills/{name}/SKILL.md": text for name, text in changed.items()}) == [
        f"Missing: {home}/debate/SKILL.md. {foreign} Not of this version: {home}/jury/SKILL.md."
    ]
    assert advice({f"project/{path}": text for path, text in whole.items()}) == []


def test_findings_for_antigravity_are_comments_a_missing_rule_and_no_trial(tmp_path: Path) -> None:
    config = tmp_path / ".gemini" / "config" / "mcp_config.json"
    entry = '{"mcpServers": {"sparring": {"command": "sparring", "args": ["serve"]}}%s}'
    write(config, entry % ", // mine\n")
    around = HostSurroundings(tmp_path, tmp_path / "project", {})

    def told() -> list[str]:
        return [mistake.problem for mistake in inspect(known_host("agy"), around).findings]

    never, denied = (
        "sparring was never tried in Antigravity CLI.",
        "Without a terminal Antigravity CLI denies our tools.",
    )
    commented = f"{config} has comments or trailing commas, with which Antigravity CLI does not start."
    assert {never, denied, commented} <= set(told())
    write(config, entry % "")
    rules = tmp_path / ".gemini" / "antigravity-cli" / "settings.json"
    write(rules, '{"permissions": {"allow": ["mcp(sparring/*)"]}}')
    assert {denied, commented}.isdisjoint(told())
    assert any(".gemini/config/skills/" in problem for problem in told())
