"""Where a host looks for servers, skills and commands."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sparring.hosts.known import KnownHost
from sparring.schema.installations import Scope


@dataclass(frozen=True)
class Surroundings:
    """What the places depend on.

    Attributes:
        home: The user's home folder.
        project: The project under work.
    """

    home: Path
    project: Path
    environment: Mapping[str, str]
    platform: str = sys.platform

    @classmethod
    def of(cls, environment: Mapping[str, str], project: Path) -> "Surroundings":
        """Those of a process with this environment."""
        home = environment.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - Path.home() may raise
        return cls(Path(home), project, environment)

    def folder(self, variable: str, default: Path) -> Path:
        """What ``variable`` names, as the hosts take it: below the working folder if it is not absolute."""
        return self.project / (self.environment.get(variable) or default)


@dataclass(frozen=True)
class Places:
    """The places of one host in one scope.

    Attributes:
        own: The host's own folder; if it is there, the host was here.
        settings: Files that may hold its servers. The first is made if there is none.
        skills: Below which it looks for skills; None if it does not.
        commands: The same for commands.
    """

    own: Path
    settings: tuple[Path, ...]
    skills: Path | None = None
    commands: Path | None = None


def places(host: KnownHost, scope: Scope, around: Surroundings) -> Places:
    """The places of ``host``. Nothing need be there."""
    if scope is Scope.USER:
        return _OF_USER[host.name](around)
    root, inside = around.project, _OF_PROJECT[host.name]
    return Places(
        own=root / inside.own,
        settings=tuple(root / name for name in inside.settings),
        skills=root / inside.skills if inside.skills else None,
        commands=root / inside.commands if inside.commands else None,
    )


def _claude(around: Surroundings) -> Places:
    chosen = around.environment.get("CLAUDE_CONFIG_DIR")
    own = around.folder("CLAUDE_CONFIG_DIR", around.home / ".claude")
    return Places(own, ((own if chosen else around.home) / ".claude.json",), own / "skills")


def _codex(around: Surroundings) -> Places:
    own = around.folder("CODEX_HOME", around.home / ".codex")
    return Places(own, (own / "config.toml",), own / "skills")


def _copilot(around: Surroundings) -> Places:
    own = around.folder("COPILOT_HOME", around.home / ".copilot")
    return Places(own, (own / "mcp-config.json",), own / "skills")


# Two commands of one name lose it both in Gemini CLI (0.61.0): a skill `debate`, or a file, and our MCP prompt would
# become /debate1 or /workspace.debate, and /sparring.debate. So /debate is the prompt there, /sparring:debate is the
# file, which gets the user's words as they are, and there are no skills.
def _gemini(around: Surroundings) -> Places:
    own = around.folder("GEMINI_CLI_HOME", around.home) / ".gemini"
    return Places(own, (own / "settings.json",), commands=own / "commands" / "sparring")


def _opencode(around: Surroundings) -> Places:
    own = around.folder("XDG_CONFIG_HOME", around.home / ".config") / "opencode"
    files = (own / "opencode.json", own / "opencode.jsonc", own / "config.json")
    return Places(own, files, own / "skills", own / "command")


def _vscode(around: Surroundings) -> Places:
    if around.platform == "darwin":
        base = around.home / "Library" / "Application Support"
    elif around.platform == "win32":
        base = around.folder("APPDATA", around.home / "AppData" / "Roaming")
    else:
        base = around.folder("XDG_CONFIG_HOME", around.home / ".config")
    return Places(base / "Code", (base / "Code" / "User" / "mcp.json",))


def _cursor(around: Surroundings) -> Places:
    return Places(around.home / ".cursor", (around.home / ".cursor" / "mcp.json",))


_OF_USER: dict[str, Callable[[Surroundings], Places]] = {
    "claude": _claude,
    "codex": _codex,
    "copilot": _copilot,
    "gemini": _gemini,
    "opencode": _opencode,
    "vscode": _vscode,
    "cursor": _cursor,
}


@dataclass(frozen=True)
class _InProject:
    """The same below the project's root."""

    own: str
    settings: tuple[str, ...]
    skills: str | None = None
    commands: str | None = None


# Each host gets its own folder, although several also read .agents/skills and .claude/skills: what is taken out for
# one host must stay for the others.
_OF_PROJECT = {
    "claude": _InProject(".claude", (".mcp.json",), ".claude/skills"),
    "codex": _InProject(".codex", (".codex/config.toml",), ".codex/skills"),
    "copilot": _InProject(".github", (".github/mcp.json",), ".github/skills"),
    "gemini": _InProject(".gemini", (".gemini/settings.json",), commands=".gemini/commands/sparring"),
    "opencode": _InProject(
        ".opencode",
        ("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"),
        ".opencode/skills",
        ".opencode/command",
    ),
    "vscode": _InProject(".vscode", (".vscode/mcp.json",)),
    "cursor": _InProject(".cursor", (".cursor/mcp.json",)),
}
