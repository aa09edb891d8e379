"""Providers that can be asked, and the problems of the others: ``sparring models`` and ``sparring doctor``."""

import json
import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import anyio
import anyio.to_thread

from sparring import __version__
from sparring.app.application import App
from sparring.app.own_state import foreign_records
from sparring.engine.capabilities import Dismissing
from sparring.errors import ConfigurationError, SettingsError, StoreError
from sparring.formats.registry import FORMATS
from sparring.processes.children import Command, run_child
from sparring.providers import cli
from sparring.providers.api.endpoints import Endpoint, can_choose_model, endpoint_of
from sparring.providers.available import Missing, listens
from sparring.providers.cli.confinement import Addition, child_environment
from sparring.providers.known import BUILT_IN
from sparring.schema import base, consultation, providers, setup
from sparring.schema.forms import RequestedForm
from sparring.store import history
from sparring.store.files import StateFolder
from sparring.store.ledger_origin import LEDGER, ledger_problem
from sparring.text.tidying import for_terminal, one_line


def list_providers(app: App) -> setup.ProviderList:
    """Return every provider, those that are ready first; nothing is started."""
    roster = app.roster
    listed = [_listed(app, spec) for spec in roster.providers.specs.values()]
    return setup.ProviderList(
        provider_dir=shown(app.settings.provider_dir),
        providers=tuple(sorted(listed, key=lambda each: not each.available)),
        problems=tuple(shown(problem) for problem in roster.providers.problems),
        ignored=tuple(shown(file) for file in roster.ignored),
    )


def _listed(app: App, spec: providers.ProviderSpec) -> setup.ListedProvider:
    available = app.roster.available(spec)
    listed = setup.ListedProvider(
        name=spec.name,
        kind=spec.kind,
        family=spec.shown_family,
        title=spec.title,
        origin=shown(app.roster.providers.origin(spec.name)),
        available=not isinstance(available, Missing),
    )
    if isinstance(available, Missing):
        return listed.model_copy(update={"problem": available.reason, "advice": available.hint})
    return listed.model_copy(update={"location": shown(available.location or "")})


VERSION_TIMEOUT_S = 20.0
"""Seconds for printing a version: on a busy machine some programs unpack themselves at their first start."""

QUESTION_TIMEOUT_S = 60.0


async def diagnose(app: App, *, deep: bool) -> setup.Diagnosis:
    """Check every provider; with ``deep``, ask each one that has a model a tiny real question."""
    specs = tuple(app.roster.providers.specs.values())
    diagnoses: dict[str, setup.ProviderDiagnosis] = {}

    async def examine(spec: providers.ProviderSpec) -> None:
        diagnoses[spec.name] = await _examined(app, spec, deep=deep)

    async with anyio.create_task_group() as group:
        for spec in specs:
            group.start_soon(examine, spec)
    problems = [shown(problem) for problem in app.roster.providers.problems]
    problems += await state_problems(app.place.state)
    if app.key.problem:
        problems.append(shown(app.key.problem))
    problems += _configuration_problems(app)
    return setup.Diagnosis(
        sparring_version=__version__,
        python_version=platform.python_version(),
        project=shown(app.place.project),
        state=shown(app.place.state),
        provider_dir=shown(app.settings.provider_dir),
        deep=deep,
        providers=tuple(diagnoses[spec.name] for spec in specs),
        servers=await anyio.to_thread.run_sync(running_servers, app),
        problems=tuple(problems),
        came_with_project=await anyio.to_thread.run_sync(_came_with_project, app),
    )


def _configuration_problems(app: App) -> tuple[str, ...]:
    try:
        app.configuration.checked()
    except ConfigurationError as error:
        return (shown(error),)
    return ()


_RUNS_NAMED = 20


def _came_with_project(app: App) -> tuple[str, ...]:
    """Return a line for each record in the state folders that is not the user's; of many runs some are counted."""
    place = app.place
    runs = history.folders_of(_foreign_runs(app), place)
    lines = [f"{folder}: a run that is shown but cannot be resumed" for folder in runs[:_RUNS_NAMED]]
    if len(runs) > _RUNS_NAMED:
        lines.append(f"and {len(runs) - _RUNS_NAMED:,} more runs")
    for name in FORMATS:
        dismissing = FORMATS[name].capability(Dismissing)
        if dismissing:
            lines += foreign_records(place, dismissing.path)
    for state in place.states:
        ledger = state / LEDGER
        problem = ledger_problem(ledger, place.provenance) if ledger.is_file() else ""
        if problem:
            lines.append(problem)
    return tuple(map(shown, lines))


