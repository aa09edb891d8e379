"""What is found wrong in the settings of a host."""

import json
from pathlib import Path
from typing import Any

from sparring.hosts.inspecting import Inspection, inspect
from sparring.hosts.known import known_host
from sparring.hosts.places import Surroundings
from sparring.schema.diagnosis import Weight


def inspected(root: Path, host: str, files: dict[str, Any]) -> Inspection:
    """What is found on a machine of these files below the home folder; ``bin`` is its PATH, ``project`` the project."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        path.chmod(0o755)
    around = Surroundings(root, root / "project", {"PATH": str(root / "bin")})
    return inspect(known_host(host), around)


def problems(found: Inspection) -> list[str]:
    return [each.problem for each in found.findings if each.weight is Weight.PROBLEM]


def test_a_project_chooses_no_program_that_is_started(tmp_path: Path) -> None:
    programs = {"bin/sparring": "#!/bin/sh\n", "project/evil/sparring": "#!/bin/sh\n", "bin/cursor": "#!/bin/sh\n"}
    for command, argv in (
        ("sparring", (str(tmp_path / "bin" / "sparring"), "serve")),
        (str(tmp_path / "project" / "evil" / "sparring"), ()),
    ):
        entry = {"mcpServers": {"sparring": {"command": command, "args": ["serve"]}}}
        assert inspected(tmp_path, "cursor", {**programs, "project/.cursor/mcp.json": entry}).argv == argv
        assert inspected(tmp_path, "cursor", {".cursor/mcp.json": entry, "project/.cursor/mcp.json": {}}).argv != ()


def test_a_limit_that_cuts_calls_off_is_a_problem_and_a_low_one_is_not(tmp_path: Path) -> None:
    def of(timeout: int) -> list[str]:
        entry = {"type": "local", "command": ["sparring", "serve"], "timeout": timeout}
        files = {"bin/sparring": "", "bin/opencode": "", ".config/opencode/opencode.json": {"mcp": {"sparring": entry}}}
        return problems(inspected(tmp_path, "opencode", files))

    assert of(30_000) == ["`timeout` is 30000."]
    assert of(60_000) == []


def test_a_folder_that_gemini_does_not_trust_is_told(tmp_path: Path) -> None:
    def of(trusted: str) -> bool:
        settings = {"mcpServers": {"sparring": {"command": "sparring", "args": ["serve"], "timeout": 900_000}}}
        rules = {str(tmp_path / trusted): "TRUST_FOLDER"}
        files = {"bin/sparring": "", ".gemini/settings.json": settings, ".gemini/trustedFolders.json": rules}
        found = inspected(tmp_path, "gemini", files)
        return not any("is not a trusted folder" in each.problem for each in found.findings)

    assert [of("project"), of("elsewhere")] == [True, False]
