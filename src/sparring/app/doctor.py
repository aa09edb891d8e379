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
    return setup.Diagnosis(
        sparring_version=__version__,
        python_version=platform.python_version(),
        project=shown(app.place.project),
        state=shown(app.place.state),
        provider_dir=shown(app.settings.provider_dir),
        deep=deep,
        providers=tuple(diagnoses[spec.name] for spec in specs),
        servers=await anyio.to_thread.run_sync(running_servers, app),
        problems=(
            *(shown(problem) for problem in app.roster.providers.problems),
            *await state_problems(app.place.state),
            *((shown(app.key.problem),) if app.key.problem else ()),
            *_configuration_problems(app),
        ),
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
    lines += [f"and {len(runs) - _RUNS_NAMED:,} more runs"] if len(runs) > _RUNS_NAMED else []
    memories = filter(None, (FORMATS[name].capability(Dismissing) for name in FORMATS))
    lines += [reason for memory in memories for reason in foreign_records(place, memory.path)]
    ledgers = [state / LEDGER for state in place.states]
    lines += filter(None, (ledger_problem(file, place.provenance) for file in ledgers if file.is_file()))
    return tuple(map(shown, lines))


def _foreign_runs(app: App) -> list[str]:
    try:
        return [run.run_id for run in history.list_runs(app.place) if not run.is_own]
    except StoreError:  # reported as a problem of the state folder
        return []


def running_servers(app: App) -> tuple[setup.RunningServer, ...]:
    """Return the model servers that run on this machine at an address in a provider file or variable."""
    addresses: dict[str, list[base.ToolName]] = {}
    for spec in app.roster.providers.specs.values():
        for address in _addresses(app, spec):
            addresses.setdefault(address, []).append(spec.name)
    places: dict[tuple[str, int], list[str]] = {}
    for address in addresses:
        endpoint = Endpoint(address)
        places.setdefault((endpoint.host, endpoint.port), []).append(address)
    servers = (_running(app, {address: addresses[address] for address in each}) for each in places.values())
    return tuple(each for each in servers if each is not None)


def _addresses(app: App, spec: providers.ProviderSpec) -> Iterator[str]:
    if not isinstance(spec, providers.ApiProvider):
        return
    with suppress(SettingsError):
        asked = endpoint_of(spec, app.settings.environment).base_url
        usual = spec.other_base_urls if asked == spec.base_url else ()
        yield from (address for address in (asked, *usual) if Endpoint(address).is_local)


def _running(app: App, tools: Mapping[str, Sequence[base.ToolName]]) -> setup.RunningServer | None:
    """Return the server at addresses that differ only in their paths, and the tools that ask it."""
    endpoints = [Endpoint(address) for address in tools]
    if not listens(endpoints[0]):
        return None
    server = next((server_at for each in endpoints if (server_at := app.roster.servers.server(each)) is not None), None)
    if server is None:
        return None
    names = dict.fromkeys(name for each in tools.values() for name in each)
    return setup.RunningServer(
        kind=server.kind,
        address=shown(urlunsplit((*urlsplit(endpoints[0].base_url)[:2], "", "", ""))),
        models=tuple(shown(app.redact(model.id)) for model in server.models[:_MODELS_SHOWN]),
        context_tokens=next((model.window for model in server.models if model.window), None),
        is_loading=server.is_loading,
        tools=tuple(name for name in names if not isinstance(app.roster.available(app.roster.spec(name)), Missing)),
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
    is_ours = app.roster.providers.origin(spec.name) == BUILT_IN
    doubts = (doubt(spec.name, version) if is_ours else "", spec.notice)
    diagnosis = diagnosis.model_copy(update={"version": version, "doubt": " ".join(filter(None, doubts))})
    if (oldest := spec.command.oldest) and is_older(version, oldest):
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
