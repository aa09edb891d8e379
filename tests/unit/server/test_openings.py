"""What the hosts that we know write first (as recorded of them) is answered at once, to the last request."""

import json

import pytest

from sparring.server import snapshot
from sparring.server.fast_start import FastStart
from sparring.server.snapshot import LISTEN, PROBE, SUBSCRIPTION
from support.mcp_peer import Message

BOTH_FORMS: Message = {"form": {}, "url": {}}
CLAUDE = {
    "name": "claude-code",
    "title": "Claude Code",
    "version": "2.1.329",
    "description": "Anthropic's agentic coding tool",
    "websiteUrl": "https://claude.com/claude-code",
}
CLAUDE_CAN: Message = {"roots": {"listChanged": True}, "elicitation": BOTH_FORMS}
COPILOT = {"name": "copilot-cli", "version": "1.0.102"}
COPILOT_CAN: Message = {"sampling": {}, "elicitation": BOTH_FORMS}
CODEX = {"name": "codex-mcp-client", "title": "Codex", "version": "0.169.0"}
CODEX_CAN: Message = {"experimental": {"codex/auth-change": {}}, "elicitation": BOTH_FORMS}
GEMINI = {"name": "gemini-cli-mcp-client", "version": "0.61.0"}
OPENCODE = {"name": "opencode", "version": "1.18.33"}
PROGRESS: Message = {"params": {"_meta": {"progressToken": 0}}}


def within(client: Message, capabilities: Message, method: str, **more: object) -> Message:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": client,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }
    return {"method": method, "params": {"_meta": {**meta, **more}}}


def opening(version: str, client: Message, capabilities: Message) -> list[Message]:
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}
    return [{"method": "initialize", "params": params}, {"method": "notifications/initialized"}]


def listening(client: Message, capabilities: Message, **kinds: bool) -> Message:
    message = within(client, capabilities, LISTEN)
    wanted = {f"{kind}ListChanged": is_wanted for kind, is_wanted in kinds.items()}
    return message | {"params": {**message["params"], "notifications": wanted}}


TALKS: dict[str, list[Message]] = {
    "claude": [
        within(CLAUDE, CLAUDE_CAN, PROBE),
        *opening("2025-11-25", CLAUDE, CLAUDE_CAN),
        *({"method": f"{kind}/list"} for kind in ("tools", "prompts", "resources")),
    ],
    "copilot": [
        within(COPILOT, COPILOT_CAN, PROBE),
        *opening("2025-11-25", COPILOT, COPILOT_CAN),
        {"method": "tools/list", **PROGRESS},
    ],
    "codex": [*opening("2025-06-18", CODEX, CODEX_CAN), {"method": "tools/list", **PROGRESS}],
    "gemini": [
        *opening("2025-06-18", GEMINI, {"roots": {"listChanged": True}}),
        {"method": "prompts/list", "params": {}},
    ],
    "opencode": [*opening("2025-11-25", OPENCODE, {"roots": {}}), {"method": "tools/list"}],
    "claude, whose probe was answered": [
        within(CLAUDE, CLAUDE_CAN, PROBE),
        listening(CLAUDE, CLAUDE_CAN, tools=True, prompts=True, resources=True),
        *(within(CLAUDE, CLAUDE_CAN, method) for method in (PROBE, "prompts/list", "resources/list", "tools/list")),
    ],
    "copilot, whose probe was answered": [
        within(COPILOT, COPILOT_CAN, PROBE),
        listening(COPILOT, COPILOT_CAN, tools=True),
        within(COPILOT, COPILOT_CAN, "tools/list", progressToken=0),
    ],
}


@pytest.mark.parametrize("host", TALKS)
def test_a_host_is_connected_and_has_its_lists_before_the_sdk_is_there(host: str) -> None:
    answered: list[int] = []

    def note(line: bytes) -> None:
        said = json.loads(line)
        answered.append(said["id"] if "id" in said else said["params"]["_meta"][SUBSCRIPTION])

    start = FastStart(snapshot.load(), note)
    asked: list[int] = []
    for number, message in enumerate(TALKS[host]):
        is_news = message["method"].startswith("notifications/")
        asked += [] if is_news else [number]
        identity = {} if is_news else {"id": number}
        start.receive([json.dumps({"jsonrpc": "2.0", **identity, **message}).encode()])
    assert answered == asked
