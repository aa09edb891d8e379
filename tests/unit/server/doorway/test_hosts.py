"""What the hosts that we know write first (as recorded of them) is answered at the door, to the last request."""

import json
from typing import Any

import pytest

from sparring.server.doorway import snapshot
from sparring.server.doorway.doorway import Doorway
from sparring.server.doorway.shapes import PROBE

Message = dict[str, Any]

LISTENING = "subscriptions/listen"
"""Stays open for the rest of the session, and is for the SDK."""

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


def probe(client: Message, capabilities: Message) -> Message:
    return within(client, capabilities, PROBE)


def opening(version: str, client: Message, capabilities: Message) -> list[Message]:
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}
    return [{"method": "initialize", "params": params}, {"method": "notifications/initialized"}]


TALKS: dict[str, list[Message]] = {
    "claude": [
        probe(CLAUDE, CLAUDE_CAN),
        *opening("2025-11-25", CLAUDE, CLAUDE_CAN),
        {"method": "tools/list"},
        {"method": "prompts/list"},
        {"method": "resources/list"},
    ],
    "copilot": [
        probe(COPILOT, COPILOT_CAN),
        *opening("2025-11-25", COPILOT, COPILOT_CAN),
        {"method": "tools/list", **PROGRESS},
    ],
    "codex": [*opening("2025-06-18", CODEX, CODEX_CAN), {"method": "tools/list", **PROGRESS}],
    "gemini": [
        *opening("2025-06-18", GEMINI, {"roots": {"listChanged": True}}),
        *({"method": method, "params": {}} for method in ("prompts/list", "tools/list", "resources/list")),
    ],
    "opencode": [*opening("2025-11-25", OPENCODE, {"roots": {}}), {"method": "tools/list"}],
    "claude, whose probe was answered": [
        probe(CLAUDE, CLAUDE_CAN),
        within(CLAUDE, CLAUDE_CAN, LISTENING),
        *(within(CLAUDE, CLAUDE_CAN, method) for method in (PROBE, "prompts/list", "resources/list", "tools/list")),
    ],
    "copilot, whose probe was answered": [
        probe(COPILOT, COPILOT_CAN),
        *(within(COPILOT, COPILOT_CAN, method, progressToken=0) for method in (LISTENING, "tools/list")),
    ],
}


@pytest.mark.parametrize("host", TALKS)
def test_a_host_has_its_lists_before_the_sdk_is_there(host: str) -> None:
    answered: list[int] = []
    doorway = Doorway(snapshot.load(), lambda answer: answered.append(json.loads(answer)["id"]))
    asked: list[int] = []
    for number, message in enumerate(TALKS[host]):
        is_news = message["method"].startswith("notifications/")
        asked += [] if is_news or message["method"] == LISTENING else [number]
        identity = {} if is_news else {"id": number}
        doorway.receive([json.dumps({"jsonrpc": "2.0", **identity, **message}).encode()])
    assert answered == asked
