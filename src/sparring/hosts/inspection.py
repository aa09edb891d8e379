"""The common mistakes in a host's installation of sparring. Nothing is written, and nothing is started."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from msgspec import Struct
from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.hosts import files, known, plan
from sparring.hosts.entries import Entry, command_of, is_ours, names_address, read_entry, read_settings
from sparring.schema.setup import Mistake, Scope, Weight


class InstalledEntry(Struct, frozen=True):
    """Our entry, and where it stands."""

    settings: Path
    scope: Scope
    entry: Entry


class Inspection(Struct, frozen=True):
    """Result of inspecting one host.

    Attributes:
        installed: The entry that counts: the project's before the user's, as in every host. Before both comes that of
            ``claude mcp add`` without options, which is the user's for this project.
        argv: The command that it starts, with the program by its path; empty if unknown, or unsafe to start.
    """

    installed: InstalledEntry | None
    argv: tuple[str, ...]
    findings: tuple[Mistake, ...]


def inspect(host: known.KnownHost, around: known.HostSurroundings) -> Inspection:
    """Look at the settings, skills and commands of ``host``, for the user and in the project."""
    findings: list[Mistake] = []
    if not known.is_present(host, around):
        findings.append(_problem(f"{host.title} is not installed: no `{host.program}` on PATH.", "Install it."))
    entries: list[InstalledEntry] = []
    for scope in (Scope.PROJECT, Scope.USER):
        try:
            entries += _entries(host, scope, around)
        except ConfigurationError as error:
            findings.append(_problem(str(error).removesuffix(error.hint).strip(), error.hint))
    if host.name == "claude":
        servers = _object(_claude_project(host, around).get(host.section))
        entry = servers.get(known.SERVER)
        if entry:
            settings = known.host_paths(host, Scope.USER, around).settings[0]
            entries.insert(0, InstalledEntry(settings, Scope.USER, _object(entry)))
    if not entries:
        advice = f"Run `sparring install {host.name}`, unless you have the plugin or the extension."
        findings.append(_problem(f"{host.title} does not know our server.", advice))
        return Inspection(None, (), tuple(findings))
    first = entries[0]
    argv, mistakes_of_command = _started(host, first, around)
    findings += mistakes_of_command
    if not names_address(first.entry):
        findings += _limits(host, first.entry)
    findings += host_mistakes(host, first.entry, around)
    findings += _files(host, first, around)
    return Inspection(first, argv, tuple(findings))


def _entries(host: known.KnownHost, scope: Scope, around: known.HostSurroundings) -> list[InstalledEntry]:
    listed: list[InstalledEntry] = []
    for candidate in known.host_paths(host, scope, around).settings:
        content = files.read_file(candidate)
        if content is None:
            continue
        try:
            entry = read_entry(host, files.text_of(content))
        except ValueError as error:
            reason = files.reason_of(error)
            raise ConfigurationError(f"{candidate} cannot be parsed: {reason}.", hint="Mend it.") from error
        if entry is not None:
            listed.append(InstalledEntry(candidate, scope, entry))
    return listed


def _started(
    host: known.KnownHost, entry: InstalledEntry, around: known.HostSurroundings
) -> tuple[tuple[str, ...], list[Mistake]]:
    """Return the command that the entry starts, if it may be started, and the mistakes in it."""
    command = command_of(entry.entry)
    again = f"Run `sparring install {host.name}`{' --project' if entry.scope is Scope.PROJECT else ''}."
    if names_address(entry.entry):
        problem = f"The entry in {entry.settings} names an address, and nothing was asked there."
        return (), [_hint(problem, "See docs/http.md if that does not answer.")]
    if not command.program:
        return (), [_problem(f"The entry in {entry.settings} starts nothing.", again)]
    is_name = Path(command.program).name == command.program
    program = known.on_path(command.program, around.environment) if is_name else command.program
    if program is None or not Path(program).is_file():
        where = "is not on PATH" if is_name else "does not exist"
        return (), [_problem(f"The entry starts {command.program}, which {where}.", again)]
    findings: list[Mistake] = []
    if Path(command.program).stem == "sparring" and command.arguments != known.ARGUMENTS:
        typed = " ".join(command.arguments) or "nothing"
        findings.append(_problem(f"The entry starts `sparring` with {typed} instead of `serve`.", again))
    # A cloned repository must not choose what we execute; a name is looked up on the user's PATH.
    if entry.scope is Scope.PROJECT and not (is_name and is_ours(entry.entry)):
        advice = f"It was not started: {entry.settings} belongs to the project. Look at it yourself."
        findings.append(_hint("The project names another program.", advice))
        return (), findings
    return (program, *command.arguments), findings


def _limits(host: known.KnownHost, entry: Entry) -> Iterator[Mistake]:
    for key, wanted in host.at_least.items():
        limit = entry.get(key, host.defaults[key])
        if not isinstance(limit, int | float) or limit >= wanted:
            continue
        units_per_second = 1 if key.endswith("_sec") else 1000
        limit_shown = f"`{key}` is {limit}" if key in entry else f"`{key}` is not set, which means {limit}"
        # A call lasts 45 s at most, and the host needs some time in addition.
        ends_calls = limit < 50 * units_per_second and "startup" not in key
        weight = Weight.PROBLEM if ends_calls else Weight.ADVICE
        yield Mistake(
            weight=weight, problem=f"{limit_shown}.", advice=f"`sparring install {host.name}` sets it to {wanted}."
        )


def _files(host: known.KnownHost, entry: InstalledEntry, around: known.HostSurroundings) -> Iterator[Mistake]:
    """Yield mistakes in the skills and commands with the entry, unless those of the other scope are complete."""
    offered = [scope for scope in Scope if plan.host_files(host, known.host_paths(host, scope, around))]
    wrong = {scope: _wrong_files(host, scope, around) for scope in offered}
    if not offered or not all(wrong.values()):
        return
    scope = entry.scope if entry.scope in wrong else offered[0]
    option = " --project" if scope is Scope.PROJECT else ""
    yield _hint(" ".join(wrong[scope]), f"Run `sparring install {host.name}{option}`.")


def _wrong_files(host: known.KnownHost, scope: Scope, around: known.HostSurroundings) -> list[str]:
    """Sentences about skills and commands that are missing, not ours, or of another version; none if all is well."""
    missing: list[str] = []
    foreign: list[str] = []
    older: list[str] = []
    for offering in plan.host_files(host, known.host_paths(host, scope, around)):
        try:
            content = files.read_file(offering.path)
        except ConfigurationError:
            content = b""
        if content is None:
            missing.append(str(offering.path))
        elif not plan.is_marked(content):
            foreign.append(str(offering.path))
        elif not offering.is_in(content):
            older.append(str(offering.path))
    kinds = (("Missing", missing), ("Not from sparring", foreign), ("Not of this version", older))
    return [f"{what}: {paths[0]}{_and_more(paths)}." for what, paths in kinds if paths]


def _and_more(paths: list[str]) -> str:
    return f" and {len(paths) - 1} more" if len(paths) > 1 else ""


_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY")
"""Environment variables with the keys of the HTTP providers."""

_WITHHELD = {
    "codex": _KEYS,
    "gemini": _KEYS,
    "copilot": ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"),
}
"""Variables that a host has and does not hand to servers (measured, see ``known``)."""


def host_mistakes(host: known.KnownHost, entry: Entry, around: known.HostSurroundings) -> tuple[Mistake, ...]:
    """Return the mistakes in ``entry``, and in the host's settings about servers elsewhere."""
    mistakes = list[Mistake]()
    if entry.get("enabled") is False:
        mistakes.append(_problem("The entry is switched off.", "Set its `enabled` to true."))
    of_host = {"agy": _agy, "claude": _claude, "codex": _codex, "gemini": _gemini}.get(host.name)
    if of_host:
        mistakes += of_host(host, entry, around)
    mistakes += _withheld(host, entry, around)
    return tuple(mistakes)


