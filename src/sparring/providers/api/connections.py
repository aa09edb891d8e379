"""Connections to model APIs, and their lifetime.

All concurrent questions share one HTTP client. It is made, and its library imported, when the first
API is asked, and closed after its last user: a run uses it from beginning to end, a single question
while it is asked. So connections are reused within a run, and none outlives it.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from sparring.providers.api.http import HttpClient


class Connections:
    """The HTTP client, with a count of its users."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._holders = 0
        self._client: HttpClient | None = None

    @asynccontextmanager
    async def acquired(self) -> AsyncGenerator[Self]:
        """Use the connections; the last user closes them."""
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
        """The client; only within ``acquired``."""
        if self._client is None:
            from sparring.providers.api.http import HttpClient  # noqa: PLC0415 -- only users of an API pay for it

            self._client = HttpClient(self._environment)
        return self._client
