"""Installation into hosts, and a check whether the installed server starts and completes the handshake."""

import json
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

import anyio
from msgspec import Struct
from pydantic import JsonValue

from sparring import __version__
from sparring.app.application import App
from sparring.app.doctor import VERSION_TIMEOUT_S, shown, state_problems
from sparring.disk import alone
from sparring.errors import ConfigurationError, ToolNotFoundError, UsageError
from sparring.hosts import known
from sparring.hosts.files import (
    LEFT,
    RECEIPT_NAME,
    Change,
    Receipt,
    apply_changes,
    made_by,
    read_file,
    read_receipt,
    tidy,
)
from sparring.hosts.gates import plan_gate, plan_gate_removal
from sparring.hosts.inspection import Inspection, InstalledEntry, inspect
from sparring.hosts.plan import Plan, difference, is_marked, plan_installation, plan_removal
from sparring.processes import children, supervision
from sparring.processes.call_folders import CallFolders
from sparring.schema import setup
from sparring.settings import Settings
from sparring.store.files import replace_file
from sparring.store.hosts import project_root, state_root
from sparring.text.tidying import for_terminal, one_line

_ANSWER_TIMEOUT_S = 60.0
"""Seconds that an installed host is configured to wait for the start."""

_VERSION = "2025-06-18"
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": _VERSION,
        "capabilities": {},
        "clientInfo": {"name": "sparring-doctor", "version": __version__},
    },
}
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST_TOOLS = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


class Greeting(Struct, frozen=True):
    """Server's answer to a greeting.

    Attributes:
        version: The version that it reports.
        tools: Number of tools that it offers; None if it did not answer.
        problem: The reason for a missing answer, in one sentence.
    """

    version: str = ""
    tools: int | None = None
    problem: str = ""


async def greet(command: children.Command, calls: CallFolders) -> Greeting:
    """Start a server, request its tools, and end it with all its children; bounded in time."""
    late = Greeting(problem=f"The server did not answer within {_ANSWER_TIMEOUT_S:.0f} s.")
    try:
        with calls.new_folder() as folder:
            async with supervision.converse(command, folder, supervision.ConsultTerms(_ANSWER_TIMEOUT_S)) as server:
                with anyio.move_on_after(_ANSWER_TIMEOUT_S):
                    return await _asked(server)
            return late
    except OSError as error:
        return Greeting(problem=f"The server cannot be started: {error.strerror}.")


async def _asked(server: children.Conversation) -> Greeting:
    await server.send(json.dumps(_INITIALIZE).encode())
    welcome = await _answer(server, 1)
    if isinstance(welcome, str):
        return Greeting(problem=welcome)
    await server.send(json.dumps(_INITIALIZED).encode())
    await server.send(json.dumps(_LIST_TOOLS).encode())
    listed = await _answer(server, 2)
    if isinstance(listed, str):
        return Greeting(problem=listed)
    server_info, tools = welcome.get("serverInfo"), listed.get("tools")
    version = server_info.get("version") if isinstance(server_info, dict) else ""
    return Greeting(version=str(version), tools=len(tools) if isinstance(tools, list) else 0)


async def _answer(server: children.Conversation, request_id: int) -> dict[str, JsonValue] | str:
    """Return the result of that request, or why there is none. Other messages of the server are ignored."""
    while True:
        try:
            line = await server.receive()
            message: JsonValue = json.loads(line) if line is not None else None
        except (ValueError, RecursionError, children.OutputOverflowError):
            return "The server sent something that is not a message."
        if line is None:
            return "The server exited before it listed its tools."
        if isinstance(message, dict) and message.get("id") == request_id:
            result = message.get("result")
            return result if isinstance(result, dict) else "The server refused to list its tools."


_ABSENT = "It was not found on this machine."


class InstallationRequest(Struct, frozen=True):
    """Options of an installation.

    Attributes:
        hosts: Names of hosts; none with ``everywhere``.
        everywhere: Select every installed host.
    """

    hosts: tuple[str, ...]
    everywhere: bool
    scope: setup.Scope
    dry_run: bool


