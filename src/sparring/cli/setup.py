"""``install``, ``uninstall``, ``doctor``, ``models``, ``init``, ``config``, ``gate``, ``serve``: one-time setup."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

import anyio
import typer
from msgspec.structs import replace
from pydantic import BaseModel, JsonValue

from sparring.app import App
from sparring.app.configuration import Configuration, refuse_unknown
from sparring.app.doctor import diagnose as find_out
from sparring.app.doctor import list_providers as find_providers
from sparring.app.first_provider import FirstProvider
from sparring.app.gate import Gate
from sparring.app.gate_decisions import HostCall, allow
from sparring.app.installation import InstallationRequest, install, install_gate, uninstall, uninstall_gate
from sparring.app.installation import diagnose_host as find_out_about_host
from sparring.cli.invocation import invocation, writing_result
from sparring.cli.printing import print_json, print_lines, print_notice, print_result, reporting_errors
from sparring.cli.runs import until_done_or_stopped
from sparring.errors import ExhaustedError, ExitCode, SparringError, UsageError
from sparring.hosts.gates import Hook, HookInput, HostGate, gate_of, reply_for_host
from sparring.hosts.known import KnownHost, known_host
from sparring.providers.cli.confinement import depth_of
from sparring.reports.listings import diagnosis_report, host_report, installation_report, providers_list
from sparring.schema.gate import GateAnswer, GateEvent
from sparring.schema.setup import Diagnosis, Health, Installation, Scope, Weight
from sparring.server.snapshot import load
from sparring.settings import Settings
from sparring.store.hosts import project_root

T = TypeVar("T")


def diagnose(*, deep: bool, as_json: bool) -> None:
    """Print the diagnosis; the exit code reports whether something is broken."""
    with reporting_errors(as_json=as_json):
        diagnosis = anyio.run(partial(find_out, App(invocation().settings()), deep=deep))
        print_result(diagnosis, diagnosis_report, as_json=as_json)
    raise typer.Exit(exit_code(diagnosis))


def diagnose_host(host: str, *, as_json: bool) -> None:
    """Print the problems of one host; the exit code reports whether anything does not work."""
    with reporting_errors(as_json=as_json):
        app = App(invocation().settings())
        diagnosis = anyio.run(partial(find_out_about_host, app, host, starts_at_once=load() is not None))
        print_result(diagnosis, host_report, as_json=as_json)
    broken = any(finding.weight is Weight.PROBLEM for finding in diagnosis.findings)
    raise typer.Exit(ExitCode.FAILED if broken else ExitCode.DONE)


def list_providers(*, as_json: bool) -> None:
    """Print the tools that can be asked. A tool that cannot be asked is no failure of this command."""
    with reporting_errors(as_json=as_json):
        print_result(find_providers(App(invocation().settings())), providers_list, as_json=as_json)


_QUESTIONS = (
    "Name? (e.g. local)",
    "Command that prints an answer, or address of a server? (e.g. http://127.0.0.1:8080/v1)",
)
_OF_SERVER = "Model? (empty: the first that the server lists)"
_OF_PROGRAM = "Family of its model? (e.g. meta; none: no model; empty: a family of its own)"


def write_provider(name: str, target: str, model: str, *, as_json: bool) -> None:
    """Write a provider file, and print its content; missing answers are asked on the terminal."""
    with reporting_errors(as_json=as_json):
        is_whole = bool(name.strip() and target.strip())
        answers = [
            given.strip() or _answer(question) for given, question in zip((name, target), _QUESTIONS, strict=True)
        ]
        wanted = FirstProvider(answers[0], answers[1], model.strip())
        if not is_whole and not wanted.model:
            wanted = replace(wanted, model=_answer(_OF_SERVER if wanted.is_server else _OF_PROGRAM))
        app = App(invocation().settings())
        written = wanted.write(app.settings, app.place.project)
        print_result(written, lambda made: made.text.rstrip(), as_json=as_json)
        print_notice(f'Written: {written.file}\nTry it: sparring consult "Say hello." --tool {written.name}')


def _answer(question: str) -> str:
    streams = invocation().streams
    if not streams.stdin.isatty():
        raise UsageError(
            "There is no terminal for questions.", hint="Give the answers: sparring init NAME PROGRAM|URL [MODEL]"
        )
    streams.stderr.write(f"{question} ")
    streams.stderr.flush()
    return streams.stdin.readline().strip()


def exit_code(diagnosis: Diagnosis) -> ExitCode:
    """Return 3 when an installed tool cannot be used, 1 for other problems. A missing tool is no problem."""
    if any(provider.health is Health.BROKEN for provider in diagnosis.providers):
        return ExitCode.TOOL_MISSING
    return ExitCode.FAILED if diagnosis.problems else ExitCode.DONE


_CHANGES: Mapping[str, Callable[[Settings, InstallationRequest], Installation]] = {
    "install": install,
    "uninstall": uninstall,
    "gate install": install_gate,
    "gate uninstall": uninstall_gate,
}


_ALL = "all"


def change_hosts(
    change: str,
    hosts: Sequence[str],
    *,
    project: bool,
    dry_run: bool,
    diff: bool,
    as_json: bool,
) -> None:
    """Install into hosts or uninstall, and print the changes, or the planned ones; ``all`` is every host."""
    with reporting_errors(as_json=as_json):
        scope = Scope.PROJECT if project else Scope.USER
        named = tuple(host for host in hosts if host != _ALL)
        request = InstallationRequest(named, len(named) < len(hosts), scope, dry_run=dry_run or diff)
        installation = _CHANGES[change](invocation().settings(), request)
        print_result(installation, partial(installation_report, with_diff=diff), as_json=as_json)


def serve_stdio(token_file: Path | None) -> None:
    """Serve the host that has started this process."""
    from sparring.server.__main__ import main  # noqa: PLC0415 -- HTTP needs none of it

    with reporting_errors(as_json=False):
        if token_file:
            raise UsageError("A token is only for HTTP.", hint="Add --http HOST:PORT.")
    main()


def serve_http(address: str, token_file: Path | None, *, grace_s: float) -> None:
    """Serve clients at ``address`` that present the token, until a signal ends the process."""
    from sparring.server.http import HttpLimits, serve  # noqa: PLC0415 -- stdio needs none of it

    with reporting_errors(as_json=False):
        serve(address, token_file, print_notice, bounds=HttpLimits(grace_s=grace_s), settings=invocation().settings())


class Configured(BaseModel):
    """JSON that ``sparring config show --json`` prints."""

    file: str
    defaults: dict[str, JsonValue]


def _configuration() -> Configuration:
    settings = invocation().settings()
    configuration = Configuration.of(settings, project_root(settings.cwd, settings.environment))
    if not configuration.is_read:
        print_notice(f"[WARN] {configuration.file} lies in the project under work, and is not read.")
    return configuration


def show_path() -> None:
    """Run ``sparring config path``."""
    with reporting_errors(as_json=False):
        print_lines(f"{_configuration().file}\n")


def show_all(*, as_json: bool) -> None:
    """Run ``sparring config show``."""
    with reporting_errors(as_json=as_json):
        configuration = _configuration()
        defaults = configuration.checked()
        if as_json:
            print_json(Configured(file=str(configuration.file), defaults=defaults))
        elif defaults:
            print_lines("".join(f"{key} = {_written(value)}\n" for key, value in defaults.items()))
        else:
            print_notice(f"No defaults are set in {configuration.file}. Set one: sparring config set effort high")


def show_value(key: str) -> None:
    """Run ``sparring config get``: print only the value; exit code 1 where none is set."""
    with reporting_errors(as_json=False):
        refuse_unknown(key)
        kind, dot, option = key.rpartition(".")
        key = f"{kind}{dot}{option.replace('-', '_')}"
        defaults = _configuration().checked()
        if key not in defaults:
            print_notice(f"{key} is not set.")
            raise typer.Exit(ExitCode.FAILED)
        value = defaults[key]
        print_lines(f"{value if isinstance(value, str) else _written(value)}\n")


def set_value(key: str, value: str) -> None:
    """Run ``sparring config set``."""
    with reporting_errors(as_json=False):
        configuration = _configuration()
        print_notice(f"{key} = {_written(configuration.set(key, value))} in {configuration.file}")


def unset_value(key: str) -> None:
    """Run ``sparring config unset``."""
    with reporting_errors(as_json=False):
        print_notice(f"{key} is unset." if _configuration().unset(key) else f"{key} was not set.")


def _written(value: JsonValue) -> str:
    """Return the value in the notation that TOML and JSON share."""
    return json.dumps(value, ensure_ascii=False)


_LONGEST_INPUT = 16 * 1024 * 1024


def answer_host(name: str, event: str) -> None:
    """Run ``sparring gate run``: the answer on standard output, in the host's own form."""
    with reporting_errors(as_json=False):
        host = known_host(name)
        gate = gate_of(host)
        hook = _hook(host, gate, event)
        reply = reply_for_host(gate, hook, _answered(host, hook, GateEvent(event)))
        if reply.err:
            print_notice(reply.err)
        with writing_result() as out:
            out.write(reply.out)
        raise typer.Exit(reply.code)


