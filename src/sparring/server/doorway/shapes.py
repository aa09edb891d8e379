"""Requests whose shape is exactly known, so that it is certain what the SDK says to them.

Whatever is unusual (an unknown key, a cursor, an escape, a number where a host writes none) is not of a known shape
and waits for the SDK. That costs its sender a second; a wrong guess would cost a wrong answer.
"""

import json
from typing import Any, TypeGuard

Message = dict[str, Any]

PROBE = "server/discover"
HANDSHAKE = "initialize"

_VERSION = "io.modelcontextprotocol/protocolVersion"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

_LONGEST = 32_768
_MOST_NESTED = 100
"""The SDK's parser refuses what is nested deeper than some 200 levels."""

_WHO = frozenset({"name", "title", "version", "description", "websiteUrl"})
_OPEN = frozenset({"experimental", "extensions"})
_CAPABILITY_NAMES = _OPEN | {"elicitation", "roots", "sampling", "tasks"}


def parsed(line: bytes) -> Message | None:
    """The JSON object in ``line``; None if there is none, or none that every parser reads alike."""
    try:
        message = json.loads(line.decode(), parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return message if _is_object(message) else None


def is_request(message: Message) -> bool:
    """Whether somebody may wait for an answer to it."""
    return "method" in message and "id" in message


def is_token(value: object) -> TypeGuard[str | int]:
    """Whether it can stand for a request or its progress, as every parser reads it."""
    # The SDK's numbers have 64 bits in some places.
    return isinstance(value, str) or (type(value) is int and abs(value) < 2**53)


def is_plain(line: bytes, message: Message) -> bool:
    """Whether ``line`` is a request without anything unusual around its parameters."""
    return (
        len(line) <= _LONGEST
        # Half of a surrogate pair is refused by the SDK's parser and not by ours; in a request that we could
        # answer, hosts write no escapes of this kind.
        and b"\\u" not in line
        and line.count(b"{") + line.count(b"[") <= _MOST_NESTED
        and message.keys() <= {"jsonrpc", "id", "method", "params"}
        and message.get("jsonrpc") == "2.0"
        and is_token(message.get("id"))
        and isinstance(message.get("method"), str)
        and _is_object(message.get("params", {}))
    )


def offered(message: Message) -> str | None:
    """The protocol revision that a plain ``initialize`` offers; None if it is not of the known shape."""
    params = message.get("params", {})
    fits = (
        message["method"] == HANDSHAKE
        and params.keys() - {"_meta"} == {"protocolVersion", "capabilities", "clientInfo"}
        and _is_meta(params.get("_meta", {}), frozenset())
        and isinstance(params["protocolVersion"], str)
        and _is_client(params["clientInfo"])
        and _are_capabilities(params["capabilities"])
    )
    return params["protocolVersion"] if fits else None


def asks_plainly(message: Message) -> bool:
    """Whether a plain request of a session with a handshake has no parameters."""
    params = message.get("params", {})
    return params.keys() <= {"_meta"} and _is_meta(params.get("_meta", {}), frozenset())


def asks_in(message: Message, version: str) -> bool:
    """Whether a plain request has no parameters but the envelope of revision ``version``."""
    params = message.get("params", {})
    meta = params.get("_meta")
    return (
        params.keys() == {"_meta"}
        and _is_meta(meta, frozenset({_VERSION, _CLIENT, _CAPABILITIES}))
        and meta.get(_VERSION) == version
        and _is_client(meta.get(_CLIENT))
        and _are_capabilities(meta.get(_CAPABILITIES))
    )


def _is_meta(value: object, known: frozenset[str]) -> TypeGuard[Message]:
    return _is_object(value) and value.keys() <= known | {"progressToken"} and is_token(value.get("progressToken", 0))


def _is_client(value: object) -> bool:
    return (
        _is_object(value)
        and {"name", "version"} <= value.keys() <= _WHO
        and all(isinstance(said, str) for said in value.values())
    )


def _are_capabilities(value: object) -> bool:
    return (
        _is_object(value)
        and value.keys() <= _CAPABILITY_NAMES
        and all(_is_capability(name, details) for name, details in value.items())
    )


def _is_capability(name: str, details: object) -> bool:
    if not _is_object(details):
        return False
    if name in _OPEN:
        return all(_is_object(inner) for inner in details.values())
    if name == "roots":
        return details in ({}, {"listChanged": True}, {"listChanged": False})
    return _holds_objects(details)


def _holds_objects(value: Message) -> bool:
    return all(_is_object(inner) and _holds_objects(inner) for inner in value.values())


def _is_object(value: object) -> TypeGuard[Message]:
    return isinstance(value, dict)


def _refused(constant: str) -> object:
    raise ValueError(constant)  # NaN and its like are no JSON
