"""The hosts that can be set up: how each writes down a server, and what it needs besides."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import JsonValue

from sparring.errors import UsageError

SERVER = "sparring"
"""The name of our server in every host."""

ARGUMENTS: tuple[str, ...] = ("serve",)


class Syntax(StrEnum):
    """How a host writes its settings."""

    JSONC = "jsonc"
    TOML = "toml"


class CommandFile(StrEnum):
    """How a host that does not run skills by name writes down a command."""

    NONE = "none"
    GEMINI = "gemini"
    OPENCODE = "opencode"


@dataclass(frozen=True)
class KnownHost:
    """One host.

    Attributes:
        program: What is looked for on PATH.
        client: The name it gives itself as an MCP client; empty where nobody has measured it.
        section: The key in its settings below which servers stand.
        fixed: What our entry says besides the command.
        at_least: Limits in its entry; one that the user has set higher stays.
        command_is_list: Whether the program and its arguments are one list.
        notes: What its user has to know.
        defaults: What those limits are when nobody sets them.
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


# Measured with claude 2.1.329, codex 0.169.0, copilot 1.0.102, gemini 0.61.0 and opencode 1.18.33; VS Code and Cursor
# as they document it. A call of ours lasts 45 s at most; the limits leave room for a machine that is busy. Claude Code
# has none by itself, and would take a `timeout` for a hard one, so it gets none.
KNOWN_HOSTS: tuple[KnownHost, ...] = (
    KnownHost("claude", "Claude Code", "claude", "mcpServers", fixed={"type": "stdio"}, client="claude-code"),
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
    KnownHost("vscode", "VS Code", "code", "servers", fixed={"type": "stdio"}),
    KnownHost("cursor", "Cursor", "cursor", "mcpServers"),
)


def known_host(name: str) -> KnownHost:
    """The host of that name.

    Raises:
        UsageError: There is none.
    """
    for host in KNOWN_HOSTS:
        if host.name == name:
            return host
    names = ", ".join(host.name for host in KNOWN_HOSTS)
    raise UsageError(f"There is no host named {name!r}.", hint=f"Hosts: {names}.")
