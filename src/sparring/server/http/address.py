"""Where the server listens: ``HOST:PORT`` as it is typed, and the socket that it becomes."""

import ipaddress
import re
import socket
from dataclasses import dataclass

from sparring.errors import UsageError
from sparring.text.tidying import one_line

_SPELLED = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.%\w]+)\]|(?P<host>[^\[\]:/\s]+)):(?P<port>\d{1,5})")
_SHOWN = 100
_BACKLOG = 512


@dataclass(frozen=True)
class Address:
    """A host and a port; port 0 is any that is free."""

    host: str
    port: int

    @classmethod
    def parse(cls, spelled: str) -> "Address":
        """The address that is spelled ``HOST:PORT``, with an IPv6 address in brackets; raises ``UsageError``."""
        found = _SPELLED.fullmatch(spelled.strip())
        if found is None or int(found["port"]) > 65_535:
            shown = one_line(repr(spelled), _SHOWN)
            raise UsageError(f"{shown} is no address.", hint="Give HOST:PORT, e.g. 127.0.0.1:8000 or [::1]:8000.")
        return cls(found["six"] or found["host"], int(found["port"]))

    @property
    def is_loopback(self) -> bool:
        """Whether only programs of this machine can reach it."""
        return is_loopback(self.host)

    @property
    def url(self) -> str:
        """The beginning of every URL there."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def listen(self) -> socket.socket:
        """A socket that listens there.

        Raises:
            UsageError: The host is not one of this machine, or the port is taken or not allowed.
        """
        try:
            family, _, _, _, resolved = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
            return socket.create_server((resolved[0], resolved[1]), family=family, backlog=_BACKLOG)
        except OSError as error:
            reason = (error.strerror or str(error)).split(" (while")[0]
            raise UsageError(
                f"Nothing can listen on {one_line(self.url, _SHOWN)}: {reason}.", hint="Choose another address."
            ) from error

    def of(self, listening: socket.socket) -> "Address":
        """This address with the port that was found for it."""
        return Address(self.host, listening.getsockname()[1])


def is_loopback(host: str) -> bool:
    """Whether ``host`` always means this machine; a name other than ``localhost`` may mean any."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
