"""The tool ``jury``."""

from typing import Annotated

from pydantic import Field

from sparring.server.tools.calls import Call, Result, answered
from sparring.server.tools.parameters import Effort, Language, Resume


async def jury(  # noqa: PLR0913, PLR0917 -- what a jury can be told
    claim: str = "",
    truth: Annotated[str, Field(description='A text, or "file=PATH" (in the project)')] = "",
    advocate: Annotated[str, Field(description="Tool, tool:model, or host: you; empty: chosen")] = "",
    skeptic: str = "",
    fact_checker: str = "",
    judge: str = "",
    provider: Annotated[str, Field(description='For every empty seat; "offline" needs no AI tool')] = "",
    rebuttals: Annotated[int, Field(json_schema_extra={"minimum": 0, "maximum": 2})] = 1,
    language: Language = "en",
    row_id: str = "",
    dataset: str = "",
    effort: Effort = "medium",
    timeout_s: float = 240,
    resume: Resume = "",
    *,
    ctx: Call,
) -> Result:
    """Decide whether a claim says the same as the truth it is drawn from: FAITHFUL, PARTIALLY_FAITHFUL or MUTATED, and
    what was changed. An advocate and a skeptic argue, a fact-checker and code compare, a judge decides: 4 calls and 2
    per rebuttal.
    """  # noqa: D205 -- one paragraph for a model
    from sparring.app import JuryWish, spelled_source  # noqa: PLC0415 -- not before a call needs it (see desk)
    from sparring.schema.runs import RunKind  # noqa: PLC0415 -- the same

    if resume:
        return await answered(ctx, lambda answers, tell: answers.resume(resume, RunKind.JURY, claim, tell))
    wish = JuryWish(
        claim=claim,
        truth=spelled_source(truth),
        row_id=row_id,
        dataset=dataset,
        advocate=advocate,
        skeptic=skeptic,
        fact_checker=fact_checker,
        judge=judge,
        provider=provider,
        rebuttals=rebuttals,
        language=language,
        effort=effort,
        timeout_s=timeout_s,
    )
    return await answered(ctx, lambda answers, tell: answers.begin(wish, tell))
