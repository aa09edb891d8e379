"""Fetch one page over HTTP, only from public addresses.

Addresses are read by the HTTP client's own parser, so that the address that is checked is the one that is fetched. A
model chooses them, so they must not lead to a place that only this machine can reach: its own services, also at its
public address, the local network, a cloud's metadata. A name is checked by all of its addresses. The request goes to
the IP address that was checked, under the name of the page: a second look-up could lead elsewhere. No proxy is used for
the same reason: it would look the name up itself. Redirects are checked like new addresses.
"""

import socket
from collections.abc import Mapping
from functools import partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Protocol, Self

import anyio
import anyio.to_thread
import httpx
from msgspec import Struct
from msgspec.structs import replace

from sparring import __version__
from sparring.errors import ConnectionFailedError, ConsultTimeoutError, OutputError, SettingsError
from sparring.providers.api.http import HttpCall, HttpClient, Response
from sparring.schema.lookups import PageProblem
from sparring.text.tidying import one_line


class SourceLimits(Struct, frozen=True):
    """Limits of looking sources up (specification: issue Rigor, Sources).

    Attributes:
        page_s: Seconds for a page, all redirects included.
        reading_s: Seconds for the text of a PDF, which a separate program reads.
        body_bytes: Most bytes of a page, packed or unpacked.
        text_characters: Most characters of a page that are searched: searching takes seconds for millions.
        redirects: Most redirects that are followed for a page.
        addresses: Most addresses of one host that are tried.
        at_once: Pages that are fetched at the same time.
        kept_pages: Pages that are cached.
        kept_characters: Their characters in all.
        kept_s: Seconds after which a page is fetched again: a server lives longer than a debate.
    """

    page_s: float = 10.0
    reading_s: float = 10.0
    body_bytes: int = 5 * 1024 * 1024
    text_characters: int = 2_000_000
    redirects: int = 5
    addresses: int = 3
    at_once: int = 4
    kept_pages: int = 256
    kept_characters: int = 16_000_000
    kept_s: float = 3600.0


class NoPageError(Exception):
    """An address gave no page.

    Attributes:
        detail: Why, in a few words for people.
        passes: Whether the next attempt may well end otherwise, as with a network that is away.
    """

    def __init__(self, problem: PageProblem, detail: str, *, passes: bool = False) -> None:
        super().__init__(detail)
        self.problem = problem
        self.detail = detail
        self.passes = passes


def refused(detail: str) -> NoPageError:
    """The address may not be asked."""
    return NoPageError(PageProblem.REFUSED, detail)


def failed(detail: str) -> NoPageError:
    """It was asked, or nearly, and nothing that can be read came."""
    return NoPageError(PageProblem.FAILED, detail)


def unreachable(detail: str) -> NoPageError:
    """The host could not be reached this time."""
    return NoPageError(PageProblem.FAILED, detail, passes=True)


_PORTS = {"http": 80, "https": 443}
_NO_ADDRESS = "this is not the address of a page"
_SHOWN = 60


class PageAddress(Struct, frozen=True):
    """An address that a page may have.

    Attributes:
        url: As it is requested, without a fragment.
        host: In ASCII and small letters; of an IPv6 address without its brackets.
    """

    url: str
    host: str
    port: int


def read_address(text: str, base: PageAddress | None = None) -> PageAddress:
    """Return the address in ``text``; a relative one is resolved from ``base``.

    Raises:
        NoPageError: It is no address of a web page, or contains a user name or password.
    """
    try:
        spelled = text.strip()
        url = httpx.URL(base.url).join(spelled) if base else httpx.URL(spelled)
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
    return PageAddress(str(url), host, _PORTS[url.scheme] if port is None else port)


def _is_port(port: int | None) -> bool:
    return port is None or 0 < port < 65536


