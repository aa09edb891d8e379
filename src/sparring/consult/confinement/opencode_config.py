"""What of a user's OpenCode configuration is passed on: which models there are, where, and with which keys.

Whatever else it says would start something or be put before the model, and nothing of it could be switched off by
name alone: lists of instructions are added up, and remote settings are not known beforehand. So OpenCode is given an
empty configuration folder, and of the user's files only the settings named here. The project's files are never read.

Nothing of it is written anywhere: it travels in the environment of the one process that it belongs to. References to
variables and files (``{env:NAME}``, ``{file:PATH}``) stay references, and OpenCode itself follows them.
"""

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from pydantic import JsonValue

from sparring.consult.process import home_folder
from sparring.errors import ConfigurationError
from sparring.text.jsonc import parse_jsonc

MANAGED_FOLDER = Path(
    {
        "darwin": "/Library/Application Support/opencode",
        "win32": os.path.expandvars(r"%ProgramData%\opencode"),
    }.get(sys.platform, "/etc/opencode")
)
"""Settings of the administrator, which OpenCode puts over all others (1.18.33)."""

FILE_LIMIT = 4 * 1024 * 1024
"""Most bytes of a configuration file."""

_PASSED_ON = ("provider", "model", "small_model", "enabled_providers", "disabled_providers")
_NAMES = ("opencode.json", "opencode.jsonc")
_VARIABLE = re.compile(r"\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_FILE = re.compile(r"\{file:([^}]+)\}")


@dataclass(frozen=True)
class OpencodeConfig:
    """What is passed on.

    Attributes:
        settings: The user's own settings of models and their providers.
        variables: Environment variables that these refer to.
        servers: Names of all MCP servers that any of the user's files names.
    """

    settings: Mapping[str, JsonValue]
    variables: frozenset[str]
    servers: tuple[str, ...]


def read_opencode_config(
    environment: Mapping[str, str], project: Path, *, managed: Path = MANAGED_FOLDER
) -> OpencodeConfig:
    """Read the user's configuration, in the order in which OpenCode would put one file over the other.

    Raises:
        ConfigurationError: A file cannot be understood, or settings that cannot be left out would start servers.
    """
    home = home_folder(environment)
    _refuse_remote_settings(environment, home)
    _refuse_managed_servers(managed)
    settings: dict[str, JsonValue] = {}
    servers: dict[str, None] = {}
    for layer in _layers(environment, home, project):
        servers |= dict.fromkeys(_servers(layer))
        settings = _merged(settings, {name: layer[name] for name in _PASSED_ON if name in layer})
    names = frozenset(_VARIABLE.findall(json.dumps(settings, ensure_ascii=False)))
    return OpencodeConfig(settings, names, tuple(servers))


def _layers(environment: Mapping[str, str], home: Path, project: Path) -> Iterator[dict[str, JsonValue]]:
    user = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    files = [user / name for name in ("config.json", *_NAMES)]
    if own_file := environment.get("OPENCODE_CONFIG"):
        files.append(project / own_file)  # a relative one starts where OpenCode starts
    files += [home / ".opencode" / name for name in _NAMES]
    if own_folder := environment.get("OPENCODE_CONFIG_DIR"):
        files += [project / own_folder / name for name in _NAMES]
    for file in files:
        yield _read(file)
    if content := environment.get("OPENCODE_CONFIG_CONTENT"):
        yield _understood(content, "OPENCODE_CONFIG_CONTENT", project)


def _refuse_remote_settings(environment: Mapping[str, str], home: Path) -> None:
    # After `opencode auth login URL`, settings are fetched from there and put below ours: servers by any name.
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
    content = environment.get("OPENCODE_AUTH_CONTENT")
    logins = _understood(content, "OPENCODE_AUTH_CONTENT", data) if content else _read(data / "auth.json")
    for place, login in logins.items():
        if isinstance(login, dict) and login.get("type") == "wellknown":
            raise ConfigurationError(
                f"opencode is signed in to {place}, whose remote settings could start servers. It can be asked after "
                f"`opencode auth logout`."
            )


def _refuse_managed_servers(managed: Path) -> None:
    for name in _NAMES:
        if servers := _servers(_read(managed / name)):
            raise ConfigurationError(
                f"{managed / name} has opencode start {', '.join(servers)}, which nobody but the administrator can "
                f"switch off."
            )


def _servers(config: Mapping[str, JsonValue]) -> list[str]:
    servers = config.get("mcp")
    if not isinstance(servers, dict):
        return []
    nested = servers.get("servers")  # the next major version's form, which this one reads as well
    named = {**servers, **(nested if isinstance(nested, dict) else {})}
    off = {"enabled": False, "disabled": True}
    return [
        name
        for name, server in named.items()
        if isinstance(server, dict) and all(server.get(word) is not value for word, value in off.items())
    ]


def _read(file: Path) -> dict[str, JsonValue]:
    try:
        with file.open("rb") as stream:
            content = stream.read(FILE_LIMIT + 1)
        if len(content) > FILE_LIMIT:
            raise ConfigurationError(f"{file} is larger than {FILE_LIMIT} bytes.")
        return _understood(content.decode(), file, file.parent)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        _refuse(file, error)


def _understood(text: str, source: Path | str, folder: Path) -> dict[str, JsonValue]:
    """What a configuration says, with the files it refers to by their whole paths: it is read from elsewhere."""
    absolute = _FILE.sub(lambda match: f"{{file:{_absolute(match[1], folder)}}}", text)
    try:
        config = parse_jsonc(absolute)
    except ValueError as error:
        _refuse(source, error)
    if config is None:
        return {}
    if not isinstance(config, dict):
        _refuse(source, None)
    return config


def _absolute(path: str, folder: Path) -> str:
    if path.startswith("~/") or Path(path).is_absolute():
        return path
    return json.dumps(str(folder / path), ensure_ascii=False)[1:-1]


def _refuse(source: Path | str, error: ValueError | None) -> NoReturn:
    reason = "cannot be understood, so what it would start cannot be left out."
    raise ConfigurationError(f"{source} {reason}") from error


def _merged(below: dict[str, JsonValue], above: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        merged[name] = _merged(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return merged
