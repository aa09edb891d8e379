"""The tools as a host sees them: name, parameters, description; each hands its call to ``answers``.

Descriptions are read by models on every turn, whether or not a tool is used: all definitions together, and those of
two more formats, stay below 9,000 characters. So a definition has the options that models need; the others are taken as
``set``, like settings on the command line, which lists them on request. The SDK derives definitions from the signature,
with a title for each field, and words refusals as its validator does, over several lines with a link. An argument that
does not exist it ignores; a misspelt ``rounds`` would pass unnoticed. So they are slimmed here, and bad arguments
refused in plain sentences.
"""

import inspect
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args

import anyio
from mcp.server.mcpserver import Context as CallContext
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import ErrorDetails

from sparring.engine.format import Format
from sparring.errors import SparringError, UsageError, raising_exhausted
from sparring.formats.registry import FORMATS
from sparring.participants.options import Option, choices, may_be_left_out, plain_default, plain_type, range_of
from sparring.schema.faults import describe_fault
from sparring.server import limits, resources, results, session
from sparring.server.arguments import (
    HELP,
    SET,
    example_call,
    example_of,
    leniently,
    settings_entries,
    settings_of,
    settings_text,
    value_for,
    with_settings,
)
from sparring.text.tidying import did_you_mean

if TYPE_CHECKING:
    from sparring.server.answers import Answers

_OF_THE_CLASS = frozenset({"title", "description", "additionalProperties"})
"""Keys of a schema that describe its record, and that no caller needs."""


_given: ContextVar[frozenset[str]] = ContextVar("given")
"""Arguments of the current call: the SDK fills in the others, and so hides that they were left out."""

_example: ContextVar[str] = ContextVar("example")
"""A call of the tool that is under way as it could be, which every refusal of arguments shows."""


class _PlainTool(Tool):
    """A tool of ours.

    Attributes:
        example: The arguments of a valid call.
        accepted: The schema of all arguments; ``parameters``, which hosts see, may have fewer.
        listed_settings: Lists its settings; None: it has none.
    """

    example: dict[str, Any] = Field(default_factory=dict[str, Any], exclude=True)
    accepted: dict[str, Any] = Field(default_factory=dict[str, Any], exclude=True)
    listed_settings: Callable[[], str] | None = Field(default=None, exclude=True)

    async def run(
        self,
        arguments: dict[str, Any],
        context: CallContext[Any, Any],
        convert_result: bool = False,  # noqa: FBT001, FBT002 -- the SDK's signature
    ) -> Any:
        example = example_call(self.name, leniently(self.example, self.accepted))
        arguments = leniently(arguments, self.accepted)
        if self.listed_settings is not None:
            entries = settings_entries(arguments.pop(SET, []))
            if HELP in entries:
                listed = results.ToolResult(status="listed", text=self.listed_settings())
                return results.call_result(listed)
            try:
                arguments = with_settings(arguments, entries, self.accepted)
            except UsageError as error:
                return results.call_result(results.refused(str(error), example))
        if problem := self._problem(arguments):
            return results.call_result(results.refused(problem, example))
        _given.set(frozenset(arguments))
        _example.set(example)
        return await super().run(arguments, context, convert_result)

    def _problem(self, arguments: dict[str, Any]) -> str:
        known: dict[str, Any] = self.accepted["properties"]
        if unknown := sorted(arguments.keys() - known.keys()):
            suggestion = did_you_mean(unknown[0], known)
            shown = ", ".join(self.parameters["properties"])
            return f"{self.name} knows these arguments: {shown}; not {', '.join(unknown)}.{suggestion}"
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False)
            return " ".join(
                f"{describe_fault(fault, '.'.join(map(str, fault['loc'])))}{_such_as(fault, known)}."
                for fault in faults
            )
        return ""


def _such_as(fault: ErrorDetails, fields: dict[str, Any]) -> str:
    """Return a valid value, to follow the error about an argument."""
    name = str(fault["loc"][0]) if fault["loc"] else ""
    is_shown = fault["type"] in _LISTING or name not in fields
    return "" if is_shown else f", e.g. {value_for(fields[name])}"


_LISTING = frozenset({"enum", "literal_error", "missing", "missing_argument", "missing_keyword_only_argument"})
"""Faults whose sentence lists valid values, or which the example of a call shows."""


