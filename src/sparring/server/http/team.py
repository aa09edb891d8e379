"""A server for each member, in one process: what one does cannot be seen, waited for or stopped by another.

Each member has a desk, a state folder and sessions of their own, so nothing has to be filtered and no id can be
guessed. The folders lie outside the project: members may hand over files of the project as material, and let tools
read them.
"""

import hashlib
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from sparring.errors import SettingsError
from sparring.schema.limits import Allowance
from sparring.server.building import build_server
from sparring.server.desk import Desk
from sparring.server.http.bounds import Bounds
from sparring.server.http.members import FILE_VARIABLE, TOKEN_VARIABLE, Member, Members
from sparring.server.pace import Pace
from sparring.settings import Settings
from sparring.store.hosts import STATE_VARIABLE, state_root

_HASH_SHOWN = 12


@dataclass(frozen=True)
class Seat:
    """What one member has of the server."""

    desk: Desk
    sessions: StreamableHTTPSessionManager


class Team:
    """Everybody's seats. Without members there is one, for whoever comes."""

    def __init__(self, members: Members, seats: dict[str, Seat]) -> None:
        self._members = members
        self._seats = seats

    @classmethod
    @asynccontextmanager
    async def open(cls, members: Members, served: "Served", bounds: Bounds) -> AsyncGenerator["Team"]:
        """The team; when it closes, sessions end and every run is stopped and stays resumable."""
        async with AsyncExitStack() as stack:
            seats: dict[str, Seat] = {}
            for member in members.members or (_ANYBODY,):
                settings = served.settings_of(member, members)
                desk = await stack.enter_async_context(Desk.open(settings, served.pace, member.allowance))
                sessions = _sessions(desk, bounds)
                await stack.enter_async_context(sessions.run())
                seats[member.name] = Seat(desk, sessions)
            yield cls(members, seats)

    @property
    def is_open(self) -> bool:
        """Whether nobody needs a token."""
        return not self._members.members

    def seat(self, token: str | None) -> Seat | None:
        """The seat of whoever shows ``token``; None if it is nobody's."""
        if self.is_open:
            return self._seats[_ANYBODY.name]
        member = self._members.of(token) if token else None
        return self._seats[member.name] if member else None

    async def at_rest(self) -> None:
        """Return when nobody's runs are at work any more."""
        for seat in self._seats.values():
            await seat.desk.at_rest()

    async def stop(self) -> int:
        """Stop everybody's runs, and return how many there were when all that they started has ended."""
        stopped = 0

        async def stop(seat: Seat) -> None:
            nonlocal stopped
            stopped += await seat.desk.stop()

        async with anyio.create_task_group() as group:
            for seat in self._seats.values():
                group.start_soon(stop, seat)
        return stopped


@dataclass(frozen=True)
class Served:
    """The project that is served, and where the runs of a team are kept."""

    settings: Settings
    pace: Pace
    project: Path
    state: Path

    @classmethod
    def find(cls, settings: Settings, pace: Pace, project: Path, members: Members) -> "Served":
        """What is served from here.

        Raises:
            SettingsError: ``AI_STATE_DIR`` lies in the project, where members could read each other's runs.
        """
        environment = settings.environment
        if not members.members:
            return cls(settings, pace, project, state_root(project, environment))
        if not environment.get(STATE_VARIABLE, "").strip():
            return cls(settings, pace, project, _users_state_folder() / "team" / _unmistakable(project))
        state = state_root(project, environment).resolve() / "team"
        if state.is_relative_to(project):
            raise SettingsError(
                f"{STATE_VARIABLE} lies in the project, where members could read each other's runs.",
                hint="Leave it out, or name a folder elsewhere.",
            )
        return cls(settings, pace, project, state)

    def settings_of(self, member: Member, members: Members) -> Settings:
        """The settings that hold for ``member``: a folder of their own, and no token in anything that is passed on."""
        private = {TOKEN_VARIABLE, FILE_VARIABLE}
        environment = {name: value for name, value in self.settings.environment.items() if name not in private}
        state = self.state if member is _ANYBODY else self.state / member.name
        return replace(
            self.settings,
            environment=environment | {STATE_VARIABLE: str(state)},
            secrets=(*self.settings.secrets, *members.tokens),
            is_shared=member is not _ANYBODY,
        )


_ANYBODY = Member("anybody", b"", Allowance())


def _sessions(desk: Desk, bounds: Bounds) -> StreamableHTTPSessionManager:
    server = build_server(desk=desk)
    server.streamable_http_app(
        max_request_body_size=bounds.body_bytes,
        session_idle_timeout=bounds.idle_s,
        max_sessions=bounds.sessions,
        # The door has looked at Host and Origin, and knows who comes.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server.session_manager


def _users_state_folder() -> Path:
    from platformdirs import user_state_path  # noqa: PLC0415 -- not needed where AI_STATE_DIR is set

    return user_state_path("sparring", appauthor=False)


def _unmistakable(project: Path) -> str:
    digest = hashlib.sha256(str(project).encode("utf-8", "surrogateescape")).hexdigest()
    return f"{project.name or 'root'}-{digest[:_HASH_SHOWN]}"
