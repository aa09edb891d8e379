"""Fetch one page over HTTP, never from where it may not be fetched.

Asked is the IP address that was judged, by the name that the page has: a second look-up could lead elsewhere. No proxy
is used for the same reason: it would look the name up itself. Redirects are judged like addresses of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, ip_address

import anyio

from sparring import __version__
from sparring.consult.http import Call, HttpClient, Response
from sparring.consult.sources.addresses import Address, read_address
from sparring.consult.sources.admission import Admission, is_public
from sparring.consult.sources.limits import Limits
from sparring.consult.sources.problems import NoPageError, absent, failed, refused
from sparring.consult.sources.resolving import Resolver
from sparring.errors import ConnectionFailedError, ConsultTimeoutError, OutputError, SettingsError
from sparring.schema.sources import PageProblem
from sparring.text.tidying import one_line

_HEADERS: Mapping[str, str] = {
    "accept": "text/html, application/xhtml+xml, text/*, application/pdf, application/json, */*;q=0.1",
    "accept-encoding": "identity",  # what is packed unpacks to anything
    "connection": "close",
    "user-agent": f"sparring/{__version__} (source check)",
}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})
_CLOSED = frozenset({401, 403, 407, 451})
_SHOWN = 60


@dataclass(frozen=True)
class Fetched:
    """A page as it came. ``final_url`` is where redirects led; empty when there were none."""

    final_url: str
    content_type: str
    body: bytes


@dataclass(frozen=True)
class Fetcher:
    """Fetches pages from where it is admitted."""

    limits: Limits
    resolver: Resolver
    admission: Admission

    async def fetch(self, client: HttpClient, url: str) -> Fetched:
        """The page at ``url``, or wherever that leads.

        Raises:
            NoPageError: There is none, or it is not to be had within the limits.
        """
        with anyio.move_on_after(self.limits.page_s):
            try:
                return await self._followed(client, url)
            except (ConnectionFailedError, ConsultTimeoutError) as error:
                raise absent(str(error)) from error
            except (OutputError, SettingsError) as error:
                raise failed(str(error)) from error
        raise absent(f"the page did not come within {self.limits.page_s:g} s")

    async def _followed(self, client: HttpClient, url: str) -> Fetched:
        address = read_address(url)
        for followed in range(self.limits.redirects + 1):
            found = await self._asked(client, address)
            if isinstance(found, Fetched):
                return replace(found, final_url=address.url if followed else "")
            address = found
        raise failed(f"the page leads on to another one more than {self.limits.redirects} times")

    async def _asked(self, client: HttpClient, address: Address) -> Fetched | Address:
        """The page there, or where it leads."""
        broken: ConnectionFailedError | None = None
        for place in await self._places(address):
            try:
                async with client.send(self._call(address, place)) as response:
                    return await _heard(response, address)
            except ConnectionFailedError as error:
                broken = broken or error
        raise broken or absent(f"{address.host} has no address")

    async def _places(self, address: Address) -> list[str]:
        """The IP addresses to try, all of them judged; those of the older kind first, since every network has them."""
        try:
            found = await self.resolver.resolve(address.host, address.port)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name cannot be looked up"
            raise absent(f"{address.host} cannot be found: {reason}") from error
        private = next((place for place in found if not is_public(place)), None)
        if private and not self.admission.names(address):
            where = private if private == address.host else f"{one_line(address.host, _SHOWN)} is at {private}"
            raise refused(f"the address is not public: {where}")
        return sorted(found, key=_is_newer)[: self.limits.addresses]

    def _call(self, address: Address, place: str) -> Call:
        wait_s = 2 * self.limits.page_s  # never over before the time for the whole page is
        return Call(address.url, _HEADERS, b"", wait_s, wait_s, limit=self.limits.body_bytes, address=place)


async def _heard(response: Response, address: Address) -> Fetched | Address:
    status = response.status
    if status in _REDIRECTS and (location := response.headers.get("location")):
        return read_address(location, address)
    if status in _GONE:
        raise NoPageError(PageProblem.GONE, f"there is no such page ({status})")
    if status in _CLOSED:
        raise failed(f"the page is not shown to everybody ({status})")
    if not 200 <= status < 300:
        raise failed(f"the server answered with status {status}")
    return Fetched("", response.headers.get("content-type", ""), await response.rest())


def _is_newer(place: str) -> bool:
    return not isinstance(ip_address(place), IPv4Address)
