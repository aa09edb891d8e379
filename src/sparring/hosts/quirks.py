"""What goes wrong in one host and in no other: switches that turn a server off, and what is withheld from it."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.hosts.entries import Entry, read_settings
from sparring.hosts.known import SERVER, KnownHost
from sparring.hosts.places import Surroundings, places
from sparring.hosts.reading import read_file, text_of
from sparring.schema.diagnosis import Finding, Weight
from sparring.schema.installations import Scope

_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY")
"""What the providers that are asked over HTTP look for."""

_WITHHELD = {
    "codex": _KEYS,
    "gemini": _KEYS,
    "copilot": ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"),
}
"""Variables that a host has and does not hand to servers (measured, see ``known``)."""


def quirks(host: KnownHost, entry: Entry, around: Surroundings) -> tuple[Finding, ...]:
    """What is wrong with ``entry``, or with what the host says of servers elsewhere."""
    own = {"claude": _claude, "codex": _codex, "gemini": _gemini}.get(host.name)
    off = (
        [_problem("The entry is switched off.", "Set its `enabled` to true.")] if entry.get("enabled") is False else []
    )
    return (*off, *(own(host, entry, around) if own else ()), *_withheld(host, entry, around))


def _claude(host: KnownHost, entry: Entry, around: Surroundings) -> Iterator[Finding]:
    if "timeout" in entry:
        advice = "Take it out: without it a call may last as long as it needs."
        yield Finding(weight=Weight.ADVICE, problem="`timeout` is set, which is a hard limit here.", advice=advice)
    settings = _settings(host, places(host, Scope.USER, around).settings[0])
    project = _object(_object(settings.get("projects")).get(str(around.project)))
    for key in ("disabledMcpServers", "disabledMcpjsonServers"):
        if _names(project.get(key), SERVER):
            yield _problem("The server is switched off for this project.", "Switch it on with `/mcp` in Claude Code.")


def _codex(host: KnownHost, entry: Entry, around: Surroundings) -> Iterator[Finding]:  # noqa: ARG001 -- as the others
    if "default_tools_approval_mode" not in entry:
        advice = 'Set `default_tools_approval_mode = "approve"` in the entry if you use it.'
        problem = "`codex exec` refuses tools that are not read-only."
        yield Finding(weight=Weight.ADVICE, problem=problem, advice=advice)
    if entry.get("required") is not True:
        advice = "Set `required = true` in the entry if you use it."
        problem = "`codex exec` goes on without a server that is not there at once."
        yield Finding(weight=Weight.ADVICE, problem=problem, advice=advice)


def _gemini(host: KnownHost, entry: Entry, around: Surroundings) -> Iterator[Finding]:
    for scope in Scope:
        path = places(host, scope, around).settings[0]
        servers = _object(_settings(host, path).get("mcp"))
        allowed = servers.get("allowed")
        if isinstance(allowed, list) and not _names(allowed, SERVER):
            yield _problem(f"`mcp.allowed` in {path} does not name `{SERVER}`.", "Add it there.")
        if _names(servers.get("excluded"), SERVER):
            yield _problem(f"`mcp.excluded` in {path} names `{SERVER}`.", "Take it out there.")
    if not _is_trusted(host, around):
        advice = "Trust it with `/permissions` in Gemini CLI, or set GEMINI_CLI_TRUST_WORKSPACE=true."
        problem = f"{around.project} is not a trusted folder, and Gemini CLI starts no server in others."
        yield Finding(weight=Weight.ADVICE, problem=problem, advice=advice)
    if entry.get("trust") is not True:
        advice = 'Set `"trust": true` in the entry if you use it without a terminal.'
        problem = "Without a terminal Gemini CLI hides the tools of a server that it has to ask about."
        yield Finding(weight=Weight.ADVICE, problem=problem, advice=advice)


def _is_trusted(host: KnownHost, around: Surroundings) -> bool:
    if around.environment.get("GEMINI_CLI_TRUST_WORKSPACE") == "true":
        return True
    user = places(host, Scope.USER, around)
    security = _object(_settings(host, user.settings[0]).get("security"))
    if _object(security.get("folderTrust")).get("enabled") is False:
        return True
    for folder, rule in _settings(host, user.own / "trustedFolders.json").items():
        top = {"TRUST_FOLDER": Path(folder), "TRUST_PARENT": Path(folder).parent}.get(str(rule))
        if top is not None and around.project.is_relative_to(top):
            return True
    return False


def _withheld(host: KnownHost, entry: Entry, around: Surroundings) -> Iterator[Finding]:
    handed = _object(entry.get("env"))
    names = [
        name
        for name in _WITHHELD.get(host.name, ())
        if around.environment.get(name) and name not in handed and not _names(entry.get("env_vars"), name)
    ]
    if names:
        how = "Name it in `env_vars`" if host.name == "codex" else "Set it in `env`"
        problem = f"{host.title} does not hand {', '.join(names)} to servers, so API providers lack a key there."
        yield Finding(weight=Weight.ADVICE, problem=problem, advice=f"{how} of the entry if you use them.")


def _settings(host: KnownHost, path: Path) -> dict[str, JsonValue]:
    """What a file says, or nothing: that it cannot be read is found where our entry is looked for."""
    try:
        return read_settings(host, text_of(read_file(path)))
    except (ConfigurationError, ValueError):
        return {}


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _names(value: JsonValue, name: str) -> bool:
    return isinstance(value, list) and name in cast("list[object]", value)


def _problem(problem: str, advice: str) -> Finding:
    return Finding(weight=Weight.PROBLEM, problem=problem, advice=advice)
