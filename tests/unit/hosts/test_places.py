from pathlib import Path

import pytest

from sparring.hosts.known import HostSurroundings, known_host, places
from sparring.schema.setup import Scope


@pytest.mark.parametrize(
    ("host", "platform", "variables", "settings"),
    [
        ("claude", "linux", {}, "/home/ann/.claude.json"),
        ("claude", "linux", {"CLAUDE_CONFIG_DIR": "/etc/claude"}, "/etc/claude/.claude.json"),
        ("codex", "linux", {"CODEX_HOME": "/etc/codex"}, "/etc/codex/config.toml"),
        ("copilot", "linux", {"COPILOT_HOME": "/etc/copilot"}, "/etc/copilot/mcp-config.json"),
        ("gemini", "linux", {"GEMINI_CLI_HOME": "/etc/g"}, "/etc/g/.gemini/settings.json"),
        ("gemini", "linux", {"GEMINI_CLI_HOME": "here"}, "/srv/project/here/.gemini/settings.json"),
        ("opencode", "linux", {"XDG_CONFIG_HOME": "/etc/xdg"}, "/etc/xdg/opencode/opencode.json"),
        ("vscode", "linux", {}, "/home/ann/.config/Code/User/mcp.json"),
        ("vscode", "darwin", {}, "/home/ann/Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", {"APPDATA": "/roaming"}, "/roaming/Code/User/mcp.json"),
        ("vscode", "win32", {}, "/home/ann/AppData/Roaming/Code/User/mcp.json"),
        ("cursor", "linux", {}, "/home/ann/.cursor/mcp.json"),
    ],
)
def test_a_host_is_looked_for_where_the_user_keeps_it(
    host: str, platform: str, variables: dict[str, str], settings: str
) -> None:
    around = HostSurroundings(Path("/home/ann"), Path("/srv/project"), variables, platform)
    assert places(known_host(host), Scope.USER, around).settings[0] == Path(settings)
