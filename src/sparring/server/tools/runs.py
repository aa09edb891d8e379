"""The tools that look at runs, wait for them and stop them."""

from typing import Annotated

from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from pydantic import Field

from sparring.errors import SparringError
from sparring.server.tools.calls import Call, Result, answered, client_name
from sparring.server.tools.parameters import Page, RunId


async def wait(run_id: RunId, *, ctx: Call) -> Result:
    """Wait for a run up to 45 seconds and get its result, or "running" again: then call wait once more."""
    return await answered(ctx, lambda answers, tell: answers.wait(run_id, tell))


async def cancel(run_id: RunId, *, ctx: Call) -> Result:
    """Stop a run. What was said is kept; its tool with resume goes on with it."""
    return await answered(ctx, lambda answers, _: answers.cancel(run_id))


async def runs(
    run_id: Annotated[str, Field(description="Empty: list the runs of this project")] = "",
    page: Page = 1,
    *,
    ctx: Call,
) -> Result:
    """List this project's runs, newest first, or read the whole transcript of one, page by page."""
    return await answered(ctx, lambda answers, _: answers.transcript(run_id, page) if run_id else answers.runs(page))


async def report(run_id: str, ctx: Call) -> str:
    """The report of a run: verdict or answer, and the transcript."""
    desk = ctx.request_context.lifespan_context
    try:
        return await desk.answers(client_name(ctx)).report(run_id)
    except SparringError as error:
        raise ResourceNotFoundError(desk.refusal(error).text) from error