def defined(
    call: Callable[..., Awaitable[CallToolResult]],
    title: str,
    annotations: ToolAnnotations,
    meta: dict[str, Any] | None = None,
    *,
    example: dict[str, Any],
    format_: Format | None = None,
) -> Tool:
    """``call`` as the tool of that name. Its docstring is what a model reads about it."""
    description = " ".join((inspect.getdoc(call) or "").split())
    made = _PlainTool.from_function(call, title=title, description=description, annotations=annotations, meta=meta)
    tool = cast("_PlainTool", made)
    tool.accepted = tool.parameters = _slim(tool.parameters)
    if format_:
        tool.accepted["properties"][SET] = _SET_FIELD
        tool.parameters = _without_settings(tool.accepted, format_)
    tool.listed_settings = partial(settings_text, tool.name, format_) if format_ else None
    tool.example = example
    return tool


def _slim(schema: dict[str, Any]) -> dict[str, Any]:
    """``schema`` without titles and empty defaults: a field may be left out where it is not required."""
    fields: dict[str, dict[str, Any]] = schema["properties"]
    slim = {
        name: {key: value for key, value in of.items() if key != "title" and (key != "default" or value)}
        for name, of in fields.items()
    }
    kept = {key: value for key, value in schema.items() if key not in _OF_THE_CLASS}
    return kept | {"properties": slim}


def _without_settings(schema: dict[str, Any], format_: Format) -> dict[str, Any]:
    fields: dict[str, Any] = schema["properties"]
    settings = settings_of(format_)
    return schema | {"properties": {name: field for name, field in fields.items() if name not in settings}}


_SET_FIELD = {"description": 'NAME=VALUE; "help" lists them', "items": {"type": "string"}, "type": "array"}


# What the protocol takes for granted is left out: not read-only, not idempotent, talks to the outside.
_ASKS_OTHERS = ToolAnnotations(destructive_hint=False)
_STOPS = ToolAnnotations(destructive_hint=False, idempotent_hint=True, open_world_hint=False)
# Codex and Copilot CLI, without a user to ask, run only read-only tools.
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Call = CallContext[session.ServerSession]


async def answered(
    ctx: Call, answer: Callable[["Answers", limits.Caller], Awaitable[results.ToolResult]]
) -> CallToolResult:
    """Return the result of ``answer`` for the call, or a refusal; progress reaches the host."""
    request = ctx.request_context.request
    received_at = request.at if isinstance(request, limits.CallArrival) else anyio.current_time()
    messages = 0

    async def report_progress(message: str) -> None:
        nonlocal messages
        messages += 1
        await ctx.report_progress(messages, message=message)

    try:
        with raising_exhausted():
            result = await answer(session.answers(), limits.Caller(report_progress, received_at))
    except SparringError as error:
        is_lost = isinstance(error, UsageError) and not error.hint  # a hint already names a valid call
        result = session.current().refusal(error, _example.get() if is_lost else "")
    return results.call_result(result)


_KEYWORD = inspect.Parameter.KEYWORD_ONLY
Estimate = Annotated[bool, Field(description="Only the price")]
# Gemini CLI takes five equal calls in a row for a loop and breaks it off (0.61.0): so no two calls of wait are equal.
Again = Annotated[int, Field(description="From the last result")]


@cache
def starting_tool(format_: Format) -> Tool:
    """The tool that begins a run of that format, with every option that models are offered."""

    async def begin(ctx: Call, resume: str = "", *, estimate: bool = False, **arguments: Any) -> CallToolResult:
        if resume:
            usual = {outside.get(each.name, each.name): each.default or None for each in parameters}
            more = [name for name, value in arguments.items() if (value or None) != usual[name]]
            more += ["estimate"] if estimate else []
            return await answered(ctx, lambda answers, caller: answers.resume(resume, format_.name, more, caller))
        given = {name: value for name, value in arguments.items() if name in _given.get()}
        if estimate:
            return await answered(ctx, lambda answers, _: answers.estimate(format_.options, given))
        return await answered(ctx, lambda answers, caller: answers.begin(format_.options, given, caller))

    fields = {name: field for name, field in format_.options.model_fields.items() if Option.of(field).mcp is not None}
    outside = {name: Option.of(field).called or name for name, field in fields.items()}
    parameters = [_parameter(name, field, format_) for name, field in fields.items()]
    if format_.subject:
        parameters.append(inspect.Parameter("resume", _KEYWORD, default="", annotation=str))
    parameters.append(inspect.Parameter("estimate", _KEYWORD, default=False, annotation=Estimate))
    parameters.sort(key=lambda parameter: parameter.annotation is bool or bool in get_args(parameter.annotation))
    parameters.append(inspect.Parameter("ctx", _KEYWORD, annotation=Call))
    # What ``inspect.signature`` looks for, and the SDK after it.
    begin.__signature__ = inspect.Signature(parameters, return_annotation=CallToolResult)  # pyright: ignore[reportFunctionMemberAccess]
    begin.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters} | {
        "return": CallToolResult
    }
    begin.__name__, begin.__doc__ = format_.name.replace("-", "_"), format_.description
    shown = None if format_.asks_at_once else resources.SHOWN_AS_PAGE
    return defined(begin, format_.title, _ASKS_OTHERS, shown, example=example_of(format_), format_=format_)