def _foreign_runs(app: App) -> list[str]:
    try:
        return [run.run_id for run in history.list_runs(app.place) if not run.is_own]
    except StoreError:  # reported as a problem of the state folder
        return []


def running_servers(app: App) -> tuple[setup.RunningServer, ...]:
    """Return the model servers that run on this machine at an address in a provider file or variable."""
    # One server may be asked at several addresses, which differ in their paths, and by several providers.
    servers: dict[tuple[str, int], dict[str, list[base.ToolName]]] = {}
    for spec in app.roster.providers.specs.values():
        for address in _addresses(app, spec):
            endpoint = Endpoint(address)
            providers_at = servers.setdefault((endpoint.host, endpoint.port), {})
            providers_at.setdefault(address, []).append(spec.name)
    running = [_running(app, providers_at) for providers_at in servers.values()]
    return tuple(server for server in running if server is not None)


def _addresses(app: App, spec: providers.ProviderSpec) -> Iterator[str]:
    """Yield the addresses on this machine at which a provider may be served; none if its address is malformed."""
    if not isinstance(spec, providers.ApiProvider):
        return
    with suppress(SettingsError):
        configured = endpoint_of(spec, app.settings.environment).base_url
        addresses = [configured]
        if configured == spec.base_url:  # an address of the user's own is the only one
            addresses += spec.other_base_urls
        yield from (address for address in addresses if Endpoint(address).is_local)


def _running(app: App, providers_at: Mapping[str, Sequence[base.ToolName]]) -> setup.RunningServer | None:
    """Return the server at addresses that differ only in their paths, and the providers that ask it."""
    endpoints = [Endpoint(address) for address in providers_at]
    if not listens(endpoints[0]):
        return None
    for endpoint in endpoints:
        server = app.roster.servers.server(endpoint)
        if server is not None:
            break
    else:
        return None
    names: dict[base.ToolName, None] = {}
    for names_at in providers_at.values():
        names |= dict.fromkeys(names_at)
    tools = [name for name in names if not isinstance(app.roster.available(app.roster.spec(name)), Missing)]
    scheme, host, *_ = urlsplit(endpoints[0].base_url)
    return setup.RunningServer(
        kind=server.kind,
        address=shown(urlunsplit((scheme, host, "", "", ""))),
        models=tuple(shown(app.redact(model.id)) for model in server.models[:_MODELS_SHOWN]),
        context_tokens=next((model.window for model in server.models if model.window), None),
        is_loading=server.is_loading,
        tools=tuple(tools),
    )


_MODELS_SHOWN = 20


async def state_problems(root: Path) -> tuple[str, ...]:
    """Return why the state directory ``root`` cannot be written; empty if it can."""
    try:
        await anyio.to_thread.run_sync(_try_to_write, root)
    except StoreError as error:
        return (shown(error),)
    return ()


def _try_to_write(root: Path) -> None:
    """Leave nothing new: an empty folder of a host would make the next run be stored there."""
    folder = root / "consult"
    missing = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    try:
        StateFolder(root).ensure_writable(folder)
    finally:
        for each in missing:
            with suppress(OSError):  # another process has used it meanwhile
                each.rmdir()


def shown(text: object) -> str:
    """Return ``text`` as it can be shown and put into JSON."""
    # A path may contain bytes that are not text, and JSON contains only text.
    return for_terminal(str(text))


async def _examined(app: App, spec: providers.ProviderSpec, *, deep: bool) -> setup.ProviderDiagnosis:
    available = app.roster.available(spec)
    diagnosis = setup.ProviderDiagnosis(
        name=spec.name,
        kind=spec.kind,
        family=spec.shown_family,
        origin=shown(app.roster.providers.origin(spec.name)),
        health=setup.Health.READY,
        structured=spec.structured if isinstance(spec, providers.ApiProvider) else "",
    )
    if isinstance(available, Missing):
        # A script is for tests and dry runs, and a shell has no host: their absence is no problem.
        advice = "" if spec.kind in {providers.ProviderKind.SCRIPTED, providers.ProviderKind.HOST} else available.hint
        return diagnosis.model_copy(
            update={"health": setup.Health.MISSING, "problem": available.reason, "advice": advice}
        )
    diagnosis = diagnosis.model_copy(update={"location": str(available.location or "")})
    if isinstance(spec, providers.CliProvider) and spec.version:
        diagnosis = await _with_version(app, spec, diagnosis)
    if deep and diagnosis.health is setup.Health.READY and _can_be_asked(app, spec):
        diagnosis = await _asked(app, spec, diagnosis)
    return diagnosis


