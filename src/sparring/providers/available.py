"""Availability of a provider, determined without asking it, and requests that it cannot meet.

Both are reported before anything is started, never ignored.
"""

import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from sparring.errors import SettingsError
from sparring.extras import install_command
from sparring.processes.children import find_program
from sparring.providers.api.endpoints import Endpoint, missing_key, named_model
from sparring.providers.api.servers import KnownServers, ServerKind, endpoint_at
from sparring.schema import providers
from sparring.schema.apis import MODELS_PATHS
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import QuestionTerms

ACP_PACKAGE = "acp"
"""Module of the package ``agent-client-protocol``, which the extra ``acp`` installs."""

_LISTENING_S = 0.25
"""On the local machine a connection succeeds or fails immediately; a firewall may do neither."""


class Available(Struct, frozen=True):
    """The provider can be asked. ``location`` is its program, script or address, if it has one."""

    location: Path | str | None = None


class Missing(Struct, frozen=True):
    """The provider cannot be asked, and what to do about it."""

    reason: str
    hint: str


class NotExecutable(Missing, frozen=True):
    """The program is there, and may not be executed."""


def availability(
    spec: providers.ProviderSpec,
    environment: Mapping[str, str],
    servers: KnownServers | None = None,
    *,
    attended: bool = False,
) -> Available | Missing:
    """Return whether the provider is installed. Nothing is started, and no question is sent.

    A server on this machine is connected to for a moment, and queried where it can identify itself. ``attended`` means
    that a calling agent can answer questions.
    """
    match spec:
        case providers.AcpProvider():
            return _acp(spec, environment)
        case providers.CliProvider():
            return _program(spec, spec.command.program, environment)
        case providers.ScriptedProvider():
            return _script(spec)
        case providers.ApiProvider():
            return _api(spec, environment, servers or KnownServers())
        case providers.HostProvider() if not attended:
            return Missing(f"{spec.name} is the agent that calls over MCP; in a shell there is none.", spec.install)
        case _:
            return Available()


def _acp(spec: providers.AcpProvider, environment: Mapping[str, str]) -> Available | Missing:
    if find_spec(ACP_PACKAGE) is None:
        return Missing(f"{spec.title} needs another package: {install_command('acp')}", "")
    return _program(spec, spec.program, environment)


def _program(spec: providers.ProgramProvider, program: str, environment: Mapping[str, str]) -> Available | Missing:
    path = environment.get("PATH")
    located = find_program(program, path)
    if located is None and (barred := find_program(program, path, mode=os.F_OK)) is not None:
        return NotExecutable(f"{spec.title} cannot be started: `{barred}` may not be executed.", spec.install)
    if located is None:
        return Missing(f"{spec.title} is not installed: no `{program}` on PATH.", spec.install)
    variables = spec.environment.one_of
    if variables and not any(environment.get(name) for name in variables):
        return Missing(f"{spec.title} needs {' or '.join(variables)} to be set.", spec.install)
    return Available(Path(located))


def _script(spec: providers.ScriptedProvider) -> Available | Missing:
    if spec.script is None:
        return Missing(f"{spec.name} has no script.", spec.install)
    if not spec.script.is_file():
        return Missing(f"The script of {spec.name} is not there: {spec.script}.", "Write it, or correct its path.")
    return Available(spec.script)


def _api(spec: providers.ApiProvider, environment: Mapping[str, str], servers: KnownServers) -> Available | Missing:
    try:
        endpoint = endpoint_at(spec, environment, servers)
    except SettingsError as error:
        return Missing(error.args[0], error.hint or spec.install)
    if reason := missing_key(spec, endpoint):
        return Missing(reason, spec.install)
    if spec.detected and endpoint.is_local:
        if not listens(endpoint):
            return Missing(f"{spec.title} does not listen at {endpoint.base_url}.", spec.install)
        is_usual = endpoint.base_url in {spec.base_url, *spec.other_base_urls}
        if spec.server and (other := _other_server(spec, endpoint, servers, is_exact=is_usual and spec.is_port_shared)):
            return Missing(f"{spec.title} does not run at {endpoint.base_url}: {other} does.", spec.install)
    return Available(endpoint.base_url)


def _other_server(spec: providers.ApiProvider, endpoint: Endpoint, servers: KnownServers, *, is_exact: bool) -> str:
    """Return the program that runs at the address instead of the expected one; empty where it is unknown.

    With ``is_exact``, a server that does not report its program counts as another one.
    """
    server = servers.server(endpoint)
    if server is None or server.kind is ServerKind.OTHER:
        return "something else" if is_exact else ""
    return "" if server.kind == spec.server else server.kind


