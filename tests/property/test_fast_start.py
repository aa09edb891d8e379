"""Whatever a host says, and whenever the SDK takes over, it hears what the SDK alone would have said, once."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache, lru_cache
from itertools import count
from typing import Any, cast

import anyio
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.server import MCPServer

from sparring.server.building import build_server
from sparring.server.fast_start import FastStart, is_request, is_resent, parsed
from sparring.server.session import ServerSession
from sparring.server.snapshot import ACKNOWLEDGED, HANDSHAKE, LISTEN, PROBE, SUBSCRIPTION, Snapshot
from sparring.server.stdio import LISTS, low_level, message_of, recorded, sdk_replies
from support.examples import costly
from support.mcp_peer import INITIALIZE, MODERN

Message = dict[str, Any]
Line = bytes

METHODS = (HANDSHAKE, PROBE, "ping", *LISTS)
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01", "")
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NOTHING: Message = {}
KINDS: tuple[Message, ...] = ({}, {"toolsListChanged": True, "promptsListChanged": False}, {"toolsListChanged": 1})
ODD: tuple[Any, ...] = (None, True, 7, 1.5, -(2**70), "", "x", "http://[", [], {}, {"a": {}}, [{}], *VERSIONS)
ODDITIES: tuple[Message, ...] = ({"jsonrpc": "1.0"}, {"params": None}, {"more": 1}, {"method": ["ping"]})

CAPABLE: Message = {
    "roots": {"listChanged": True},
    "sampling": {"tools": {}, "context": {}},
    "elicitation": {"form": {}, "url": {}},
    "tasks": {"list": {}, "requests": {"sampling": {"createMessage": {}}}},
    "experimental": {"x": {"y": [1]}},
    "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["a/b"]}},
}
ICON = {"src": "https://example.org/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}
CLIENT = {
    "name": "n",
    "version": "1",
    "title": "T\u00e9",
    "description": "D",
    "websiteUrl": "https://example.org",
    "icons": [ICON],
}
OPENING: Message = {**INITIALIZE, "capabilities": CAPABLE, "clientInfo": CLIENT}
LEGACY: Message = {"_meta": {"progressToken": 7, "traceparent": "00"}, "cursor": None}
ENVELOPE: Message = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": CAPABLE,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/logLevel": "debug",
    "progressToken": "t",
    "traceparent": "00",
}


def members(value: Any) -> Iterator[tuple[Message, str]]:
    """Every object in ``value``, once for each of its members."""
    if isinstance(value, dict):
        within = cast("Message", value)
        for name, member in within.items():
            yield within, name
            yield from members(member)


@st.composite
def bent(draw: st.DrawFn, usual: Message) -> Message:
    """``usual``, or what lacks some of its members, or has others, or odd ones."""
    value = deepcopy(usual)
    for _ in range(draw(st.integers(0, 2))):
        if places := list(members(value)):
            within, name = draw(st.sampled_from(places))
            within.pop(draw(st.sampled_from([name, "nothing"])), None)
            if odd := draw(st.sampled_from(["", name, "more", "cursor"])):
                within[odd] = draw(st.sampled_from(ODD))
    return value


PLAIN_INITIALIZE: st.SearchStrategy[Message] = st.sampled_from(VERSIONS).map(
    lambda version: {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "n", "version": "1"}}
)


@st.composite
def requests(draw: st.DrawFn, usual: Message) -> Message:
    """A request, or nearly one, mostly with the usual parameters; its id is chosen later."""
    method: str = draw(st.sampled_from([*METHODS, *METHODS, LISTEN, "tools/list", "quarrel", "tools/call"]))
    if method == "initialize":
        params = draw(st.one_of(PLAIN_INITIALIZE, bent(OPENING)))
    elif method == LISTEN:
        params = draw(st.sampled_from([{"_meta": MODERN, "notifications": kinds} for kinds in KINDS]))
    elif method == "tools/call":
        params = draw(st.sampled_from([{"name": "nothing"}, {"name": "nothing", "_meta": MODERN}]))
    else:
        modern = bent({"_meta": draw(st.sampled_from([MODERN, ENVELOPE]))})
        params = draw(st.one_of(st.just(usual), st.just(usual), bent(LEGACY), modern))
    message: Message = {"jsonrpc": "2.0", "id": 0, "method": method, "params": params}
    odd = draw(st.sampled_from((*(NOTHING,) * 12, *ODDITIES)))
    return {**message, **odd}


ODD_LINES = rb"""
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10000}}
{"jsonrpc":"2.0","id":77,"result":{}}
hello
[]
[1]
{"jsonrpc":"2.0","method":7}
{"jsonrpc":"2.0","id":null,"method":"ping"}
{"jsonrpc":"2.0","id":true,"method":"ping"}
{"jsonrpc":"2.0","id":900,"method":"ping","params":{"_meta":{"progressToken":NaN}}}
{"jsonrpc":"2.0","id":901,"method":"tools/list","params":{"_meta":{"progressToken":"\ud800"}}}
{"jsonrpc":"2.0","id":902,"method":"ping","method":"tools/list"}
"""
OTHERS = st.sampled_from(
    [
        *ODD_LINES.split(b"\n")[1:],  # the last one is empty
        b"  \r",
        b'{"jsonrpc":"2.0","id":"\xff","method":"ping"}',
        b'{"jsonrpc":"2.0","id":904,"method":"ping","params":{"_meta":' + b'{"x":' * 250 + b"1" + b"}" * 252,
    ]
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Line]:
    """Lines of a host: usually with an opening that works, and with ids of their own."""
    openings: list[tuple[list[Message], Message]] = [
        ([], NOTHING),
        ([{"jsonrpc": "2.0", "method": "initialize", "params": draw(PLAIN_INITIALIZE)}, INITIALIZED], NOTHING),
        ([{"jsonrpc": "2.0", "method": "server/discover", "params": {"_meta": MODERN}}], {"_meta": MODERN}),
        ([], {"_meta": MODERN}),
    ]
    said_first, usual = draw(st.sampled_from(openings))
    said_then = draw(st.lists(st.one_of(*(requests(usual) for _ in range(5)), OTHERS), max_size=6))
    lines: list[Line] = []
    for number, item in enumerate([*said_first, *said_then]):
        if isinstance(item, bytes):
            lines += [item] if item not in lines else []
        else:
            numbered = item if item.get("method") == INITIALIZED["method"] else {**item, "id": number}
            lines.append(json.dumps(numbered, ensure_ascii=draw(st.booleans())).encode())
    return lines


@cache
def server() -> MCPServer[ServerSession]:
    return build_server()


@cache
def fresh() -> Snapshot:
    """The snapshot as it would be made now: that the file is the same, another test asserts."""
    return Snapshot(anyio.run(recorded, server()), is_ours=True)


def sorted_answers(answers: list[Message]) -> list[str]:
    return sorted(json.dumps(answer, sort_keys=True) for answer in answers)


UNUSUAL_PROBE = {**MODERN, "io.modelcontextprotocol/clientInfo": NOTHING, "progressToken": 0}
PROBED = {"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {"_meta": UNUSUAL_PROBE}}
PINGED_WITHOUT_TOKEN = {"jsonrpc": "2.0", "id": 2, "method": "ping", "params": {"_meta": {"progressToken": None}}}
HANDSHAKEN = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}


# A handshake after a probe that only the SDK can answer was refused once the SDK had seen the probe.
@example(lines=[json.dumps(message).encode() for message in (PROBED, HANDSHAKEN)])
@example(lines=[json.dumps(message).encode() for message in (PROBED, INITIALIZED, {**PROBED, "id": 2})])
# A token that may be missing was taken for one that may be null, which the SDK refuses.
@example(lines=[json.dumps(message).encode() for message in (HANDSHAKEN, INITIALIZED, PINGED_WITHOUT_TOKEN)])
@costly
@given(lines=conversations())
def test_a_host_gets_the_same_answers_as_from_the_sdk_alone(lines: list[Line]) -> None:
    probes, are_given_up = opening_probes(lines)
    expected = by_sdk([line for line in lines if line not in probes])
    apart = [answer for probe in probes for answer in by_sdk([probe])]
    for known in (fresh(), None):
        for moment in range(len(lines) + 1) if known else (0, len(lines)):
            heard = played(lines, moment, known, probes)
            given_up = [answer for answer in apart if answer not in heard] if are_given_up else []
            assert sorted_answers(heard + given_up) == sorted_answers(expected + apart)


def opening_probes(lines: list[Line]) -> tuple[list[Line], bool]:
    """The probes before the session opens, each in a session of its own, and whether it opens with a handshake."""
    probes: list[Line] = []
    for line in filter(bytes.strip, lines):
        message = parsed(line)
        if message is None:
            break
        if is_request(message) and message["method"] != PROBE:
            return probes, message["method"] == HANDSHAKE
        probes += [line] if is_request(message) else []
    return probes, False


def by_sdk(lines: list[Line]) -> list[Message]:
    """What the SDK answers; ids of ours differ each time, and nothing else of a line decides what it says."""
    numbers = count()
    return _by_sdk(
        tuple(re.sub(rb"(?<=fast-start-)[0-9a-f]+-[0-9]+", lambda _: b"%d" % next(numbers), line) for line in lines)
    )


@lru_cache(1_000)
def _by_sdk(lines: tuple[Line, ...]) -> list[Message]:
    heard = anyio.run(sdk_replies, low_level(server()), [message_of(line) for line in lines])
    return [json.loads(message.model_dump_json(by_alias=True, exclude_unset=True)) for message in heard]


def played(lines: list[Line], moment: int, known: Snapshot | None, probes: list[Line]) -> list[Message]:
    """What the host hears if the SDK takes over at that moment."""
    answered: list[Message] = []
    passed_on: list[Line | None] = []
    probe_sink: list[Line] = []
    start = FastStart(known, lambda line: answered.append(json.loads(line)))
    for place, line in enumerate(lines):
        if place == moment:
            start.hand_over(lambda line, _: passed_on.append(line), probe_sink.append)
        start.receive([line])
    start.end()
    if moment == len(lines):
        start.hand_over(lambda line, _: passed_on.append(line), probe_sink.append)
    assert passed_on.pop() is None
    to_sdk = [line for line in passed_on if line is not None]
    assert_in_order([line for line in lines if line not in probes], answered, to_sdk)
    later = [answer for answer in by_sdk(to_sdk) if not is_known(start, answer)]
    return [*answered, *later, *(answer for line in probe_sink for answer in by_sdk([line]))]


def is_known(start: FastStart, said: Message) -> bool:
    """Return whether the host has been told already."""
    if said.get("method") == ACKNOWLEDGED:
        return start.has_acknowledged(said["params"]["_meta"][SUBSCRIPTION])
    return str(said.get("id")).startswith("fast-start-")


def assert_in_order(lines: list[Line], answered: list[Message], passed_on: list[Line]) -> None:
    """Each line was either answered or passed on, and what was passed on kept its order."""
    from_host = [line for line in passed_on if not is_resent((parsed(line) or {}).get("id"))]
    kept = iter(lines)
    assert all(line in kept for line in from_host)
    asked = [json.loads(line)["id"] for line in lines if line.strip() and line not in from_host]
    assert [number for answer in answered if (number := answer.get("id")) in asked] == asked
