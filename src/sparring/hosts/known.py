"""The hosts that can be set up: what each is to have, where it looks for that, and the programs that are started."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field
from pydantic import JsonValue

from sparring.errors import ToolNotFoundError, UsageError
from sparring.schema.setup import Scope
from sparring.text.tidying import did_you_mean

SERVER = "sparring"
"""The name of our server in every host."""

ARGUMENTS: tuple[str, ...] = ("serve",)


class Syntax(StrEnum):
    """Syntax of a host's settings."""

    JSONC = "jsonc"
    TOML = "toml"


class CommandFile(StrEnum):
    """Format of command files, for hosts that do not run skills by name."""

    NONE = "none"
    GEMINI = "gemini"
    OPENCODE = "opencode"


class KnownHost(Struct, frozen=True):
    """One host.

    Attributes:
        program: Its program on PATH.
        client: Its name as an MCP client; empty where it was not measured.
        section: The key of the servers in its settings.
        fixed: Content of our entry other than the command.
        at_least: Limits in its entry; a higher one of the user stays.
        command_is_list: Whether the program and its arguments are one list.
        notes: Notes for its user.
        defaults: The defaults of those limits.
        shows_argument_hint: Whether it shows the field ``argument-hint`` of a skill while its user types.
    """

    name: str
    title: str
    program: str
    section: str
    syntax: Syntax = Syntax.JSONC
    fixed: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    at_least: Mapping[str, int] = field(default_factory=dict[str, int])
    command_is_list: bool = False
    command_file: CommandFile = CommandFile.NONE
    notes: tuple[str, ...] = ()
    client: str = ""
    defaults: Mapping[str, int] = field(default_factory=dict[str, int])
    shows_argument_hint: bool = False


# Measured with claude 2.1.329, codex 0.169.0, copilot 1.0.102, gemini 0.61.0 and opencode 1.18.33; VS Code and Cursor
# as they document it, Antigravity CLI from public reports up to 1.5.0. A call of ours lasts 45 s at most; the limits
# leave room for a busy machine. Claude Code has no limit by default, and would treat a `timeout` as a hard one, so
# it gets none.
KNOWN_HOSTS: tuple[KnownHost, ...] = (
    KnownHost(
        "claude",
        "Claude Code",
        "claude",
        "mcpServers",
        fixed={"type": "stdio"},
        client="claude-code",
        shows_argument_hint=True,
    ),
    KnownHost(
        "codex",
        "Codex",
        "codex",
        "mcp_servers",
        Syntax.TOML,
        at_least={"startup_timeout_sec": 60, "tool_timeout_sec": 900},
        client="codex-mcp-client",
        defaults={"startup_timeout_sec": 10, "tool_timeout_sec": 300},
    ),
    KnownHost(
        "copilot",
        "Copilot CLI",
        "copilot",
        "mcpServers",
        fixed={"type": "local", "tools": ["*"]},
        at_least={"timeout": 900_000},
        client="copilot-cli",
        defaults={"timeout": 180_000},
    ),
    KnownHost(
        "gemini",
        "Gemini CLI",
        "gemini",
        "mcpServers",
        at_least={"timeout": 900_000},
        client="gemini-cli-mcp-client",
        defaults={"timeout": 600_000},
        command_file=CommandFile.GEMINI,
        notes=("Gemini CLI starts servers only in folders that it trusts.",),
    ),
    KnownHost(
        "opencode",
        "OpenCode",
        "opencode",
        "mcp",
        fixed={"type": "local", "enabled": True},
        at_least={"timeout": 900_000},
        client="opencode",
        defaults={"timeout": 60_000},
        command_is_list=True,
        command_file=CommandFile.OPENCODE,
    ),
    KnownHost(
        "agy",
        "Antigravity CLI",
        "agy",
        "mcpServers",
        client="antigravity-client",
        notes=(
            "sparring was never tried in Antigravity CLI: see docs/hosts/antigravity.md.",
            'Without a terminal it denies our tools until `permissions.allow` in its settings has "mcp(sparring/*)".',
        ),
    ),
    KnownHost("vscode", "VS Code", "code", "servers", fixed={"type": "stdio"}),
    KnownHost("cursor", "Cursor", "cursor", "mcpServers"),
)


