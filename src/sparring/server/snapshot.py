"""``python -m sparring.server.snapshot`` writes the doorway's snapshot: what the SDK says, asked over its own streams.

To be run whenever a tool, a prompt, a resource, the instructions or a version changes.
"""

import json
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from sparring.server.building import build_server
from sparring.server.doorway.snapshot import FILE
from sparring.server.lines import message_of

Message = dict[str, Any]

METHODS = (
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
)
_MADE_OF = ("sparring", "mcp", "mcp_types")
_REVISIONS = (*HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION)
_CLIENT = {"name": "snapshot", "version": "1"}


def main(file: str = FILE) -> None:
    """Write the file that the doorway reads."""
    text = json.dumps(anyio.run(taken), ensure_ascii=False, indent=1)
    Path(file).write_text(text + "\n", encoding="utf-8")


async def taken() -> Message:
    """The snapshot of the server as it is now."""
    answers: list[Message] = []
    for method in METHODS:
        for revision in _REVISIONS:
            result = await _result(revision, method)
            same = [answer for answer in answers if answer["method"] == method and answer["result"] == result]
            if same:
                same[0]["versions"].append(revision)
            elif result is not None:
                answers.append({"method": method, "versions": [revision], "result": result})
    return {
        "made_of": {name: version(name) for name in _MADE_OF},
        "fallback": LATEST_HANDSHAKE_VERSION,
        "modern": LATEST_MODERN_VERSION,
        "answers": answers,
    }


async def said(server: MCPServer[Any], lines: Iterable[bytes]) -> list[Message]:
    """What the SDK says to a host that writes ``lines``, and waits after each request until it is answered."""
    low = server._lowlevel_server  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- as in `stdio`
    questions, read = anyio.create_memory_object_stream[SessionMessage | Exception]()
    write, answers = anyio.create_memory_object_stream[SessionMessage]()
    heard: list[Message] = []
    async with anyio.create_task_group() as group, answers:
        group.start_soon(low.run, read, write, low.create_initialization_options())
        for item in map(message_of, lines):
            await questions.send(item)
            if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest):
                answer = (await answers.receive()).message
                heard.append(json.loads(answer.model_dump_json(by_alias=True, exclude_unset=True)))
        await questions.aclose()
    return heard


async def _result(revision: str, method: str) -> Message | None:
    lines = [json.dumps(message).encode() for message in _talk(revision, method)]
    return (await said(build_server(), lines))[-1].get("result")


def _talk(revision: str, method: str) -> list[Message]:
    """A session of that revision that ends with the request."""
    if revision == LATEST_MODERN_VERSION:
        envelope = {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": _CLIENT,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        return [_request(method, {"_meta": envelope})]
    handshake = _request("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": _CLIENT})
    if method == "initialize":
        return [handshake]
    return [handshake, {"jsonrpc": "2.0", "method": "notifications/initialized"}, _request(method, {})]


def _request(method: str, params: Message) -> Message:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


if __name__ == "__main__":
    main()
