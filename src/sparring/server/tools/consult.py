"""The tool ``consult``."""

from typing import Annotated, Literal

from pydantic import Field

from sparring.server.tools.calls import Call, Result, answered
from sparring.server.tools.parameters import Access, Context, Model


async def consult(  # noqa: PLR0913, PLR0917 -- what a consultation can be told
    question: Annotated[
        str, Field(description="With the context all that the tool reads: it does not see this conversation")
    ],
    tool: Annotated[
        str,
        Field(description="claude, codex, ...; several: claude,codex:MODEL; empty: the first AI tool installed"),
    ] = "",
    model: Model = "",
    effort: Annotated[
        Literal["", "low", "medium", "high", "max"], Field(description="Empty: medium, or the session's")
    ] = "",
    timeout_s: Annotated[float, Field(description="Seconds for each answer")] = 120,
    session_id: Annotated[
        str, Field(description='Continue this session; "last"; or "2": answer 2 of the last several')
    ] = "",
    count: Annotated[
        int,
        Field(description="Ask each tool this often", json_schema_extra={"minimum": 1, "maximum": 5}),
    ] = 1,
    context: Context = (),
    repo_access: Access = "none",
    *,
    ctx: Call,
) -> Result:
    """Ask another AI tool one question: a second opinion; or several tools at once. Costs one model call for each
    answer.
    """  # noqa: D205 -- one paragraph for a model
    from sparring.app import ConsultWish, ContextWish  # noqa: PLC0415 -- not before a call needs it (see desk)

    wish = ConsultWish(
        question=question,
        tool=tool,
        model=model,
        effort=effort,
        timeout_s=timeout_s,
        session=session_id,
        count=count,
        repo_access=repo_access,
        context=ContextWish(context),
    )
    return await answered(ctx, lambda answers, tell: answers.begin(wish, tell))