def known_host(name: str) -> KnownHost:
    """Return the host of that name.

    Raises:
        UsageError: There is none.
    """
    for host in KNOWN_HOSTS:
        if host.name == name:
            return host
    names = ", ".join(host.name for host in KNOWN_HOSTS)
    suggestion = did_you_mean(name, [host.name for host in KNOWN_HOSTS])
    raise UsageError(f"There is no host named {name!r}.{suggestion}", hint=f"Hosts: {names}.")


class HostSurroundings(Struct, frozen=True):
    """Surroundings that the paths of a host depend on.

    Attributes:
        home: The user's home folder.
        project: The project under work.
    """

    home: Path
    project: Path
    environment: Mapping[str, str]
    platform: str = sys.platform

    @classmethod
    def of(cls, environment: Mapping[str, str], project: Path) -> "HostSurroundings":
        """Those of a process with this environment."""
        home = environment.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - Path.home() may raise
        return cls(Path(home), project, environment)

    def folder(self, variable: str, default: Path) -> Path:
        """Return the folder that ``variable`` names: relative ones are below the working folder, as hosts do."""
        return self.project / (self.environment.get(variable) or default)


class HostPaths(Struct, frozen=True):
    """The places of one host in one scope.

    Attributes:
        own: The host's own folder; if it exists, the host was used here.
        settings: Files that may contain its servers. The first is created if there is none.
        skills: The folder of its skills; None if it has none.
        commands: The same for commands.
    """

    own: Path
    settings: tuple[Path, ...]
    skills: Path | None = None
    commands: Path | None = None


def host_paths(host: KnownHost, scope: Scope, around: HostSurroundings) -> HostPaths:
    """The places of ``host``. Nothing need be there."""
    if scope is Scope.USER:
        return _OF_USER[host.name](around)
    return _OF_PROJECT[host.name](around.project)


def _claude(around: HostSurroundings) -> HostPaths:
    chosen = around.environment.get("CLAUDE_CONFIG_DIR")
    own = around.folder("CLAUDE_CONFIG_DIR", around.home / ".claude")
    return HostPaths(own, ((own if chosen else around.home) / ".claude.json",), own / "skills")


def _codex(around: HostSurroundings) -> HostPaths:
    own = around.folder("CODEX_HOME", around.home / ".codex")
    return HostPaths(own, (own / "config.toml",), own / "skills")


def _copilot(around: HostSurroundings) -> HostPaths:
    own = around.folder("COPILOT_HOME", around.home / ".copilot")
    return HostPaths(own, (own / "mcp-config.json",), own / "skills")


# Two commands of one name lose it both in Gemini CLI (0.61.0): a skill `debate`, or a file, and our MCP prompt would
# become /debate1 or /workspace.debate, and /sparring.debate. So /debate is the prompt there, /sparring:debate is the
# file, which gets the user's words as they are, and there are no skills.
def _gemini(around: HostSurroundings) -> HostPaths:
    own = around.folder("GEMINI_CLI_HOME", around.home) / ".gemini"
    return HostPaths(own, (own / "settings.json",), commands=own / "commands" / "sparring")


def _opencode(around: HostSurroundings) -> HostPaths:
    own = around.folder("XDG_CONFIG_HOME", around.home / ".config") / "opencode"
    files = (own / "opencode.json", own / "opencode.jsonc", own / "config.json")
    return HostPaths(own, files, own / "skills", own / "command")


def _agy(around: HostSurroundings) -> HostPaths:
    shared = around.home / ".gemini" / "config"
    return HostPaths(shared, (shared / "mcp_config.json",), shared / "skills")


