"""``sparring serve --http``: the same tools over HTTP, on loopback for every client, elsewhere only with the token.

Read it from top to bottom: the token, the address, serving from start to end; ``auth`` checks every request.
Only the command imports it: the server on standard input needs none of it. There is no CORS, because foreign web
pages are no clients; TLS is left to a proxy in front. A client without a required token is read no
further than the head of a request, and not for long.
"""

import logging
import math
import os
import re
import socket
import stat
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from msgspec import Struct
from msgspec.structs import replace
from uvicorn.protocols.http.h11_impl import H11Protocol

from sparring.errors import ConfigurationError, SettingsError, UsageError
from sparring.server import building, limits, live, stop_signals
from sparring.server.http_auth import PATH, AnonymousConnections, HttpAuth, connection_of, is_loopback
from sparring.server.session import ServerSession
from sparring.settings import Settings
from sparring.store.history import find_run
from sparring.store.hosts import STATE_VARIABLE, Place, project_root, state_root
from sparring.text.tidying import one_line

TOKEN_VARIABLE = "SPARRING_HTTP_TOKEN"  # noqa: S105 -- the name of a variable

SHORTEST_TOKEN = 32
"""Characters: 128 bits as hexadecimal digits. A token is never typed, so there is no reason for a shorter one."""

_TOKEN = re.compile(f"[!-~]{{{SHORTEST_TOKEN},}}")
_TOKEN_NEEDS = f"needs at least {SHORTEST_TOKEN} characters, all of them visible ASCII"
_MAKE_ONE = "Make one with `openssl rand -hex 32`."
_FILE_LIMIT = 4096
_READABLE_BY_OTHERS = 0o077

_SPELLED = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.%\w]+)\]|(?P<host>[^\[\]:/\s]+)):(?P<port>\d{1,5})")
_SHOWN = 100
_BACKLOG = 512

_KEEP_ALIVE_S = 75
"""Longer than clients keep an idle connection, so that none is closed while its client begins to use it again."""

_FLUSH_S = 5
"""Seconds for calls to write their results at the end."""


class HttpLimits(Struct, frozen=True):
    """Limits that protect the server; generous for every well-behaved client.

    Attributes:
        body_bytes: Most bytes of a request. Evidence may have 1 MiB, and a character up to six bytes as JSON.
        sessions: Most sessions at once; clients of a later revision of the protocol need none.
        idle_s: Seconds without a request after which a session ends.
        connections: Most connections at once; fewer where the system allows fewer open files.
        grace_s: Seconds for runs to finish when the server is asked to end.
        anonymous: Most connections of one address whose peers have not shown the token.
        anonymous_s: Seconds for each of these to show it.
        exempt: Whether an address may have any number of them.
    """

    body_bytes: int = 8 * 1024 * 1024
    sessions: int = 500
    idle_s: float = 30 * 60
    connections: int = 2_000
    grace_s: float = 30.0
    anonymous: int = 32
    anonymous_s: float = 10.0
    exempt: Callable[[str], bool] = is_loopback


BOUNDS = HttpLimits()


def read_token(environment: Mapping[str, str], file: Path | None, project: Path) -> str | None:
    """Return the token in ``file`` or else in the environment; None without one. No error repeats a part of one.

    Raises:
        ConfigurationError: There are two, the file cannot be trusted, or the token is too short.
    """
    token = environment.get(TOKEN_VARIABLE, "").strip()
    if file is None:
        if token and not _TOKEN.fullmatch(token):
            raise SettingsError(f"{TOKEN_VARIABLE} {_TOKEN_NEEDS}.", hint=_MAKE_ONE)
        return token or None
    if token:
        raise SettingsError(f"There is a token in {file}, and in {TOKEN_VARIABLE} as well.", hint="Give one.")
    if file.resolve().is_relative_to(project):
        # Callers pass files of the project as material, so the tools that are asked could read this one.
        raise ConfigurationError(f"{file} lies in the project that is served.", hint="Keep the token elsewhere.")
    token = _read_private(file).decode("latin-1").strip()
    if not _TOKEN.fullmatch(token):
        raise ConfigurationError(f"The token in {file} {_TOKEN_NEEDS}.", hint=_MAKE_ONE)
    return token


