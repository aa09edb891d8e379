"""From a response to what was heard in it: an answer, or a fault."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

from sparring.consult.api.apis import Api
from sparring.consult.api.events import EventReader
from sparring.consult.api.heard import Fault, Heard
from sparring.consult.failures import code_of_status
from sparring.consult.http import Response
from sparring.consult.retries import is_worth_a_retry, told_wait_s
from sparring.errors import ConsultError, OutputError
from sparring.schema.consultation import FailureCode

_STREAM = frozenset({"text/event-stream", ""})
_FOR_GOOD = frozenset({FailureCode.AUTH, FailureCode.CONTEXT_TOO_LONG, FailureCode.PERMISSION, FailureCode.QUOTA})
"""Whatever the status, these are not gone in a minute."""


async def hear(response: Response, api: Api) -> Heard:
    """What ``response`` says. Its ``fault`` is set unless there is a whole answer; nothing is raised."""
    if response.status != 200:
        return Heard(fault=await _refusal(response, api))
    if (kind := media_type(response)) not in _STREAM:
        return Heard(fault=await _without_stream(response, api, kind))
    heard, begun = Heard(), False
    reader = EventReader()
    try:
        async for piece in response.pieces:
            begun = begun or bool(piece)
            _take(piece, reader, api, heard)
            if heard.ended:
                break
    except ConsultError as error:
        if not heard.complete:
            heard.fail(fault_of(error, again=not begun))
        return heard
    if heard.ended:
        await response.finish()
    if not heard.complete and heard.fault is None:
        heard.fail(Fault(FailureCode.CONNECTION, "its answer broke off before the end", again=not begun))
    return heard


def fault_of(error: ConsultError, *, again: bool) -> Fault:
    """The fault that a transport's ``error`` stands for; only where there was no connection is ``again`` asked."""
    code = FailureCode(error.code)
    return Fault(code, str(error), again=again and code is FailureCode.CONNECTION)


def media_type(response: Response) -> str:
    """What the body is said to be; empty when nothing is said."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _take(piece: bytes, reader: EventReader, api: Api, heard: Heard) -> None:
    try:
        for event in reader.feed(piece):
            if not heard.ended:
                api.hear(event, heard)
    except (ValueError, RecursionError) as error:  # pydantic's errors are the former, too
        raise OutputError("it sent an event that cannot be understood") from error


async def _refusal(response: Response, api: Api) -> Fault:
    status, headers = response.status, response.headers
    if 300 <= status < 400:
        # A key must not go where an answer sends it.
        return Fault(FailureCode.CONNECTION, f"it sent us to another address (status {status}), which is not followed")
    told = await _told(response, api) or Fault(code_of_status(status) or FailureCode.EXIT, "")
    told_s = told_wait_s(headers, datetime.now(UTC))
    return replace(
        told,
        message=told.message or f"it answered with status {status}",
        told=bool(told.message),
        again=is_worth_a_retry(status, headers) and told.code not in _FOR_GOOD,
        told_s=told.told_s if told_s is None else told_s,
    )


async def _without_stream(response: Response, api: Api, kind: str) -> Fault:
    told = await _told(response, api)
    return told or Fault(FailureCode.PARSE, f"it answered with {kind} and not with a stream of events")


async def _told(response: Response, api: Api) -> Fault | None:
    """The fault that the body tells of, if it can be read and understood."""
    try:
        return api.fault(_error_in(await response.rest()), response.status)
    except (ConsultError, ValueError, RecursionError):
        return None


def _error_in(body: bytes) -> Any:
    found: Any = json.loads(body)
    # Google wraps errors into a list when no stream had begun.
    table = cast("Any", found[0] if isinstance(found, list) and found else found)
    if not isinstance(table, dict):
        raise ValueError("no table")  # noqa: TRY004 -- foreign data, not a caller's mistake
    members = cast("dict[str, Any]", table)
    # Older vLLM puts the error's own members on top.
    return members.get("error", members if members.get("object") == "error" else None)
