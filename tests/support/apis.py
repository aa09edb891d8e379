"""The built-in model APIs on a loopback endpoint: where each finds it, and how each is asked there."""

from collections.abc import Mapping
from typing import Any

from sparring.providers.api import ApiConsultant
from sparring.providers.api.calls import Retries
from sparring.providers.connections import Connections
from sparring.providers.known import load_providers
from sparring.schema.providers import PROVIDER_SPEC, ApiProvider
from sparring.text.redaction import Redactor

HOSTED = ("anthropic", "google", "openai", "openrouter")
LOCAL = ("lm-studio", "ollama", "vllm")
KEY = "key-for-tests-0123456789"

_BASES = {
    "anthropic": ("ANTHROPIC_BASE_URL", ""),
    "google": ("GOOGLE_GEMINI_BASE_URL", ""),
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
    spec: ApiProvider,
    variables: Mapping[str, str],
    *,
    connections: Connections | None = None,
    retries: Retries = AT_ONCE,
    redactor: Redactor | None = None,
) -> ApiConsultant:
    """The consultant for ``spec`` where ``variables`` are set."""
    return ApiConsultant(
        spec,
        variables,
        connections=connections or Connections(variables),
        redactor=redactor or Redactor(),
        retries=retries,
    )