class Resolver(Protocol):
    """Resolver of host names to addresses."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """Return the IP addresses of ``host``, which may be one itself, the best first.

        Raises:
            OSError: It has none, or the name server could not be reached.
        """
        ...

    def source(self, place: str) -> str | None:
        """Return the address of this machine from which the IP address ``place`` would be asked; None if none would."""
        ...


class SystemResolver:
    """Asks the operating system, and so the hosts file and DNS."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """See ``Resolver.resolve``."""
        # As bytes, or Python would encode the name again, and by older rules.
        asking = partial(socket.getaddrinfo, host.encode("ascii"), port, type=socket.SOCK_STREAM)
        addresses = await anyio.to_thread.run_sync(asking, abandon_on_cancel=True)
        return tuple(dict.fromkeys(str(place[4][0]) for place in addresses))

    def source(self, place: str) -> str | None:
        """See ``Resolver.source``. Nothing is sent: the system is only asked which way it would take."""
        family = socket.AF_INET6 if ":" in place else socket.AF_INET
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((place, 9))
                return str(probe.getsockname()[0])
        except OSError:
            return None


ALLOW_VARIABLE = "SPARRING_SOURCES_ALLOW"
"""Names hosts, ``host`` or ``host:port`` with commas between, that are asked wherever they are."""


# Python before 3.11.10 counts some of these as global; everything that is not listed as allowed is refused anyway.
# 168.63.129.16 is the host of every machine at Azure.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_LOCAL_BITS = 64
"""Local bits of an IPv6 address; the others are those of its network."""

_NOT_PUBLIC = tuple(
    ip_network(net) for net in ("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "2001::/23", "3fff::/20")
)


class Admission(Struct, frozen=True):
    """The hosts that the user has named, each with its port, or None for any.

    Attributes:
        warnings: Parts of the variable that could not be understood, for people; they allow nothing.
    """

    hosts: frozenset[tuple[str, int | None]] = frozenset()
    warnings: tuple[str, ...] = ()

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """Read ``SPARRING_SOURCES_ALLOW`` from ``environment``."""
        entries = [entry.strip() for entry in environment.get(ALLOW_VARIABLE, "").split(",")]
        hosts, warnings = set[tuple[str, int | None]](), list[str]()
        for entry in dict.fromkeys(entries):
            if not entry:
                continue
            host = _host(entry)
            if host is None:
                shown = one_line(entry, _SHOWN)
                warnings.append(f"{ALLOW_VARIABLE}: {shown!r} is not host or host:port; ignored.")
            else:
                hosts.add(host)
        return cls(frozenset(hosts), tuple(warnings))

    def names(self, address: PageAddress) -> bool:
        """Return whether the user has named the host of ``address``, spelled as it is there."""
        return not self.hosts.isdisjoint({(address.host, None), (address.host, address.port)})


def is_public(text: str) -> bool:
    """Return whether ``text`` is the IP address of one publicly reachable machine.

    Addresses that contain another one (mapped, 6to4, NAT64) are judged by that.
    """
    try:
        address = _meant(text)
    except ValueError:
        return False
    if address.is_multicast or not address.is_global or any(address in net for net in _NOT_PUBLIC):
        return False
    return isinstance(address, IPv4Address) or (address in _GLOBAL_UNICAST and not address.scope_id)


def is_local_network(text: str, source: str | None) -> bool:
    """Return whether the public address ``text`` belongs to this machine, or to a network that it is in.

    Args:
        text: An IP address.
        source: From which address this machine would ask it (``Resolver.source`` of ``effective_address``).
    """
    if source is None:
        return False
    address, source_address = _meant(text), _meant(source.partition("%")[0])
    if isinstance(address, IPv4Address) or isinstance(source_address, IPv4Address):
        return address == source_address
    return int(address) >> _LOCAL_BITS == int(source_address) >> _LOCAL_BITS


def effective_address(text: str) -> str:
    """Return the IP address that is reached by ``text``: the one inside, if it contains another."""
    return str(_meant(text))


def _meant(text: str) -> IPv4Address | IPv6Address:
    address = ip_address(text)
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _host(entry: str) -> tuple[str, int | None] | None:
    """Return the host and port that ``entry`` names; None when it names none."""
    if entry.startswith("["):  # an IPv6 address with a port, or without
        host, closed, port = entry[1:].partition("]")
        if not closed or (port and not port.startswith(":")):
            return None
        port = port[1:] if port else None
    elif entry.count(":") > 1:  # an IPv6 address
        host, port = entry, None
    else:
        host, colon, after = entry.partition(":")
        port = after if colon else None
    if not host or any(character in host for character in "/@ *[]"):
        return None
    if port is None:
        return host.lower(), None
    is_number = port.isascii() and port.isdigit() and len(port) <= 5
    return (host.lower(), int(port)) if is_number else None


_HEADERS: Mapping[str, str] = {
    "accept": "text/html, application/xhtml+xml, text/*, application/pdf, application/json, */*;q=0.1",
    "accept-encoding": "identity",  # compressed data unpack to any size
    "connection": "close",
    "user-agent": f"sparring/{__version__} (source check)",
}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})
_CLOSED = frozenset({401, 403, 407, 451})


class Fetched(Struct, frozen=True):
    """A page as it came. ``final_url`` is where redirects led; empty when there were none."""

    final_url: str
    content_type: str
    body: bytes


class Fetcher(Struct, frozen=True):
    """Fetches pages from where it is admitted."""

    limits: SourceLimits
    resolver: Resolver
    admission: Admission

    async def fetch(self, client: HttpClient, url: str) -> Fetched:
        """Return the page at ``url``, after all redirects.

        Raises:
            NoPageError: There is none, or it cannot be fetched within the limits.
        """
        with anyio.move_on_after(self.limits.page_s):
            try:
                return await self._followed(client, url)
            except (ConnectionFailedError, ConsultTimeoutError) as error:
                raise unreachable(str(error)) from error
            except (OutputError, SettingsError) as error:
                raise failed(str(error)) from error
        raise unreachable(f"the page did not come within {self.limits.page_s:g} s")

    async def _followed(self, client: HttpClient, url: str) -> Fetched:
        address = read_address(url)
        for followed in range(self.limits.redirects + 1):
            fetched = await self._asked(client, address)
            if isinstance(fetched, Fetched):
                return replace(fetched, final_url=address.url if followed else "")
            address = fetched
        raise failed(f"the page leads on to another one more than {self.limits.redirects} times")

    async def _asked(self, client: HttpClient, address: PageAddress) -> Fetched | PageAddress:
        """Return the page at ``address``, or the address that it redirects to."""
        first_failure: ConnectionFailedError | None = None
        for place in await self._places(address):
            try:
                async with client.send(self._call(address, place)) as response:
                    return await _read_response(response, address)
            except ConnectionFailedError as error:
                first_failure = first_failure or error  # of the best address
        raise first_failure or unreachable(f"{address.host} has no address")

    async def _places(self, address: PageAddress) -> list[str]:
        """Return the IP addresses to try, all of them judged; IPv4 first, since every network has it."""
        try:
            addresses = await self.resolver.resolve(address.host, address.port)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name cannot be looked up"
            raise unreachable(f"{address.host} cannot be found: {reason}") from error
        private = next((place for place in addresses if not self._is_foreign(place)), None)
        if private and not self.admission.names(address):
            where = private if private == address.host else f"{one_line(address.host, _SHOWN)} is at {private}"
            raise refused(f"the address is not public: {where}")
        return sorted(addresses, key=_is_newer)[: self.limits.addresses]

    def _is_foreign(self, place: str) -> bool:
        return is_public(place) and not is_local_network(place, self.resolver.source(effective_address(place)))

    def _call(self, address: PageAddress, place: str) -> HttpCall:
        wait_s = 2 * self.limits.page_s  # never over before the time for the whole page is
        return HttpCall(address.url, _HEADERS, b"", wait_s, wait_s, limit=self.limits.body_bytes, address=place)


async def _read_response(response: Response, address: PageAddress) -> Fetched | PageAddress:
    status = response.status
    if status in _REDIRECTS and (location := response.headers.get("location")):
        return read_address(location, address)
    if status in _GONE:
        raise NoPageError(PageProblem.GONE, f"there is no such page ({status})")
    if status in _CLOSED:
        raise failed(f"the page is not public ({status})")
    if not 200 <= status < 300:
        raise failed(f"the server answered with status {status}")
    return Fetched("", response.headers.get("content-type", ""), await response.rest())


def _is_newer(place: str) -> bool:
    return not isinstance(ip_address(place), IPv4Address)
