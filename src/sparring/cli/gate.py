"""``sparring gate``: hooks in the hosts, and what they are answered."""

import json
from typing import cast

import anyio
import typer

from sparring.app import App
from sparring.app.application import OpenRun
from sparring.app.gate import Asked, Gate, let_pass
from sparring.app.installation import InstallationWish, install_gate, uninstall_gate
from sparring.cli.invocation import invocation, writing_result
from sparring.cli.printing import reporting_errors, say
from sparring.cli.runs import until_done_or_stopped
from sparring.cli.setup import Shown, carry_out
from sparring.errors import ExhaustedError, SparringError, UsageError
from sparring.hosts.gates import Hook, HostGate, Said, gate_of, spoken
from sparring.hosts.known import KnownHost, known_host
from sparring.providers.cli.consultant import depth_of
from sparring.schema.gate import GateAnswer, GateEvent
from sparring.schema.runs import Run
from sparring.schema.setup import Scope

_MOST_SAID = 16 * 1024 * 1024


def install_hooks(host: str, *, scope: Scope, shown: Shown | None, as_json: bool) -> None:
    """``sparring gate install``."""
    carry_out(install_gate, _wish(host, scope, shown), shown, as_json=as_json)


def uninstall_hooks(host: str, *, scope: Scope, shown: Shown | None, as_json: bool) -> None:
    """``sparring gate uninstall``."""
    carry_out(uninstall_gate, _wish(host, scope, shown), shown, as_json=as_json)


def _wish(host: str, scope: Scope, shown: Shown | None) -> InstallationWish:
    return InstallationWish((host,), everywhere=False, scope=scope, dry_run=shown is not None)


def answer_host(name: str, event: str) -> None:
    """``sparring gate run``: the answer on standard output, in the host's own form."""
    with reporting_errors(as_json=False):
        host = known_host(name)
        gate = gate_of(host)
        hook = _hook(host, gate, event)
        told = spoken(gate, hook, _answered(host, hook, GateEvent(event)))
        if told.err:
            say(told.err)
        with writing_result() as out:
            out.write(told.out)
        raise typer.Exit(told.code)


def _hook(host: KnownHost, gate: HostGate, event: str) -> Hook:
    found = next((hook for known, hook in gate.hooks.items() if known == event), None)
    if found is None:
        raise UsageError(f"{host.title} asks no gate at {event!r}.", hint=f"It asks at: {', '.join(gate.hooks)}.")
    return found


def _answered(host: KnownHost, hook: Hook, event: GateEvent) -> GateAnswer:
    call = invocation()
    if depth_of(call.environment):
        return GateAnswer()  # an agent that we consult ourselves
    try:
        app = App(call.settings(), client=host.client)
        said = _said(call.streams.stdin.buffer.read(_MOST_SAID + 1))
        asked = Asked(
            event,
            session=str(said.get("session_id", said.get("sessionId", ""))),
            is_again=said.get("stop_hook_active") is True,
            plan=app.redact(hook.plan(said, call.environment)),
        )
        return Gate(app, lambda opened: _finished(app, opened), call.clock).answer(asked)
    except Exception as error:  # noqa: BLE001 -- whatever it is, the host must be told, and must not be held back
        known = error if isinstance(error, SparringError) else ExhaustedError.behind(error)
        return let_pass(str(known) if known else f"sparring has failed ({type(error).__name__}: {error}).")


def _said(content: bytes) -> Said:
    try:
        said: object = json.loads(content) if len(content) <= _MOST_SAID else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise UsageError("what the host says is no JSON object.")
    return cast("Said", said)


def _finished(app: App, opened: OpenRun) -> Run | None:
    return anyio.run(until_done_or_stopped, lambda: app.work(opened, lambda _: None))