def listens(endpoint: Endpoint) -> bool:
    """Return whether a program on this machine listens at the port of an address."""
    try:
        socket.create_connection((endpoint.host, endpoint.port), timeout=_LISTENING_S).close()
    except OSError:
        return False
    return True


def unsupported(spec: providers.ProviderSpec, terms: QuestionTerms, environment: Mapping[str, str]) -> str | None:
    """Return the part of the terms that the provider cannot meet, as a sentence; None if it meets all.

    ``environment`` may name the model of an API.
    """
    return next(filter(None, _refusals(spec, terms, environment)), None)


def _refusals(
    spec: providers.ProviderSpec, terms: QuestionTerms, environment: Mapping[str, str]
) -> Iterable[str | None]:
    match spec:
        case providers.CliProvider():
            return _cli_refusals(spec, terms)
        case providers.AcpProvider():
            return _program_refusals(spec, terms)  # the rest is for the agent to say; see ``providers.acp``
        case providers.ApiProvider():
            return _api_refusals(spec, terms, environment)
        case providers.HostProvider():
            # Its effort and its view of the project are its own affair: a run may request any of both.
            return _fixed_refusals(spec, terms, "has the model that its user chose", "is one conversation")
        case providers.OfflineProvider():
            return _fixed_refusals(spec, terms, "works without a model", "keeps no sessions")
        case providers.ScriptedProvider():
            return ()


def _cli_refusals(spec: providers.CliProvider, terms: QuestionTerms) -> Iterator[str | None]:
    if terms.model is not None and not spec.command.model:
        yield f"{spec.name} takes no model; leave it out."
    yield from _program_refusals(spec, terms)
    if terms.session_id is not None:
        yield _session_refusal(spec, terms.session_id)


def _program_refusals(spec: providers.ProgramProvider, terms: QuestionTerms) -> Iterator[str | None]:
    # Without any efforts the roster reports that they are not passed on.
    if spec.efforts and terms.effort is not None and terms.effort not in spec.efforts:
        yield f"{spec.name} has no effort level {terms.effort.value!r}; it knows: {_known(spec.efforts)}."
    if terms.repo_access not in spec.repo_access:
        yield f"{spec.name} cannot be given {terms.repo_access.value!r} access to the repository."
    yield _web_refusal(spec, terms)


def _web_refusal(spec: providers.ProviderSpec, terms: QuestionTerms) -> str | None:
    if not terms.web:
        return None
    if not spec.can_search:
        return f"{spec.name} cannot be allowed to search the web."
    if terms.repo_access is not RepoAccess.NONE:
        # A page could make it reveal by its next search what it has read.
        return f"{spec.name} can be allowed to search the web or to read the repository, not both at once."
    return None


def _session_refusal(spec: providers.CliProvider, session_id: str) -> str | None:
    if not spec.command.resume:
        return f"{spec.name} cannot continue a session."
    if spec.command.session_pattern and not re.fullmatch(spec.command.session_pattern, session_id):
        return f"{session_id!r} is not an id of a {spec.name} session."
    return None


def _api_refusals(
    spec: providers.ApiProvider, terms: QuestionTerms, environment: Mapping[str, str]
) -> Iterator[str | None]:
    if terms.session_id is not None:
        yield f"{spec.name} keeps no sessions; it cannot continue {terms.session_id!r}."
    if terms.repo_access is not RepoAccess.NONE:
        yield f"{spec.name} is a model without tools: it cannot read the repository. Give it what matters as context."
    yield _web_refusal(spec, terms)
    try:
        model = terms.model or named_model(spec, environment)
    except SettingsError as error:
        yield str(error)
        return
    if model is None and not spec.lists_models:
        yield _model_refusal(spec)
    if terms.effort is not None and terms.effort not in (efforts := spec.efforts_of(model)):
        of_model = f" for {model}" if model else ""
        yield f"{spec.name} has no effort level {terms.effort.value!r}{of_model}; it knows: {_known(efforts)}."


def _model_refusal(spec: providers.ApiProvider) -> str:
    places = (f"in {spec.model_variable}" if spec.model_variable else "", "as `model` in a provider file of your own")
    return (
        f"{spec.name} has no model of its own. Name one with `--model`, {' or '.join(filter(None, places))}; "
        f"{MODELS_PATHS[spec.api]} lists what there is."
    )


def _fixed_refusals(
    spec: providers.HostProvider | providers.OfflineProvider, terms: QuestionTerms, model: str, session: str
) -> Iterator[str | None]:
    if terms.model is not None:
        yield f"{spec.name} {model}; it cannot use {terms.model!r}."
    if terms.session_id is not None:
        yield f"{spec.name} {session}; it cannot continue {terms.session_id!r}."
    yield _web_refusal(spec, terms)


def _known(efforts: Mapping[Effort, object]) -> str:
    return ", ".join(level for level in Effort if level in efforts) or "none"