def _claude(host: known.KnownHost, entry: Entry, around: known.HostSurroundings) -> Iterator[Mistake]:
    if "timeout" in entry:
        advice = "Take it out: without it a call may last as long as it needs."
        yield _hint("`timeout` is set, which is a hard limit here.", advice)
    project = _claude_project(host, around)
    for key in ("disabledMcpServers", "disabledMcpjsonServers"):
        if _names(project.get(key), known.SERVER):
            yield _problem("The server is switched off for this project.", "Switch it on with `/mcp` in Claude Code.")


def _claude_project(host: known.KnownHost, around: known.HostSurroundings) -> dict[str, JsonValue]:
    """Return the settings that Claude Code keeps for the project and this user alone."""
    settings = _settings(host, known.host_paths(host, Scope.USER, around).settings[0])
    return _object(_object(settings.get("projects")).get(str(around.project)))


def _codex(host: known.KnownHost, entry: Entry, around: known.HostSurroundings) -> Iterator[Mistake]:  # noqa: ARG001 -- as the others
    if "default_tools_approval_mode" not in entry:
        advice = 'Set `default_tools_approval_mode = "approve"` in the entry if you use it.'
        problem = "`codex exec` refuses tools that are not read-only."
        yield _hint(problem, advice)
    if entry.get("required") is not True:
        advice = "Set `required = true` in the entry if you use it."
        problem = "`codex exec` continues without a server that does not answer at once."
        yield _hint(problem, advice)


