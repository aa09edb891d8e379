"""Whether a provider can be asked here, found out without asking it."""

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sparring.consult.process import find_program
from sparring.consult.providers.endpoints import Endpoint, endpoint_of, missing_key
from sparring.errors import SettingsError
from sparring.schema.providers import (
    AcpProvider,
    ApiProvider,
    CliProvider,
    HostProvider,
    ProviderSpec,
    ScriptedProvider,
)
from sparring.schema.providers.common import Provider

ACP_PACKAGE = "acp"
"""What is imported of the package ``agent-client-protocol``, which is there when the extra ``acp`` was asked for."""

_LISTENING_S = 0.25
"""On one's own machine a connection is there at once, or refused at once; a firewall may do neither."""


@dataclass(frozen=True)
class Available:
    """The provider can be asked. ``location`` is its program, script or address, if it has one."""

    location: Path | str | None = None


@dataclass(frozen=True)
class Missing:
    """The provider cannot be asked, and what to do about it."""

    reason: str
    hint: str


@dataclass(frozen=True)
class NotExecutable(Missing):
    """The program is there, and may not be executed."""


def availability(spec: ProviderSpec, environment: Mapping[str, str], *, attended: bool = False) -> Available | Missing:
    """Whether the provider is installed here. Nothing is started, and nothing is sent.

    Whether a server on this machine listens is found out by connecting to it for a moment. ``attended`` says that an
    agent called us and can answer what it is asked.
    """
    match spec:
        case AcpProvider():
            return _acp(spec, environment)
        case CliProvider():
            return _program(spec, spec.command.program, environment)
        case ScriptedProvider():
            return _script(spec)
        case ApiProvider():
            return _api(spec, environment)
        case HostProvider() if not attended:
            return Missing(
                f"{spec.name} is the agent that calls over MCP; here is nobody who could answer.", spec.install
            )
        case _:
            return Available()


def _acp(spec: AcpProvider, environment: Mapping[str, str]) -> Available | Missing:
    if find_spec(ACP_PACKAGE) is None:
        return Missing(f"{spec.title} needs the extra: pip install 'sparring[acp]'.", "")
    return _program(spec, spec.program, environment)


def _program(spec: Provider, program: str, environment: Mapping[str, str]) -> Available | Missing:
    path = environment.get("PATH")
    found = find_program(program, path)
    if found is None and (barred := find_program(program, path, mode=os.F_OK)) is not None:
        return NotExecutable(f"{spec.title} cannot be started: `{barred}` may not be executed.", spec.install)
    if found is None:
        return Missing(f"{spec.title} is not installed: no `{program}` on PATH.", spec.install)
    return Available(Path(found))


def _script(spec: ScriptedProvider) -> Available | Missing:
    if spec.script is None:
        return Missing(f"{spec.name} has no script.", spec.install)
    if not spec.script.is_file():
        return Missing(f"The script of {spec.name} is not there: {spec.script}.", "Write it, or correct its path.")
    return Available(spec.script)


def _api(spec: ApiProvider, environment: Mapping[str, str]) -> Available | Missing:
    try:
        endpoint = endpoint_of(spec, environment)
    except SettingsError as error:
        return Missing(error.args[0], error.hint or spec.install)
    if endpoint.key is None and spec.key_variables and not spec.key_optional:
        return Missing(missing_key(spec), spec.install)
    if spec.detected and endpoint.is_local and not _listens(endpoint):
        return Missing(f"{spec.title} does not listen at {endpoint.base_url}.", spec.install)
    return Available(endpoint.base_url)


def _listens(endpoint: Endpoint) -> bool:
    try:
        socket.create_connection((endpoint.host, endpoint.port), timeout=_LISTENING_S).close()
    except OSError:
        return False
    return True
