"""The tool ``verify``."""

from typing import Annotated

from pydantic import Field

from sparring.server.tools.calls import Call, Result, answered


async def verify(
    claim: Annotated[str, Field(description="Its numbers, dates and changed words are compared")] = "",
    quotes: Annotated[tuple[str, ...], Field(description="Looked up word for word")] = (),
    evidence: Annotated[tuple[str, ...], Field(description='Texts, or "file=PATH" (in the project)')] = (),
    *,
    ctx: Call,
) -> Result:
    """Check a claim and quotes against evidence by code, at once and for free: no tool is asked. Finds invented and
    altered quotes, and what the evidence contradicts.
    """  # noqa: D205 -- one paragraph for a model
    from sparring.app import EvidenceWish, spelled_source  # noqa: PLC0415 -- not before a call needs it (see desk)
    from sparring.app.verifying.claims import VerifyWish  # noqa: PLC0415 -- the same

    wish = VerifyWish(claim, quotes, EvidenceWish(tuple(spelled_source(spelling) for spelling in evidence)))
    return await answered(ctx, lambda answers, _: answers.verify(wish))
