"""The tools as a host sees them: name, parameters, description; each hands its call to ``answers``.

Descriptions are read by models on every turn, whether or not a tool is used: all definitions together stay below
12,000 characters. The SDK derives them from the signature, with a title for each field, and words refusals as its
validator does, over several lines with a link. An argument that does not exist it ignores; a misspelt ``rounds`` would
pass unnoticed. So they are slimmed here, and bad arguments refused in plain sentences.
"""

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context as CallContext
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from sparring.errors import SparringError
from sparring.server.desk import Desk
from sparring.server.results import ToolResult, call_result, refused

if TYPE_CHECKING:
    from sparring.server.answers import Answers, Tell

_OF_THE_CLASS = frozenset({"title", "description", "additionalProperties"})
"""What a schema says of the record that it was derived from, and no caller needs."""

_RESULT_KEYWORDS = frozenset({"type"})
"""What is told of a field of a result. The schema is repeated for every tool, and every field is always there."""


class _PlainTool(Tool):
    async def run(
        self,
        arguments: dict[str, Any],
        context: CallContext[Any, Any],
        convert_result: bool = False,  # noqa: FBT001, FBT002 -- the SDK's signature
    ) -> Any:
        if problem := self._problem(arguments):
            return call_result(refused(problem))
        return await super().run(arguments, context, convert_result)

    def _problem(self, arguments: dict[str, Any]) -> str:
        known: dict[str, Any] = self.parameters["properties"]
        if unknown := sorted(arguments.keys() - known.keys()):
            return f"{self.name} knows these arguments: {', '.join(known)}; not {', '.join(unknown)}."
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False)
            return " ".join(f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}." for fault in faults)
        return ""


def defined(call: Callable[..., Awaitable[CallToolResult]], title: str, annotations: ToolAnnotations) -> Tool:
    """``call`` as the tool of that name. Its docstring is what a model reads about it."""
    description = " ".join((inspect.getdoc(call) or "").split())
    tool = _PlainTool.from_function(call, title=title, description=description, annotations=annotations)
    tool.parameters = _optional(_without(tool.parameters, "title")) | {"additionalProperties": False}
    tool.fn_metadata.output_schema = _result(tool.fn_metadata.output_schema or {})
    return tool


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    """``schema`` without defaults that are empty: that a field may be left out is plain from its not being required."""
    fields: dict[str, dict[str, Any]] = schema["properties"]
    slim = {name: {key: value for key, value in of.items() if key != "default" or value} for name, of in fields.items()}
    return schema | {"properties": slim}


def _result(schema: dict[str, Any]) -> dict[str, Any]:
    """The fields of a result and their types, which is what clients check: words about a result are in the result."""
    properties: dict[str, dict[str, Any]] = schema["properties"]
    fields = {name: {key: of[key] for key in of if key in _RESULT_KEYWORDS} for name, of in properties.items()}
    return {"type": "object", "properties": fields}


def _without(schema: dict[str, Any], *keywords: str) -> dict[str, Any]:
    properties: dict[str, dict[str, Any]] = schema["properties"]
    slim = {name: {key: of[key] for key in of if key not in keywords} for name, of in properties.items()}
    kept = {key: value for key, value in schema.items() if key not in _OF_THE_CLASS}
    return kept | {"properties": slim}


Call = CallContext[Desk]
Result = Annotated[CallToolResult, ToolResult]


def client_name(ctx: Call) -> str | None:
    """What the host calls itself, if it says."""
    params = ctx.session.client_params
    return params.client_info.name if params else None


async def answered(ctx: Call, answer: Callable[["Answers", "Tell"], Awaitable[ToolResult]]) -> CallToolResult:
    """What ``answer`` makes of the call, or a refusal; progress reaches the host."""
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


Effort = Literal["low", "medium", "high", "max"]
Model = Annotated[str, Field(description="Empty: the tool's default")]
Access = Annotated[Literal["none", "read"], Field(description="read: it may read this project's files, never write")]
Context = Annotated[
    tuple[str, ...],
    Field(description='Handed over with it: "diff" (uncommitted changes), "file=PATH" (in the project)'),
]
Language = Annotated[str, Field(description="Of the reasons: en, vi, ...")]
Resume = Annotated[str, Field(description="run_id of an interrupted one to go on with")]
RunId = Annotated[str, Field(description="Of an earlier result")]
# Ranges are only told here; the request itself is what refuses, with a sentence of its own.
Rounds = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": 5})]
Page = Annotated[int, Field(json_schema_extra={"minimum": 1})]
# Gemini CLI takes five equal calls in a row for a loop and breaks it off (0.61.0): so no two calls of wait are equal.
Again = Annotated[int, Field(description="As the last result said: no two calls are the same")]


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

    if resume:
        return await answered(ctx, lambda answers, tell: answers.resume(resume, "debate", topic, tell))
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

    if resume:
        return await answered(ctx, lambda answers, tell: answers.resume(resume, "chaired-debate", topic, tell))
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

    if resume:
        return await answered(ctx, lambda answers, tell: answers.resume(resume, "fact-check", claim, tell))
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

    if resume:
        return await answered(ctx, lambda answers, tell: answers.resume(resume, "jury", claim, tell))
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
    from sparring.app.verification import VerifyWish  # noqa: PLC0415 -- the same

    wish = VerifyWish(claim, quotes, EvidenceWish(tuple(spelled_source(spelling) for spelling in evidence)))
    return await answered(ctx, lambda answers, _: answers.verify(wish))


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


__all__ = ["all_tools"]


def all_tools() -> list[Tool]:
    """Every tool, in the order in which hosts list them."""
    # What the protocol takes for granted is left out: not read-only, not idempotent, talks to the outside.
    asks_others = ToolAnnotations(destructive_hint=False)
    stops = ToolAnnotations(destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    # Codex and Copilot CLI, when nobody is there to ask, run only what is read-only.
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return [
        defined(consult, "Second opinion", asks_others),
        defined(debate, "Debate", asks_others),
        defined(chaired_debate, "Chaired debate", asks_others),
        defined(fact_check, "Fact-check", asks_others),
        defined(jury, "Jury", asks_others),
        defined(verify, "Verify by code", reads),
        defined(wait, "Wait for a run", reads),
        defined(answer, "Your turn", asks_others),
        defined(cancel, "Stop a run", stops),
        defined(runs, "Runs and transcripts", reads),
    ]