def _hook(host: KnownHost, gate: HostGate, event: str) -> Hook:
    matching = next((hook for known, hook in gate.hooks.items() if known == event), None)
    if matching is None:
        raise UsageError(f"{host.title} runs no gate at {event!r}.", hint=f"It runs at: {', '.join(gate.hooks)}.")
    return matching


def _answered(host: KnownHost, hook: Hook, event: GateEvent) -> GateAnswer:
    call = invocation()
    if depth_of(call.environment):
        return GateAnswer()  # a consulted agent
    try:
        app = App(call.settings(), client=host.client)
        hook_input = _parsed_input(call.streams.stdin.buffer.read(_LONGEST_INPUT + 1))
        asked = HostCall(
            event,
            session=str(hook_input.get("session_id", hook_input.get("sessionId", ""))),
            is_again=hook_input.get("stop_hook_active") is True,
            plan=app.redact(hook.plan(hook_input, call.environment)),
        )
        return Gate(app, _run_async, call.clock).answer(asked)
    except Exception as error:  # noqa: BLE001 -- after any error the host must get an answer, and must not be blocked
        known = error if isinstance(error, SparringError) else ExhaustedError.behind(error)
        return allow(str(known) if known else f"sparring has failed ({type(error).__name__}: {error}).")


def _parsed_input(content: bytes) -> HookInput:
    try:
        value: object = json.loads(content) if len(content) <= _LONGEST_INPUT else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UsageError("the host sent something other than a JSON object.")
    return cast("HookInput", value)


def _run_async(work: Callable[[], Awaitable[T]], /) -> T | None:
    return anyio.run(until_done_or_stopped, work)
