"""State of a server session: the task group of its runs, and, from the first call on, its answers.

Nothing of a deliberation is imported before a call needs it: a host that lists tools waits for every import, and one
that starts several servers pays for each (design: The MCP surface).

Tools get a context from the SDK. Completion and resources without parameters get none, so a middleware, which wraps
every message, makes the request available to them.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from sparring.errors import ExitCode, SparringError
from sparring.server.limits import ServerLimits
from sparring.server.results import ToolResult, nothing_done, refused
from sparring.server.wording import error_for_agents
from sparring.settings import Settings

if TYPE_CHECKING:
    from sparring.server.answers import Answers
    from sparring.server.jobs import Jobs


class ServerSession:
    """Session of the server, in which calls are answered."""

    def __init__(self, group: anyio.abc.TaskGroup, settings: Settings | None, limits: ServerLimits | None) -> None:
        self._group = group
        self._settings = settings
        self._limits = limits
        self._jobs: Jobs | None = None  # those of the answers
        self._answers: Answers | None = None
        self._redact: Callable[[str], str] = str

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings | None, limits: ServerLimits | None) -> AsyncGenerator["ServerSession"]:
        """Open a session; when it closes, every run is stopped, its children are ended, and it stays resumable."""
        async with anyio.create_task_group() as group:
            yield cls(group, settings, limits)
            group.cancel_scope.cancel()

    def answers(self, client: str | None) -> "Answers":
        """Return the object that answers calls; ``client``, the first host that calls, decides where state is kept.

        Raises:
            ConfigurationError: The environment or the configuration cannot be used; the next call tries again.
        """
        if self._answers is None:
            self._answers = self._set_up(client)
        return self._answers

    def refusal(self, error: SparringError, example: str = "") -> ToolResult:
        """A refusal that states ``error`` without secrets, and then the ``example``; no refusal if nothing is to do."""
        message = self._redact(error_for_agents(error))
        return nothing_done(message) if error.exit_code is ExitCode.DONE else refused(message, example)

    async def wait_until_idle(self) -> None:
        """Return when no run is at work any more."""
        if self._jobs:
            await self._jobs.wait_until_idle()

    async def stop(self) -> int:
        """Stop every run, and return how many there were when all that they started has ended."""
        return await self._jobs.cancel_all() if self._jobs else 0

    def _set_up(self, client: str | None) -> "Answers":
        from sparring.app import App  # noqa: PLC0415 -- see the module's docstring
        from sparring.server.answers import Answers  # noqa: PLC0415
        from sparring.server.deliberations import Deliberations  # noqa: PLC0415
        from sparring.server.jobs import Jobs  # noqa: PLC0415

        settings = self._settings or Settings.of_process()
        limits = self._limits or ServerLimits.of(settings.environment)
        app = App(settings, client=client, attended=True)
        self._redact = app.redact
        self._jobs = Jobs(self._group)
        return Answers(Deliberations(app, self._jobs, limits), limits)


Asking = ServerRequestContext[ServerSession, Any]

_request: ContextVar[Asking] = ContextVar("request")


async def remember(ctx: Asking, call_next: CallNext) -> HandlerResult:
    """The middleware."""
    token = _request.set(ctx)
    try:
        return await call_next(ctx)
    finally:
        _request.reset(token)


def current() -> ServerSession:
    """Return the session of the request that is being handled."""
    return _request.get().lifespan_context


def answers() -> "Answers":
    """Return the answers for the request that is being handled; raises ``ConfigurationError``."""
    params = _request.get().session.client_params
    return current().answers(params.client_info.name if params else None)
