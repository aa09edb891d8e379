"""The hooks by which hosts ask a gate: their input and output, their installation and their removal.

Everything else in a host's file stays as it is, byte for byte. Tried with claude 2.1.329, codex 0.169.0, copilot
1.0.102, gemini 0.61.0 and opencode 1.18.33.
"""

import json
import shlex
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path, PurePath

from msgspec import Struct
from pydantic import JsonValue

from sparring.errors import UsageError
from sparring.hosts import files, jsonc, known, plan
from sparring.schema.gate import GATE_LIMIT_S, GateAnswer, GateEvent
from sparring.schema.setup import Scope
from sparring.text.jsonc import parse_jsonc

HookInput = Mapping[str, JsonValue]


class Hook(Struct, frozen=True):
    """One hook of a host.

    Attributes:
        name: The host's name of the event.
        refusal: The output that makes the host continue, for the given reason.
        matcher: The tool before which it is called; empty for other events.
        plan: Returns the text of the plan, from the host's input and its variables; empty where it names none.
    """

    name: str
    refusal: Callable[[str], dict[str, JsonValue]]
    matcher: str = ""
    plan: Callable[[HookInput, Mapping[str, str]], str] = lambda _input, _variables: ""


class HostGate(Struct, frozen=True):
    """The hooks of one host.

    Attributes:
        file: Its file in the user's or the project's folder of the host.
        command: The key of the command in an entry.
        limit: The key of its time limit, and the limit.
        has_groups: Whether an entry is a list of hooks after a matcher.
        head: Further content of a new file.
        shows_failures_only: Whether users only see failures of a hook.
        notes: Notes for the user.
    """

    file: str
    hooks: Mapping[GateEvent, Hook]
    command: str = "command"
    limit: tuple[str, int] = ("timeout", GATE_LIMIT_S)
    has_groups: bool = True
    head: Mapping[str, JsonValue] | None = None
    shows_failures_only: bool = False
    notes: tuple[str, ...] = ()

    @property
    def is_program(self) -> bool:
        """Return whether the file is all ours, and a program by itself."""
        return self.file.endswith(".js")


def _blocked(reason: str) -> dict[str, JsonValue]:
    return {"decision": "block", "reason": reason}


def _denied(reason: str) -> dict[str, JsonValue]:
    return {"decision": "deny", "reason": reason}


def _no_permission(reason: str) -> dict[str, JsonValue]:
    denied: JsonValue = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }
    return {"hookSpecificOutput": denied}


def _arguments(hook_input: HookInput) -> HookInput:
    arguments = hook_input.get("tool_input")
    return arguments if isinstance(arguments, dict) else {}


def _plan_in_input(hook_input: HookInput, _variables: Mapping[str, str]) -> str:
    plan = _arguments(hook_input).get("plan")
    return plan if isinstance(plan, str) else ""


_PLAN_LIMIT = 1024 * 1024


def _plan_in_file(hook_input: HookInput, variables: Mapping[str, str]) -> str:
    name, folder = _arguments(hook_input).get("plan_filename"), variables.get("GEMINI_PLANS_DIR", "")
    if not isinstance(name, str) or not folder:
        return ""
    path = Path(folder, Path(name).name)  # a model has named it
    try:
        with path.open("rb") as file:
            return file.read(_PLAN_LIMIT).decode(errors="replace")
    except OSError:
        return ""


_GATES: Mapping[str, HostGate] = {
    "claude": HostGate(
        "settings.json",
        {
            GateEvent.STOP: Hook("Stop", _blocked),
            GateEvent.PLAN: Hook("PreToolUse", _no_permission, "ExitPlanMode", _plan_in_input),
        },
    ),
    "codex": HostGate(
        "hooks.json",
        {GateEvent.STOP: Hook("Stop", _blocked)},
        notes=(
            "Codex runs a hook only after its user has trusted it: start it and answer; `codex exec` does not ask.",
            "Codex runs no hook before a plan is accepted, so plans pass.",
        ),
    ),
    "copilot": HostGate(
        "hooks/sparring-gate.json",
        {GateEvent.STOP: Hook("agentStop", _blocked)},
        command="bash",
        limit=("timeoutSec", GATE_LIMIT_S),
        has_groups=False,
        head={"version": 1},
        shows_failures_only=True,
        notes=("Copilot CLI ignores hooks before a plan that let it pass, so plans pass without a review.",),
    ),
    "gemini": HostGate(
        "settings.json",
        {
            GateEvent.STOP: Hook("AfterAgent", _denied),
            GateEvent.PLAN: Hook("BeforeTool", _denied, "exit_plan_mode", _plan_in_file),
        },
        limit=("timeout", GATE_LIMIT_S * 1000),
    ),
    "opencode": HostGate(
        "plugins/sparring-gate.js",
        {GateEvent.STOP: Hook("session.idle", _blocked)},
        notes=(
            "`opencode run` ends before a plugin can answer; the gate works in the terminal, the web page and `serve`.",
            "OpenCode has no settled way to accept a plan, so plans pass.",
        ),
    ),
}