def _gemini(host: known.KnownHost, entry: Entry, around: known.HostSurroundings) -> Iterator[Mistake]:
    for scope in Scope:
        path = known.host_paths(host, scope, around).settings[0]
        servers = _object(_settings(host, path).get("mcp"))
        allowed = servers.get("allowed")
        if isinstance(allowed, list) and not _names(allowed, known.SERVER):
            yield _problem(f"`mcp.allowed` in {path} does not name `{known.SERVER}`.", "Add it there.")
        if _names(servers.get("excluded"), known.SERVER):
            yield _problem(f"`mcp.excluded` in {path} names `{known.SERVER}`.", "Take it out there.")
    if not _is_trusted(host, around):
        advice = "Trust it with `/permissions` in Gemini CLI, or set GEMINI_CLI_TRUST_WORKSPACE=true."
        problem = f"{around.project} is not a trusted folder, and Gemini CLI starts no server in others."
        yield _hint(problem, advice)
    if entry.get("trust") is not True:
        advice = 'Set `"trust": true` in the entry if you use it without a terminal.'
        problem = "Without a terminal Gemini CLI hides the tools of a server that it has to ask about."
        yield _hint(problem, advice)


def _agy(host: known.KnownHost, entry: Entry, around: known.HostSurroundings) -> Iterator[Mistake]:
    yield _hint("sparring was never tried in Antigravity CLI.", "See docs/hosts/antigravity.md for what is reported.")
    if entry.get("disabled") is True:
        yield _problem("The entry is switched off.", "Set its `disabled` to false.")
    for scope in Scope:
        path = known.host_paths(host, scope, around).settings[0]
        if not _is_strict_json(path):
            problem = f"{path} has comments or trailing commas, with which Antigravity CLI does not start."
            yield _problem(problem, "Take them out.")
    own = known.host_paths(host, Scope.USER, around).own.with_name("antigravity-cli") / "settings.json"
    allowed = _object(_settings(host, own).get("permissions")).get("allow")
    rule = f"mcp({known.SERVER}/*)"
    if not _names(allowed, rule):
        yield _hint(
            "Without a terminal Antigravity CLI denies our tools.",
            f'Add "{rule}" to `permissions.allow` in {own} if you use it so.',
        )


def _is_strict_json(path: Path) -> bool:
    """Return whether the file is empty, missing or JSON; that it cannot be read is found elsewhere."""
    try:
        text = files.text_of(files.read_file(path))
        json.loads(text.removeprefix("\ufeff") or "{}")
    except ConfigurationError:
        return True
    except (ValueError, RecursionError):
        return False
    return True


def _is_trusted(host: known.KnownHost, around: known.HostSurroundings) -> bool:
    if around.environment.get("GEMINI_CLI_TRUST_WORKSPACE") == "true":
        return True
    user = known.host_paths(host, Scope.USER, around)
    security = _object(_settings(host, user.settings[0]).get("security"))
    if _object(security.get("folderTrust")).get("enabled") is False:
        return True
    for folder, rule in _settings(host, user.own / "trustedFolders.json").items():
        if rule == "TRUST_FOLDER" and around.project.is_relative_to(folder):
            return True
        if rule == "TRUST_PARENT" and around.project.is_relative_to(Path(folder).parent):
            return True
    return False


def _withheld(host: known.KnownHost, entry: Entry, around: known.HostSurroundings) -> Iterator[Mistake]:
    set_in_entry = _object(entry.get("env"))
    names = list[str]()
    for name in _WITHHELD.get(host.name, ()):
        is_passed_on = name in set_in_entry or _names(entry.get("env_vars"), name)
        if around.environment.get(name) and not is_passed_on:
            names.append(name)
    if names:
        how = "Name it in `env_vars`" if host.name == "codex" else "Set it in `env`"
        problem = f"{host.title} does not hand {', '.join(names)} to servers, so API providers lack a key there."
        yield _hint(problem, f"{how} of the entry if you use them.")


def _settings(host: known.KnownHost, path: Path) -> dict[str, JsonValue]:
    """Read settings; empty if unreadable, since the look-up of our entry reports that."""
    try:
        return read_settings(host, files.text_of(files.read_file(path)))
    except (ConfigurationError, ValueError):
        return {}


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _names(value: JsonValue, name: str) -> bool:
    return isinstance(value, list) and name in cast("list[object]", value)


def _problem(problem: str, advice: str) -> Mistake:
    return Mistake(weight=Weight.PROBLEM, problem=problem, advice=advice)


def _hint(problem: str, advice: str) -> Mistake:
    return Mistake(weight=Weight.ADVICE, problem=problem, advice=advice)
