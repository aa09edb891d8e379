"""From the name of a host to its addresses."""

import socket
from functools import partial
from typing import Protocol

import anyio.to_thread


class Resolver(Protocol):
    """Whatever knows the addresses of hosts."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """The IP addresses of ``host``, which may be one itself, the best first.

        Raises:
            OSError: It has none, or nobody could be asked.
        """
        ...


class SystemResolver:
    """Asks the operating system, and so the hosts file and DNS."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """See ``Resolver.resolve``."""
        # As bytes, or Python would encode the name once more, and by older rules.
        asking = partial(socket.getaddrinfo, host.encode("ascii"), port, type=socket.SOCK_STREAM)
        found = await anyio.to_thread.run_sync(asking, abandon_on_cancel=True)
        return tuple(dict.fromkeys(str(place[4][0]) for place in found))