def install(settings: Settings, request: InstallationRequest) -> setup.Installation:
    """Install our server, skills and commands into the hosts; nothing is written unless everything can be.

    Raises:
        UsageError: The options contradict each other, or name an unknown host.
        ConfigurationError: A file of a host is in the way or cannot be parsed; nothing was changed.
        ToolNotFoundError: No host is installed, or there is no program that a host could start.
        HostFileError: A file cannot be written.
    """
    with _alone(settings):
        return _installed(settings, request)


def _installed(settings: Settings, request: InstallationRequest) -> setup.Installation:
    surroundings = _surroundings(settings)
    chosen = _chosen(request)
    receipt = read_receipt(settings.provider_dir.parent)
    absent = _absent(chosen, surroundings)
    # A host that is named is installed into even if it is absent: its program may be somewhere else.
    wanted = [host for host in chosen if not request.everywhere or host.name not in absent]
    if not wanted:
        raise ToolNotFoundError("No host was found on this machine.", hint="Name one: `sparring install HOST`.")
    program = known.server_program(request.scope, Path(sys.executable), settings.environment)
    plans = [plan_installation(host, request.scope, surroundings, program, receipt) for host in wanted]
    results = {result.host: result for result in _carried_out(settings, request, plans, receipt, absent)}
    return _installation("install", request, [results.get(host.name) or _skipped(host) for host in chosen])


def uninstall(settings: Settings, request: InstallationRequest) -> setup.Installation:
    """Remove from the hosts what ``install`` added, and nothing else.

    Raises:
        UsageError, ConfigurationError, HostFileError: As ``install``.
    """
    return _uninstalled(settings, request, plan_removal)


def install_gate(settings: Settings, request: InstallationRequest) -> setup.Installation:
    """Make the hosts call the gate before their agent stops, and before a plan is accepted; raises as ``install``."""
    with _alone(settings):
        surroundings = _surroundings(settings)
        chosen = _chosen(request)
        receipt = read_receipt(settings.provider_dir.parent)
        program = known.server_program(request.scope, Path(sys.executable), settings.environment)
        plans = [plan_gate(host, request.scope, surroundings, program, receipt) for host in chosen]
        results = _carried_out(settings, request, plans, receipt, _absent(chosen, surroundings))
        return _installation("install", request, results)


def uninstall_gate(settings: Settings, request: InstallationRequest) -> setup.Installation:
    """Remove the gate from the hosts, and nothing else; raises as ``install``."""
    return _uninstalled(settings, request, plan_gate_removal)


def _uninstalled(
    settings: Settings,
    request: InstallationRequest,
    plan: Callable[[known.KnownHost, setup.Scope, known.HostSurroundings, Receipt], Plan],
) -> setup.Installation:
    with _alone(settings):
        surroundings = _surroundings(settings)
        receipt = read_receipt(settings.provider_dir.parent)
        plans = [plan(host, request.scope, surroundings, receipt) for host in _chosen(request)]
        return _installation("uninstall", request, _carried_out(settings, request, plans, receipt))


def _alone(settings: Settings) -> AbstractContextManager[None]:
    """Let one installation at a time read and write the receipt."""
    return alone(_surroundings(settings).home)


def _absent(hosts: Iterable[known.KnownHost], surroundings: known.HostSurroundings) -> frozenset[str]:
    return frozenset(host.name for host in hosts if not known.is_present(host, surroundings))


def _skipped(host: known.KnownHost) -> setup.HostInstallation:
    return setup.HostInstallation(host=host.name, title=host.title, outcome=setup.HostOutcome.SKIPPED, reason=_ABSENT)


def _chosen(request: InstallationRequest) -> tuple[known.KnownHost, ...]:
    if request.everywhere == bool(request.hosts):
        names = ", ".join(host.name for host in known.KNOWN_HOSTS)
        raise UsageError("Name hosts, or `all` alone.", hint=f"Hosts: {names}.")
    if request.everywhere:
        return known.KNOWN_HOSTS
    return tuple(known.known_host(name) for name in dict.fromkeys(request.hosts))