def _can_be_asked(app: App, spec: providers.ProviderSpec) -> bool:
    """Return whether a question is useful: not to a script, nor to an API of which no model is known."""
    if isinstance(spec, providers.ApiProvider):
        return can_choose_model(spec, app.settings.environment)
    return spec.kind is not providers.ProviderKind.SCRIPTED


async def _with_version(
    app: App, spec: providers.CliProvider, diagnosis: setup.ProviderDiagnosis
) -> setup.ProviderDiagnosis:
    command = Command(
        argv=(diagnosis.location, *spec.version),
        env=child_environment(spec, app.settings.environment, Addition()),
        cwd=app.place.project,
    )
    try:
        finished = await run_child(command, prompt=None, timeout_s=VERSION_TIMEOUT_S)
    except OSError as error:
        return _broken(diagnosis, f"It cannot be started: {error.strerror}.", spec.install)
    if finished.exit_code != 0:
        output = one_line(app.redact(finished.stderr or finished.stdout), 120) or "nothing"
        called = " ".join((spec.command.program, *spec.version))
        return _broken(diagnosis, f"`{called}` failed: {output}", spec.install)
    version = one_line(app.redact(finished.stdout), 60)
    is_built_in = app.roster.providers.origin(spec.name) == BUILT_IN
    doubts = [doubt(spec.name, version) if is_built_in else "", spec.notice]
    diagnosis = diagnosis.model_copy(update={"version": version, "doubt": " ".join(filter(None, doubts))})
    oldest = spec.command.oldest
    if oldest and is_older(version, oldest):
        return _broken(diagnosis, f"It is older than {oldest}, the oldest version that can be used.", "Update it.")
    return diagnosis


async def _asked(app: App, spec: providers.ProviderSpec, diagnosis: setup.ProviderDiagnosis) -> setup.ProviderDiagnosis:
    is_api = isinstance(spec, providers.ApiProvider)
    question = consultation.Question(
        prompt=app.prompts.render("doctor/check", {}),
        brief=consultation.Brief(step="consult/question", topic="ready", role=base.Role.CONSULTANT, round=1),
        effort=None if is_api else base.Effort.LOW,  # not every model has a low one
        timeout_s=QUESTION_TIMEOUT_S,
        form=_CHECK if is_api else None,
    )
    reply = await app.roster.consultant(spec.name).ask(question)
    if app.roster.schema_refusals.of(spec.name):
        diagnosis = diagnosis.model_copy(update={"structured": _REFUSED})
    if isinstance(reply, consultation.Answer):
        return diagnosis
    broken = _broken(diagnosis, f"It did not answer: {reply.code}: {reply.detail}", spec.install)
    return broken.model_copy(update={"failure": reply.code})


_REFUSED = "refused"
_CHECK = RequestedForm(
    name="sparring_check",
    json_schema={
        "type": "object",
        "properties": {"ready": {"type": "boolean"}},
        "required": ["ready"],
        "additionalProperties": False,
    },
)
"""Smallest possible form: if its schema is accepted, any other is probably accepted too."""


def _broken(diagnosis: setup.ProviderDiagnosis, problem: str, advice: str) -> setup.ProviderDiagnosis:
    return diagnosis.model_copy(update={"health": setup.Health.BROKEN, "problem": problem, "advice": advice})


_VERSION = re.compile(r"\d+(?:\.\d+)+")


def measured_file(tool: str) -> Path:
    """Return the file with the measurements of ``tool`` and their version; ``make lab`` writes it."""
    return Path(cli.__file__).with_name(tool) / "measured.json"


def is_older(printed: str, oldest: str) -> bool:
    """Return whether the version in ``printed`` is known to be older than ``oldest``."""
    match = _VERSION.search(printed)
    return match is not None and _parts(match[0]) < _parts(oldest)


def doubt(tool: str, printed: str) -> str:
    """Return a warning that the ``printed`` version of ``tool`` was never measured; empty if it was.

    sparring relies on the behaviour of one version. Another may read more, ask more often or leave more files.
    """
    file = measured_file(tool)
    known = json.loads(file.read_bytes())["version"] if file.is_file() else None
    match = _VERSION.search(printed)
    if known is None or (match and match[0] == known):
        return ""
    unknown = "Its input, calls and leftover files may differ: see docs/tools.md."
    if match is None:
        return f"Its version cannot be read from that; {known} was measured. {unknown}"
    order = "newer" if _parts(match[0]) > _parts(known) else "older"
    return f"{tool} {match[0]} is {order} than {known}, the last that was measured. {unknown}"


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
