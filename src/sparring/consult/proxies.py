"""Which proxy the environment names for an address. This machine itself is never reached by one."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from sparring.consult.providers.endpoints import is_loopback
from sparring.errors import SettingsError

_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})


def proxy_for(url: str, environment: Mapping[str, str]) -> str | None:
    """The URL of the proxy for ``url``, None when there is none. It may hold a password.

    Raises:
        SettingsError: What the environment names is no proxy that is known here.
    """
    target = urlsplit(url)
    variable = next(filter(environment.get, _variables(target.scheme)), None)
    if variable is None or is_loopback(target.hostname or ""):
        return None
    if _is_exempt(target.hostname or "", environment.get("no_proxy") or environment.get("NO_PROXY") or ""):
        return None
    text = environment[variable].strip()
    proxy = text if "://" in text else f"http://{text}"
    parts = urlsplit(proxy)
    if parts.scheme not in _SCHEMES or not parts.hostname:
        raise SettingsError(f"{variable} does not hold the address of a proxy.")
    return proxy


def _variables(scheme: str) -> tuple[str, ...]:
    return tuple(spelled for name in (f"{scheme}_proxy", "all_proxy") for spelled in (name, name.upper()))


def _is_exempt(host: str, exempt: str) -> bool:
    names = [name.strip().lower().partition(":")[0].removeprefix(".") for name in exempt.split(",")]
    return any(name in {"*", host} or host.endswith(f".{name}") for name in names if name)
