"""Requests to an API: what they are made of, what is made of the responses, and when to ask once more.

A refusal, a stream that breaks off and a page that somebody between us has sent are faults like any other.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

from pydantic import BaseModel

from sparring import __version__
from sparring.errors import ConsultError, OutputError
from sparring.providers.api import anthropic, endpoints, gemini, http, openai, protocol
from sparring.providers.receiving.causes import code_of_status
from sparring.schema.base import Effort
from sparring.schema.consultation import FailureCode, Question
from sparring.schema.providers import MODELS_PATHS, ApiKind, ApiProvider, matches
from sparring.text.jsonc import merged

APIS: Mapping[ApiKind, protocol.Api] = {
    ApiKind.ANTHROPIC_MESSAGES: anthropic.ANTHROPIC_MESSAGES,
    ApiKind.CHAT_COMPLETIONS: openai.CHAT_COMPLETIONS,
    ApiKind.GEMINI: gemini.GEMINI,
    ApiKind.OPENAI_RESPONSES: openai.OPENAI_RESPONSES,
}

_ALWAYS = {
    "accept-encoding": "identity",  # what is packed comes in lumps, and unpacks to anything
    "content-type": "application/json",
    "user-agent": f"sparring/{__version__}",
}


def question_call(spec: ApiProvider, endpoint: endpoints.Endpoint, question: Question, model: str) -> http.HttpCall:
    """The request that puts ``question`` to ``model``, which must support all of it (``providers.unsupported``)."""
    body = request_body(spec, question, model)
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return call_to(spec, endpoint, APIS[spec.api].path(model), {"accept": "text/event-stream"}, content)


def models_call(spec: ApiProvider, endpoint: endpoints.Endpoint) -> http.HttpCall:
    """The request for the list of models."""
    return call_to(spec, endpoint, MODELS_PATHS[spec.api], {"accept": "application/json"}, b"")


def request_body(spec: ApiProvider, question: Question, model: str) -> protocol.Json:
    """What puts ``question``: the API's own fields, then the provider's, then the model's, then the effort's."""
    rule = spec.rule_for(model)
    body = merged(APIS[spec.api].body(question, model), spec.body)
    body = merged(body, rule.body) if rule else body
    body = merged(body, effort_body(spec, question.effort, model))
    return {name: value for name, value in body.items() if name not in spec.omit}


def effort_body(spec: ApiProvider, effort: Effort | None, model: str) -> Mapping[str, Any]:
    """What ``effort`` adds; nothing when it is left to the model."""
    return spec.efforts_of(model)[effort] if effort is not None else {}


def call_to(
    spec: ApiProvider, endpoint: endpoints.Endpoint, path: str, accept: Mapping[str, str], content: bytes
) -> http.HttpCall:
    """A request with all the headers that API, provider and key need; ``accept`` may replace some of ours."""
    own = {name.lower(): value for name, value in spec.headers.items()}
    return http.HttpCall(
        url=endpoint.base_url + path,
        headers={**_ALWAYS, **accept, **APIS[spec.api].headers, **own, **_key_header(spec, endpoint)},
        content=content,
        first_byte_s=spec.first_byte_s,
        stall_s=spec.stall_s,
    )


def _key_header(spec: ApiProvider, endpoint: endpoints.Endpoint) -> Mapping[str, str]:
    if endpoint.key is None:
        return {}
    if spec.key_header is not None:
        return {spec.key_header.lower(): endpoint.key.value}
    name = APIS[spec.api].key_header
    return {name: f"Bearer {endpoint.key.value}" if name == "authorization" else endpoint.key.value}


_AGAIN = frozenset({408, 409, 429})
"""Besides 5xx: took too long, collided with another request, too many of them."""


def is_worth_a_retry(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the same request may succeed later; a server that knows better says so in ``x-should-retry``."""
    said = headers.get("x-should-retry")
    return said == "true" if said in {"true", "false"} else status in _AGAIN or status >= 500


def told_wait_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that ``retry-after-ms`` or ``retry-after`` ask for; a date that is past asks for none.

    Where neither is there, the seconds until what is used up is there again; None when nothing can be understood.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    found = _until(text, now) if seconds is None else seconds
    return _until_renewed(headers, now) if found is None else found


_LEFT = re.compile(r"(?:anthropic-ratelimit-(?P<kind>[a-z-]+)-remaining|x-ratelimit-remaining-(?P<of>[a-z]+))")
_PERIOD = re.compile(r"(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6}(?:\.\d{1,6})?)s)?(?:(\d{1,6})ms)?")


