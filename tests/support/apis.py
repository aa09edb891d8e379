"""The built-in model APIs on a loopback endpoint: where each finds it, and how each is asked there."""

import json
from collections.abc import Mapping
from typing import Any

from sparring.providers.api.connections import Connections
from sparring.providers.api.consultant import ApiConsultant
from sparring.providers.known import load_providers
from sparring.providers.receiving.causes import RETRYABLE
from sparring.providers.wrappers import Retries, RetryingConsultant, no_report
from sparring.schema.consultation import Failure, FailureCode, Question, Reply
from sparring.schema.providers import PROVIDER_SPEC, ApiProvider
from sparring.testing.model_endpoint import Send
from sparring.text.redaction import Redactor

HOSTED = ("anthropic", "google", "openai", "openrouter")
LOCAL = ("llama-server", "lm-studio", "ollama", "vllm")
KEY = "key-for-tests-0123456789"
TOLD = "Yes: it is so."
STREAM = {"content-type": "text/event-stream"}

_BASES = {
    "anthropic": ("ANTHROPIC_BASE_URL", ""),
    "google": ("GOOGLE_GEMINI_BASE_URL", ""),
    "llama-server": ("LLAMA_SERVER_BASE_URL", "/v1"),
    "lm-studio": ("LM_STUDIO_BASE_URL", "/v1"),
    "ollama": ("OLLAMA_HOST", ""),
    "openai": ("OPENAI_BASE_URL", "/v1"),
    "openrouter": ("OPENROUTER_BASE_URL", "/api/v1"),
    "vllm": ("VLLM_BASE_URL", "/v1"),
}

AT_ONCE = Retries(draw=lambda: 0.0)
"""Waits for nothing but what a server asks for."""


def built_in(name: str) -> ApiProvider:
    """The built-in provider of that name."""
    spec = load_providers(None).specs[name]
    assert isinstance(spec, ApiProvider)
    return spec


def own(**fields: Any) -> ApiProvider:
    """A provider of a user's own; by default one that needs no key."""
    table = {"name": "mine", "kind": "api", "family": "mine", "title": "My own", "api": "chat-completions"}
    spec = PROVIDER_SPEC.validate_python({**table, **fields})
    assert isinstance(spec, ApiProvider)
    return spec


def environment(spec: ApiProvider, url: str) -> dict[str, str]:
    """The variables that send ``spec`` to the endpoint at ``url``, with a key where one is needed."""
    variable, path = _BASES[spec.name]
    keys = {} if spec.key_optional else {spec.key_variables[0]: KEY}
    return {variable: url + path, **keys}


def api(
    spec: ApiProvider, variables: Mapping[str, str], *, retries: Retries = AT_ONCE, **how: Any
) -> RetryingConsultant:
    """The consultant for ``spec`` where ``variables`` are set, as a run asks it."""
    usual: dict[str, Any] = {"connections": Connections(variables), "redactor": Redactor()}
    return RetryingConsultant(ApiConsultant(spec, variables, **usual | how), retries, no_report)


async def reply_of(spec: ApiProvider, variables: dict[str, str], asked: Question, **how: Any) -> Reply:
    """The reply, without the time it took."""
    reply = await api(spec, variables, **how).ask(asked)
    return reply.model_copy(update={"duration_ms": 0})


def event(table: object) -> bytes:
    """One event of a stream."""
    return f"data: {json.dumps(table)}\n\n".encode()


def told_in_json(table: object, status: int = 200) -> Send:
    """An answer that is no stream."""
    return Send((json.dumps(table).encode(),), status, {"content-type": "application/json"})


def failure(code: FailureCode, detail: str, *, tool: str = "mine") -> Failure:
    """The failure that a reply is."""
    return Failure(tool=tool, code=code, detail=detail, retryable=code in RETRYABLE, redactions=0)