def _vscode(around: HostSurroundings) -> HostPaths:
    if around.platform == "darwin":
        base = around.home / "Library" / "Application Support"
    elif around.platform == "win32":
        base = around.folder("APPDATA", around.home / "AppData" / "Roaming")
    else:
        base = around.folder("XDG_CONFIG_HOME", around.home / ".config")
    return HostPaths(base / "Code", (base / "Code" / "User" / "mcp.json",))


def _cursor(around: HostSurroundings) -> HostPaths:
    return HostPaths(around.home / ".cursor", (around.home / ".cursor" / "mcp.json",))


_OF_USER: dict[str, Callable[[HostSurroundings], HostPaths]] = {
    "claude": _claude,
    "codex": _codex,
    "copilot": _copilot,
    "gemini": _gemini,
    "opencode": _opencode,
    "agy": _agy,
    "vscode": _vscode,
    "cursor": _cursor,
}


def _opencode_in(project: Path) -> HostPaths:
    own, names = project / ".opencode", ("opencode.json", "opencode.jsonc")
    files = tuple(folder / name for folder in (project, own) for name in names)
    return HostPaths(own, files, own / "skills", own / "command")


# Each host gets its own folder, although several also read .agents/skills and .claude/skills: a removal for
# one host must leave the others intact.
_OF_PROJECT: dict[str, Callable[[Path], HostPaths]] = {
    "claude": lambda at: HostPaths(at / ".claude", (at / ".mcp.json",), at / ".claude/skills"),
    "codex": lambda at: HostPaths(at / ".codex", (at / ".codex/config.toml",), at / ".codex/skills"),
    "copilot": lambda at: HostPaths(at / ".github", (at / ".github/mcp.json",), at / ".github/skills"),
    "gemini": lambda at: HostPaths(
        at / ".gemini", (at / ".gemini/settings.json",), commands=at / ".gemini/commands/sparring"
    ),
    "opencode": _opencode_in,
    # Others read .agents/skills as well, and Gemini CLI would lose /debate over one of that name.
    "agy": lambda at: HostPaths(at / ".agents", (at / ".agents/mcp_config.json",)),
    "vscode": lambda at: HostPaths(at / ".vscode", (at / ".vscode/mcp.json",)),
    "cursor": lambda at: HostPaths(at / ".cursor", (at / ".cursor/mcp.json",)),
}


def server_program(scope: Scope, python: Path, environment: Mapping[str, str]) -> str:
    """Return the program that an entry starts.

    For a user that is the path of the script next to ``python``, which runs us, or else of the one on PATH: hosts that
    were started from a desktop know little of PATH. A project's settings are shared, so they contain the name alone.

    Raises:
        ToolNotFoundError: There is no such script.
    """
    if scope is Scope.PROJECT:
        return SERVER
    program = shutil.which(SERVER, path=str(python.parent)) or on_path(SERVER, environment)
    if program is None:
        raise ToolNotFoundError(
            f"There is no `{SERVER}` next to {python} or on PATH for a host to start.",
            hint="Install it, e.g. with `pipx install .` in the checkout.",
        )
    return str(Path(program).absolute())


def host_program(host: KnownHost, environment: Mapping[str, str]) -> str | None:
    """Return the path of the program of ``host``; None if it is not on PATH."""
    return on_path(host.program, environment)


def on_path(program: str, environment: Mapping[str, str]) -> str | None:
    """Return the absolute path of ``program``; None if it is not on PATH.

    A relative entry of PATH does not count: the folder we are in must not choose.
    """
    folders = [folder for folder in environment.get("PATH", "").split(os.pathsep) if Path(folder).is_absolute()]
    located = shutil.which(program, path=os.pathsep.join(folders))
    return located if located and Path(located).is_absolute() else None  # Windows looks into the current folder first


def is_present(host: KnownHost, around: HostSurroundings) -> bool:
    """Return whether ``host`` is installed or has left its folder here."""
    has_program = host_program(host, around.environment) is not None
    return has_program or host_paths(host, Scope.USER, around).own.is_dir()
