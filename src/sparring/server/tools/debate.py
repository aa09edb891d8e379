"""The tool ``debate``."""

from typing import Annotated

from pydantic import Field

from sparring.server.tools.calls import Call, Result, answered
from sparring.server.tools.parameters import Access, Context, Effort, Model, Resume, Rounds


async def debate(  # noqa: PLR0913, PLR0917 -- what a debate can be told
    topic: Annotated[str, Field(description="The question to argue about, with the facts both sides need")] = "",
    proposer: Annotated[str, Field(description="Tool that argues for; host: you; empty: chosen")] = "",
    challenger: Annotated[str, Field(description="Another, that argues against")] = "",
    judge: Annotated[str, Field(description="Tool that decides; host: you; empty: a third one, or host")] = "",
    judges: Annotated[str, Field(description="Instead, a panel of up to 5: claude,codex:MODEL,gemini")] = "",
    devil: Annotated[str, Field(description="Instead of two tools, one that argues both sides")] = "",
    provider: Annotated[str, Field(description='For every empty seat; "offline" needs no AI tool')] = "",
    rounds: Rounds = 2,
    effort: Effort = "medium",
    model_proposer: Model = "",
    model_challenger: Model = "",
    timeout_s: Annotated[float, Field(description="Seconds for each speech")] = 240,
    context: Context = (),
    repo_access: Access = "none",
    resume: Resume = "",
    *,
    blind_openings: Annotated[bool, Field(description="Both open without hearing the other")] = False,
    ctx: Call,
) -> Result:
    """Let two AI tools argue a question for some rounds, code check what they cite, and a judge who does not know who
    is who pick a side, with reasons. For decisions worth several model calls (2 per round, 2 per judge) and minutes.
    """  # noqa: D205 -- one paragraph for a model
    from sparring.app import ContextWish, DebateWish  # noqa: PLC0415 -- not before a call needs it (see desk)
    from sparring.schema.runs import RunKind  # noqa: PLC0415 -- the same

    if resume:
        return await answered(ctx, lambda answers, tell: answers.resume(resume, RunKind.DEBATE, topic, tell))
    wish = DebateWish(
        topic=topic,
        provider=provider,
        proposer=proposer,
        challenger=challenger,
        judge=judge,
        judges=judges,
        devil=devil,
        blind_openings=blind_openings,
        rounds=rounds,
        effort=effort,
        model_proposer=model_proposer,
        model_challenger=model_challenger,
        timeout_s=timeout_s,
        repo_access=repo_access,
        context=ContextWish(context),
    )
    return await answered(ctx, lambda answers, tell: answers.begin(wish, tell))
