"""Requests to an API: their bodies, headers and models."""

import json
from collections.abc import Mapping
from typing import Any, cast

from msgspec.structs import replace

from sparring import __version__
from sparring.errors import ConsultError
from sparring.providers.api import anthropic, endpoints, gemini, http, ollama, openai, protocol, reading, schemas
from sparring.schema.apis import MODELS_PATHS, ApiKind, ApiProvider, matches
from sparring.schema.base import Effort
from sparring.schema.consultation import FailureCode, Question
from sparring.schema.forms import RequestedForm
from sparring.text.jsonc import merged

APIS: Mapping[ApiKind, protocol.Api] = {
    ApiKind.ANTHROPIC_MESSAGES: anthropic.ANTHROPIC_MESSAGES,
    ApiKind.CHAT_COMPLETIONS: openai.CHAT_COMPLETIONS,
    ApiKind.GEMINI: gemini.GEMINI,
    ApiKind.OLLAMA: ollama.OLLAMA_CHAT,
    ApiKind.OPENAI_RESPONSES: openai.OPENAI_RESPONSES,
}

_ALWAYS = {
    "accept-encoding": "identity",  # compressed data arrive in lumps, and unpack to any size
    "content-type": "application/json",
    "user-agent": f"sparring/{__version__}",
}


def question_call(spec: ApiProvider, endpoint: endpoints.Endpoint, body: protocol.Json, model: str) -> http.HttpCall:
    """The request that sends ``body`` (``request_body``) to ``model``."""
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return call_to(spec, endpoint, APIS[spec.api].path(model), {"accept": "text/event-stream"}, content)


def models_call(spec: ApiProvider, endpoint: endpoints.Endpoint) -> http.HttpCall:
    """The request for the list of models."""
    return call_to(spec, endpoint, MODELS_PATHS[spec.api], {"accept": "application/json"}, b"")


def request_body(
    spec: ApiProvider,
    question: Question,
    model: str,
    *,
    window: int | None = None,
    form: RequestedForm | None = None,
) -> protocol.Json:
    """Return the body of a request for ``question``, whose model must support it (``providers.available.unsupported``).

    The API's own fields come first; those of the provider, the model and the effort override them in this order.
    ``window`` is the context window to request from Ollama, ``form`` the one whose schema is sent.
    """
    rule = spec.rule_for(model)
    body = APIS[spec.api].body(question, model)
    if window is not None:
        body["options"] = {"num_ctx": window}
    body = merged(body, spec.body)
    body = merged(body, rule.body) if rule else body
    body = merged(body, effort_body(spec, question.effort, model))
    if form is not None:
        body = merged(body, schemas.fields_for(spec, form))
    return {name: value for name, value in body.items() if name not in spec.omit}


def effort_body(spec: ApiProvider, effort: Effort | None, model: str) -> Mapping[str, Any]:
    """Return the request fields for ``effort``; empty if it is left to the model."""
    return spec.efforts_of(model)[effort] if effort is not None else {}


def call_to(
    spec: ApiProvider, endpoint: endpoints.Endpoint, path: str, accept: Mapping[str, str], content: bytes
) -> http.HttpCall:
    """Return a request with all headers that API, provider and key need; ``accept`` may replace some of ours."""
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


async def first_model(client: http.HttpClient, call: http.HttpCall, spec: ApiProvider) -> str | protocol.ApiFault:
    """The first model in the list that ``call`` asks for which answers questions."""
    try:
        async with client.send(call) as response:
            if response.status != 200:
                fault = await reading.refusal(response)
                return replace(
                    fault, message=f"its list of models is not available: {fault.message}", is_reported=False
                )
            content = await response.rest()
    except ConsultError as error:
        return reading.fault_of(error, is_retryable=True)
    try:
        models = models_in(json.loads(content))
    except (ValueError, RecursionError):
        return protocol.ApiFault(FailureCode.PARSE, "its list of models cannot be parsed")
    candidates = (
        model for model in models if not matches(model, spec.skipped_models) and endpoints.is_model_name(model)
    )
    none = protocol.ApiFault(FailureCode.NOT_FOUND, "it lists no model that answers questions; load one first")
    return next(candidates, none)


def models_in(listed: object) -> list[str]:
    """The ids of a list of models, in the forms of OpenAI's API and of Ollama's own.

    Raises:
        ValueError: It is no such list.
    """
    if not isinstance(listed, dict):
        raise ValueError("no list of models")  # noqa: TRY004 -- foreign data, not a caller's mistake
    members = protocol.table(cast("object", listed))
    entries = protocol.tables(members.get("data") or members.get("models"))
    return [name for entry in entries if (name := protocol.word(entry.get("id") or entry.get("name")))]
