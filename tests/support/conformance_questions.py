"""Tools by whose names the conformance suite knows that they ask the client something before they answer."""

from typing import Any

from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolResult,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    SamplingCapability,
    SamplingMessage,
    TextContent,
)

Asking = CallToolResult | InputRequiredResult
AnyContext = Context[Any, Any]

_STRING, _BOOLEAN = {"type": "string"}, {"type": "boolean"}
_DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_CHOICES = ["option1", "option2", "option3"]
_TITLED = [{"const": f"value{number}", "title": f"Option {number}"} for number in (1, 2, 3)]
_ENUMS = {
    "untitledSingle": {"type": "string", "enum": _CHOICES},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {"type": "string", "enum": _CHOICES, "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _CHOICES}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}


def add_questions(server: MCPServer[Any]) -> None:
    """Add them all to ``server``."""
    for tool in (
        test_sampling,
        test_elicitation,
        test_elicitation_sep1034_defaults,
        test_elicitation_sep1330_enums,
        test_missing_capability,
        test_streaming_elicitation,
        test_input_required_result_elicitation,
        test_input_required_result_sampling,
        test_input_required_result_list_roots,
        test_input_required_result_request_state,
        test_input_required_result_tampered_state,
        test_input_required_result_multiple_inputs,
        test_input_required_result_multi_round,
        test_input_required_result_capabilities,
    ):
        server.tool(description=tool.__name__, structured_output=False)(tool)
    server.prompt(description="Asks for context")(test_input_required_result_prompt)


async def test_sampling(prompt: str, ctx: AnyContext) -> str:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
    # What a server of an earlier revision may do, and the suite asks for there.
    answer = await ctx.session.create_message(  # pyright: ignore[reportDeprecated]
        messages=[message], max_tokens=100, related_request_id=ctx.request_id
    )
    assert isinstance(answer, CreateMessageResult)
    return f"LLM response: {_text(answer)}"


async def test_elicitation(message: str, ctx: AnyContext) -> str:
    fields = {"username": _STRING, "email": _STRING}
    return await _elicited(ctx, message, fields, required=list(fields))


async def test_elicitation_sep1034_defaults(ctx: AnyContext) -> str:
    return await _elicited(ctx, "Look at the defaults.", _DEFAULTS)


async def test_elicitation_sep1330_enums(ctx: AnyContext) -> str:
    return await _elicited(ctx, "Choose.", _ENUMS)


def test_missing_capability(ctx: AnyContext) -> str:
    if (ctx.client_capabilities or ClientCapabilities()).sampling is None:
        needed = ClientCapabilities(sampling=SamplingCapability()).model_dump(by_alias=True, exclude_none=True)
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "This needs sampling.", {"requiredCapabilities": needed})
    return "Sampling could be asked for."


def test_streaming_elicitation(ctx: AnyContext) -> Asking:
    return _until(ctx, user_name=_form("What is your name?", "name"))


def test_input_required_result_elicitation(ctx: AnyContext) -> Asking:
    return _until(ctx, user_name=_form("What is your name?", "name"))


def test_input_required_result_sampling(ctx: AnyContext) -> Asking:
    return _until(ctx, capital_question=_sample("What is the capital of France?", 100))


def test_input_required_result_list_roots(ctx: AnyContext) -> Asking:
    return _until(ctx, client_roots=ListRootsRequest())


def test_input_required_result_request_state(ctx: AnyContext) -> Asking:
    return _until(ctx, state="one", confirm=_form("Please confirm", "ok", _BOOLEAN))


def test_input_required_result_tampered_state(ctx: AnyContext) -> Asking:
    return _until(ctx, state="one", confirm=_form("Please confirm", "ok", _BOOLEAN))


def test_input_required_result_multiple_inputs(ctx: AnyContext) -> Asking:
    return _until(
        ctx,
        state="all",
        user_name=_form("What is your name?", "name"),
        greeting=_sample("Generate a greeting", 50),
        client_roots=ListRootsRequest(),
    )


def test_input_required_result_multi_round(ctx: AnyContext) -> Asking:
    if ctx.request_state is None:
        return _until(ctx, state="first", step1=_form("Step 1: What is your name?", "name"))
    return _until(ctx, state="second", step2=_form("Step 2: What is your favorite color?", "color"))


def test_input_required_result_capabilities(ctx: AnyContext) -> Asking:
    able = ctx.client_capabilities or ClientCapabilities()
    wanted: dict[str, ElicitRequest | CreateMessageRequest | ListRootsRequest] = {}
    if able.elicitation:
        wanted["user_name"] = _form("What is your name?", "name")
    if able.sampling:
        wanted["greeting"] = _sample("Generate a greeting", 50)
    if able.roots:
        wanted["client_roots"] = ListRootsRequest()
    return _until(ctx, None, **wanted)


def test_input_required_result_prompt(ctx: AnyContext) -> list[UserMessage] | InputRequiredResult:
    answered = _until(ctx, user_context=_form("What context should the prompt use?", "context"))
    return [UserMessage(str(answered.content))] if isinstance(answered, CallToolResult) else answered


def _until(
    ctx: AnyContext, state: str | None = None, **wanted: ElicitRequest | CreateMessageRequest | ListRootsRequest
) -> Asking:
    """Ask for what is ``wanted``, until everything is there; ``state`` must come back as well."""
    given = ctx.input_responses or {}
    if any(key not in given for key in wanted) or ctx.request_state != state:
        return InputRequiredResult(input_requests=dict(wanted), request_state=state)
    said = ", ".join(_text(given[key]) for key in wanted)
    return CallToolResult(content=[TextContent(type="text", text=f"state-ok: {said}")])


def _text(answer: object) -> str:
    match answer:
        case ElicitResult(content=fields):
            return str(fields)
        case CreateMessageResult(content=TextContent(text=text)):
            return text
        case ListRootsResult(roots=roots):
            return " ".join(str(root.uri) for root in roots)
        case _:
            return ""


async def _elicited(
    ctx: AnyContext, message: str, fields: dict[str, dict[str, Any]], required: list[str] | None = None
) -> str:
    schema = {"type": "object", "properties": fields, "required": required or []}
    # On the stream of this call: whether the client has opened another one yet is a race.
    answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return f"Elicitation completed: action={answer.action}, content={answer.content}"


def _form(message: str, name: str, kind: dict[str, str] = _STRING) -> ElicitRequest:
    schema = {"type": "object", "properties": {name: kind}, "required": [name]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(question: str, tokens: int) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=question))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=tokens))