def _surroundings(settings: Settings) -> known.HostSurroundings:
    return known.HostSurroundings.of(settings.environment, project_root(settings.cwd, settings.environment))


def _installation(action: str, request: InstallationRequest, hosts: list[setup.HostInstallation]) -> setup.Installation:
    return setup.Installation(action=action, scope=request.scope, dry_run=request.dry_run, hosts=tuple(hosts))


def _carried_out(
    settings: Settings,
    request: InstallationRequest,
    plans: list[Plan],
    receipt: Receipt,
    absent: frozenset[str] = frozenset(),
) -> list[setup.HostInstallation]:
    """Write all plans, unless it is a dry run, and return the result of each."""
    folder = settings.provider_dir.parent
    changes = _changes(plans)
    backups: dict[Path, Path | None] = {}
    if changes and not request.dry_run:
        record = Change(folder / RECEIPT_NAME, read_file(folder / RECEIPT_NAME), b"")
        receipt = receipt.with_made(made_by([*changes, record]), _provided(plans))
        _remember(folder, receipt)  # first: nothing is installed that the receipt does not list
        written = apply_changes(changes, request.scope)
        backups = {change.path: backup for change, backup in zip(changes, written, strict=True)}
        tidy(changes, receipt)
        _remember(folder, receipt.without_missing_files())
    return [_result(settings, plan, backups, _ABSENT if plan.host.name in absent else "") for plan in plans]


def _changes(plans: list[Plan]) -> list[Change]:
    """Return all changes, each file once: the skills of one host may be a link to those of another.

    Raises:
        ConfigurationError: Two hosts need different content in one file.
    """
    changes: dict[Path, Change] = {}
    for plan in plans:
        for change in plan.changes:
            first = changes.setdefault(change.path, change)
            if first.after != change.after:
                raise ConfigurationError(f"{change.path} belongs to two hosts. {LEFT}", hint="Name one host at a time.")
    return list(changes.values())


def _provided(plans: list[Plan]) -> dict[Path, bytes]:
    """Return the skills and commands to be written."""
    provided: dict[Path, bytes] = {}
    for plan in plans:
        for change in plan.changes:
            if change.after is not None and is_marked(change.after):
                provided[change.path] = change.after
    return provided


def _remember(folder: Path, receipt: Receipt) -> None:
    """Store ``receipt``; an empty one is removed, with the folders created for it."""
    record = folder / RECEIPT_NAME
    if any(Path(path) not in (record, *record.parents) for path in receipt.made):
        replace_file(record, receipt.model_dump_json(indent=2).encode() + b"\n")
    else:
        record.unlink(missing_ok=True)
        tidy([Change(record, b"", None)], receipt)


def _result(settings: Settings, plan: Plan, backups: dict[Path, Path | None], note: str) -> setup.HostInstallation:
    files = [
        setup.InstalledFile(
            path=shown(change.path),
            action=_action(change),
            diff=for_terminal(difference(plan.host, change, settings.environment)),
            backup=shown(backups.get(change.path) or ""),
        )
        for change in plan.changes
    ]
    return setup.HostInstallation(
        host=plan.host.name,
        title=plan.host.title,
        outcome=setup.HostOutcome.DONE if files else setup.HostOutcome.UNCHANGED,
        files=tuple(files),
        notes=tuple(shown(text) for text in (*plan.notes, note) if text),
    )


def _action(change: Change) -> setup.FileAction:
    if change.before is None:
        return setup.FileAction.CREATE
    return setup.FileAction.DELETE if change.after is None else setup.FileAction.CHANGE


_OF_CODEX = ("HOME", "PATH", "LANG", "LC_ALL", "TERM", "USER", "SHELL", "TMPDIR")
"""Variables that Codex passes to a server (0.169.0)."""


