"""Remedies for faults of which the remedy is known."""

import re
from collections.abc import Collection
from urllib.parse import urlsplit

from sparring.providers.api import endpoints, protocol
from sparring.schema.apis import ApiKind, ApiProvider
from sparring.schema.consultation import FailureCode

_WINDOW_ADVICE = "Raise the context window of the server (Ollama: OLLAMA_CONTEXT_LENGTH)."
_NEEDED = frozenset({"contents", "input", "messages", "model"})
_WITH_VERSION = frozenset({ApiKind.CHAT_COMPLETIONS, ApiKind.OPENAI_RESPONSES})


_MISSING_PAGE = re.compile(
    r"not found\.?$|no such (?:page|route|path|endpoint|url)|cannot (?:post|get)|page not found|status 404"
    r"|(?:invalid|unknown) (?:url|path|endpoint|route)",
    re.IGNORECASE,
)
_MODEL = re.compile(r"\bmodel\b", re.IGNORECASE)


def hint_for(
    fault: protocol.ApiFault, spec: ApiProvider, endpoint: endpoints.Endpoint, fields: Collection[str] = ()
) -> str:
    """Return a remedy for ``fault``, empty where none is known; ``fields`` are those of the request."""
    if fault.code is FailureCode.BAD_REQUEST and (name := refused_field(fault, fields)):
        return _about_field(name, spec)
    if fault.code is FailureCode.CONTEXT_TOO_LONG:
        is_own = endpoints.is_own_server(spec, endpoint)
        return spec.window_advice or (_WINDOW_ADVICE if is_own else "")
    if fault.code is FailureCode.NOT_FOUND and fault.status == 404 and _is_of_page(fault.message):
        return _about_address(spec, endpoint)
    return ""


def _is_of_page(message: str) -> bool:
    """Return whether a sentence reports that an address leads nowhere, and not that a model is missing."""
    return _MISSING_PAGE.search(message) is not None and _MODEL.search(message) is None


def refused_field(fault: protocol.ApiFault, fields: Collection[str]) -> str:
    """Return the refused field of the request, if the request is possible without it; else an empty string."""
    ours = [name for name in fields if name not in _NEEDED]
    named = (name for name in fault.fields if name in ours)
    return next(named, None) or next((name for name in ours if _is_mentioned(name, fault.message)), "")


def _is_mentioned(name: str, message: str) -> bool:
    """Return whether a message is about the field and does not only contain the same word."""
    quoted = rf"""["'`“‘(]{re.escape(name)}(?:["'`”’).]|\b\.)"""
    if re.search(quoted, message):
        return True
    return "_" in name and re.search(rf"\b{re.escape(name)}\b", message) is not None


def _about_field(name: str, spec: ApiProvider) -> str:
    levels = (spec.efforts, *(rule.efforts or {} for rule in spec.models))
    if any(name in body for level in levels for body in level.values()):
        return f"The level of effort adds it: leave --effort out, or change [efforts] in {spec.name}.toml."
    return f'To leave it out, put `omit = ["{name}"]` into {spec.name}.toml.'


def _about_address(spec: ApiProvider, endpoint: endpoints.Endpoint) -> str:
    segments = urlsplit(endpoint.base_url).path.split("/")
    place = f"{spec.base_url_variable} or base_url" if spec.base_url_variable else "base_url"
    if spec.api in _WITH_VERSION and not any(re.fullmatch(r"v\d+\w*", segment) for segment in segments):
        return f"The address in {place} may have to end with /v1."
    if spec.api not in _WITH_VERSION and segments[-1] == "v1":
        return f"The address in {place} may have to end without /v1."
    return f"Check the address in {place}."
