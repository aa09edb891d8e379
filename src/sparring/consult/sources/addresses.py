"""Addresses of pages, read by the HTTP client's own parser: what is checked is then what is asked. Nothing is sent."""

from dataclasses import dataclass

import httpx

from sparring.consult.sources.problems import refused
from sparring.text.tidying import one_line

_PORTS = {"http": 80, "https": 443}
_NO_ADDRESS = "this is no address of a page"
_SHOWN = 60


@dataclass(frozen=True)
class Address:
    """An address that a page may have.

    Attributes:
        url: As it is asked, without a fragment.
        host: In ASCII and small letters; of an IPv6 address without its brackets.
    """

    url: str
    host: str
    port: int


def read_address(text: str, base: Address | None = None) -> Address:
    """The address that ``text`` is; one that is not absolute is seen from ``base``.

    Raises:
        NoPageError: It is none of a page on the web, or holds a user name or password.
    """
    try:
        given = text.strip()
        url = httpx.URL(base.url).join(given) if base else httpx.URL(given)
        url = url.copy_with(fragment=None)
        host, port = url.raw_host.decode("ascii").lower(), url.port
    except (httpx.InvalidURL, ValueError) as error:
        raise refused(_NO_ADDRESS) from error
    if url.scheme and url.scheme not in _PORTS:
        raise refused(f"only http and https are looked up, not {one_line(url.scheme, _SHOWN)}")
    if not url.scheme or not host or not _is_port(port):
        raise refused(_NO_ADDRESS)
    if url.userinfo:
        raise refused("an address with a user name or a password is not looked up")
    return Address(str(url), host, _PORTS[url.scheme] if port is None else port)


def _is_port(port: int | None) -> bool:
    return port is None or 0 < port < 65536
