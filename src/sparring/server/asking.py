"""Who asks: the request that is being handled, for the handlers that the SDK does not tell.

Tools get a context from the SDK. Completion and resources without parameters get none, so a middleware, which wraps
every message, puts it where they find it.
"""

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from sparring.server.desk import Desk

if TYPE_CHECKING:
    from sparring.server.answers import Answers

Asking = ServerRequestContext[Desk, Any]

_request: ContextVar[Asking] = ContextVar("request")


async def remember(ctx: Asking, call_next: CallNext) -> HandlerResult:
    """The middleware."""
    token = _request.set(ctx)
    try:
        return await call_next(ctx)
    finally:
        _request.reset(token)


def desk() -> Desk:
    """Where the request that is being handled is answered."""
    return _request.get().lifespan_context


def answers() -> "Answers":
    """What answers the request that is being handled; raises ``ConfigurationError``."""
    params = _request.get().session.client_params
    return desk().answers(params.client_info.name if params else None)
