"""The repository installs as a plugin in the real hosts: each knows the server, once, and every skill."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from sparring.prompts.skills import SKILL_NAMES
from support.desk import Desk

pytestmark = pytest.mark.npm

ROOT = Path(__file__).parents[2]
PLUGIN = "sparring@sparring"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a clone of the repository holds, without what was built or installed in this one."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in (name for name in listed.split("\0") if name and (ROOT / name).exists()):
        target = tmp_path / "checkout" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    return tmp_path / "checkout"


def run(desk: Desk, *argv: str, typed: str = "") -> str:
    """What a host prints when its user has ``sparring`` on PATH; ``typed`` is what they answer."""
    path = f"{Path(sys.executable).parent}:{desk.environment['PATH']}"
    done = replace(desk, variables={"PATH": path, "DISABLE_AUTOUPDATER": "1"}).bare(*argv, typed=typed)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout or done.stderr  # Gemini CLI answers on the second


def servers(listing: str) -> list[str]:
    """The lines of a listing that tell of a server of ours."""
    return [line.strip() for line in listing.splitlines() if "sparring" in line]


def test_claude_code_finds_nothing_wrong_with_the_plugin(desk: Desk, checkout: Path) -> None:
    report = run(desk, "claude", "plugin", "validate", "--strict", str(checkout))
    assert all(f"sparring:{skill}" in report for skill in SKILL_NAMES)


def test_claude_code_installs_the_plugin_and_connects_to_its_server(desk: Desk, checkout: Path) -> None:
    run(desk, "claude", "plugin", "marketplace", "add", str(checkout))
    run(desk, "claude", "plugin", "install", PLUGIN)
    listed = json.loads(run(desk, "claude", "plugin", "list", "--json"))
    (plugin,) = [each for each in listed if not each["id"].endswith("@builtin")]  # since 2.1.332
    assert (plugin["id"], plugin["enabled"]) == (PLUGIN, True)
    details = run(desk, "claude", "plugin", "details", "sparring")
    assert f"Skills ({len(SKILL_NAMES)})  {', '.join(sorted(SKILL_NAMES))}" in details
    (server,) = servers(run(desk, "claude", "mcp", "list"))
    assert server.startswith("plugin:sparring:sparring: sparring serve")
    assert server.endswith("Connected")


def test_codex_installs_the_plugin_and_starts_its_server_in_the_users_project(desk: Desk, checkout: Path) -> None:
    run(desk, "codex", "plugin", "marketplace", "add", str(checkout))
    run(desk, "codex", "plugin", "add", PLUGIN)
    (server,) = json.loads(run(desk, "codex", "mcp", "list", "--json"))
    assert (server["name"], server["enabled"]) == ("sparring", True)
    started = server["transport"]
    assert (started["command"], started["args"], started["cwd"]) == ("sparring", ["serve"], None)
    (plugin,) = json.loads(run(desk, "codex", "plugin", "list", "--json"))["installed"]
    cached = desk.home / ".codex" / "plugins" / "cache" / "sparring" / "sparring" / plugin["version"]
    assert {folder.name for folder in (cached / "skills").iterdir()} == set(SKILL_NAMES)


def test_copilot_installs_the_plugin(desk: Desk, checkout: Path) -> None:
    run(desk, "copilot", "plugin", "marketplace", "add", str(checkout))
    assert f"Installed {len(SKILL_NAMES)} skills" in run(desk, "copilot", "plugin", "install", PLUGIN)
    assert len(servers(run(desk, "copilot", "mcp", "list"))) == 1
    listed = run(desk, "copilot", "skill", "list")
    assert [skill for skill in SKILL_NAMES if f"{skill} - " not in listed] == []


def test_gemini_finds_nothing_wrong_with_the_extension(desk: Desk, checkout: Path) -> None:
    assert "has been successfully validated" in run(desk, "gemini", "extensions", "validate", str(checkout))


def test_gemini_links_the_extension_once_its_user_trusts_the_folder(desk: Desk, checkout: Path) -> None:
    run(desk, "gemini", "extensions", "link", str(checkout), "--consent", typed="y\n")
    listed = run(desk, "gemini", "extensions", "list", "-o", "json")
    (extension,) = json.loads(listed[listed.index("[\n") :])
    assert (extension["name"], list(extension["mcpServers"])) == ("sparring", ["sparring"])
    assert {skill["name"] for skill in extension["skills"]} == set(SKILL_NAMES)
