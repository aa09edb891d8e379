"""What a line of the host is to the SDK; and what is answered to a request that the SDK cannot read.

The SDK passes over what it cannot read, and a host waits for the answer for ever. That happens: a program that cuts a
text in the middle of an emoji writes half of a surrogate pair, which no strict parser takes.
"""

import json
from typing import Any, TypeGuard, cast

from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

Incoming = SessionMessage | ValidationError

_NO_MESSAGE = "it is no JSON-RPC 2.0 request"
_IN_BATCH = "requests in a batch are not taken, send each on a line of its own"
_HALF_A_PAIR = "a text in it has half of a surrogate pair, as if an emoji had been cut in two"


def message_of(line: bytes) -> Incoming:
    """A line as the SDK's own transport reads it: an error, if it is no message."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line.decode(errors="replace"), by_name=False))
    except ValidationError as error:
        return error


def refusals(line: bytes, error: ValidationError) -> tuple[JSONRPCError, ...]:
    """An answer to each request in ``line``, for which ``message_of`` has that error; none if nobody waits for one."""
    try:
        read: object = json.loads(line.decode(errors="replace"), strict=False)
    except (ValueError, RecursionError):
        return ()
    if isinstance(read, list):
        return tuple(_refusal(each["id"], _IN_BATCH) for each in cast("list[object]", read) if _is_request(each))
    return (_refusal(read["id"], _reason(read, error)),) if _is_request(read) else ()


def _reason(read: object, error: ValidationError) -> str:
    if not _is_sound(json.dumps(read, ensure_ascii=False)):
        return _HALF_A_PAIR
    fault = error.errors(include_url=False, include_input=False)[0]
    return str(fault["ctx"]["error"]) if fault["type"] == "json_invalid" and "ctx" in fault else _NO_MESSAGE


def _refusal(request_id: int | str, reason: str) -> JSONRPCError:
    said = ErrorData(code=INVALID_REQUEST, message=f"The request cannot be read: {reason}.")
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=said)


def _is_request(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether it can be answered: it has a method, and an id that an answer can repeat."""
    if not isinstance(value, dict):
        return False
    request = cast("dict[str, object]", value)
    return "method" in request and _can_be_repeated(request.get("id"))


def _can_be_repeated(request_id: object) -> bool:
    return _is_sound(request_id) if isinstance(request_id, str) else type(request_id) is int


def _is_sound(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
