"""A server behind our own door, with the tools, resources and prompts that the conformance suite knows by name.

What it shows is that nothing of the protocol is lost on the way through ``sparring.server.http``, also what our own
tools do not use. Started as a program it listens on loopback, prints its URL and serves until it is ended.
"""

import base64
import json
from typing import Annotated, Any

import anyio
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.mcpserver.tools import Tool
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import (
    AudioContent,
    Completion,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    JSONRPCMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)
from pydantic import Field

from sparring.server.http import PATH, Address, Door
from sparring.server.stdio import low_level
from support.conformance_questions import add_questions

AnyContext = Context[Any, Any]

_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
_SILENCE = base64.b64encode(
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0data\0\0\0\0"
).decode()
_IMAGE = ImageContent(type="image", data=_PIXEL, mime_type="image/png")
_RETRY_MS = 100
_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


class Kept(EventStore):
    """What was sent on each stream, so that a client that lost one can take it up again."""

    def __init__(self) -> None:
        self._events: list[tuple[str, JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        last = int(last_event_id)
        stream = self._events[last - 1][0]
        for number, (sent_on, message) in enumerate(self._events[last:], start=last + 1):
            if sent_on == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


def fixture_server() -> MCPServer[Any]:
    """The server."""
    with_schema = Tool.from_function(
        test_simple_text, name="json_schema_2020_12_tool", description="A schema with much"
    )
    with_schema.parameters = _SCHEMA  # the SDK derives schemas from signatures, and none gives all these keywords
    server = MCPServer[Any]("conformance", version="1", tools=[with_schema], log_level="ERROR")
    for tool in (
        test_simple_text,
        test_image_content,
        test_audio_content,
        test_embedded_resource,
        test_multiple_content_types,
        test_tool_with_logging,
        test_logging_tool,
        test_tool_with_progress,
        test_error_handling,
        test_reconnection,
        test_header,
        test_trigger_tool_change,
        test_trigger_prompt_change,
    ):
        server.tool(description=tool.__name__, structured_output=False)(tool)
    add_questions(server)
    _add_resources(server)
    _add_prompts(server)
    _add_what_is_deprecated(server)
    return server


def test_simple_text() -> str:
    return "This is a simple text response for testing."


def test_image_content() -> list[ImageContent]:
    return [_IMAGE]


def test_audio_content() -> list[AudioContent]:
    return [AudioContent(type="audio", data=_SILENCE, mime_type="audio/wav")]


def test_embedded_resource() -> list[EmbeddedResource]:
    return [_embedded("test://embedded-resource", "This is an embedded resource content.")]


def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
    text = TextContent(type="text", text="Multiple content types test:")
    return [text, _IMAGE, _embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")]


async def test_tool_with_logging(ctx: AnyContext) -> str:
    for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(message)  # pyright: ignore[reportDeprecated] -- the suite asks for it
    return "Logged three times."


async def test_logging_tool(ctx: AnyContext) -> str:
    await ctx.info("Only for those who asked for it")  # pyright: ignore[reportDeprecated] -- the suite asks for it
    return "Logged once."


async def test_tool_with_progress(ctx: AnyContext) -> str:
    for done in (0, 50, 100):
        await ctx.report_progress(done, total=100)
    return "Progress was reported."


def test_error_handling() -> str:
    raise ToolError("This tool intentionally returns an error for testing")


async def test_reconnection(ctx: AnyContext) -> str:
    await ctx.close_sse_stream()
    return "Said after the stream was closed."


def test_header(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    return f"The region is {region}."


async def test_trigger_tool_change(ctx: AnyContext) -> str:
    await ctx.notify_tools_changed()
    return "The tools have changed."


async def test_trigger_prompt_change(ctx: AnyContext) -> str:
    await ctx.notify_prompts_changed()
    return "The prompts have changed."


def _embedded(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def _add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        return base64.b64decode(_PIXEL)

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:  # noqa: A002 -- the suite's name
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})

    @server.resource("test://watched-resource", mime_type="text/plain")
    def watched() -> str:
        return "Watched"

    del static_text, static_binary, template, watched


def _add_prompts(server: MCPServer[Any]) -> None:
    @server.prompt(description="A prompt")
    def test_simple_prompt() -> list[UserMessage]:
        return [UserMessage("This is a simple prompt for testing.")]

    @server.prompt(description="A prompt")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
        return [UserMessage(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]

    @server.prompt(description="A prompt")
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803 -- the suite's name
        embedded = _embedded(resourceUri, "Embedded resource content for testing.")
        return [UserMessage(embedded), UserMessage("Please process the embedded resource above.")]

    @server.prompt(description="A prompt")
    def test_prompt_with_image() -> list[UserMessage]:
        return [UserMessage(_IMAGE), UserMessage("Please analyze the image above.")]

    @server.completion()
    async def complete(*_: object) -> Completion:
        return Completion(values=[], total=0, has_more=False)

    del test_simple_prompt, test_prompt_with_arguments, test_prompt_with_embedded_resource, test_prompt_with_image
    del complete


def _add_what_is_deprecated(server: MCPServer[Any]) -> None:
    """Methods of earlier revisions that the SDK's convenient server no longer offers."""

    async def acknowledge(*_: object) -> EmptyResult:
        return EmptyResult()

    low = low_level(server)
    low.add_request_handler("logging/setLevel", SetLevelRequestParams, acknowledge)
    low.add_request_handler("resources/subscribe", SubscribeRequestParams, acknowledge)
    low.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, acknowledge)


async def _serve() -> None:
    server = fixture_server()
    server.streamable_http_app(
        event_store=Kept(),
        retry_interval=_RETRY_MS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the door does it
    )
    address = Address("127.0.0.1", 0)
    async with server.session_manager.run():
        door = Door(server.session_manager, None)
        with address.listen() as listening:
            print(f"{address.of(listening).url}{PATH}", flush=True)  # noqa: T201 -- who started us waits for it
            await uvicorn.Server(uvicorn.Config(door, log_level="error")).serve([listening])


if __name__ == "__main__":
    anyio.run(_serve)