def _parameter(name: str, field: FieldInfo, format_: Format) -> inspect.Parameter:
    """Return the parameter that describes a field of the options to the SDK.

    Ranges are only described: the options themselves refuse a number, with their own message.
    """
    option, words, bounds = Option.of(field), choices(field), range_of(field)
    kind = Literal[words] if words else plain_type(field)
    if may_be_left_out(field) and not words:
        kind = kind | SkipJsonSchema[None]
    fields: dict[str, Any] = {"description": option.mcp} if option.mcp else {}
    fields |= {"json_schema_extra": {"minimum": bounds[0], "maximum": bounds[1]}} if bounds else {}
    fields |= {"alias": option.called} if option.called else {}
    if field.is_required():
        default = "" if option.is_subject and format_.subject else inspect.Parameter.empty
    else:
        default = (plain_default(field) or "") if words else plain_default(field)
    annotation = Annotated[kind, Field(**fields)] if fields else kind
    return inspect.Parameter(name, _KEYWORD, default=default, annotation=annotation)


async def verify(
    claim: Annotated[str, Field(description="To compare")] = "",
    quotes: Annotated[tuple[str, ...], Field(description="To look up")] = (),
    evidence: Annotated[tuple[str, ...], Field(description='Texts, or "file=PATH"')] = (),
    text: Annotated[str, Field(description="An answer about this project")] = "",
    *,
    ctx: Call,
) -> CallToolResult:
    """Check by code, at once and for free: quotes and a claim's numbers, dates and words against evidence, and what a
    text cites of this project.
    """  # noqa: D205 -- one paragraph for a model
    from sparring.app.verification import VerifyRequest  # noqa: PLC0415 -- not before a call needs it (see session)

    request = VerifyRequest(claim, quotes, evidence, text)
    return await answered(ctx, lambda answers, caller: answers.verify(request, caller))


async def wait(run_id: str, again: Again = 0, page: int = 1, *, ctx: Call) -> CallToolResult:
    """Wait up to 45 seconds for a run's result; "running": call wait once more; "your_turn": call answer."""
    return await answered(ctx, lambda answers, caller: answers.wait(run_id, caller, again, page))


async def cancel(run_id: str, *, ctx: Call) -> CallToolResult:
    """Stop a run; its tool with resume continues it."""
    return await answered(ctx, lambda answers, _: answers.cancel(run_id))


async def runs(
    run_id: Annotated[str, Field(description="Empty: list them")] = "",
    page: int = 1,
    *,
    ctx: Call,
) -> CallToolResult:
    """List this project's runs, or read the transcript of one, page by page."""
    return await answered(ctx, lambda answers, _: answers.transcript(run_id, page) if run_id else answers.runs(page))


async def answer(
    run_id: str,
    ask_id: str,
    text: Annotated[str, Field(description="In the form asked for")],
    *,
    ctx: Call,
) -> CallToolResult:
    """Answer a result with the status "your_turn", with its ids; then like wait. ask_id "note": a note to both sides
    of a debate.
    """  # noqa: D205 -- one paragraph for a model
    return await answered(ctx, lambda answers, caller: answers.answer(run_id, ask_id, text, caller))


def all_tools() -> list[Tool]:
    """Return every tool, in the order in which hosts list them; the same for every server: tools have no state."""
    # A plain question comes first: models take the first tool that fits.
    formats = sorted(map(FORMATS.__getitem__, FORMATS), key=lambda format_: not format_.asks_at_once)
    return [*map(starting_tool, formats), *_tools_of_runs()]


_RUN = {"run_id": f"{next(iter(FORMATS))}-20260102T030405Z-0a1b"}


@cache
def _tools_of_runs() -> tuple[Tool, ...]:
    quoted = {"claim": "It has 12 bells.", "evidence": ["The tower has 12 bells."]}
    reply = {**_RUN, "ask_id": "r1.proposer", "text": "No: ..."}
    return (
        defined(verify, "Verify by code", _READS, example=quoted),
        defined(wait, "Wait for a run", _READS, resources.SHOWN_AS_PAGE, example=_RUN),
        defined(answer, "Your turn", _ASKS_OTHERS, example=reply),
        defined(cancel, "Stop a run", _STOPS, example=_RUN),
        defined(runs, "Runs", _READS, example=_RUN),
    )
