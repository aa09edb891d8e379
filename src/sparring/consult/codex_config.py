"""What in a user's Codex configuration would be started or expanded, and how to switch it off.

Codex has no flag that leaves MCP servers and skills alone, so each is named and disabled. A file that cannot be read
is an error and never "no servers": we would start what we promise not to start.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from sparring.errors import ConfigurationError

SYSTEM_FOLDER = Path("/etc/codex")
SKILL_DEPTH = 6
"""How many folders deep a skill is looked for. Codex finds nested ones; deeper than three has not been seen."""

_FRONT_MATTER_NAME = re.compile(r"\A---\s*\n(?:.*\n)*?name:[ \t]*(?P<name>[^\n]+)\n(?:.*\n)*?---")
_FRONT_MATTER_LIMIT = 8192


@dataclass(frozen=True)
class CodexConfig:
    """What has to be added to a call of Codex.

    Attributes:
        arguments: Switch off every MCP server and every skill of the user and of the project.
        variables: Environment variables that hold the keys of the user's own model providers.
    """

    arguments: tuple[str, ...]
    variables: frozenset[str]


def read_codex_config(environment: Mapping[str, str], project: Path) -> CodexConfig:
    """Read every configuration file that Codex could read when it is started in ``project``.

    Raises:
        ConfigurationError: A file is there but cannot be understood.
    """
    home = Path(environment.get("HOME") or Path.home())
    user = Path(environment.get("CODEX_HOME") or home / ".codex")
    layers = [user, SYSTEM_FOLDER, *(folder / ".codex" for folder in (project, *project.parents))]
    files = [_read(folder / "config.toml") for folder in layers]
    roots = [layer / "skills" for layer in layers]
    roots += [folder / ".agents" / "skills" for folder in (home, project, *project.parents)]
    servers = {name: server for file in files for name, server in file.mcp_servers.items()}
    # Only the user's own file may name variables: a project could name any secret and its own endpoint to send it to.
    keys = {name for provider in files[0].model_providers.values() for name in provider.variables()}
    return CodexConfig((*servers_off(servers), *skills_off(_skill_names(roots))), frozenset(keys))


def servers_off(servers: Mapping[str, Mapping[str, object]]) -> tuple[str, ...]:
    """The arguments that switch these MCP servers off."""
    # One inline table, since the dotted form takes no quoted names (0.169.0). A harmless transport of the same kind is
    # given with it: Codex refuses a server without one, as those of a project that it does not trust would be.
    off = [f"{_quoted(name)}={{{_harmless(server)},enabled=false}}" for name, server in servers.items()]
    return ("-c", f"mcp_servers={{{','.join(off)}}}") if off else ()


def skills_off(names: Iterable[str]) -> tuple[str, ...]:
    """The arguments that switch these skills off; else ``$name`` in a prompt would be followed by its instructions."""
    off = [f"{{name={_quoted(name)},enabled=false}}" for name in names]
    return ("-c", f"skills.config=[{','.join(off)}]") if off else ()


class _ModelProvider(BaseModel):
    env_key: str | None = None
    env_http_headers: Mapping[str, str] = {}

    def variables(self) -> tuple[str, ...]:
        return (*([self.env_key] if self.env_key else []), *self.env_http_headers.values())


class _File(BaseModel):
    mcp_servers: Mapping[str, Mapping[str, object]] = {}
    model_providers: Mapping[str, _ModelProvider] = {}


def _read(file: Path) -> _File:
    try:
        return _File.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return _File()
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        reason = "cannot be understood, so what it would start cannot be switched off."
        raise ConfigurationError(f"{file} {reason}") from error


def _harmless(server: Mapping[str, object]) -> str:
    return 'url="http://127.0.0.1:9"' if "url" in server else 'command="true"'


def _quoted(name: str) -> str:
    # A JSON string is a TOML basic string, but for DEL and for characters beyond the basic plane when escaped.
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _skill_names(roots: Iterable[Path]) -> list[str]:
    names = {name for root in roots for file in _skill_files(root) for name in _names_of(file)}
    return sorted(names)


def _skill_files(root: Path) -> Iterator[Path]:
    for folder, below, files in os.walk(root, followlinks=True):
        if len(Path(folder).relative_to(root).parts) >= SKILL_DEPTH:
            below.clear()
        if "SKILL.md" in files:
            yield Path(folder, "SKILL.md")


def _names_of(file: Path) -> Iterator[str]:
    yield file.parent.name
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            head = stream.read(_FRONT_MATTER_LIMIT)
    except OSError:
        return  # Codex cannot read it either, so there is nothing to expand
    if match := _FRONT_MATTER_NAME.match(head):
        yield match["name"].strip().strip("\"'")
