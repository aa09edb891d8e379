"""Start a server as a host would, and ask it for its tools."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio
from pydantic import JsonValue

from sparring import __version__
from sparring.consult.process import Command, Conversation, OutputOverflowError, converse

_ANSWER_TIMEOUT_S = 60.0
"""As long as an installation lets a host wait for the start."""

_VERSION = "2025-06-18"
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": _VERSION,
        "capabilities": {},
        "clientInfo": {"name": "sparring-doctor", "version": __version__},
    },
}
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST_TOOLS = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


@dataclass(frozen=True)
class Greeting:
    """How the server answered.

    Attributes:
        version: What it says its version is.
        tools: How many tools it offers; None if it did not answer.
        problem: Why it did not, in one sentence.
    """

    version: str = ""
    tools: int | None = None
    problem: str = ""


async def greet(argv: tuple[str, ...], environment: Mapping[str, str], cwd: Path) -> Greeting:
    """Start ``argv``, ask for its tools, and end it with everything that it has started; bounded in time."""
    try:
        async with converse(Command(argv, environment, cwd)) as server:
            with anyio.move_on_after(_ANSWER_TIMEOUT_S):
                return await _asked(server)
            return Greeting(problem=f"The server did not answer within {_ANSWER_TIMEOUT_S:.0f} s.")
    except OSError as error:
        return Greeting(problem=f"The server cannot be started: {error.strerror}.")


async def _asked(server: Conversation) -> Greeting:
    await server.send(json.dumps(_INITIALIZE).encode())
    welcome = await _answer(server, 1)
    if isinstance(welcome, str):
        return Greeting(problem=welcome)
    await server.send(json.dumps(_INITIALIZED).encode())
    await server.send(json.dumps(_LIST_TOOLS).encode())
    listed = await _answer(server, 2)
    if isinstance(listed, str):
        return Greeting(problem=listed)
    about, tools = welcome.get("serverInfo"), listed.get("tools")
    version = about.get("version") if isinstance(about, dict) else ""
    return Greeting(version=str(version), tools=len(tools) if isinstance(tools, list) else 0)


async def _answer(server: Conversation, request_id: int) -> dict[str, JsonValue] | str:
    """The result of that request, or why there is none. What the server says besides is passed over."""
    while True:
        try:
            line = await server.receive()
            message: JsonValue = json.loads(line) if line is not None else None
        except (ValueError, OutputOverflowError):
            return "The server said something that is no message."
        if line is None:
            return "The server ended before it had listed its tools."
        if isinstance(message, dict) and message.get("id") == request_id:
            result = message.get("result")
            return result if isinstance(result, dict) else "The server refused to say what it offers."
