"""Connections to model APIs, and their lifetime.

There is one HTTP client for everybody who asks at the same time. It is made, and its library imported, when the first
API is asked, and closed when nobody holds on any more: a run does from its beginning to its end, each single question
does while it is asked. So connections are used again within a run, and none outlives it.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from sparring.providers.api.http import HttpClient


class Connections:
    """The HTTP client, while somebody needs it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._holders = 0
        self._client: HttpClient | None = None

    @asynccontextmanager
    async def acquired(self) -> AsyncGenerator[Self]:
        """Hold on to the connections; the last who lets go closes them."""
        self._holders += 1
        try:
            yield self
        finally:
            self._holders -= 1
            if not self._holders and (client := self._client) is not None:
                self._client = None
                await client.aclose()

    @property
    def client(self) -> "HttpClient":
        """The client; only for somebody who holds on."""
        if self._client is None:
            from sparring.providers.api.http import HttpClient  # noqa: PLC0415 -- who asks no API does not pay for it

            self._client = HttpClient(self._environment)
        return self._client
