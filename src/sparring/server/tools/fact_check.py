"""The tool ``fact_check``."""

from typing import Annotated, Literal

from pydantic import Field

from sparring.server.tools.calls import Call, Result, answered
from sparring.server.tools.parameters import Effort, Language, Resume


async def fact_check(  # noqa: PLR0913, PLR0917 -- what a fact-check can be told
    claim: str = "",
    evidence: Annotated[
        tuple[str, ...], Field(description='Sources: whole texts, or "file=PATH" (in the project)')
    ] = (),
    agents: Annotated[
        str, Field(description="2 to 7: claude,codex:MODEL,host (you); empty: three; offline,offline needs no AI tool")
    ] = "",
    max_rounds: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": 5})] = 3,
    escalation: Annotated[
        Literal["auto", "always", "never"], Field(description="auto: debate when they disagree or a quote is false")
    ] = "auto",
    language: Language = "en",
    effort: Effort = "medium",
    timeout_s: float = 240,
    resume: Resume = "",
    *,
    ctx: Call,
) -> Result:
    """Check a claim against evidence: several AI tools judge it blind, code looks every quote up, and they debate
    where they disagree. SUPPORTED, REFUTED or NEI, with the quotes and where they stand.
    """  # noqa: D205 -- one paragraph for a model
    from sparring.app import EvidenceWish, FactCheckWish, spelled_source  # noqa: PLC0415 -- not before a call needs it
    from sparring.schema.runs import RunKind  # noqa: PLC0415 -- the same

    if resume:
        return await answered(ctx, lambda answers, tell: answers.resume(resume, RunKind.FACT_CHECK, claim, tell))
    wish = FactCheckWish(
        claim=claim,
        evidence=EvidenceWish(tuple(spelled_source(spelling) for spelling in evidence)),
        agents=agents,
        max_rounds=max_rounds,
        escalation=escalation,
        language=language,
        effort=effort,
        timeout_s=timeout_s,
    )
    return await answered(ctx, lambda answers, tell: answers.begin(wish, tell))
