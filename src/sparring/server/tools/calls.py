"""One call: whose it is, and the way to its answer."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver import Context as CallContext
from mcp.types import CallToolResult

from sparring.errors import SparringError
from sparring.server.desk import Desk
from sparring.server.results import ToolResult, call_result

if TYPE_CHECKING:
    from sparring.server.answers import Answers, Tell

Call = CallContext[Desk]
Result = Annotated[CallToolResult, ToolResult]


def client_name(ctx: Call) -> str | None:
    """What the host calls itself, if it says."""
    params = ctx.session.client_params
    return params.client_info.name if params else None


async def answered(ctx: Call, answer: Callable[["Answers", "Tell"], Awaitable[ToolResult]]) -> CallToolResult:
    """What ``answer`` makes of the call, or a refusal; progress reaches the host."""
    desk = ctx.request_context.lifespan_context
    messages = 0

    async def tell(message: str) -> None:
        nonlocal messages
        messages += 1
        await ctx.report_progress(messages, message=message)

    try:
        result = await answer(desk.answers(client_name(ctx)), tell)
    except SparringError as error:
        result = desk.refusal(error)
    return call_result(result)