async def diagnose_host(app: App, name: str, *, starts_at_once: bool) -> setup.HostDiagnosis:
    """Check one host: its program, its settings and files, and the server that it would start.

    Args:
        app: The application with the user's environment.
        name: The host's name.
        starts_at_once: Whether the server can answer before it is loaded completely.

    Raises:
        UsageError: The host is unknown.
    """
    host = known.known_host(name)
    environment = app.settings.environment
    inspection = inspect(host, known.HostSurroundings.of(environment, app.place.project))
    version, findings = await _version(app, host)
    findings += inspection.findings
    greeting = await _greeting(app, host, inspection)
    findings += _of_greeting(host, greeting)
    findings += await _of_state(app, host)
    if not starts_at_once:
        advice = "Let a host start it once: what it needs to answer at once is then written down for the next time."
        problem = "The server cannot answer before all of it has been loaded, which takes seconds."
        findings.append(setup.Mistake(weight=setup.Weight.ADVICE, problem=problem, advice=advice))
    return setup.HostDiagnosis(
        host=host.name,
        title=host.title,
        version=version,
        location=shown(known.host_program(host, environment) or ""),
        settings=shown(inspection.installed.settings if inspection.installed else ""),
        command=shown(" ".join(inspection.argv)),
        tools=greeting.tools if greeting else None,
        findings=tuple(_clean(app, finding) for finding in findings),
    )


async def _version(app: App, host: known.KnownHost) -> tuple[str, list[setup.Mistake]]:
    program = known.host_program(host, app.settings.environment)
    if program is None:
        return "", []
    command = children.Command((program, "--version"), app.settings.environment, app.place.project)
    try:
        finished = await children.run_child(command, prompt=None, timeout_s=VERSION_TIMEOUT_S)
        if finished.exit_code == 0:
            return one_line(app.redact(finished.stdout), 60), []
        reason = f"`{host.program} --version` failed."
    except OSError as error:
        reason = f"{program} cannot be started: {error.strerror}."
    return "", [setup.Mistake(weight=setup.Weight.PROBLEM, problem=reason, advice="Install it again.")]


async def _greeting(app: App, host: known.KnownHost, inspection: Inspection) -> Greeting | None:
    if not inspection.argv or inspection.installed is None:
        return None
    command = children.Command(inspection.argv, _environment(app, host, inspection.installed), app.place.project)
    return await greet(command, app.roster.calls)


def _environment(app: App, host: known.KnownHost, entered: InstalledEntry) -> dict[str, str]:
    """Return approximately the environment that the host would pass to the server."""
    environment = dict(app.settings.environment)
    if host.name == "codex":
        environment = {name: environment[name] for name in _OF_CODEX if name in environment}
    for key in ("env", "environment"):  # hosts have one or the other
        variables = entered.entry.get(key)
        if isinstance(variables, dict):
            environment |= {name: text for name, text in variables.items() if isinstance(text, str)}
    return environment


def _of_greeting(host: known.KnownHost, greeting: Greeting | None) -> list[setup.Mistake]:
    if greeting is None:
        return []
    again = f"Run the entry's command yourself to see why, or `sparring install {host.name}`."
    if greeting.tools is None:
        return [setup.Mistake(weight=setup.Weight.PROBLEM, problem=greeting.problem, advice=again)]
    if greeting.version != __version__:
        problem = f"The server that the entry starts is version {greeting.version}, and this is {__version__}."
        advice = f"Run `sparring install {host.name}` with the one that you want."
        return [setup.Mistake(weight=setup.Weight.ADVICE, problem=problem, advice=advice)]
    return []


async def _of_state(app: App, host: known.KnownHost) -> list[setup.Mistake]:
    root = state_root(app.place.project, app.settings.environment, client=host.client or None)
    problems = await state_problems(root)
    advice = "Set AI_STATE_DIR to a folder that can be written."
    return [
        setup.Mistake(weight=setup.Weight.PROBLEM, problem=problem.removesuffix(advice).strip(), advice=advice)
        for problem in problems
    ]


def _clean(app: App, finding: setup.Mistake) -> setup.Mistake:
    return finding.model_copy(
        update={"problem": shown(app.redact(finding.problem)), "advice": shown(app.redact(finding.advice))}
    )
