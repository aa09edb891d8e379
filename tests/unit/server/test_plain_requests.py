"""What hosts usually write is answered at once; what is unusual waits for the SDK, which alone knows what it says."""

import json

import pytest

from sparring.server import snapshot
from sparring.server.fast_start import FastStart
from sparring.server.snapshot import SUBSCRIPTION
from support.mcp_peer import INITIALIZE, MODERN, Message, modern, request
from support.texts import texts

OPENINGS = texts("openings")

HANDSHAKE = request(0, "initialize", INITIALIZE)
CLIENT = "io.modelcontextprotocol/clientInfo"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


def answered(*lines: bytes) -> list[object]:
    """The ids of what is answered."""
    ids: list[object] = []
    FastStart(snapshot.load(), lambda answer: ids.append(json.loads(answer)["id"])).receive(list(lines))
    return ids


def line(message: Message) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode()


@pytest.mark.parametrize("host", OPENINGS)
def test_a_host_is_connected_and_has_its_lists_before_the_sdk_is_there(host: str) -> None:
    heard: list[int] = []

    def note(answer: bytes) -> None:
        said = json.loads(answer)
        heard.append(said["id"] if "id" in said else said["params"]["_meta"][SUBSCRIPTION])

    start = FastStart(snapshot.load(), note)
    for said in OPENINGS[host]:
        start.receive([said.encode()])
    assert heard == [message["id"] for message in map(json.loads, OPENINGS[host]) if "id" in message]


UNSURE: list[Message] = [
    *({"jsonrpc": "1.0"}, {"method": "logging/setLevel"}, {"method": "initialize", "params": INITIALIZE}),
    *({"params": each} for each in ({"cursor": "2"}, {"_meta": {"progressToken": 2**60}}, {"_meta": MODERN})),
]


@pytest.mark.parametrize("odd", UNSURE)
def test_a_request_after_a_handshake_that_only_the_sdk_can_answer_waits(odd: Message) -> None:
    assert answered(line(HANDSHAKE), line(request(1, "tools/list"))) == [0, 1]
    assert answered(line(HANDSHAKE), line(request(1, "tools/list") | odd)) == [0]


REFUSED_CAPABILITIES: list[Message] = [
    *({"roots": {"listChanged": "yes"}}, {"sampling": {"tools": 1}}, {"experimental": {"x": 1}}),
]
REFUSED_CLIENTS: list[Message] = [{"name": "peer"}, {"name": "peer", "version": "1", "icons": [7]}]
REFUSED_HANDSHAKES: list[Message] = [
    *({"protocolVersion": 7}, {"_meta": MODERN}),
    *({"capabilities": each} for each in REFUSED_CAPABILITIES),
    *({"clientInfo": each} for each in REFUSED_CLIENTS),
]


@pytest.mark.parametrize("odd", REFUSED_HANDSHAKES)
def test_after_a_handshake_that_the_sdk_may_refuse_everything_waits(odd: Message) -> None:
    assert answered(line(request(0, "initialize", {**INITIALIZE, **odd})), line(request(1, "tools/list"))) == []


CLIENTS: list[Message] = [
    *({"icons": []}, {"icons": [{"src": "data:,"}]}, {"x": [1]}, {"title": None}, {"title": "\u00e9"}),
]
LEGAL: list[Message] = [
    *({"_meta": {"traceparent": "00"}}, {"extra": 1}),
    *({"capabilities": {"telepathy": {}, "tools": True}}, {"capabilities": {"roots": None}}),
    *({"clientInfo": {"name": "peer", "version": "1", **each}} for each in CLIENTS),
]


@pytest.mark.parametrize("legal", LEGAL)
def test_any_client_information_passes(legal: Message) -> None:
    opening = json.dumps(request(0, "initialize", {**INITIALIZE, **legal})).encode()
    listing = request(1, "tools/list", {"cursor": None, "_meta": {"traceparent": "00"}})
    assert answered(opening, line(listing)) == [0, 1]


@pytest.mark.parametrize(
    "odd",
    [
        {"io.modelcontextprotocol/protocolVersion": "2026-12-31"},
        {CLIENT: {"name": "peer"}},
        {CAPABILITIES: {"elicitation": {"form": 1}}},
        {"io.modelcontextprotocol/logLevel": "loud"},
    ],
)
def test_a_doubtful_envelope_and_all_later_messages_wait_for_the_sdk(odd: Message) -> None:
    unusual = request(2, "tools/list", {"_meta": MODERN | odd})
    assert answered(line(modern(1, "tools/list")), line(unusual), line(modern(3, "tools/list"))) == [1, 3]
    assert answered(line(unusual), line(modern(3, "tools/list"))) == []


def test_an_envelope_with_more_legal_keys_is_answered() -> None:
    more = {"io.modelcontextprotocol/logLevel": "debug", "traceparent": "00", "x/y": {"z": 1}}
    assert answered(line(request(2, "tools/list", {"_meta": MODERN | more, "cursor": None}))) == [2]


def test_half_a_character_and_depth_and_length_wait_since_parsers_differ_about_them() -> None:
    escaped = b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/list"}'
    deep = request(1, "initialize", {**INITIALIZE, "capabilities": {"experimental": {"x": nested(150)}}})
    long = request(1, "initialize", {**INITIALIZE, "clientInfo": {"name": "n" * 40_000, "version": "1"}})
    assert answered(line(HANDSHAKE), escaped) == [0]
    assert answered(line(deep)) == answered(line(long)) == []


def nested(depth: int) -> Message:
    return {"x": nested(depth - 1)} if depth else {}