def gate_of(host: known.KnownHost) -> HostGate:
    """Return the hooks of ``host``; raises ``UsageError`` where it has none that were tried."""
    if host.name not in _GATES:
        raise UsageError(
            f"{host.title} has no hook that the gate was tested with.",
            hint=f"Hosts with gates: {', '.join(_GATES)}.",
        )
    return _GATES[host.name]


class GateReply(Struct, frozen=True):
    """Output and exit code of the program that a host has started."""

    out: str = ""
    err: str = ""
    code: int = 0


def reply_for_host(gate: HostGate, hook: Hook, answer: GateAnswer) -> GateReply:
    """Return ``answer`` as the host understands it, or as its user sees it."""
    if answer.blocks:
        return GateReply(json.dumps(hook.refusal(answer.text)))
    if not answer.text:
        return GateReply("{}")
    if gate.shows_failures_only:
        return GateReply(err=answer.text, code=1)
    return GateReply(json.dumps({"systemMessage": answer.text}))


_HOOKS = "hooks"
_RUN = ("gate", "run")
# A host takes exit code 2 for a refusal: a missing program, or one that lacks the command, must not refuse.
_ELSE = "|| exit 1"


def plan_gate(
    host: known.KnownHost, scope: Scope, around: known.HostSurroundings, program: str, receipt: files.Receipt
) -> plan.Plan:
    """Plan the changes that make ``host`` run ``program`` as its gate.

    Raises:
        UsageError: It has no hooks.
        ConfigurationError: A file is in the way, is protected, cannot be read or cannot be parsed.
    """
    gate = gate_of(host)
    path, within = known.host_paths(host, scope, around).own / gate.file, plan.bounds(scope, around)
    if gate.is_program:
        changes = list(plan.changes_to_write(plan.HostFile(path, _program(program)), within, receipt))
    else:
        path = files.resolved(path, within)
        before = files.read_file(path)
        try:
            after = with_hooks(host.name, gate, files.text_of(before), program).encode()
            removal = _without(host, gate, path, before, receipt) if before else None
        except ValueError as error:
            raise files.unreadable_settings_error(path, error) from error
        changes = list[files.Change]()
        if after != before:
            # The file of an earlier installation that is unchanged since needs no backup copy.
            is_ours = removal is not None and removal.is_ours
            changes.append(files.Change(path, before, after, is_ours=is_ours))
    return plan.checked_plan(host, changes, gate.notes if changes else ())


def plan_gate_removal(
    host: known.KnownHost, scope: Scope, around: known.HostSurroundings, receipt: files.Receipt
) -> plan.Plan:
    """Plan the removal of the gate from ``host``; raises as ``plan_gate``."""
    gate = gate_of(host)
    path = files.resolved(known.host_paths(host, scope, around).own / gate.file, plan.bounds(scope, around))
    before = files.read_file(path)
    if before is None:
        return plan.Plan(host)
    if gate.is_program:
        if not plan.is_marked(before):  # a plugin of another author with the same name
            return plan.checked_plan(host, [])
        is_ours = receipt.has_written(path, before)
        return plan.checked_plan(host, [files.Change(path, before, None, is_ours=is_ours)])
    try:
        change = _without(host, gate, path, before, receipt)
    except ValueError as error:
        raise files.unreadable_settings_error(path, error) from error
    return plan.checked_plan(host, [change] if change else [])


