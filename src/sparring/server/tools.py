"""The tools as a host sees them: names, parameters, descriptions; each hands its call to ``answers``.

Descriptions are read by models on every turn, whether or not a tool is used: all definitions together stay below
12,000 characters.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.server.mcpserver import Context as CallContext
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from sparring.errors import SparringError
from sparring.server.definitions import defined
from sparring.server.desk import Desk
from sparring.server.results import ToolResult, call_result

if TYPE_CHECKING:
    from sparring.server.answers import Answers, Tell

Call = CallContext[Desk]
Result = Annotated[CallToolResult, ToolResult]
Effort = Literal["low", "medium", "high", "max"]
Model = Annotated[str, Field(description="Model id; empty: the tool's default")]
Access = Annotated[
    Literal["none", "read"], Field(description="read: the tool may read this project's files, never write")
]
Context = Annotated[
    tuple[str, ...],
    Field(description='Handed over with it: "diff" (git diff of what has changed), "file=PATH" (in the project)'),
]
RunId = Annotated[str, Field(description="run_id of an earlier result")]
# Ranges are only told here; the request itself is what refuses, with a sentence of its own.
Rounds = Annotated[int, Field(description="1 to 5", json_schema_extra={"minimum": 1, "maximum": 5})]
Page = Annotated[int, Field(json_schema_extra={"minimum": 1})]


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
    timeout_s: Annotated[float, Field(description="Seconds until the tool is given up")] = 120,
    session_id: Annotated[
        str, Field(description='Continue this session; "last"; or "2": answer 2 of the last several')
    ] = "",
    count: Annotated[
        int,
        Field(description="Ask each tool this often, side by side", json_schema_extra={"minimum": 1, "maximum": 5}),
    ] = 1,
    context: Context = (),
    repo_access: Access = "none",
    *,
    ctx: Call,
) -> Result:
    """Ask another AI tool one question: a second opinion; or several tools at once. They read only the question and
    its context, so include what it is about. Costs one model call for each answer. If status is "running", call wait
    with the run_id.
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
    return await _answered(ctx, lambda answers, tell: answers.consult(wish, tell))


async def debate(  # noqa: PLR0913, PLR0917 -- what a debate can be told
    topic: Annotated[str, Field(description="The question to argue about, with the facts both sides need")] = "",
    proposer: Annotated[str, Field(description="Tool that argues for; empty: chosen")] = "",
    challenger: Annotated[str, Field(description="Another tool, that argues against; empty: chosen")] = "",
    judge: Annotated[str, Field(description="Tool that decides; empty: a third one if there is one")] = "",
    provider: Annotated[str, Field(description='Takes every seat left empty; "offline" needs no AI tool')] = "",
    rounds: Rounds = 2,
    effort: Effort = "medium",
    model_proposer: Model = "",
    model_challenger: Model = "",
    timeout_s: Annotated[float, Field(description="Seconds for each speech")] = 240,
    context: Context = (),
    repo_access: Access = "none",
    resume: Annotated[str, Field(description="run_id of an interrupted debate to go on with, instead of a topic")] = "",
    *,
    ctx: Call,
) -> Result:
    """Let two AI tools argue a question for some rounds and a judge pick a side, with reasons. For decisions worth
    several model calls (2 per round and the judge) and minutes. If status is "running", call wait with the run_id.
    """  # noqa: D205 -- one paragraph for a model
    from sparring.app import ContextWish, DebateWish  # noqa: PLC0415 -- not before a call needs it (see desk)

    if resume:
        return await _answered(ctx, lambda answers, tell: answers.resume(resume, topic, tell))
    wish = DebateWish(
        topic=topic,
        provider=provider,
        proposer=proposer,
        challenger=challenger,
        judge=judge,
        rounds=rounds,
        effort=effort,
        model_proposer=model_proposer,
        model_challenger=model_challenger,
        timeout_s=timeout_s,
        repo_access=repo_access,
        context=ContextWish(context),
    )
    return await _answered(ctx, lambda answers, tell: answers.debate(wish, tell))


async def wait(run_id: RunId, *, ctx: Call) -> Result:
    """Wait for a run up to 45 seconds and get its result, or "running" again: then call wait once more."""
    return await _answered(ctx, lambda answers, tell: answers.wait(run_id, tell))


async def cancel(run_id: RunId, *, ctx: Call) -> Result:
    """Stop a run. What was said is kept; debate with resume goes on with it."""
    return await _answered(ctx, lambda answers, _: answers.cancel(run_id))


async def runs(
    run_id: Annotated[str, Field(description="Empty: list the runs of this project")] = "",
    page: Page = 1,
    *,
    ctx: Call,
) -> Result:
    """List this project's runs, newest first, or read the whole transcript of one, page by page."""
    return await _answered(ctx, lambda answers, _: answers.transcript(run_id, page) if run_id else answers.runs(page))


def all_tools() -> list[Tool]:
    """Every tool, in the order in which hosts list them."""
    asks_others = ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
    )
    stops = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    # Codex and Copilot CLI, when nobody is there to ask, run only what is read-only.
    reads = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    return [
        defined(consult, "Second opinion", asks_others),
        defined(debate, "Debate", asks_others),
        defined(wait, "Wait for a run", reads),
        defined(cancel, "Stop a run", stops),
        defined(runs, "Runs and transcripts", reads),
    ]


async def report(run_id: str, ctx: Call) -> str:
    """The report of a run: verdict or answer, and the transcript."""
    desk = ctx.request_context.lifespan_context
    try:
        return await desk.answers(client_name(ctx)).report(run_id)
    except SparringError as error:
        raise ResourceNotFoundError(desk.refusal(error).text) from error


def client_name(ctx: Call) -> str | None:
    """What the host calls itself, if it says."""
    params = ctx.session.client_params
    return params.client_info.name if params else None


async def _answered(ctx: Call, answer: Callable[["Answers", "Tell"], Awaitable[ToolResult]]) -> CallToolResult:
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
