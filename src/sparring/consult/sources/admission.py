"""Which addresses may be asked: public ones, and what the user has named.

A model chooses the addresses, so they must not lead to where only this machine can go: its own services, the local
network, a cloud's metadata. Names are judged by all that they lead to, and the connection goes to what was judged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self

from sparring.consult.sources.addresses import Address
from sparring.text.tidying import one_line

ALLOW_VARIABLE = "SPARRING_SOURCES_ALLOW"
"""Names hosts, ``host`` or ``host:port`` with commas between, that are asked wherever they are."""

_SHOWN = 60

# Python before 3.11.10 counts some of these as global; what is not listed as allowed here is refused anyway.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_NOT_PUBLIC = tuple(ip_network(net) for net in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "3fff::/20"))


@dataclass(frozen=True)
class Admission:
    """The hosts that the user has named, each with its port, or None for any.

    Attributes:
        warnings: What of the variable could not be understood, for people; it allows nothing.
    """

    hosts: frozenset[tuple[str, int | None]] = frozenset()
    warnings: tuple[str, ...] = ()

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """What ``SPARRING_SOURCES_ALLOW`` in ``environment`` says."""
        entries = [entry.strip() for entry in environment.get(ALLOW_VARIABLE, "").split(",") if entry.strip()]
        hosts = {entry: _host(entry) for entry in entries}
        unknown = [one_line(entry, _SHOWN) for entry, host in hosts.items() if host is None]
        warnings = tuple(
            f"{ALLOW_VARIABLE}: {entry!r} is no host or host:port; it allows nothing." for entry in unknown
        )
        return cls(frozenset(host for host in hosts.values() if host), warnings)

    def names(self, address: Address) -> bool:
        """Whether the user has named the host of ``address``, spelled as it is there."""
        return not self.hosts.isdisjoint({(address.host, None), (address.host, address.port)})


def is_public(text: str) -> bool:
    """Whether ``text`` is the IP address of one machine that everybody can reach.

    Addresses that carry another one inside (mapped, 6to4, NAT64) are judged by that.
    """
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and (inner := _inner(address)) is not None:
        address = inner
    if address.is_multicast or not address.is_global or any(address in net for net in _NOT_PUBLIC):
        return False
    return isinstance(address, IPv4Address) or (address in _GLOBAL_UNICAST and not address.scope_id)


def _inner(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


def _host(entry: str) -> tuple[str, int | None] | None:
    """The host and port that ``entry`` names; None when it names none."""
    if entry.startswith("["):
        host, closed, port = entry[1:].partition("]")
        if not closed or (port and not port.startswith(":")):
            return None
        port = port[1:] if port else None
    elif entry.count(":") > 1:
        host, port = entry, None
    else:
        host, colon, after = entry.partition(":")
        port = after if colon else None
    if not host or any(character in host for character in "/@ *[]"):
        return None
    if port is None:
        return host.lower(), None
    return (host.lower(), int(port)) if port.isascii() and port.isdigit() and len(port) <= 5 else None
