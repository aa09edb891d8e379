"""The settings that Gemini CLI is given: how the user reaches which model, and nothing that would start something."""

import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.text.jsonc import parse_jsonc

SETTINGS_LIMIT = 1024 * 1024
"""Most bytes of a file of settings."""

MANAGED = Path(
    {
        "darwin": "/Library/Application Support/GeminiCli/settings.json",
        "win32": "C:/ProgramData/gemini-cli/settings.json",
    }.get(sys.platform, "/etc/gemini-cli/settings.json")
)
"""Settings of the administrator, which Gemini CLI puts over all others (0.61.0)."""

READING_TOOLS = ("read_file", "list_directory", "glob")
"""What it is given to read a project.

Not among them: ``grep_search``, which searches secrets as well, and hands the words that it searches for to
``git grep`` as an argument that can be an option, one of which runs a program (0.61.0).
"""

Efforts = Mapping[str, Mapping[str, JsonValue]]
"""How hard to think, by the names that Gemini CLI has for its models and for groups of them."""

_Path = tuple[str, ...]

_TAKEN_OVER: tuple[_Path, ...] = (
    ("security", "auth"),
    ("billing",),
    ("model", "name"),
    ("general", "maxAttempts"),
    ("advanced", "dnsResolutionOrder"),
)
"""Settings of the user that say which model is asked, how it is reached, and how often it is tried."""

_OUTWEIGHING: tuple[_Path, ...] = (
    ("agents",),
    ("context",),
    ("experimental",),
    ("hooksConfig",),
    ("policyPaths",),
    ("security", "folderTrust"),
    ("skills",),
    ("tools",),
)
"""Settings that, made by an administrator, would take the place of what keeps it to answering."""

_NO_ROUTER: dict[str, JsonValue] = {"classifier": {"extends": "none"}}
"""Else it has a small model read the whole prompt first and say which model is to answer. With a classifier that is
none at all it takes the model that it would take if that one did not answer."""

_OLDER, _NEWER = "chat-base-2.5", "chat-base-3"
"""Its names for the models that know budgets of tokens to think with, and for those that know levels."""


def gemini_settings(
    users: Path,
    *,
    reads: Path | None = None,
    web_tools: tuple[str, ...] = (),
    effort: Efforts | None = None,
    model: str | None = None,
) -> dict[str, JsonValue]:
    """The settings for one question.

    Args:
        users: The user's settings.
        reads: The project, if it may be read.
        web_tools: What it is given to search the web, if it may; nobody who may reads the project.
        effort: How hard to think.
        model: The model that the question or the environment names.

    Raises:
        ConfigurationError: The user's settings cannot be understood, so the login that they name would not be used.
    """
    own = _read(users)
    settings = _always(reads, web_tools)
    for path in _TAKEN_OVER:
        settings = _with(settings, path, _at(own, path))
    named = model or _at(own, ("model", "name"))
    aliases: dict[str, JsonValue] = {**_NO_ROUTER}
    if effort and isinstance(named, str):
        # A model that it does not know would be in neither group.
        aliases[named] = {
            "extends": _OLDER if named.startswith("gemini-2.") else _NEWER,
            "modelConfig": {"model": named},
        }
    settings["modelConfigs"] = {"customAliases": aliases, "customOverrides": [*map(_override, (effort or {}).items())]}
    return settings


def refuse_outweighing(managed: Path = MANAGED) -> None:
    """Look for what an administrator has set that would outweigh these settings.

    Raises:
        ConfigurationError: There is something, or the file cannot be understood.
    """
    theirs = _read(managed)
    if found := [".".join(path) for path in _OUTWEIGHING if _at(theirs, path) is not None]:
        raise ConfigurationError(
            f"{managed} sets {', '.join(found)}, which would outweigh what keeps gemini to answering."
        )


def _always(reads: Path | None, web_tools: tuple[str, ...]) -> dict[str, JsonValue]:
    return {
        # Together with GEMINI_CLI_TRUST_WORKSPACE=false: no folder is trusted, and that is no reason to refuse to work.
        "security": {"folderTrust": {"enabled": False}},
        "tools": {"core": [*(READING_TOOLS if reads else web_tools or ("none",))], "useRipgrep": False},
        "context": {
            "includeDirectoryTree": reads is not None,
            "includeDirectories": [str(reads)] if reads else [],
            "loadMemoryFromIncludeDirectories": False,
            # See the file that is in the folder in which it is started.
            "fileFiltering": {"respectGeminiIgnore": True, "enableRecursiveFileSearch": False},
        },
        # Else, after many steps, it has other models judge whether they lead anywhere. The time limit ends them, too.
        "model": {"disableLoopDetection": True},
        "skills": {"enabled": False},
        "hooksConfig": {"enabled": False},
        "ide": {"enabled": False},
        "general": {
            # Ten tries take minutes. The caller decides whether a failure is worth another try.
            "maxAttempts": 2,
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "sessionRetention": {"enabled": False},
        },
        # Variables of the user's come by another way (see gemini_variables); of a project's none is wanted.
        "advanced": {"ignoreLocalEnv": True, "autoConfigureMemory": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }


def _override(effort: tuple[str, Mapping[str, JsonValue]]) -> JsonValue:
    model, thinking = effort
    return {"match": {"model": model}, "modelConfig": {"generateContentConfig": {"thinkingConfig": {**thinking}}}}


def _at(settings: JsonValue, path: _Path) -> JsonValue:
    for name in path:
        settings = settings.get(name) if isinstance(settings, dict) else None
    return settings


def _with(settings: Mapping[str, JsonValue], path: _Path, value: JsonValue) -> dict[str, JsonValue]:
    """``settings`` with ``value`` at ``path``; the same where there is none."""
    if value is None:
        return dict(settings)
    first, *rest = path
    below = settings.get(first)
    return {**settings, first: _with(below if isinstance(below, dict) else {}, tuple(rest), value) if rest else value}


def _read(file: Path) -> JsonValue:
    try:
        with file.open("rb") as stream:
            content = stream.read(SETTINGS_LIMIT + 1)
        if len(content) > SETTINGS_LIMIT:
            raise ConfigurationError(f"{file} is larger than {SETTINGS_LIMIT} bytes.")
        settings = parse_jsonc(content.decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigurationError(f"{file} cannot be understood: {error}") from error
    if settings is not None and not isinstance(settings, dict):
        raise ConfigurationError(f"{file} cannot be understood: it is not an object.")
    return settings
