from pathlib import Path

import pytest

from sparring.hosts.known import KNOWN_HOSTS, HostSurroundings, known_host, places
from sparring.schema.setup import Scope

HOME, PROJECT = Path("/home/ann"), Path("/srv/project")


def around(platform: str = "linux", **environment: str) -> HostSurroundings:
    return HostSurroundings(HOME, PROJECT, environment, platform)


@pytest.mark.parametrize(
    ("host", "variables", "settings"),
    [
        ("claude", {}, "/home/ann/.claude.json"),
        ("claude", {"CLAUDE_CONFIG_DIR": "/etc/claude"}, "/etc/claude/.claude.json"),
        ("codex", {"CODEX_HOME": "/etc/codex"}, "/etc/codex/config.toml"),
        ("copilot", {"COPILOT_HOME": "/etc/copilot"}, "/etc/copilot/mcp-config.json"),
        ("gemini", {"GEMINI_CLI_HOME": "/etc/g"}, "/etc/g/.gemini/settings.json"),
        ("gemini", {"GEMINI_CLI_HOME": "here"}, "/srv/project/here/.gemini/settings.json"),
        ("opencode", {"XDG_CONFIG_HOME": "/etc/xdg"}, "/etc/xdg/opencode/opencode.json"),
        ("vscode", {}, "/home/ann/.config/Code/User/mcp.json"),
        ("cursor", {}, "/home/ann/.cursor/mcp.json"),
    ],
)
def test_a_host_is_looked_for_where_the_user_keeps_it(host: str, variables: dict[str, str], settings: str) -> None:
    assert places(known_host(host), Scope.USER, around(**variables)).settings[0] == Path(settings)


def test_vs_code_has_a_place_of_its_own_on_each_platform() -> None:
    def of(platform: str, **variables: str) -> Path:
        return places(known_host("vscode"), Scope.USER, around(platform, **variables)).settings[0]

    assert of("darwin") == HOME / "Library/Application Support/Code/User/mcp.json"
    assert of("win32", APPDATA="/roaming") == Path("/roaming/Code/User/mcp.json")
    assert of("win32") == HOME / "AppData/Roaming/Code/User/mcp.json"


def test_no_two_hosts_share_a_place() -> None:
    for scope in Scope:
        taken = [path for host in KNOWN_HOSTS for path in places(host, scope, around()).settings]
        taken += [path for host in KNOWN_HOSTS if (path := places(host, scope, around()).skills)]
        assert len(taken) == len(set(taken))