def _read_private(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ConfigurationError(f"{path} is not a regular file.")
            if sys.platform != "win32" and status.st_mode & _READABLE_BY_OTHERS:
                raise ConfigurationError(f"{path} is open to other users.", hint=f"Run `chmod 600 {path}`.")
            return stream.read(_FILE_LIMIT)
    except OSError as error:
        raise ConfigurationError(f"The token in {path} cannot be read: {error.strerror}.") from error


class Address(Struct, frozen=True):
    """A host and a port; port 0 is any that is free."""

    host: str
    port: int

    @classmethod
    def parse(cls, spelled: str) -> "Address":
        """The address that is spelled ``HOST:PORT``, with an IPv6 address in brackets; raises ``UsageError``."""
        match = _SPELLED.fullmatch(spelled.strip())
        if match is None or int(match["port"]) > 65_535:
            shown = one_line(repr(spelled), _SHOWN)
            raise UsageError(f"{shown} is not an address.", hint="Give HOST:PORT, e.g. 127.0.0.1:8000 or [::1]:8000.")
        return cls(match["six"] or match["host"], int(match["port"]))

    @property
    def url(self) -> str:
        """The beginning of every URL there."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def listen(self) -> socket.socket:
        """A socket that listens there.

        Raises:
            UsageError: The host is not one of this machine, or the port is taken or not allowed.
        """
        try:
            family, _, _, _, resolved = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
            return socket.create_server((resolved[0], resolved[1]), family=family, backlog=_BACKLOG)
        except OSError as error:
            reason = (error.strerror or str(error)).split(" (while")[0]
            raise UsageError(
                f"Nothing can listen on {one_line(self.url, _SHOWN)}: {reason}.", hint="Choose another address."
            ) from error

    def of(self, listening: socket.socket) -> "Address":
        """This address with the port that was found for it."""
        return Address(self.host, listening.getsockname()[1])


Print = Callable[[str], None]

Asks = Callable[[], AbstractContextManager[AsyncIterator[object]]]
"""Returns a context with a stream of requests to end the server; each item is one request."""


def serve(
    spelled: str,
    token_file: Path | None,
    print_line: Print,
    *,
    bounds: HttpLimits = BOUNDS,
    settings: Settings | None = None,
    asks: Asks = stop_signals.StopSignals,
) -> None:
    """Serve at the address ``spelled`` until asked to end; every run is finished then, or can be resumed.

    Args:
        spelled: ``HOST:PORT``; any but a loopback address needs a token.
        token_file: File with the token; by default it is in the environment.
        print_line: Called with a line when the server is ready, and one when it has ended.
        bounds: Limits for clients. A second request to end cuts ``grace_s`` short.
        settings: By default those of this process.
        asks: By default signals, which only the main thread gets.

    Raises:
        UsageError: The address cannot be used, or needs a token.
        ConfigurationError: The environment or the file of the token cannot be used.
    """
    address = Address.parse(spelled)
    settings = settings or Settings.of_process()
    project = project_root(settings.cwd, settings.environment)
    token = read_token(settings.environment, token_file, project)
    if token is None and not is_loopback(address.host):
        raise UsageError(
            f"Without a token only this machine is served, and {address.host} can be reached from others.",
            hint=f"Set {TOKEN_VARIABLE}, or name a file with --set token_file=FILE.",
        )
    state = state_root(project, settings.environment)
    _be_quiet()
    with address.listen() as listening:
        readers = "every holder of the token" if token else "this machine"
        hello = f"Serving {address.of(listening).url}{PATH} for {readers}; runs are kept in {state}."
        opened = partial(_serve, listening, _with_token(settings, state, token), token, bounds, asks)
        stopped = anyio.run(opened, lambda: print_line(hello))
    runs = f"{stopped} run" + ("" if stopped == 1 else "s")
    print_line(f"Ended; {runs} stopped, which can be resumed." if stopped else "Ended.")


def _with_token(settings: Settings, state: Path, token: str | None) -> Settings:
    """Return the settings with a token that is never passed on; ``state`` is valid for every client."""
    environment = {name: value for name, value in settings.environment.items() if name != TOKEN_VARIABLE}
    secrets = (*settings.secrets, token) if token else settings.secrets
    return replace(settings, environment=environment | {STATE_VARIABLE: str(state)}, secrets=secrets)


async def _serve(
    listening: socket.socket,
    settings: Settings,
    token: str | None,
    bounds: HttpLimits,
    asks: Asks,
    hello: Callable[[], None],
) -> int:
    """Serve until asked to end; return the number of runs that could not finish."""
    stopped = 0
    with asks() as asked:
        async with anyio.create_task_group() as group:
            async with ServerSession.open(
                settings, limits.ServerLimits.of(settings.environment, most_runs=math.inf)
            ) as session:
                sessions = _sessions(session, bounds)
                async with sessions.run():
                    anonymous = AnonymousConnections(bounds.anonymous, bounds.exempt)
                    pages = live.RunPages(lambda run_id: find_run(run_id, Place.find(settings, None)))
                    auth = HttpAuth(sessions, pages, token, anonymous)
                    connection = connection_of(anonymous, bounds.anonymous_s) if token else H11Protocol
                    server = live.QuietServer(
                        auth,
                        http=connection,
                        limit_concurrency=_connections(bounds.connections),
                        timeout_keep_alive=_KEEP_ALIVE_S,
                    )
                    group.start_soon(server.serve, [listening])
                    hello()
                    await anext(asked)
                    auth.close()
                    stopped = await _stop_runs(session, asked, bounds.grace_s)
                    # Calls that wait for a run return now with its ending.
                    with anyio.move_on_after(_FLUSH_S):
                        await auth.empty()
                    auth.lock()
                    pages.close()
            server.should_exit = True
    return stopped


def _sessions(session: ServerSession, bounds: HttpLimits) -> StreamableHTTPSessionManager:
    server = building.build_server(session=session)
    server.streamable_http_app(
        max_request_body_size=bounds.body_bytes,
        session_idle_timeout=bounds.idle_s,
        max_sessions=bounds.sessions,
        # HttpAuth has checked Host and Origin, and knows the client.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server.session_manager


async def _stop_runs(session: ServerSession, asked: AsyncIterator[object], grace_s: float) -> int:
    """Let runs finish for so long, or until we are asked again, and stop the others; how many these were."""
    with anyio.move_on_after(grace_s):
        async with anyio.create_task_group() as grace:
            grace.start_soon(stop_signals.cancel_on_signal, asked, grace.cancel_scope)
            await session.wait_until_idle()
            grace.cancel_scope.cancel()
    return await session.stop()


def _connections(most: int) -> int:
    """Return ``most``, or half of what the system lets us open if that is less: runs need files as well."""
    if sys.platform == "win32":
        return most
    import resource  # noqa: PLC0415 -- does not exist on Windows

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if limit == resource.RLIM_INFINITY else max(1, min(most, limit // 2))


def _be_quiet() -> None:
    """No line for each request or peer that does something odd; accidents are still logged."""
    for name in ("uvicorn", "mcp"):
        logging.getLogger(name).setLevel(logging.ERROR)
