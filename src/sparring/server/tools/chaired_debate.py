"""The tool ``chaired_debate``."""

from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from sparring.server.tools.calls import Call, Result, answered
from sparring.server.tools.parameters import Context, Effort, Resume


async def chaired_debate(  # noqa: PLR0913, PLR0917 -- what a chaired debate can be told
    topic: Annotated[str, Field(description="Or from config/debate-config.json")] = "",
    promoter: Annotated[str, Field(description="Tool; host: you; or chosen")] = "",
    detractor: str = "",
    chair: str = "",
    provider: str = "",
    audience: str = "",
    reporter: str = "",
    min_rounds: int | SkipJsonSchema[None] = None,
    max_rounds: int | SkipJsonSchema[None] = None,
    time_budget_minutes: float | SkipJsonSchema[None] = None,
    output_dir: str = "",
    effort: Effort = "medium",
    context: Context = (),
    resume: Resume = "",
    *,
    no_web: bool = False,
    ctx: Call,
) -> Result:
    """Let a promoter and a detractor argue a question of fact: claims need web sources, code checks each, a chair rules
    and decides. 10 to 20 calls.
    """  # noqa: D205 -- one paragraph for a model
    from sparring.app import ChairedDebateWish, ContextWish  # noqa: PLC0415 -- not before a call needs it (see desk)
    from sparring.schema.runs import RunKind  # noqa: PLC0415 -- the same

    if resume:
        return await answered(ctx, lambda answers, tell: answers.resume(resume, RunKind.CHAIRED_DEBATE, topic, tell))
    wish = ChairedDebateWish(
        topic=topic,
        provider=provider,
        chair=chair,
        promoter=promoter,
        detractor=detractor,
        audience=audience,
        reporter=reporter,
        min_rounds=min_rounds,
        max_rounds=max_rounds,
        time_budget_s=None if time_budget_minutes is None else time_budget_minutes * 60,
        no_web=no_web,
        output_dir=output_dir,
        effort=effort,
        context=ContextWish(context),
    )
    return await answered(ctx, lambda answers, tell: answers.begin(wish, tell))