def with_hooks(host: str, gate: HostGate, text: str, program: str) -> str:
    """Return ``text`` with our hooks in it; raises ``ValueError`` where it cannot be read or edited."""
    if parse_jsonc(text) is None and gate.head:
        text = f"{json.dumps(gate.head, indent=2)}\n"
    for event, hook in gate.hooks.items():
        entry = _entry(host, gate, event, program)
        entries, own_numbers = _entries(text, hook), list(_own(host, text, event, hook))
        path = (_HOOKS, hook.name)
        if not entries:
            text = jsonc.with_member(text, path, [entry])
        elif not own_numbers:
            text = jsonc.with_member(text, (*path, jsonc.NEXT), entry)
        elif entries[own_numbers[0]] != entry:
            text = jsonc.with_member(text, (*path, str(own_numbers[0])), entry)
    return text


def without_hooks(host: str, gate: HostGate, text: str) -> str:
    """Return ``text`` without our hooks, and without lists and sections that have nothing else."""
    for event, hook in gate.hooks.items():
        for number in reversed(_own(host, text, event, hook)):  # backwards: a removal changes the later numbers
            text = jsonc.without_member(text, (_HOOKS, hook.name, str(number)))
            if jsonc.written_value(text, (_HOOKS, hook.name)) == "[]":
                text = jsonc.without_member(text, (_HOOKS, hook.name))
            if jsonc.written_value(text, (_HOOKS,)) == "{}":
                text = jsonc.without_member(text, (_HOOKS,))
    return text


def _without(
    host: known.KnownHost, gate: HostGate, path: Path, before: bytes, receipt: files.Receipt
) -> files.Change | None:
    """Return ``path`` without our hooks; None if there are none in it."""
    text = files.text_of(before)
    programs = list[str]()
    for event, hook in gate.hooks.items():
        programs += _own(host.name, text, event, hook).values()
    if not programs:
        return None
    inserted = partial(with_hooks, host.name, gate, program=programs[0])
    take_out = partial(without_hooks, host.name, gate)
    return plan.restoring_change(path, before, inserted, take_out, is_made=receipt.has_made(path))


def _entry(host: str, gate: HostGate, event: GateEvent, program: str) -> dict[str, JsonValue]:
    key, limit = gate.limit
    command = f"{shlex.join([program, *_RUN, host, event])} {_ELSE}"
    hook: dict[str, JsonValue] = {"type": "command", gate.command: command, key: limit}
    if not gate.has_groups:
        return hook
    group: dict[str, JsonValue] = {_HOOKS: [hook]}
    matcher = gate.hooks[event].matcher
    return {"matcher": matcher, **group} if matcher else group


def _entries(text: str, hook: Hook) -> list[JsonValue]:
    content = parse_jsonc(text) or {}
    hooks = content.get(_HOOKS, {}) if isinstance(content, dict) else None
    entries = hooks.get(hook.name, []) if isinstance(hooks, dict) else None
    if not isinstance(entries, list):
        raise ValueError(f"its {_HOOKS}.{hook.name} is not a list")  # noqa: TRY004 -- a fault of the file
    return entries


def _own(host: str, text: str, event: GateEvent, hook: Hook) -> dict[int, str]:
    """Return the numbers of our entries, each with the program that it starts."""
    own = dict[int, str]()
    for number, entry in enumerate(_entries(text, hook)):
        program = _started(entry, host, event)
        if program:
            own[number] = program
    return own


def _started(entry: JsonValue, host: str, event: GateEvent) -> str:
    """Return the program of ours that ``entry`` starts for that event, if it does nothing else; else nothing."""
    inner = entry.get(_HOOKS) if isinstance(entry, dict) else None
    hook = inner[0] if isinstance(inner, list) and len(inner) == 1 else entry
    command = hook.get("command", hook.get("bash")) if isinstance(hook, dict) else None
    if not isinstance(command, str):
        return ""
    try:
        program, *arguments = shlex.split(command) or [""]
    except ValueError:  # a quotation mark without its counterpart
        return ""
    is_ours = PurePath(program).stem == known.SERVER and arguments[:4] == [*_RUN, host, event]
    return program if is_ours else ""


def _program(program: str) -> bytes:
    source = Path(__file__).with_name("opencode_gate.js").read_text(encoding="utf-8")
    return source.replace('"SPARRING"', json.dumps(program)).encode()
