"""Model APIs as their provider files describe them: address, key, models, and how each differs from others."""

import re
from collections.abc import Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, JsonValue, StringConstraints, model_validator

from sparring.schema.base import Effort, ModelName, PlainText, Record
from sparring.schema.forms import Dialect
from sparring.schema.provider import Provider, ProviderKind, VariableName


class ApiKind(StrEnum):
    """API of an endpoint."""

    ANTHROPIC_MESSAGES = "anthropic-messages"
    CHAT_COMPLETIONS = "chat-completions"
    GEMINI = "gemini"
    OLLAMA = "ollama"
    OPENAI_RESPONSES = "openai-responses"


class AddressForm(StrEnum):
    """Form of an address in its variable.

    URL: whole, with its path. HOST: as ``OLLAMA_HOST`` does: scheme, host and port may each be left out, and an address
    that a server listens on stands for the one that it is reached at.
    """

    URL = "url"
    HOST = "host"


MODELS_PATHS = {
    ApiKind.ANTHROPIC_MESSAGES: "/v1/models",
    ApiKind.CHAT_COMPLETIONS: "/models",
    ApiKind.GEMINI: "/v1beta/models",
    ApiKind.OLLAMA: "/api/tags",
    ApiKind.OPENAI_RESPONSES: "/models",
}
"""Path at which each API lists its models."""

_KEY_HEADERS = frozenset({"api-key", "authorization", "cookie", "proxy-authorization", "x-api-key", "x-goog-api-key"})
_OURS = frozenset({"accept-encoding", "connection", "content-encoding", "content-length", "host", "transfer-encoding"})
_RESERVED = frozenset({"contents", "input", "messages", "model", "stream"})
_NOT_IN_URLS = re.compile(r"[^\x21-\x7e]")


def base_url(text: str) -> str:
    """Return ``text`` as the beginning of URLs, without a slash at its end.

    Raises:
        ValueError: It is no such URL, or has a forbidden part, such as a password.
    """
    if _NOT_IN_URLS.search(text):
        raise ValueError("must contain neither white space nor characters that are not ASCII")
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise ValueError("must name a host, and no port above 65535") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must begin with http:// or https:// and name a host")
    if "@" in parts.netloc:
        raise ValueError("must not contain a user name or password")
    if parts.query or parts.fragment or "?" in text or "#" in text:
        raise ValueError("must end with its path")
    return text.rstrip("/")


def _header_name(name: str) -> str:
    if name.lower() in _KEY_HEADERS:
        raise ValueError("is where a key goes; name its variable in key_variables")
    if name.lower() in _OURS:
        raise ValueError("is set by the client itself")
    return name