def _until_renewed(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds until all limits of which nothing is left begin anew, as Anthropic and OpenAI tell it."""
    used_up = [found for name, left in headers.items() if left == "0" and (found := _LEFT.fullmatch(name))]
    told = [
        _moment(headers.get(f"anthropic-ratelimit-{found['kind']}-reset", ""), now)
        if found["kind"]
        else _period(headers.get(f"x-ratelimit-reset-{found['of']}", ""))
        for found in used_up
    ]
    return max((seconds for seconds in told if seconds is not None), default=None)


def _moment(text: str, now: datetime) -> float | None:
    try:
        return _seconds_to(datetime.fromisoformat(text), now)
    except ValueError:
        return None


def _period(text: str) -> float | None:
    """Seconds of e.g. ``6m0s`` or ``20ms``."""
    found = _PERIOD.fullmatch(text) if text else None
    if found is None:
        return None
    return sum(float(part) * unit for part, unit in zip(found.groups(default="0"), (3600, 60, 1, 0.001), strict=True))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return _seconds_to(moment, now)


def _seconds_to(moment: datetime, now: datetime) -> float:
    # The zone "-0000" is read as none at all; it means UTC.
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds())


_STREAM = frozenset({"text/event-stream", ""})
_FOR_GOOD = frozenset({FailureCode.AUTH, FailureCode.CONTEXT_TOO_LONG, FailureCode.PERMISSION, FailureCode.QUOTA})
"""Whatever the status, these are not gone in a minute."""


async def hear(response: http.Response, api: protocol.Api) -> protocol.ApiHeard:
    """What ``response`` says. Its ``fault`` is set unless there is a whole answer; nothing is raised."""
    if response.status != 200:
        return protocol.ApiHeard(fault=await refusal(response, api))
    if (kind := _media_type(response)) not in _STREAM:
        return protocol.ApiHeard(fault=await _without_stream(response, api, kind))
    heard, begun = protocol.ApiHeard(), False
    reader = protocol.EventReader()
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
        heard.fail(protocol.ApiFault(FailureCode.CONNECTION, "its answer broke off before the end", again=not begun))
    return heard


def fault_of(error: ConsultError, *, again: bool) -> protocol.ApiFault:
    """The fault that a transport's ``error`` stands for; only where there was no connection is ``again`` asked."""
    code = FailureCode(error.code)
    return protocol.ApiFault(code, str(error), again=again and code is FailureCode.CONNECTION)


def _media_type(response: http.Response) -> str:
    """What the body is said to be; empty when nothing is said."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _take(piece: bytes, reader: protocol.EventReader, api: protocol.Api, heard: protocol.ApiHeard) -> None:
    try:
        for data in reader.feed(piece):
            if not heard.ended:
                api.hear(data, heard)
    except (ValueError, RecursionError) as error:  # pydantic's errors are the former, too
        raise OutputError("it sent an event that cannot be understood") from error


async def refusal(response: http.Response, api: protocol.Api) -> protocol.ApiFault:
    """The fault that a response is whose status is not 200."""
    status, headers = response.status, response.headers
    if 300 <= status < 400:
        # A key must not go where an answer sends it.
        said = f"it sent us to another address (status {status}), which is not followed"
        return protocol.ApiFault(FailureCode.CONNECTION, said)
    told = await _told(response, api) or protocol.ApiFault(code_of_status(status) or FailureCode.EXIT, "")
    told_s = told_wait_s(headers, datetime.now(UTC))
    return replace(
        told,
        message=told.message or f"it answered with status {status}",
        told=bool(told.message),
        again=is_worth_a_retry(status, headers) and told.code not in _FOR_GOOD,
        told_s=told.told_s if told_s is None else told_s,
    )


async def _without_stream(response: http.Response, api: protocol.Api, kind: str) -> protocol.ApiFault:
    told = await _told(response, api)
    return told or protocol.ApiFault(FailureCode.PARSE, f"it answered with {kind} and not with a stream of events")


async def _told(response: http.Response, api: protocol.Api) -> protocol.ApiFault | None:
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


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    data: tuple[_Model, ...] | None = None


async def first_model(client: http.HttpClient, call: http.HttpCall, spec: ApiProvider) -> str | protocol.ApiFault:
    """The first model in the list that ``call`` asks for which answers questions."""
    try:
        async with client.send(call) as response:
            if response.status != 200:
                code = code_of_status(response.status) or FailureCode.EXIT
                again = is_worth_a_retry(response.status, response.headers) and code not in _FOR_GOOD
                return protocol.ApiFault(
                    code, f"its list of models cannot be had: status {response.status}", again=again
                )
            content = await response.rest()
    except ConsultError as error:
        return fault_of(error, again=True)
    try:
        listed = _Models.model_validate(json.loads(content)).data or ()
    except (ValueError, RecursionError):
        return protocol.ApiFault(FailureCode.PARSE, "its list of models cannot be understood")
    found = (
        model.id for model in listed if not matches(model.id, spec.skipped_models) and endpoints.is_model_name(model.id)
    )
    none = protocol.ApiFault(FailureCode.NOT_FOUND, "it lists no model that answers questions; load one first")
    return next(found, none)
