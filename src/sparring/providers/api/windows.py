"""Context windows: tokens that a model can read, by its provider file, by its server, or by our request.

A prompt that cannot fit is refused before it is sent. Some servers cut off the beginning of a prompt silently, so
the number of tokens that a server reports as read is compared with the prompt.
"""

from collections.abc import Mapping

from msgspec import Struct

from sparring.errors import SettingsError
from sparring.providers.api import endpoints, protocol
from sparring.providers.api.servers import KnownServers, ServedModel, endpoint_at, usual_model
from sparring.schema.apis import ApiKind, ApiProvider
from sparring.schema.consultation import FailureCode
from sparring.text.tokens import tokens_about, tokens_at_least

PLANNED_TOKENS = 16_384
"""Planned window where the server allocates as much as a request asks for: more takes gigabytes."""

_LEAST_TOKENS = 4_096
_ANSWER_TOKENS = 2_048
"""Room for an answer in addition to the prompt."""

_READ_SHARE = 0.6
"""Share of a prompt below which a reported count cannot be explained by another tokenizer."""

_NEARLY_FULL = 0.95
_SMALL_TOKENS = 1_000
"""A prompt of so many tokens fits everywhere, so that no server is queried for it."""

_LEAST_COMPARED = 256  # tokens: with fewer, additions or omissions of the server dominate
_LEAST_REPORTED = 64  # tokens: no window is smaller, so a server that reports fewer counts something else


class Window(Struct, frozen=True):
    """A context window for one question.

    Attributes:
        tokens: For the prompt and the answer together; None where it is not known.
        requested: The same, for a server that allocates the requested window; None uses its default.
    """

    tokens: int | None = None
    requested: int | None = None

    def reason_too_long(self, prompt: str, model: str) -> protocol.ApiFault | None:
        """The fault that ``prompt`` cannot fit, however few tokens it has; None where it may."""
        if self.tokens is None or tokens_at_least(prompt) < self.tokens:
            return None
        message = f"the prompt has about {tokens_about(prompt):,} tokens, and {model} reads {self.tokens:,} at once"
        return protocol.ApiFault(FailureCode.CONTEXT_TOO_LONG, message)

    def truncation(self, prompt: str, reported: int | None) -> protocol.ApiFault | None:
        """The fault that the server has read only a part of ``prompt``, by the tokens that it reports."""
        about = tokens_about(prompt)
        if reported is None or reported < _LEAST_REPORTED or about < _LEAST_COMPARED:
            return None
        is_far_less = reported < _READ_SHARE * about and reported < 0.9 * tokens_at_least(prompt)
        # A server with a cache may report only uncached tokens; with room enough nothing was lost.
        has_room = self.tokens is not None and self.tokens >= 1.3 * about
        is_full = self.tokens is not None and about > self.tokens and reported >= _NEARLY_FULL * self.tokens
        if not is_full and (not is_far_less or has_room):
            return None
        message = f"the server has read {reported:,} of about {about:,} tokens of the prompt"
        return protocol.ApiFault(FailureCode.CONTEXT_TOO_LONG, message)


def planned_window(
    spec: ApiProvider, environment: Mapping[str, str], servers: KnownServers, model: str | None
) -> int | None:
    """Return the window for planning before any question; None where it is unknown. May query a server."""
    if stated := stated_window(spec, model):
        return stated
    try:
        endpoint = endpoint_at(spec, environment, servers)
        model = model or endpoints.named_model(spec, environment)
    except SettingsError:
        return None
    if not endpoints.is_own_server(spec, endpoint):
        return None
    server = servers.server(endpoint, model or "")
    model = model or usual_model(spec, server)
    served = server.model(model) if server and model else None
    if served is None:
        return None
    if spec.api is ApiKind.OLLAMA:
        return max(served.window or 0, min(served.longest or PLANNED_TOKENS, PLANNED_TOKENS))
    return served.window


def window_for(
    spec: ApiProvider, endpoint: endpoints.Endpoint, servers: KnownServers, model: str, prompt: str
) -> Window:
    """Return the window for one question. May query a server, which blocks for a moment: see ``may_block``."""
    stated = stated_window(spec, model)
    if not _needs_look(spec, endpoint, model, prompt):
        return Window(stated)
    server = servers.server(endpoint, model)
    served = server.model(model) if server else None
    if spec.api is ApiKind.OLLAMA:
        return _window_of_ollama(served, stated, prompt)
    return Window(served.window if served else None)


def may_block(spec: ApiProvider, endpoint: endpoints.Endpoint, servers: KnownServers, model: str, prompt: str) -> bool:
    """Return whether ``window_for`` would query a server now."""
    return _needs_look(spec, endpoint, model, prompt) and not servers.is_known(endpoint, model)


def _needs_look(spec: ApiProvider, endpoint: endpoints.Endpoint, model: str, prompt: str) -> bool:
    is_ollama = spec.api is ApiKind.OLLAMA
    needs_window = is_ollama or not (stated_window(spec, model) or tokens_about(prompt) <= _SMALL_TOKENS)
    return needs_window and endpoints.is_own_server(spec, endpoint)


def _window_of_ollama(served: ServedModel | None, stated: int | None, prompt: str) -> Window:
    """Return a loaded window that is large enough, because another one loads the model again."""
    if stated:
        return Window(stated, stated)
    needed = tokens_about(prompt) + _ANSWER_TOKENS
    if served and served.window and served.window >= needed:
        return Window(served.window, served.window)
    size = _LEAST_TOKENS
    while size < needed:
        size *= 2
    if served and served.window:
        size = max(size, served.window)
    if served and served.longest:
        size = min(size, served.longest)
    return Window(size, size)


def stated_window(spec: ApiProvider, model: str | None) -> int | None:
    """The window that the provider file states, as ``context_tokens`` or among the options of Ollama."""
    rule = spec.rule_for(model)
    options = [protocol.table(body.get("options")) for body in ((rule.body,) if rule else ()) + (spec.body,)]
    sizes = (protocol.count(each.get("num_ctx")) for each in options)
    return spec.window_for(model) or next(filter(None, sizes), None)
