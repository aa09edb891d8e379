"""The tools that look at runs, wait for them and stop them."""

from typing import Annotated

from pydantic import Field

from sparring.server.tools.calls import Call, Result, answered
from sparring.server.tools.parameters import Again, Page, RunId


async def wait(run_id: RunId, again: Again = 0, page: Page = 1, *, ctx: Call) -> Result:
    """Wait for a run up to 45 seconds and get its result; or "running": then call wait once more; or "your_turn", page
    by page: then call answer.
    """  # noqa: D205 -- one paragraph for a model
    return await answered(ctx, lambda answers, tell: answers.wait(run_id, tell, again, page))


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