def _unreserved(body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    if reserved := _RESERVED & body.keys():
        raise ValueError(f"must not contain {', '.join(sorted(reserved))}, which every request sets")
    return body


BaseUrl = Annotated[str, AfterValidator(base_url)]
HeaderToken = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")]
HeaderName = Annotated[HeaderToken, AfterValidator(_header_name)]
HeaderValue = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$")]
Body = Annotated[Mapping[str, JsonValue], AfterValidator(_unreserved)]
"""A part of a request's body, merged into it table by table."""

Glob = Annotated[str, StringConstraints(min_length=1)]
"""A model id in which ``*`` stands for anything."""


class Structured(StrEnum):
    """Treatment of the schema of an answer by an endpoint.

    CONSTRAINED: the model can write nothing else. HINTED: the schema is taken, and may be ignored. NONE: it is not
    sent. In every case the answer is read as if no schema had been sent.
    """

    CONSTRAINED = "constrained"
    HINTED = "hinted"
    NONE = "none"


class ModelRule(Record):
    """The differences of some models.

    Attributes:
        match: The models.
        body: Put over the provider's own.
        efforts, context_tokens, structured: In the place of the provider's own.
    """

    match: tuple[Glob, ...] = Field(min_length=1)
    body: Body = Field(default_factory=dict[str, JsonValue])
    efforts: Mapping[Effort, Body] | None = None
    context_tokens: int | None = Field(default=None, ge=256)
    structured: Structured | None = None


class ApiProvider(Provider):
    """A model API.

    Attributes:
        base_url: Address to which the API's own paths are appended. None: only the user's setting has one.
        other_base_urls: Further addresses: if ``server`` does not run at ``base_url``, the first of them at which
            it does is used.
        base_url_variable: Environment variable with another address.
        key_variables: Environment variables that may hold the key; the first that is set is used.
        key_optional: Whether it can be asked without a key.
        key_header: Header for the bare key, where it is not the API's own one.
        model: Default model.
        model_variable: Environment variable with another default model.
        lists_models: Whether the first model that the endpoint lists is the default otherwise.
        skipped_models: Models of such a list that do not answer questions.
        detected: Whether it counts as available on this machine only while a server listens there.
        server: The program that must run at an address of this machine, by its own report.
        is_port_shared: Whether other programs usually run at these ports as well, so that a server without such a
            report is another program.
        efforts: Addition of each of our effort levels to the body; an empty part is the model's own level, and a
            missing level is not supported. By default only the middle one exists, as the model's own.
        models: The first rule that matches a model applies.
        headers: Added to every request.
        body: Added to the body of every request.
        omit: Fields of the body that this endpoint does not take.
        structured: Treatment of schemas of answers.
        schema_dialect: Keywords that such a schema may have; None: those that all servers of the API accept.
        schema_body: Added to the body of a request with a schema.
        window_advice: Advice to users for a larger context window.
        first_byte_s: Seconds until the answer must have begun: long where a model may have to be loaded first.
        stall_s: Seconds without a byte after which the answer counts as failed.
    """

    kind: Literal[ProviderKind.API] = ProviderKind.API
    api: ApiKind
    base_url: BaseUrl | None = None
    other_base_urls: tuple[BaseUrl, ...] = ()
    base_url_variable: VariableName | None = None
    base_url_form: AddressForm = AddressForm.URL
    key_variables: tuple[VariableName, ...] = ()
    key_optional: bool = False
    key_header: HeaderToken | None = None
    model: ModelName | None = None
    model_variable: VariableName | None = None
    lists_models: bool = False
    skipped_models: tuple[Glob, ...] = ()
    detected: bool = False
    server: PlainText | None = None
    is_port_shared: bool = False
    efforts: Mapping[Effort, Body] = {Effort.MEDIUM: {}}
    models: tuple[ModelRule, ...] = ()
    headers: Mapping[HeaderName, HeaderValue] = {}
    body: Body = Field(default_factory=dict[str, JsonValue])
    omit: tuple[PlainText, ...] = ()
    structured: Structured = Structured.HINTED
    schema_dialect: Dialect | None = None
    schema_body: Body = Field(default_factory=dict[str, JsonValue])
    window_advice: str = ""
    first_byte_s: float = Field(default=300, gt=0)
    stall_s: float = Field(default=120, gt=0)

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        if self.base_url is None and self.base_url_variable is None:
            raise ValueError("base_url or base_url_variable must be given")
        if self.base_url is None and self.base_url_form is AddressForm.HOST:
            raise ValueError("base_url must be given if the variable contains only a host")
        if self.lists_models and self.api in {ApiKind.ANTHROPIC_MESSAGES, ApiKind.GEMINI}:
            raise ValueError(f"lists_models is not for {self.api.value}, whose list of models looks different")
        return self

    def rule_for(self, model: str | None) -> ModelRule | None:
        """Return the rule for ``model``; None if it has none."""
        return next((rule for rule in self.models if model is not None and matches(model, rule.match)), None)

    def efforts_of(self, model: str | None) -> Mapping[Effort, Body]:
        """The effort levels of ``model``; without a model those of the provider."""
        rule = self.rule_for(model)
        return self.efforts if rule is None or rule.efforts is None else rule.efforts

    def window_for(self, model: str | None) -> int | None:
        """Return the tokens that ``model`` can read and write, or None where the provider file does not state them."""
        rule = self.rule_for(model)
        return self.context_tokens if rule is None or rule.context_tokens is None else rule.context_tokens

    def structured_for(self, model: str | None) -> Structured:
        """The treatment of schemas for ``model``."""
        rule = self.rule_for(model)
        return self.structured if rule is None or rule.structured is None else rule.structured


def matches(model: str, globs: tuple[Glob, ...]) -> bool:
    """Return whether one of ``globs`` fits ``model``."""
    return any(fnmatchcase(model, glob) for glob in globs)
