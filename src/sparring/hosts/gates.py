"""The hooks by which hosts ask a gate: their names, where they stand, what they say and what they understand.

Tried with claude 2.1.329, codex 0.169.0, copilot 1.0.102, gemini 0.61.0 and opencode 1.18.33.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from sparring.errors import UsageError
from sparring.hosts.known import KnownHost
from sparring.schema.gate import GATE_LIMIT_S, GateAnswer, GateEvent

Said = Mapping[str, JsonValue]


@dataclass(frozen=True)
class Hook:
    """One hook of a host.

    Attributes:
        name: What the host calls the event.
        refusal: What tells the host to go on, for that reason.
        matcher: The tool before which it is called; empty where it is no tool.
        plan: The text of the plan, from what the host says and its variables; empty where it names none.
    """

    name: str
    refusal: Callable[[str], dict[str, JsonValue]]
    matcher: str = ""
    plan: Callable[[Said, Mapping[str, str]], str] = lambda _said, _variables: ""


@dataclass(frozen=True)
class HostGate:
    """The hooks of one host.

    Attributes:
        file: Below the host's own folder, that of the user or that of a project.
        command: The key of what is run, in an entry.
        limit: The key of how long that may take, and how long.
        has_groups: Whether an entry is a list of hooks behind a matcher.
        head: What a new file says besides.
        shows_failures_only: Whether users see nothing of a hook but that it failed.
        notes: What the user has to know.
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
        """Whether the file is all ours, and asks by itself."""
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


def _arguments(said: Said) -> Said:
    found = said.get("tool_input")
    return found if isinstance(found, dict) else {}


def _plan_said(said: Said, _variables: Mapping[str, str]) -> str:
    plan = _arguments(said).get("plan")
    return plan if isinstance(plan, str) else ""


_PLAN_LIMIT = 1024 * 1024


def _plan_in_file(said: Said, variables: Mapping[str, str]) -> str:
    name, folder = _arguments(said).get("plan_filename"), variables.get("GEMINI_PLANS_DIR", "")
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
            GateEvent.PLAN: Hook("PreToolUse", _no_permission, "ExitPlanMode", _plan_said),
        },
    ),
    "codex": HostGate(
        "hooks.json",
        {GateEvent.STOP: Hook("Stop", _blocked)},
        notes=(
            "Codex runs a hook only after its user has trusted it: start it and answer; `codex exec` asks nobody.",
            "Codex asks no hook before a plan is accepted, so plans pass.",
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
        notes=(
            "Copilot CLI shows nothing of a hook before a plan that lets it pass, so plans pass without being asked.",
        ),
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
            "`opencode run` ends before a plugin is heard; the gate works in the terminal, the web page and `serve`.",
            "OpenCode has no settled way to accept a plan, so plans pass.",
        ),
    ),
}


def gate_of(host: KnownHost) -> HostGate:
    """The hooks of ``host``; raises ``UsageError`` where it has none that were tried."""
    if host.name not in _GATES:
        known = ", ".join(_GATES)
        raise UsageError(
            f"{host.title} has no hook that a gate of ours was tried with.", hint=f"Hosts with gates: {known}."
        )
    return _GATES[host.name]


@dataclass(frozen=True)
class GateReply:
    """What the program that a host has started prints, and how it ends."""

    out: str = ""
    err: str = ""
    code: int = 0


def spoken(gate: HostGate, hook: Hook, answer: GateAnswer) -> GateReply:
    """``answer`` as the host understands it, or as its user sees it."""
    if answer.blocks:
        return GateReply(json.dumps(hook.refusal(answer.text)))
    if answer.text and gate.shows_failures_only:
        return GateReply(err=answer.text, code=1)
    return GateReply(json.dumps({"systemMessage": answer.text} if answer.text else {}))
