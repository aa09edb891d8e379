"""What sets the APIs apart, one implementation each; no more than how a request and its answer are spelled."""

from collections.abc import Mapping
from typing import Any, Protocol

from sparring.consult.api.events import Event
from sparring.consult.api.heard import Fault, Heard
from sparring.schema.consultation import Usage

Json = dict[str, Any]


class Api(Protocol):
    """One model API."""

    key_header: str
    """Header that takes the key."""

    headers: Mapping[str, str]
    """Further headers that each request needs."""

    def path(self, model: str) -> str:
        """Where questions to ``model`` go, after the base URL."""
        ...

    def body(self, prompt: str, model: str) -> Json:
        """A request for a streamed answer."""
        ...

    def hear(self, event: Event, heard: Heard) -> None:
        """Add what ``event`` says to ``heard``.

        Raises:
            ValueError: It cannot be understood.
        """
        ...

    def fault(self, error: Any, status: int | None) -> Fault:
        """What the member ``error`` of an answer says that came with ``status``.

        Raises:
            ValueError: It cannot be understood.
        """
        ...

    def usage(self, told: Mapping[str, Any]) -> Usage:
        """What was used."""
        ...
