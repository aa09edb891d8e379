"""The tool ``answer``."""

from typing import Annotated

from pydantic import Field

from sparring.server.tools.calls import Call, Result, answered
from sparring.server.tools.parameters import RunId


async def answer(
    run_id: RunId,
    ask_id: Annotated[str, Field(description="Of the same result")],
    text: Annotated[str, Field(description="All that you say, in the form asked for")],
    *,
    ctx: Call,
) -> Result:
    """Say what you are asked when a result has the status "your_turn", because you are "host" in that run. Goes on like
    wait.
    """  # noqa: D205 -- one paragraph for a model
    return await answered(ctx, lambda answers, tell: answers.answer(run_id, ask_id, text, tell))
