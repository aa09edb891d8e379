"""From a provider's file, an endpoint and a question to the request that puts it. Pure."""

import json
from collections.abc import Mapping
from typing import Any, cast

from sparring import __version__
from sparring.consult.api.apis import Api, Json
from sparring.consult.http import Call
from sparring.consult.providers.endpoints import Endpoint
from sparring.schema.base import Effort
from sparring.schema.consultation import Question
from sparring.schema.providers import ApiProvider
from sparring.schema.providers.api import MODELS_PATHS

_ALWAYS = {
    "accept-encoding": "identity",  # what is packed comes in lumps, and unpacks to anything
    "content-type": "application/json",
    "user-agent": f"sparring/{__version__}",
}


def question_call(spec: ApiProvider, api: Api, endpoint: Endpoint, question: Question, model: str) -> Call:
    """The request that puts ``question`` to ``model``, which must support all of it (``providers.unsupported``)."""
    body = request_body(spec, api, question, model)
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return _call(spec, api, endpoint, api.path(model), {"accept": "text/event-stream"}, content)


def models_call(spec: ApiProvider, api: Api, endpoint: Endpoint) -> Call:
    """The request for the list of models."""
    return _call(spec, api, endpoint, MODELS_PATHS[spec.api], {"accept": "application/json"}, b"")


def request_body(spec: ApiProvider, api: Api, question: Question, model: str) -> Json:
    """What is sent: the API's own fields, then the provider's, then the model's, then the effort's."""
    rule = spec.rule_for(model)
    body = api.body(question.prompt, model)
    body = _merged(body, spec.body)
    body = _merged(body, rule.body) if rule else body
    body = _merged(body, effort_body(spec, question.effort, model))
    return {name: value for name, value in body.items() if name not in spec.omit}


def effort_body(spec: ApiProvider, effort: Effort | None, model: str) -> Mapping[str, Any]:
    """What ``effort`` adds; nothing when it is left to the model."""
    return spec.efforts_of(model)[effort] if effort is not None else {}


def _call(
    spec: ApiProvider, api: Api, endpoint: Endpoint, path: str, accept: Mapping[str, str], content: bytes
) -> Call:
    own = {name.lower(): value for name, value in spec.headers.items()}
    return Call(
        url=endpoint.base_url + path,
        headers={**_ALWAYS, **accept, **api.headers, **own, **_key_header(spec, api, endpoint)},
        content=content,
        first_byte_s=spec.first_byte_s,
        stall_s=spec.stall_s,
    )


def _key_header(spec: ApiProvider, api: Api, endpoint: Endpoint) -> Mapping[str, str]:
    if endpoint.key is None:
        return {}
    if spec.key_header is not None:
        return {spec.key_header.lower(): endpoint.key.value}
    return {api.key_header: f"Bearer {endpoint.key.value}" if api.key_header == "authorization" else endpoint.key.value}


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> Json:
    merged = dict(under)
    for name, value in over.items():
        there = merged.get(name)
        both_tables = isinstance(there, dict) and isinstance(value, dict)
        merged[name] = _merged(cast("Json", there), cast("Json", value)) if both_tables else value
    return merged
