"""Endpoint of a model API with key and model: from the provider's file and the environment.

This module sends no requests. A key is a secret: it occurs in no error and in no ``repr``.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from msgspec import Struct
from pydantic import TypeAdapter, ValidationError

from sparring.errors import SettingsError
from sparring.schema.apis import AddressForm, ApiProvider, base_url
from sparring.schema.base import ModelName

_MODEL_NAME: TypeAdapter[str] = TypeAdapter(ModelName)
_KEY = re.compile(r"[\x21-\x7e]+")
_PORTS = {"http": 80, "https": 443}
_LISTENS_EVERYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 -- read, not listened on
_HOST_AND_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>[0-9]{1,5}))?")


class Key(Struct, frozen=True):
    """A key, and the environment variable that it is from."""

    variable: str
    value: str

    def __repr__(self) -> str:
        return f"Key({self.variable!r})"


class Endpoint(Struct, frozen=True):
    """Address of an API, with its key."""

    base_url: str
    key: Key | None = None

    @property
    def host(self) -> str:
        """Its host."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def port(self) -> int:
        """Its port."""
        parts = urlsplit(self.base_url)
        return parts.port or _PORTS[parts.scheme]

    @property
    def is_local(self) -> bool:
        """True if it is on this machine."""
        return is_loopback(self.host)


def endpoint_of(spec: ApiProvider, environment: Mapping[str, str]) -> Endpoint:
    """Return the endpoint of ``spec``.

    Raises:
        SettingsError: The address is missing or invalid, the key is invalid, or it would be sent unencrypted.
    """
    endpoint = Endpoint(_address(spec, environment), _key(spec, environment))
    if endpoint.key and not endpoint.is_local and not endpoint.base_url.startswith("https:"):
        raise SettingsError(
            f"The key in {endpoint.key.variable} would be sent to {endpoint.host} unencrypted.",
            hint="Give the address with https://.",
        )
    return endpoint


def named_model(spec: ApiProvider, environment: Mapping[str, str]) -> str | None:
    """The model that is asked when a question names none.

    Raises:
        SettingsError: The variable for it holds what cannot be a model.
    """
    text = _value(spec.model_variable, environment)
    if text and not is_model_name(text):
        raise SettingsError(f"{spec.model_variable} is not the id of a model.")
    return text or spec.model


def is_model_name(text: str) -> bool:
    """Return whether ``text`` can be the id of a model."""
    try:
        return bool(_MODEL_NAME.validate_python(text))
    except ValidationError:
        return False


def can_choose_model(spec: ApiProvider, environment: Mapping[str, str]) -> bool:
    """Return whether ``spec`` can be asked without naming a model."""
    try:
        return spec.lists_models or named_model(spec, environment) is not None
    except SettingsError:
        return False


def missing_key(spec: ApiProvider, endpoint: Endpoint) -> str | None:
    """Return a sentence if ``spec`` needs a key and there is none; None if it can be asked."""
    if endpoint.key is not None or not spec.key_variables or spec.key_optional:
        return None
    one_of = "none of " if len(spec.key_variables) > 1 else ""
    is_set = "is set" if one_of else "is not set"
    return f"{spec.title} needs a key: {one_of}{', '.join(spec.key_variables)} {is_set}."


def is_own_server(spec: ApiProvider, endpoint: Endpoint) -> bool:
    """Return whether a server is the user's own, local or without a key: it may be asked more than questions."""
    return endpoint.is_local or spec.key_optional or not spec.key_variables


@lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """Return whether ``host`` is this machine, without a DNS lookup."""
    if host.lower() == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


def _address(spec: ApiProvider, environment: Mapping[str, str]) -> str:
    text = _value(spec.base_url_variable, environment)
    if not text:
        if spec.base_url is None:
            raise SettingsError(f"Where {spec.title} is, is not known: {spec.base_url_variable} is not set.")
        return spec.base_url
    try:
        if spec.base_url_form is AddressForm.HOST and spec.base_url is not None:
            text = _url_of_host(text.strip("\"'"), spec.base_url)
        return base_url(text)
    except ValueError as error:
        raise SettingsError(f"{spec.base_url_variable} is not an address: it {error}.") from error


def _url_of_host(text: str, default: str) -> str:
    """``text`` completed by ``default`` as Ollama's own client does it: a scheme brings its port along."""
    usual = urlsplit(default)
    scheme, separator, rest = text.rpartition("://")
    place, _, path = rest.partition("/")
    match = _HOST_AND_PORT.fullmatch(f"[{place}]" if place.count(":") > 1 and not place.startswith("[") else place)
    if match is None:
        raise ValueError("must be a host, with or without a port")
    host = match["host"].strip("[]")
    host = _LISTENS_EVERYWHERE.get(host, host)
    port = match["port"] or ("" if separator else f"{usual.port or _PORTS[usual.scheme]}")
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme or usual.scheme}://{shown}{port and ':'}{port}{f'/{path}' if path else usual.path}"


def _key(spec: ApiProvider, environment: Mapping[str, str]) -> Key | None:
    for variable in spec.key_variables:
        if text := _value(variable, environment):
            if not _KEY.fullmatch(text):
                raise SettingsError(f"{variable} is not a key: it contains white space or other invalid characters.")
            return Key(variable, text)
    return None


def _value(variable: str | None, environment: Mapping[str, str]) -> str:
    return environment.get(variable, "").strip() if variable else ""
