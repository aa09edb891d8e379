"""Our hooks in the files of a host: put in and taken out; everything around them stays as it is, byte for byte."""

import json
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePath

from pydantic import JsonValue

from sparring.hosts import files, gates, jsonc, known, plan
from sparring.schema.gate import GateEvent
from sparring.schema.setup import Scope
from sparring.text.jsonc import parse_jsonc

_HOOKS = "hooks"
_RUN = ("gate", "run")
# A host takes exit code 2 for a refusal: a program that is gone, or does not know the command, must not refuse.
_ELSE = "|| exit 1"


def plan_gate(
    host: known.KnownHost, scope: Scope, around: known.HostSurroundings, program: str, receipt: files.Receipt
) -> plan.Plan:
    """What it takes for ``host`` to ask ``program``.

    Raises:
        UsageError: It has no hooks.
        ConfigurationError: A file is in the way, is protected, cannot be read or cannot be understood.
    """
    gate = gates.gate_of(host)
    path, within = known.places(host, scope, around).own / gate.file, around.project if scope is Scope.PROJECT else None
    if gate.is_program:
        changes = list(plan.provided(plan.Offering(path, _program(program)), within, receipt))
    else:
        path = files.resolved(path, within)
        before = files.read_file(path)
        try:
            after = with_hooks(host.name, gate, files.text_of(before), program).encode()
            ours = _without(host, gate, path, before, receipt) if before else None
        except ValueError as error:
            raise files.not_understood(path, error) from error
        is_ours = ours is not None and ours.is_ours
        changes = [files.Change(path, before, after, is_ours=is_ours)] if after != before else []
    return plan.checked(host, changes, gate.notes if changes else ())


def plan_gate_removal(
    host: known.KnownHost, scope: Scope, around: known.HostSurroundings, receipt: files.Receipt
) -> plan.Plan:
    """What it takes for ``host`` to ask nobody any more; raises as ``plan_gate``."""
    gate = gates.gate_of(host)
    within = around.project if scope is Scope.PROJECT else None
    path = files.resolved(known.places(host, scope, around).own / gate.file, within)
    before = files.read_file(path)
    if before is None:
        return plan.Plan(host)
    if gate.is_program:
        is_ours = receipt.has_written(path, before)
        return plan.checked(host, [files.Change(path, before, None, is_ours=is_ours)] if plan.is_marked(before) else [])
    try:
        change = _without(host, gate, path, before, receipt)
    except ValueError as error:
        raise files.not_understood(path, error) from error
    return plan.checked(host, [change] if change else [])


def with_hooks(host: str, gate: gates.HostGate, text: str, program: str) -> str:
    """``text`` with our hooks in it; raises ``ValueError`` where it cannot be read or edited."""
    if parse_jsonc(text) is None and gate.head:
        text = f"{json.dumps(gate.head, indent=2)}\n"
    for event, hook in gate.hooks.items():
        wanted = _entry(host, gate, event, program)
        entries, own = _entries(text, hook), next(_own(host, text, event, hook), None)
        if own is not None:
            text = text if entries[own] == wanted else jsonc.with_member(text, (_HOOKS, hook.name, str(own)), wanted)
        elif entries:
            text = jsonc.with_member(text, (_HOOKS, hook.name, jsonc.NEXT), wanted)
        else:
            text = jsonc.with_member(text, (_HOOKS, hook.name), [wanted])
    return text


def without_hooks(host: str, gate: gates.HostGate, text: str) -> str:
    """``text`` without our hooks, and without what holds nothing else."""
    for event, hook in gate.hooks.items():
        for own in reversed(list(_own(host, text, event, hook))):
            text = jsonc.without_member(text, (_HOOKS, hook.name, str(own)))
            if jsonc.written_value(text, (_HOOKS, hook.name)) == "[]":
                text = jsonc.without_member(text, (_HOOKS, hook.name))
            if jsonc.written_value(text, (_HOOKS,)) == "{}":
                text = jsonc.without_member(text, (_HOOKS,))
    return text


def _without(
    host: known.KnownHost, gate: gates.HostGate, path: Path, before: bytes, receipt: files.Receipt
) -> files.Change | None:
    """``path`` without our hooks; None if there are none in it."""
    text = files.text_of(before)
    found = [program for event, hook in gate.hooks.items() for program in _programs(host.name, text, event, hook)]
    if not found:
        return None
    put_in = partial(with_hooks, host.name, gate, program=found[0])
    return plan.restored(path, before, put_in, partial(without_hooks, host.name, gate), is_made=receipt.has_made(path))


def _entry(host: str, gate: gates.HostGate, event: GateEvent, program: str) -> dict[str, JsonValue]:
    key, limit = gate.limit
    command = f"{shlex.join([program, *_RUN, host, event])} {_ELSE}"
    hook: dict[str, JsonValue] = {"type": "command", gate.command: command, key: limit}
    if not gate.has_groups:
        return hook
    group: dict[str, JsonValue] = {_HOOKS: [hook]}
    matcher = gate.hooks[event].matcher
    return {"matcher": matcher, **group} if matcher else group


def _entries(text: str, hook: gates.Hook) -> list[JsonValue]:
    content = parse_jsonc(text) or {}
    hooks = content.get(_HOOKS, {}) if isinstance(content, dict) else None
    found = hooks.get(hook.name, []) if isinstance(hooks, dict) else None
    if not isinstance(found, list):
        raise ValueError(f"its {_HOOKS}.{hook.name} is no list")  # noqa: TRY004 -- a fault of the file
    return found


def _own(host: str, text: str, event: GateEvent, hook: gates.Hook) -> Iterator[int]:
    """Which entries are ours."""
    entries = _entries(text, hook)
    return (number for number, entry in enumerate(entries) if _started(entry, host, event))


def _programs(host: str, text: str, event: GateEvent, hook: gates.Hook) -> Iterator[str]:
    entries = _entries(text, hook)
    return (_started(entries[number], host, event) for number in _own(host, text, event, hook))


def _started(entry: JsonValue, host: str, event: GateEvent) -> str:
    """The program of ours that ``entry`` starts for that event, and nothing besides; else nothing."""
    inner = entry.get(_HOOKS) if isinstance(entry, dict) else None
    hook = inner[0] if isinstance(inner, list) and len(inner) == 1 else entry
    command = hook.get("command", hook.get("bash")) if isinstance(hook, dict) else None
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return ""
    is_ours = words[1:5] == [*_RUN, host, event] and PurePath(words[0]).stem == known.SERVER
    return words[0] if is_ours else ""


def _program(program: str) -> bytes:
    source = Path(__file__).with_name("opencode_gate.js").read_text(encoding="utf-8")
    return source.replace('"SPARRING"', json.dumps(program)).encode()
